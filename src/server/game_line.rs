//! A game as the page tells it with every request: the server itself keeps none.

use serde::{Deserialize, Serialize};

use super::on_page::OnPage;
use super::refusal::Refusal;
use crate::game::Game;
use crate::referee::PLY_CAP;
use crate::state::StateText;

/// The rules, the first position and the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameLine {
    /// As [`Program::rules`](crate::cli::Program::rules).
    pub(super) rules: String,
    /// A state file with `/` for the line ends, as in records.
    pub(super) start: String,
    /// The moves as people write them.
    pub(super) moves: Vec<String>,
}

/// A game in which every move is legal.
pub(super) struct Course<P: OnPage> {
    pub(super) program: P,
    /// The moves, each with the position before it.
    pub(super) past: Vec<(P::Game, <P::Game as Game>::Move)>,
    pub(super) position: P::Game,
}

impl<P: OnPage> Course<P> {
    /// The position after so many moves of the game.
    pub(super) fn position_at(&self, ply: usize) -> Option<&P::Game> {
        if ply == self.past.len() {
            return Some(&self.position);
        }
        self.past.get(ply).map(|(position, _)| position)
    }

    /// Whether the game is given up as a draw here.
    pub(super) fn is_at_cap(&self) -> bool {
        self.past.len() >= PLY_CAP as usize
    }
}

impl GameLine {
    /// The line of a game that begins like this.
    pub(super) fn of_start<P: OnPage>(program: &P, start: &P::Game) -> GameLine {
        GameLine {
            rules: program.rules(),
            start: program.format_state(start).replace('\n', "/"),
            moves: Vec::new(),
        }
    }

    /// Plays the game by the rules.
    pub(super) fn play<P: OnPage>(&self, program: &P) -> Result<Course<P>, Refusal> {
        let program = with_rules(program, &self.rules)?;
        if self.moves.len() > PLY_CAP as usize {
            return Err(Refusal::input(format!("a game ends after {PLY_CAP} moves")));
        }
        let start = StateText::new(self.start.replace('/', "\n"));
        let mut position =
            program.parse_state(&start).map_err(|fault| Refusal::input(fault.to_string()))?;
        let mut past = Vec::with_capacity(self.moves.len());
        for text in &self.moves {
            let mv = program.read_move(text).ok_or_else(|| {
                Refusal::input(format!("expected {}, found `{}`", P::MOVE, text.escape_debug()))
            })?;
            let before = position.clone();
            position.play(mv).map_err(|illegal| Refusal::input(illegal.to_string()))?;
            past.push((before, mv));
        }
        Ok(Course { program, past, position })
    }
}

/// The program of the same game with the rules of this name.
pub(super) fn with_rules<P: OnPage>(program: &P, rules: &str) -> Result<P, Refusal> {
    program.with_rules(rules).ok_or_else(|| {
        Refusal::input(format!("there are no rules called `{}`", rules.escape_debug()))
    })
}
