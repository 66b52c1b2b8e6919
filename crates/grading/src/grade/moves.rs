//! Checks of moves: the moves that a player chooses, the time that they take, the way in which it counts plies,
//! and the moves that it judges, of which it must accept the legal ones and refuse the illegal ones.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plyground::{Game, Side};
use plyground_arena::timing::TimedAnswer;
use plyground_host::player::Player;
use plyground_host::{Fault, HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::seq::{IteratorRandom, SliceRandom};

use super::draw::{DrawnCheck, Task, chance_of};
use super::results::Finding;
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
struct Missing {
    fault: Fault,
    /// If true, the player was lost when it was told of the moves that lead to the position.
    is_early: bool,
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
    fn missing(
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
    fn sees(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
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
        Err(Box::new(Finding { expected, ..finding }))
    }

    /// Checks that the player makes a legal move.
    pub(super) fn moves_legally(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        let depth = Some(self.told(depth));
        let player = self.seat(depth, self.seed_in(task));
        let (answer, _) = self.ask(task, player, self.grader.programs.limits.wall);
        answer.map(drop).map_err(|missing| self.missing(task, depth, missing).boxed())
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
                return Some(Err(Finding::of_no_position(why.to_owned()).boxed()));
            }
            let policy = session.policy_for(limit);
            let wall = policy.limits.wall;
            let player = session.seat_held(depth, session.seed_in(task), policy);
            match session.ask(task, player, wall) {
                (Err(missing), time) => {
                    let is_late = missing.fault.is_late() || time > limit;
                    let finding = session.missing(task, depth, missing).boxed();
                    let is_part = is_late || session.moves_legally(task, 1).is_ok();
                    is_part.then_some(Err(finding))
                }
                (Ok(_), time) if time > limit => {
                    let limit = humantime::format_duration(limit);
                    let said = format!("expected a move in {limit}: {:.2} s", time.as_secs_f64());
                    Some(Err(session.finding(&task.position, depth, said).boxed()))
                }
                (Ok(_), _) => Some(Ok(())),
            }
        })
    }
}

/// Asks a player to judge moves, without starting its program for each move.
///
/// Starting a program takes longer than all questions, so a player that has answered correctly is
/// asked again. Earlier questions may have confused the player, for example through a board that all
/// players of the program share, so a new player confirms each wrong answer. This works for illegal
/// moves only: a confused player that accepts everything is right about legal moves. And a player that
/// tells a question from the first of its process may refuse the last move whatever it is, so the questions
/// that earn points go to [new players](Judge::renew), and a player that refuses a legal move, but not as a new one, is
/// not asked again.
struct Judge<'a> {
    start: HostedPosition,
    side: Side,
    seat: Box<dyn Fn() -> Box<dyn Player> + 'a>,
    player: Option<Box<dyn Player>>,
    /// If true, every question goes to a new player.
    is_wary: bool,
    /// If true, a player that was asked again has refused a legal move.
    is_deceived: bool,
}

/// The player's opinion of a move, beside the rules.
struct Opinion {
    agrees: bool,
    is_legal: bool,
}

impl<'a> Judge<'a> {
    /// Creates a judge that asks players from `seat`. They play `side` in games from `start`.
    pub(super) fn new(
        start: HostedPosition,
        side: Side,
        seat: impl Fn() -> Box<dyn Player> + 'a,
    ) -> Judge<'a> {
        let seat = Box::new(seat);
        Judge { start, side, seat, player: None, is_wary: false, is_deceived: false }
    }

    /// Lets a new player answer the next question.
    fn renew(&mut self) {
        self.player = None;
    }

    /// Returns true if the player accepts the last of these moves, which are made in turn.
    ///
    /// # Errors
    ///
    /// Returns the fault by which the player lost when it was told one of the moves.
    fn opinion(&mut self, moves: &[MoveText]) -> Result<bool, Missing> {
        if let Some(truth) = self.ask_again(moves) {
            return Ok(truth);
        }
        let mut player = (self.seat)();
        // The opinions of the other moves belong to other questions.
        let begins = player.lost().is_none();
        let mut opinions = self.tell(&mut *player, moves);
        let is_early = begins && opinions.len() < moves.len();
        match self.player.insert(player).lost() {
            None => Ok(opinions.pop().is_none_or(|last| last.agrees)),
            Some(fault) => Err(Missing { fault: fault.clone(), is_early }),
        }
    }

    /// Asks the current player for its opinion of the last move. Returns `None` unless the player
    /// is right about every move. A player that by now refuses everything fails this test, because
    /// it also refuses the legal moves before the last move.
    fn ask_again(&mut self, moves: &[MoveText]) -> Option<bool> {
        let mut player = self.player.take()?;
        let is_able = player.lost().is_none() && player.allows_take_back();
        if self.is_wary || moves.len() == 1 || !is_able {
            return None;
        }
        player.taken_back(&self.start);
        let opinions = self.tell(&mut *player, moves);
        let is_wrong = |opinion: &Opinion| opinion.agrees != opinion.is_legal;
        if player.lost().is_some() {
            return None;
        }
        if let Some(wrong) = opinions.iter().position(is_wrong) {
            self.is_deceived |= wrong + 1 == moves.len() && opinions[wrong].is_legal;
            return None;
        }
        self.player = Some(player);
        opinions.last().map(|last| last.agrees)
    }

    /// Tells a player of moves, as long as it is not lost. The last may be illegal.
    fn tell(&self, player: &mut dyn Player, moves: &[MoveText]) -> Vec<Opinion> {
        let mut position = self.start.clone();
        let tell = |&mv: &MoveText| {
            if player.lost().is_some() {
                return None;
            }
            let agrees = if position.side_to_move() == self.side {
                player.force_move(&position, mv)
            } else {
                player.opponent_move(&position, mv)
            };
            Some(Opinion { agrees, is_legal: position.play(mv).is_ok() })
        };
        moves.iter().map_while(tell).collect()
    }
}

