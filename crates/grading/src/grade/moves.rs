//! Checks of the moves that a player chooses: their quality, the time that they take, and the way in which the player
//! counts plies.

use std::time::Duration;

use plyground::{Game, Side};
use plyground_arena::timing::TimedAnswer;
use plyground_host::player::Player;
use plyground_host::{Fault, MoveText};

use super::draw::{DrawnCheck, Task};
use super::results::{Finding, Outcome};
use super::session::{Session, WITHOUT_DEPTH};
use super::verdict::{CheckVerdict, Shares, Sight, surprise};

/// The way in which a player counts plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// The player counts as it should.
    Right,
    /// The player sees nearly all at lower depths, too: it foresees the end, or looks as far at any depth.
    Foresees,
    /// The player looks one ply less ahead than it is told.
    OneLess,
    /// The player looks one ply further ahead than it is told, or as far at any depth.
    OneMore,
    /// The player sees too little to tell.
    Unknown,
}

impl Count {
    /// Determines the count of a player that is asked for its move in `asked` positions, whose right moves it takes
    /// `plies` to see. `seen` asks the player in each of them, told a depth of this many plies more or, if negative,
    /// less, and returns the number of right moves.
    pub fn of(asked: usize, plies: u32, mut seen: impl FnMut(i32) -> usize) -> Count {
        // Luck alone never gives nearly all right moves.
        let is_nearly_all = |seen: usize, asked: usize| seen * 10 >= asked * 9 && seen > 0;
        let told = seen(0);
        if !is_nearly_all(told, asked) {
            let further = seen(1);
            // A player that counts right sees hardly more by another ply. It may fail in some positions at any depth.
            let is_less = if is_nearly_all(further, asked) {
                told + asked.div_ceil(4) <= further
            } else {
                further * 5 >= asked * 4 && told + asked.div_ceil(2) <= further
            };
            return if is_less { Count::OneLess } else { Count::Unknown };
        }
        if plies == 1 || seen(-1) < asked {
            return Count::Right;
        }
        // A player whose evaluation is good enough for this also finds most of the moves with two and
        // three plies less: the best that we know finds a third of twelve at least. A player that looks one
        // ply too far finds a quarter at most, because the points on the board mislead the player.
        let sooner = [-2, -3].into_iter().filter(|&more| plies.saturating_add_signed(more) > 0);
        let sooner: Vec<usize> = sooner.map(seen).collect();
        let (found, all) = (sooner.iter().sum::<usize>(), asked * sooner.len());
        if found * 4 <= all {
            Count::OneMore
        } else if is_nearly_all(found, all) {
            Count::Foresees
        } else {
            Count::Right
        }
    }

    /// Returns true if nothing is wrong with the count.
    pub fn is_right(self) -> bool {
        matches!(self, Count::Right | Count::Foresees)
    }

    fn words(self) -> &'static str {
        match self {
            Count::Right => "counted as it should be",
            Count::Foresees => {
                "it sees as much with fewer moves: it foresees the end, or looks as far at any depth"
            }
            Count::OneLess => "off by one: it looks one move less ahead than it is told",
            Count::OneMore => {
                "off by one: it looks one move further ahead than it is told, or always as far"
            }
            Count::Unknown => "too few right moves to tell",
        }
    }

    /// Returns the number of plies to add to the depth that the player is told.
    fn miscount(self) -> i32 {
        match self {
            Count::OneLess => 1,
            Count::OneMore => -1,
            Count::Right | Count::Foresees | Count::Unknown => 0,
        }
    }
}

/// A fault in place of an answer.
#[derive(Debug)]
pub(super) struct Missing {
    pub(super) fault: Fault,
    /// If true, the player was lost when it was told of the moves that lead to the position.
    pub(super) is_early: bool,
}

/// The words before a fault of a player that was told of the moves that lead to a position.
const EARLY: &str = "told of the moves so far, before any question: ";

