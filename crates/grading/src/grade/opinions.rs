//! Checks of a player's judgment of moves.

use plyground::{Game, Side};
use plyground_host::{Fault, MoveText};

use super::draw::Task;
use super::judge::Judge;
use super::results::Finding;
use super::session::Session;

/// The number of legal moves of a position that the player is asked about, at most.
const MOST_ASKED: usize = 3;

impl Session<'_> {
    pub(super) fn has_opinions(&self) -> bool {
        self.seat(None, 0).judges_moves()
    }

    /// Asks the player about moves in a position, both as the side that makes them and as the
    /// opponent. Stops at the first wrong answer.
    fn judge(
        &self,
        task: &Task,
        moves: impl IntoIterator<Item = MoveText>,
    ) -> Result<(), Box<Finding>> {
        let side = task.position.side_to_move();
        let mut judges = [(side, "an own move"), (side.other(), "a move of the opponent")]
            .map(|(side, role)| (self.judge_of(side), role));
        for mv in moves {
            let line = [&task.moves[..], &[mv]].concat();
            let truth = task.position.check_legal(mv).is_ok();
            for (judge, role) in &mut judges {
                let opinion = judge.opinion(&line).map_err(|fault| self.heed(fault));
                if opinion != Ok(truth) {
                    return Err(self.wrong(task, mv, role, opinion));
                }
            }
        }
        Ok(())
    }

    fn judge_of(&self, side: Side) -> Judge<'_> {
        Judge::new(self.grader.game.start(), side, || self.seat(None, self.grader.seed))
    }

    pub(super) fn accepts_legal(&self, task: &Task) -> Result<(), Box<Finding>> {
        let legal: Vec<MoveText> = task.position.legal_moves().collect();
        // A new player judges each move: one that has begun to accept everything is right about
        // legal moves.
        let asked = legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1));
        asked.copied().try_for_each(|mv| self.judge(task, [mv]))
    }

    pub(super) fn refuses_illegal(
        &self,
        task: &Task,
        tried: &[String],
    ) -> Result<(), Box<Finding>> {
        let moves = tried.iter().filter_map(|text| task.position.parse_move(text));
        self.judge(task, moves.filter(|&mv| task.position.check_legal(mv).is_err()))
    }

    /// Describes a wrong opinion.
    fn wrong(
        &self,
        task: &Task,
        mv: MoveText,
        role: &str,
        opinion: Result<bool, Fault>,
    ) -> Box<Finding> {
        let word = |is_legal| if is_legal { "legal" } else { "illegal" };
        let truth = word(task.position.check_legal(mv).is_ok());
        let (found, stderr) = match opinion {
            Ok(said) => (format!("it was taken for {}", word(said)), String::new()),
            Err(fault) => (format!("it led to: {fault}"), self.stderr.end()),
        };
        let said = format!("{mv} is {truth}; as {role} {found}");
        Finding { stderr, ..Finding::at(&task.position, said) }.boxed()
    }
}
