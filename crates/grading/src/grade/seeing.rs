//! Checks of what a player sees, how it counts the plies, and how long it takes.

use std::time::Duration;

use plyground::{Game, Side};
use plyground_host::player::{Player, Turn};
use plyground_host::{Ending, Fault, MoveText};

use super::draw::Task;
use super::results::Finding;
use super::session::Session;
use super::sight::Sight;
use super::verdict::{CheckVerdict, Shares};
use plyground_arena::timing::set_up;

/// How a player counts the plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// As it should, or it sees the end however little it is told to look ahead.
    Right,
    /// It looks one ply less ahead than it is told.
    OneLess,
    /// It looks one ply further ahead than it is told.
    OneMore,
    /// It sees too little to tell.
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

    /// How much more it must be told.
    fn miscount(self) -> i32 {
        match self {
            Count::OneLess => 1,
            Count::OneMore => -1,
            Count::Right | Count::Unknown => 0,
        }
    }
}

impl Session<'_> {
    /// The player's move in a position, and the time that it takes.
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
        // Neither threads that help nor other programs on the machine cost time.
        let time = turn.started.elapsed().min(player.cpu_time().saturating_sub(before));
        let plies = u32::try_from(task.moves.len()).unwrap_or(u32::MAX);
        player.game_over(&Ending::ply_cap(plies));
        let mv = answer.and_then(|answer| answer.legal_move(&position));
        self.heed_time(mv.as_ref().err());
        (mv.map_err(|fault| self.heed(fault)), time)
    }

    /// Returns the seed of a position. With one seed for all, a player that moves at random would be right
    /// in all or in none.
    fn seed_in(&self, task: &Task) -> u64 {
        self.grader.seed ^ task.position.key()
    }

    /// Whether the player finds a right move when it is told this depth.
    fn sees(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        let player = self.seat(Some(depth), self.seed_in(task));
        let (answer, _) = self.ask(task, player, self.grader.programs.limits.wall);
        let finding = match answer {
            Ok(mv) if task.right.contains(&mv) => return Ok(()),
            Ok(mv) => {
                let played = Some(mv.to_string());
                Finding { played, ..Finding::at(&task.position, String::new()) }
            }
            Err(fault) => self.fault_in(task, fault),
        };
        let expected = task.right.iter().map(ToString::to_string).collect();
        Err(Box::new(Finding { expected, ..finding }))
    }

    /// What the player sees of the right moves, of which `enough` earn all points.
    pub(super) fn sees_all(&self, tasks: &[Task], depth: u32, enough: Option<usize>) -> Sight {
        let depth = self.told(depth);
        let shares = self.each(tasks, |session, task| session.sees(task, depth));
        Sight::new(tasks, shares, enough.unwrap_or(tasks.len()))
    }

    /// How the player counts the plies. A program that searches for one side alone counts for that.
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
            summary += &format!("; all else is asked at one {how}");
        }
        shares.with(right as f64 / counts.len().max(1) as f64, summary)
    }

    /// How the player counts the plies, and what it missed when it was told as many as it takes.
    fn count(&self, tasks: &[Task]) -> (Count, Shares) {
        let told = |more: i32| {
            self.each(tasks, |session, task| {
                session.sees(task, task.plies.saturating_add_signed(more))
            })
        };
        // No luck gives nearly all.
        let sees = |shares: &Shares| shares.good() * 10 >= tasks.len() * 9 && shares.good() > 0;
        let shares = told(0);
        if !sees(&shares) {
            let count = if sees(&told(1)) { Count::OneLess } else { Count::Unknown };
            return (count, shares);
        }
        // With one ply fewer, a good evaluation sees the end, too. But then it sees much of it with
        // two fewer, and one that looks one ply further than it is told sees nearly nothing of it,
        // for the points on the board mislead it.
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
            Err(fault) => Err(self.fault_in(task, fault).boxed()),
            Ok(_) if time > limit => {
                let limit = humantime::format_duration(limit);
                let said = format!("expected a move in {limit}: {:.2} s", time.as_secs_f64());
                Err(Finding::at(&task.position, said).boxed())
            }
            Ok(_) => Ok(()),
        }
    }
}
