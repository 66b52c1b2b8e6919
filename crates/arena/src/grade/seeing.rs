//! Checks of what a player sees, how it counts the plies, and how long it takes.

use std::time::Duration;

use plyground::Game;
use plyground_host::player::Turn;
use plyground_host::{Ending, Fault, MoveText};

use super::draw::Task;
use super::luck::{luck, share_above_luck};
use super::results::Finding;
use super::session::Session;
use super::verdict::{CheckVerdict, Shares};
use crate::timing::set_up;

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
    /// What the player does in a position, and the time that it takes.
    fn ask(&self, task: &Task, depth: Option<u32>) -> (Result<MoveText, Fault>, Duration) {
        // Chance is another in every position, or who plays at random is right in all or in none.
        let mut player = self.seat(depth, self.grader.seed ^ task.position.key());
        let position = set_up(&self.grader.game.start(), &task.moves, &mut *player);
        let turn = Turn::new(&position, self.grader.programs.limits.wall);
        let answer = player.choose_move(&turn);
        let wall = turn.started.elapsed();
        let plies = u32::try_from(task.moves.len()).unwrap_or(u32::MAX);
        player.game_over(&Ending::ply_cap(plies));
        let mv = answer.and_then(|answer| answer.legal_move(&position));
        (mv.map_err(|fault| self.heed(fault)), wall)
    }

    /// Whether the player finds a right move when it is told this depth.
    fn sees(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        let (answer, _) = self.ask(task, Some(depth));
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

    pub(super) fn sees_all(&self, tasks: &[Task], depth: u32) -> CheckVerdict {
        let depth = self.told(depth);
        let shares = self.each(tasks, |session, task| session.sees(task, depth));
        let chances: Vec<f64> = tasks.iter().map(Task::chance).collect();
        let share = share_above_luck(shares.good, &chances, tasks.len());
        let mut summary = format!("{} of {}", shares.good, shares.all);
        if share < 1.0 {
            summary += &format!("; points begin above {}", luck(&chances, tasks.len()));
        }
        shares.with(share, summary)
    }

    pub(super) fn counts_depth(&mut self, tasks: &[Task], plies: u32) -> CheckVerdict {
        let (count, shares) = self.count(tasks, plies);
        self.miscount = count.miscount();
        let summary = match count {
            Count::Right => return shares.with(1.0, "counted as it should be".to_owned()),
            Count::OneLess => format!(
                "the depth is counted off by one: what takes {plies} plies to see, it sees when \
                 told {}, not when told {plies}; all else is asked at one more",
                plies + 1
            ),
            Count::OneMore => format!(
                "the depth is counted off by one: what takes {plies} plies to see, it sees when \
                 told {} already; all else is asked at one less",
                plies.saturating_sub(1)
            ),
            Count::Unknown => format!(
                "no count is known: {} of {} seen that take {plies} plies to see",
                shares.good, shares.all
            ),
        };
        shares.with(0.0, summary)
    }

    /// How the player counts the plies, and what it missed when it was told as many as it takes.
    fn count(&self, tasks: &[Task], plies: u32) -> (Count, Shares) {
        let told = |depth: u32| self.each(tasks, |session, task| session.sees(task, depth));
        // No luck gives nearly all.
        let sees = |shares: &Shares| shares.good * 10 >= tasks.len() * 9 && shares.good > 0;
        let shares = told(plies);
        if !sees(&shares) {
            let count = if sees(&told(plies + 1)) { Count::OneLess } else { Count::Unknown };
            return (count, shares);
        }
        let with_fewer = |fewer: u32| told(plies - fewer).good;
        // One who evaluates well sees the end with fewer plies, but not only with just one fewer.
        let one_more = plies > 1
            && with_fewer(1) == tasks.len()
            && (plies == 2 || with_fewer(2) * 2 <= tasks.len());
        (if one_more { Count::OneMore } else { Count::Right }, Shares::default())
    }

    pub(super) fn in_time(
        &self,
        task: &Task,
        depth: Option<u32>,
        limit: Duration,
    ) -> Result<(), Box<Finding>> {
        let (answer, wall) = self.ask(task, depth.map(|depth| self.told(depth)));
        match answer {
            Err(fault) => Err(self.fault_in(task, fault).boxed()),
            Ok(_) if wall > limit => {
                let limit = humantime::format_duration(limit);
                let said = format!("expected a move in {limit}: {:.2} s", wall.as_secs_f64());
                Err(Finding::at(&task.position, said).boxed())
            }
            Ok(_) => Ok(()),
        }
    }
}