/// Returns a position with two lines of moves from the start, whose last moves are illegal only because they are made
/// again. In the first, the opponent repeats a move of the player; in the second, its own.
fn repetitions(task: &Task) -> Option<(&Task, Vec<MoveText>, Vec<MoveText>)> {
    let position = &task.position;
    let is_legal = |position: &HostedPosition, mv| position.check_legal(mv).is_ok();
    position.legal_moves().find_map(|mv| {
        let after = position.after(mv);
        // The opponent could make the move if the player had made another.
        let is_for_both =
            || position.legal_moves().any(|other| is_legal(&position.after(other), mv));
        let reply = after.legal_moves().find_map(|reply| {
            let next = after.after(reply);
            let third = next.legal_moves().next()?;
            (!is_legal(&next.after(third), reply)).then_some([reply, third])
        });
        let [reply, third] = reply.filter(|_| !is_legal(&after, mv) && is_for_both())?;
        let line = |more: &[MoveText]| [&task.moves[..], more].concat();
        Some((task, line(&[mv, mv]), line(&[mv, reply, third, reply])))
    })
}

/// The side whose moves a player judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The player's own moves.
    Own,
    /// The moves of its opponent.
    Opponent,
}

impl Role {
    /// Both roles, in the order of their reports.
    pub(super) const BOTH: [Role; 2] = [Role::Own, Role::Opponent];

    fn move_words(self) -> &'static str {
        match self {
            Role::Own => "an own move",
            Role::Opponent => "a move of the opponent",
        }
    }
}

/// The greatest number of legal moves of a position that the player is asked about.
const MOST_ASKED: usize = 3;

/// Returns the legal moves of a position that the player is asked about.
fn asked(task: &Task) -> Vec<MoveText> {
    let legal: Vec<MoveText> = task.position.legal_moves().collect();
    legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1)).copied().collect()
}

/// A question about a move in a position: the move, and the rule that it breaks; `None` for a legal move.
type Question = (MoveText, Option<String>);

/// Returns the questions about illegal moves in each position: the moves tried, and for each rule a move that is legal
/// in another position. The moves tried are known to everybody, so a player that refuses just these knows no rule.
/// Among them, somewhere, is a legal move, because a player may refuse everything in a position.
fn questions(tasks: &[Task], tried: &[String], rng: &mut StdRng) -> Vec<Vec<Question>> {
    let legal = tasks.iter().flat_map(|task| task.position.legal_moves());
    let mut others: Vec<MoveText> = legal.collect::<BTreeSet<_>>().into_iter().collect();
    others.shuffle(rng);
    let in_position = |task: &Task| {
        let broken = |mv| Some((mv, Some(task.position.check_legal(mv).err()?.rule())));
        let tried = tried.iter().filter_map(|text| task.position.parse_move(text));
        let mut asked: Vec<Question> = tried.filter_map(broken).collect();
        let mut rules = BTreeSet::new();
        let others = others.iter().filter_map(|&mv| broken(mv));
        asked.extend(others.filter(|(_, rule)| rules.insert(rule.clone())));
        asked.extend(task.position.legal_moves().choose(rng).map(|mv| (mv, None)));
        asked.shuffle(rng);
        asked
    };
    tasks.iter().map(in_position).collect()
}

