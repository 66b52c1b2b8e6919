//! Checks of the moves that a player chooses: the moves that it sees, the time that they take, and the way in
//! which it counts plies.

use std::time::Duration;

use plyground::{Game, Side};
use plyground_arena::timing::set_up;
use plyground_host::player::{Player, Turn};
use plyground_host::{Ending, Fault, MoveText};

use super::draw::Task;
use super::results::Finding;
use super::session::Session;
use super::verdict::{CheckVerdict, Shares, Sight};

/// The way in which a player counts plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// The player counts as it should, or it sees the end at any depth.
    Right,
    /// The player looks one ply less ahead than it is told.
    OneLess,
    /// The player looks one ply further ahead than it is told.
    OneMore,
    /// The player sees too little to tell.
    Unknown,
}

impl Count {
    fn words(self) -> &'static str {
        match self {
            Count::Right => "counted as it should be",
            Count::OneLess => "off by one: it looks one move less ahead than it is told",
            Count::OneMore => "off by one: it looks one move further ahead than it is told",
            Count::Unknown => "it sees too little to tell",
        }
    }

    /// Returns the number of plies to add to the depth that the player is told.
    fn miscount(self) -> i32 {
        match self {
            Count::OneLess => 1,
            Count::OneMore => -1,
            Count::Right | Count::Unknown => 0,
        }
    }
}

impl Session<'_> {
    /// Asks for the player's move in a position. Returns the answer and the time that it took.
    fn ask(
        &self,
        task: &Task,
        mut player: Box<dyn Player>,
        wall: Option<Duration>,
    ) -> (Result<MoveText, Fault>, Duration) {
        let position = set_up(&self.grader.game.start(), &task.moves, &mut *player);
        let before = player.cpu_time();
        let turn = Turn::new(&position, wall);
        let answer = player.choose_move(&turn);
        // Neither helper threads nor other programs on the computer count against the player.
        let time = turn.started.elapsed().min(player.cpu_time().saturating_sub(before));
        let plies = u32::try_from(task.moves.len()).unwrap_or(u32::MAX);
        player.game_over(&Ending::ply_cap(plies));
        let mv = answer.and_then(|answer| answer.legal_move(&position));
        self.heed_time(mv.as_ref().err());
        self.heed_move(mv.is_ok());
        (mv.map_err(|fault| self.heed(fault)), time)
    }

    /// Returns the seed for a position. If all positions had the same seed, a player that moves at
    /// random would be right in all of them or in none.
    fn seed_in(&self, task: &Task) -> u64 {
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
            Err(fault) => self.fault_in(task, Some(depth), fault),
        };
        let expected = task.right.iter().map(ToString::to_string).collect();
        Err(Box::new(Finding { expected, ..finding }))
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

    /// Determines how the player counts plies, for each side: a program that searches for only one
    /// side may count differently for it.
    pub(super) fn counts_depth(&mut self, tasks: &[Task]) -> CheckVerdict {
        let of = |side| tasks.iter().filter(move |task| task.position.side_to_move() == side);
        let sides = Side::BOTH.map(|side| of(side).cloned().collect::<Vec<Task>>());
        let mut shares = Shares::default();
        let mut counts = Vec::new();
        for tasks in sides.iter().filter(|tasks| !tasks.is_empty()) {
            let (count, missed) = self.count(tasks);
            shares.join(missed);
            counts.push(count);
        }
        let known: Vec<Count> =
            counts.iter().copied().filter(|&count| count != Count::Unknown).collect();
        let is_one = known.windows(2).all(|pair| pair[0] == pair[1]);
        self.miscount = known.first().filter(|_| is_one).map_or(0, |count| count.miscount());
        let right = counts.iter().filter(|&&count| count == Count::Right).count();
        let mut words: Vec<&str> = counts.iter().map(|count| count.words()).collect();
        words.dedup();
        let mut summary = words.join(" with the first player to move; with the second, ");
        if self.miscount != 0 {
            let how = if self.miscount > 0 { "more" } else { "less" };
            summary += &format!("; the other checks ask for one {how}");
        }
        shares.with(right as f64 / counts.len().max(1) as f64, summary)
    }

    /// Determines how the player counts plies. Also returns the answers at the right depth, if they
    /// show that the player sees too little.
    fn count(&self, tasks: &[Task]) -> (Count, Shares) {
        let told = |more: i32| {
            self.each(tasks, |session, task| {
                session.sees(task, task.plies.saturating_add_signed(more))
            })
        };
        // Luck alone never gives nearly all right moves.
        let sees = |shares: &Shares| shares.good() * 10 >= tasks.len() * 9 && shares.good() > 0;
        let shares = told(0);
        if !sees(&shares) {
            let count = if sees(&told(1)) { Count::OneLess } else { Count::Unknown };
            return (count, shares);
        }
        // A player with a good evaluation also finds the moves with one ply less, but finds many of
        // them with two plies less as well. A player that looks one ply too far finds nearly none
        // with two plies less, because the points on the board mislead the player.
        let plies = tasks.iter().map(|task| task.plies).min().unwrap_or(0);
        let one_more = plies > 1
            && told(-1).good() == tasks.len()
            && (plies == 2 || told(-2).good() * 4 <= tasks.len());
        (if one_more { Count::OneMore } else { Count::Right }, Shares::default())
    }

    pub(super) fn in_time(
        &self,
        task: &Task,
        depth: Option<u32>,
        limit: Duration,
    ) -> Result<(), Box<Finding>> {
        let depth = depth.map(|depth| self.told(depth));
        let policy = self.policy_for(limit);
        let wall = policy.limits.wall;
        let player = self.seat_held(depth, self.seed_in(task), policy);
        let (answer, time) = self.ask(task, player, wall);
        match answer {
            Err(fault) => Err(self.fault_in(task, depth, fault).boxed()),
            Ok(_) if time > limit => {
                let limit = humantime::format_duration(limit);
                let said = format!("expected a move in {limit}: {:.2} s", time.as_secs_f64());
                Err(self.finding(&task.position, depth, said).boxed())
            }
            Ok(_) => Ok(()),
        }
    }
}
