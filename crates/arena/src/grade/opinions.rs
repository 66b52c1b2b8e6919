//! Checks of what a player thinks of moves.

use plyground::Game;
use plyground_host::{Fault, MoveText};

use super::draw::Task;
use super::results::Finding;
use super::session::Session;
use crate::timing::set_up;

/// Of the legal moves of a position, so many are asked about.
const MOST_ASKED: usize = 3;

impl Session<'_> {
    pub(super) fn has_opinions(&self) -> bool {
        self.seat(None, 0).judges_moves()
    }

    /// Tells two players of a move in a position, the one who makes it and the one who does not.
    /// What each thinks of it, unless it lost when it heard of that move or of one before.
    fn opinions(&self, task: &Task, mv: MoveText) -> [Result<bool, Fault>; 2] {
        let start = self.grader.game.start();
        let mut mover = self.seat(None, self.grader.seed);
        let position = set_up(&start, &task.moves, &mut *mover);
        let own = mover.force_move(&position, mv);
        let mut opponent = self.seat(None, self.grader.seed);
        let mut before = start;
        for &mv in &task.moves {
            // The sides are those of the opponent of whoever is to move in the end.
            if before.side_to_move() == position.side_to_move() {
                opponent.opponent_move(&before, mv);
            } else {
                opponent.force_move(&before, mv);
            }
            before.play_unchecked(mv);
        }
        let other = opponent.opponent_move(&position, mv);
        [(own, mover), (other, opponent)].map(|(opinion, player)| match player.lost() {
            None => Ok(opinion),
            Some(fault) => Err(self.heed(fault.clone())),
        })
    }

    pub(super) fn accepts_legal(&self, task: &Task) -> Result<(), Box<Finding>> {
        let legal: Vec<MoveText> = task.position.legal_moves().collect();
        // A few of them: each takes two players.
        for &mv in legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1)) {
            self.opinion(task, mv, true)?;
        }
        Ok(())
    }

    pub(super) fn refuses_illegal(
        &self,
        task: &Task,
        tried: &[String],
    ) -> Result<(), Box<Finding>> {
        for mv in tried.iter().filter_map(|text| task.position.parse_move(text)) {
            if task.position.check_legal(mv).is_err() {
                self.opinion(task, mv, false)?;
            }
        }
        Ok(())
    }

    fn opinion(&self, task: &Task, mv: MoveText, is_legal: bool) -> Result<(), Box<Finding>> {
        let opinions = self.opinions(task, mv);
        let names = ["an own move", "a move of the opponent"];
        let wrong = names.iter().zip(opinions).find(|(_, opinion)| *opinion != Ok(is_legal));
        let Some((name, opinion)) = wrong else { return Ok(()) };
        let (truth, said) = if is_legal { ("legal", "illegal") } else { ("illegal", "legal") };
        let (found, stderr) = match opinion {
            Ok(_) => (format!("it was taken for {said}"), String::new()),
            Err(fault) => (format!("it led to: {fault}"), self.stderr.end()),
        };
        let said = format!("{mv} is {truth}; as {name} {found}");
        Err(Finding { stderr, ..Finding::at(&task.position, said) }.boxed())
    }
}