impl Session<'_> {
    /// Asks for the player's move in a position. Returns the answer and the time that it took.
    fn ask(
        &self,
        task: &Task,
        mut player: Box<dyn Player>,
        wall: Option<Duration>,
    ) -> (Result<MoveText, Missing>, Duration) {
        let asked = TimedAnswer::ask(&self.grader.game.start(), &task.moves, &mut *player, wall);
        // Neither helper threads nor other programs on the computer count against the player.
        let time = asked.wall.min(asked.cpu);
        let is_early = asked.is_early;
        let mv = asked.answer.and_then(|answer| answer.legal_move(&asked.position));
        self.heed_time(mv.as_ref().err());
        self.heed_move(mv.is_ok());
        (mv.map_err(|fault| Missing { fault: self.heed(fault), is_early }), time)
    }

    /// Returns the finding about a position in which the player gave no answer.
    pub(super) fn missing(
        &self,
        task: &Task,
        depth: Option<u32>,
        Missing { fault, is_early }: Missing,
    ) -> Finding {
        let finding = self.fault_in(task, depth, fault);
        if !is_early {
            return finding;
        }
        // The player is not to blame for trouble of the computer, or for the end of its time.
        if self.trouble.get().is_none() && !self.allowance.is_over() {
            self.lost_early.set(true);
        }
        Finding { said: format!("{EARLY}{}", finding.said), ..finding }
    }

    /// Returns the seed for a position. If all positions had the same seed, a player that moves at
    /// random would be right in all of them or in none.
    pub(super) fn seed_in(&self, task: &Task) -> u64 {
        self.grader.seed ^ task.position.key()
    }

    /// Checks that the player finds a right move when it is told this depth.
    fn sees(&self, task: &Task, depth: u32) -> Outcome {
        let player = self.seat(Some(depth), self.seed_in(task));
        let (answer, _) = self.ask(task, player, self.grader.programs.limits.wall);
        let finding = match answer {
            Ok(mv) if task.right.contains(&mv) => return Ok(()),
            Ok(mv) => {
                let played = Some(mv.to_string());
                Finding { played, ..self.finding(&task.position, Some(depth), String::new()) }
            }
            Err(missing) => self.missing(task, Some(depth), missing),
        };
        let expected = task.right.iter().map(ToString::to_string).collect();
        Err(Finding { expected, ..finding }.into())
    }

    pub(super) fn moves_legally(&self, task: &Task, depth: u32) -> Outcome {
        let depth = Some(self.told(depth));
        let player = self.seat(depth, self.seed_in(task));
        let (answer, _) = self.ask(task, player, self.grader.programs.limits.wall);
        answer.map(drop).map_err(|missing| self.missing(task, depth, missing).into())
    }

    /// Asks the player for its move in each position. `enough` right moves earn all points. In a
    /// position that takes one ply more than `plies`, the player is told a depth of one more.
    pub(super) fn sees_all(
        &self,
        tasks: &[Task],
        depth: u32,
        plies: u32,
        enough: Option<usize>,
    ) -> Sight {
        let shares = self.each(tasks, |session, task| {
            let more = task.plies.saturating_sub(plies);
            session.sees(task, session.told(depth + more))
        });
        Sight::new(tasks, shares, enough.unwrap_or(tasks.len()))
    }

    /// Determines how the player counts plies, for each side: a program that searches for only one side may count
    /// differently for it. If the player sees too little to tell as both sides, as it may if it does not value the end
    /// of the game by points, the positions of `other`, a check of points in the middle of the game, decide.
    pub(super) fn counts_depth(
        &mut self,
        tasks: &[Task],
        other: Option<&DrawnCheck>,
    ) -> CheckVerdict {
        if self.without_depth {
            return Shares::default().with(0.0, format!("it {WITHOUT_DEPTH}"));
        }
        let of = |side| tasks.iter().filter(move |task| task.position.side_to_move() == side);
        let sides = Side::BOTH.map(|side| of(side).cloned().collect::<Vec<Task>>());
        let mut shares = Shares::default();
        let mut counted = Vec::new();
        for tasks in sides.iter().filter(|tasks| !tasks.is_empty()) {
            let (count, missed) = self.count(tasks);
            let words = match (count, tasks.first()) {
                // A program may be right at even depths alone, and each side has one of the two.
                (Count::Unknown, Some(Task { plies, .. })) => {
                    let (good, all) = (missed.good(), missed.all());
                    format!("{good} of {all} at depth {plies}, {}", count.words())
                }
                _ => count.words().to_owned(),
            };
            let part = missed.good() as f64 / tasks.len() as f64;
            counted.push((count, part, words));
            shares.join(missed);
        }
        let known = counted.iter().map(|it| it.0).filter(|&count| count != Count::Unknown);
        let known: Vec<Count> = known.collect();
        let is_one = known.windows(2).all(|pair| pair[0] == pair[1]);
        self.miscount = known.first().filter(|_| is_one).map_or(0, |count| count.miscount());
        let mut right = known.iter().filter(|count| count.is_right()).count();
        let (has_right, is_beyond_luck) =
            (right > 0, known.is_empty() && self.sees_beyond_luck(tasks, &shares));
        // Other checks charge for the few moves that are not seen.
        for (count, part, words) in &mut counted {
            let is_nearly_right = is_beyond_luck && *part >= 0.5 || has_right && *part > 0.5;
            if *count == Count::Unknown && is_nearly_right {
                *words += ", for which other checks charge";
                right += 1;
            }
        }
        let all = counted.len().max(1);
        let mut words: Vec<String> = counted.into_iter().map(|it| it.2).collect();
        words.dedup();
        let mut summary = words.join(" with the first player to move; with the second, ");
        let other = other.filter(|_| right == 0 && known.is_empty());
        let told = other.map(|other| self.count(&other.tasks).0);
        // A good evaluation may see these few moves ahead without a search.
        let decides = |count: &Count| matches!(count, Count::Right | Count::OneLess);
        if let Some(count) = told.filter(decides) {
            right = if count == Count::Right { all } else { 0 };
            self.miscount = count.miscount();
            summary += &format!("; in the middle of the game, {}", count.words());
        }
        if self.miscount != 0 {
            let how = if self.miscount > 0 { "more" } else { "less" };
            summary += &format!("; the other checks ask for one {how}");
        }
        shares.with(right as f64 / all as f64, summary)
    }

    /// Returns true if a player sees more than luck gives with the right depth, clearly less with one ply less, and
    /// hardly more with one ply more. `seen` are its answers at the right depth.
    fn sees_beyond_luck(&self, tasks: &[Task], seen: &Shares) -> bool {
        let chances: Vec<f64> = tasks.iter().map(Task::chance).collect();
        let good = seen.good();
        if good <= surprise(&chances) {
            return false;
        }
        let told = |more: i32| {
            let sees = |session: &Self, task: &Task| {
                session.sees(task, task.plies.saturating_add_signed(more))
            };
            self.each(tasks, sees).good()
        };
        let is_least = tasks.iter().all(|task| task.plies == 1);
        let sees_less = is_least || (told(-1) + tasks.len().div_ceil(4)) <= good;
        // Questions for which the time was over say nothing about the player.
        sees_less && told(1) <= good + tasks.len() / 8 && self.why_unasked(tasks.len()).is_none()
    }

    /// Determines how the player counts plies. Also returns the answers at the right depth, if they
    /// show that the player sees too little.
    fn count(&self, tasks: &[Task]) -> (Count, Shares) {
        let plies = tasks.iter().map(|task| task.plies).min().unwrap_or(0);
        let mut missed = Shares::default();
        let count = Count::of(tasks.len(), plies, |more| {
            let told = |task: &Task| task.plies.saturating_add_signed(more);
            let shares = self.each(tasks, |session, task| session.sees(task, told(task)));
            let good = shares.good();
            if more == 0 {
                missed = shares;
            }
            good
        });
        let is_seen = count.is_right() || count == Count::OneMore;
        (count, if is_seen { Shares::default() } else { missed })
    }

    /// Checks the time of a move in each position. A position in which the player fails in time, and without a search
    /// too, is no part of the check, since other checks charge for that.
    pub(super) fn in_time(&self, tasks: &[Task], depth: Option<u32>, limit: Duration) -> Shares {
        let depth = depth.map(|depth| self.told(depth));
        self.each_asked(tasks, |session, task, unasked| {
            if let Some(why) = unasked {
                return Some(Err(Finding::of_no_position(why).into()));
            }
            let policy = session.policy_for(limit);
            let wall = policy.limits.wall;
            let player = session.seat_held(depth, session.seed_in(task), policy);
            match session.ask(task, player, wall) {
                (Err(missing), time) => {
                    let is_late = missing.fault.is_late() || time > limit;
                    let finding = session.missing(task, depth, missing).into();
                    let is_part = is_late || session.moves_legally(task, 1).is_ok();
                    is_part.then_some(Err(finding))
                }
                (Ok(_), time) if time > limit => {
                    let limit = humantime::format_duration(limit);
                    let said = format!("expected a move in {limit}: {:.2} s", time.as_secs_f64());
                    Some(Err(session.finding(&task.position, depth, said).into()))
                }
                (Ok(_), _) => Some(Ok(())),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_is_told_from_slips_and_from_a_depth_that_is_ignored() {
        // Of twelve positions, those that are seen when told 1 more, and 0 to 3 less.
        for (seen, count) in [
            ([12, 12, 3, 0, 0], Count::Right),
            ([12, 11, 12, 6, 7], Count::Right),
            ([12, 12, 12, 12, 12], Count::Foresees),
            ([12, 12, 12, 3, 0], Count::OneMore),
            ([12, 3, 0, 0, 0], Count::OneLess),
            ([10, 2, 0, 0, 0], Count::OneLess),
            ([10, 6, 0, 0, 0], Count::Unknown),
            // A fault in a few positions at any depth is no miscount.
            ([12, 10, 3, 0, 0], Count::Unknown),
            ([9, 9, 9, 9, 9], Count::Unknown),
        ] {
            let told = |more: i32| seen[usize::try_from(1 - more).expect("a depth that is asked")];
            assert_eq!(Count::of(12, 6, told), count, "{seen:?}");
        }
        assert_eq!(Count::of(12, 2, |more| if more < 0 { 4 } else { 12 }), Count::Right);
        assert_eq!(Count::of(12, 2, |more| if more > 0 { 12 } else { 4 }), Count::OneLess);
    }
}