impl Session<'_> {
    pub(super) fn has_opinions(&self) -> bool {
        self.seat(None, 0).judges_moves()
    }

    /// Asks the player about a move in a position.
    ///
    /// # Errors
    ///
    /// Returns the wrong opinion, and true if the player was lost before it was asked.
    fn judge(
        &self,
        judge: &mut Judge<'_>,
        role: Role,
        task: &Task,
        mv: MoveText,
    ) -> Result<(), (Box<Finding>, bool)> {
        let line = [&task.moves[..], &[mv]].concat();
        let truth = task.position.check_legal(mv).is_ok();
        match judge.opinion(&line) {
            Ok(opinion) if opinion == truth => Ok(()),
            opinion => {
                let is_early = matches!(opinion, Err(Missing { is_early: true, .. }));
                Err((self.wrong(task, mv, role, opinion), is_early))
            }
        }
    }

    /// Returns a judge of the moves in a position, in this role.
    fn judge_as(&self, role: Role, task: &Task) -> Judge<'_> {
        let mover = task.position.side_to_move();
        let side = if role == Role::Own { mover } else { mover.other() };
        Judge::new(self.grader.game.start(), side, || self.seat(None, self.grader.seed))
    }

    /// Makes a check of the player's opinions in each role. The methods of the two roles are apart in most players, so
    /// each earns half of the points.
    fn in_both_roles(
        &mut self,
        parts: &str,
        mut check: impl FnMut(&mut Self, Role) -> Shares,
    ) -> CheckVerdict {
        let [mut own, opponent] = Role::BOTH.map(|role| check(self, role));
        let share = (own.share() + opponent.share()) / 2.0;
        let [first, second] = [&own, &opponent].map(|shares| shares.count() + parts);
        let summary = if first == second {
            first
        } else {
            format!("own moves: {first}; moves of the opponent: {second}")
        };
        own.join(opponent);
        own.with(share, summary)
    }

    /// Asks the player about legal moves in each position.
    pub(super) fn accepts_legal(&mut self, tasks: &[Task]) -> CheckVerdict {
        let verdict = self.in_both_roles("", |session, role| {
            let mut accepts = false;
            let shares = session.each(tasks, |session, task| {
                // A new player judges each move, because a player that has begun to accept everything is
                // right about legal moves.
                let judge = |mv| session.judge(&mut session.judge_as(role, task), role, task, mv);
                let judged = asked(task).into_iter().map(judge);
                let mut judged = judged.inspect(|it| accepts |= it.is_ok());
                judged.find_map(Result::err).map_or(Ok(()), |(wrong, _)| Err(wrong))
            });
            // Questions for which there was no time say nothing about the player.
            let is_asked = session.why_unasked(shares.all()).is_none();
            session.accepts[role as usize] = (accepts || is_asked).then_some(accepts);
            shares
        });
        if self.accepts != [Some(false); 2] {
            self.heed_forgetting(tasks);
        }
        verdict
    }

    /// Returns true if the player accepts a legal move in this role, or if there is no time to ask for that.
    fn accepts(&self, role: Role, tasks: &[Task]) -> bool {
        let accepts = |task: &Task| {
            asked(task).into_iter().any(|mv| {
                let judged = self.judge(&mut self.judge_as(role, task), role, task, mv);
                judged.is_ok() || self.why_unasked(1).is_some()
            })
        };
        self.accepts[role as usize].unwrap_or_else(|| tasks.iter().any(accepts))
    }

    /// Finds out whether the player forgets the own moves that it is told, but keeps the moves of its opponent. It then
    /// takes a move that it was told for legal once more, as its opponent's, but none that its opponent has made.
    fn heed_forgetting(&mut self, tasks: &[Task]) {
        let Some((task, twice, again)) = tasks.iter().find_map(repetitions) else { return };
        let takes = {
            let mut own = self.judge_as(Role::Own, task);
            [twice, again].map(|moves| own.opinion(&moves).ok())
        };
        self.forgets = takes == [Some(true), Some(false)];
    }

    /// Asks the player [questions] about illegal moves in each position. Each rule that the moves break is a part of
    /// the check, so a rule that a player lacks costs no other rule. If there is only one, each position is a part. To
    /// refuse is no merit in a position in which the player refuses a legal move, too.
    pub(super) fn refuses_illegal(&mut self, tasks: &[Task], tried: &[String]) -> CheckVerdict {
        let parts = |asked: &[Vec<Question>]| -> BTreeSet<String> {
            asked.iter().flatten().filter_map(|it| it.1.clone()).collect()
        };
        // Each role, and each pass, has its own questions, because a player may remember those that an earlier one was
        // asked.
        let drawn = |role: Role, is_wary: bool| {
            let purpose = format!("illegal moves, {}, {is_wary}", role.move_words());
            let mut rng = chance_of(self.grader.seed, &*self.grader.game, &purpose);
            let mut asked = questions(tasks, tried, &mut rng);
            let has_rules = parts(&asked).len() > 1;
            for (index, moves) in asked.iter_mut().enumerate().filter(|_| !has_rules) {
                let rules = moves.iter_mut().filter_map(|it| it.1.as_mut());
                rules.for_each(|rule| *rule = format!("{index:04}"));
            }
            (asked, has_rules)
        };
        let has_rules = drawn(Role::Own, false).1;
        // If `is_wary` is true, every question goes to a new player.
        let check = |session: &Self, role: Role, is_wary: bool| {
            let mut shares = Shares::default();
            let (asked, _) = drawn(role, is_wary);
            let parts = parts(&asked);
            // A player that refuses every move is right about the illegal ones, which is no merit.
            if !session.accepts(role, tasks) {
                let said = format!("it accepts no legal move as {}", role.move_words());
                let refused = || Err(Finding::of_no_position(said.clone()).boxed());
                parts.iter().for_each(|_| shares.add(refused()));
                return (shares, false);
            }
            // Without an answer as long as the player was not asked.
            let unasked = parts.iter().map(|part| (part.clone(), None));
            let mut answers: BTreeMap<String, Option<Result<(), Box<Finding>>>> = unasked.collect();
            let (mut questions, mut is_deceived) = (asked.iter(), false);
            let asked = session.each(tasks, |session, task| {
                let mut judge = Judge { is_wary, ..session.judge_as(role, task) };
                let mut right = BTreeSet::new();
                for (mv, part) in questions.next().into_iter().flatten() {
                    let answer = part.as_ref().map(|part| &answers[part]);
                    if matches!(answer, Some(Some(Err(_)))) {
                        continue;
                    }
                    // The first answer about a part earns its points. A legal move goes to a player that was asked
                    // before, if there is one, and to a new one, so that both must tell it from an illegal one.
                    let is_first = part.as_ref().is_some_and(|part| !right.contains(part));
                    if is_first && answer.is_some_and(Option::is_none) {
                        judge.renew();
                    }
                    let is_used = judge.player.is_some();
                    let mut judged = session.judge(&mut judge, role, task, *mv);
                    is_deceived |= judge.is_deceived;
                    if part.is_none() && is_used && judged.is_ok() {
                        judge.renew();
                        judged = session.judge(&mut judge, role, task, *mv);
                    }
                    let Err((wrong, is_early)) = judged else {
                        right.extend(part);
                        continue;
                    };
                    // An answer that was cut short says nothing about the player.
                    let is_cut_short = is_early || session.allowance.is_over();
                    match part.as_ref().filter(|_| !is_cut_short) {
                        Some(part) => answers.insert(part.clone(), Some(Err(wrong))),
                        None => return Err(wrong),
                    };
                }
                for part in right {
                    answers.entry(part.clone()).or_default().get_or_insert(Ok(()));
                }
                Ok(())
            });
            shares = asked.without_parts();
            for answer in answers.into_values() {
                match answer {
                    Some(answer) => shares.add(answer),
                    None => shares.passed.push(false),
                }
            }
            (shares, is_deceived)
        };
        self.in_both_roles(if has_rules { " rules" } else { "" }, |session, role| {
            let (shares, is_deceived) = check(session, role, false);
            if is_deceived { check(session, role, true).0 } else { shares }
        })
    }

    /// Describes a wrong opinion.
    fn wrong(
        &self,
        task: &Task,
        mv: MoveText,
        role: Role,
        opinion: Result<bool, Missing>,
    ) -> Box<Finding> {
        let word = |is_legal| if is_legal { "legal" } else { "illegal" };
        let truth = word(task.position.check_legal(mv).is_ok());
        let (found, stderr) = match opinion {
            Ok(said) => (format!("it was taken for {}", word(said)), String::new()),
            Err(missing @ Missing { is_early: true, .. }) => {
                return Finding { turn: String::new(), ..self.missing(task, None, missing) }
                    .boxed();
            }
            Err(Missing { fault, .. }) => {
                (format!("it led to: {}", self.heed(fault)), self.stderr.end())
            }
        };
        let said = format!("{mv} is {truth}; as {} {found}", role.move_words());
        Finding { stderr, ..Finding::at(&task.position, said) }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use plyground_host::player::{Answer, Turn};
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::{CheckKind, draw_checks, parse_checks};

    /// A function that returns a player's opinion of a move. The flags are true if the player has
    /// refused a move before, and if the move is legal.
    type Habit = fn(&str, bool, bool) -> bool;

    struct Habitual {
        habit: Habit,
        has_refused: bool,
    }

    impl Player for Habitual {
        fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
            Err(Fault::NoMove)
        }

        fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            let is_legal = before.check_legal(mv).is_ok();
            let agrees = (self.habit)(&mv.to_string(), self.has_refused, is_legal);
            self.has_refused |= !agrees;
            agrees
        }

        fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            self.opponent_move(before, mv)
        }

        fn allows_take_back(&self) -> bool {
            true
        }
    }

    /// Returns the opinions of a player with this habit about three illegal moves and a legal one,
    /// the number of players that were asked, and true if one of them has deceived the judge.
    fn opinions(habit: Habit) -> ([bool; 4], u32, bool) {
        let start = toy().start();
        let seats = Cell::new(0);
        let mut judge = Judge::new(start.clone(), Side::First, || {
            seats.set(seats.get() + 1);
            Box::new(Habitual { habit, has_refused: false })
        });
        let opinions = ["1", "2", "3", "4"].map(|last| {
            let moves = ["1", "2", "3", last].map(|mv| start.parse_move(mv).expect("a move"));
            judge.opinion(&moves).expect("an opinion")
        });
        let is_deceived = judge.is_deceived;
        drop(judge);
        (opinions, seats.get(), is_deceived)
    }

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

    const RIGHT: [bool; 4] = [false, false, false, true];

    #[test]
    fn one_player_is_asked_as_long_as_it_is_right() {
        assert_eq!(opinions(|_, _, is_legal| is_legal), (RIGHT, 1, false));
    }

    #[test]
    fn player_that_takes_everything_once_it_has_refused_is_asked_as_a_new_one() {
        let expected = (RIGHT, 3, false);
        assert_eq!(opinions(|_, has_refused, is_legal| has_refused || is_legal), expected);
    }

    #[test]
    fn player_that_refuses_everything_once_it_has_refused_is_asked_as_a_new_one() {
        let expected = (RIGHT, 4, false);
        assert_eq!(opinions(|_, has_refused, is_legal| !has_refused && is_legal), expected);
    }

    #[test]
    fn player_that_refuses_a_legal_move_only_when_it_is_used_is_noticed() {
        let habit: Habit = |mv, has_refused, is_legal| is_legal && !(has_refused && mv == "4");
        assert_eq!(opinions(habit), (RIGHT, 2, true));
    }

    /// A player that refuses everything would be right about the illegal move 2.
    #[test]
    fn refusing_everything_hides_no_fault() {
        let habit: Habit = |mv, has_refused, is_legal| !has_refused && (is_legal || mv == "2");
        assert_eq!(opinions(habit).0, [false, true, false, true]);
    }

    /// A player that refuses the moves of the check, or everything in some positions, knows no rule.
    #[test]
    fn questions_are_not_only_the_moves_of_the_check() {
        let game = network::game(network::Rules::Berkeley);
        let checks = parse_checks(game.checks()).expect("the checks");
        let check = checks.iter().find(|check| check.kind == CheckKind::RefusesIllegal);
        let check = check.expect("a check");
        let (mut fewest, mut places) = (usize::MAX, BTreeSet::new());
        for seed in 1..=3 {
            let drawn = draw_checks(&*game, std::slice::from_ref(check), seed).expect("positions");
            let mut rng = chance_of(seed, &*game, "test");
            let asked = questions(&drawn[0].tasks, &check.keys.moves, &mut rng);
            for asked in &asked {
                let legal: Vec<usize> =
                    (0..asked.len()).filter(|&at| asked[at].1.is_none()).collect();
                assert_eq!(legal.len(), 1, "{asked:?}");
                places.extend(legal);
            }
            let rules = |is_asked: &dyn Fn(&MoveText) -> bool| -> usize {
                let asked = asked.iter().flatten().filter(|it| is_asked(&it.0));
                asked.filter_map(|it| it.1.clone()).collect::<BTreeSet<_>>().len()
            };
            let all = rules(&|_| true);
            let new = rules(&|mv| !check.keys.moves.contains(&mv.to_string()));
            assert!(new * 3 >= all * 2, "{new} of {all}");
            fewest = fewest.min(all);
        }
        assert!(fewest >= 9 && places.len() > 9, "{fewest} rules, legal at {places:?}");
    }
}
