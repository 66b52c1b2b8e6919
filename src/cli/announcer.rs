//! Shows a game to those who watch it.

use std::io;

use super::program::Program;
use crate::game::Game;
use crate::player::Console;
use crate::referee::{Ending, Event, Observer, PlayedMove, Reason};

/// Shows on a console what happens in a game.
pub(super) struct Announcer<'a, P> {
    pub(super) program: &'a P,
    pub(super) console: &'a Console,
}

impl<P: Program> Observer<P::Game> for Announcer<'_, P> {
    /// The end is not shown, for other words may be wanted before it.
    fn observe(&mut self, event: &Event<'_, P::Game>) -> io::Result<()> {
        let program = self.program;
        let text = match *event {
            Event::Start { position } => format!("\n{}", program.drawing(position, None)),
            Event::Moved { before, played, after, .. } => moved(program, before, played, after),
            Event::Rejected { by, mv } => {
                format!("{} takes {mv} for illegal, which it is not\n", program.side_name(by))
            }
            Event::TakenBack { position } => {
                format!("\nmoves taken back\n{}", program.drawing(position, None))
            }
            Event::End { .. } => return Ok(()),
        };
        self.console.show(&text)
    }
}

/// A move, and the position after it.
pub(super) fn moved<P: Program>(
    program: &P,
    before: &P::Game,
    played: &PlayedMove<<P::Game as Game>::Move>,
    after: &P::Game,
) -> String {
    let announcement = program.announce(before, played.mv);
    let thought = match (played.score, played.depth) {
        _ if played.forced => "  (given)".to_owned(),
        (Some(score), Some(depth)) => format!("  ({score}, depth {depth})"),
        (Some(score), None) => format!("  ({score})"),
        _ => String::new(),
    };
    format!("\n{announcement}{thought}\n{}", program.drawing(after, Some(played.mv)))
}

/// The last line of a game that ended in `position`.
pub(super) fn result_line<P: Program>(program: &P, position: &P::Game, ending: &Ending) -> String {
    let reason = match &ending.reason {
        Reason::Rules => program.reason(position),
        Reason::Forfeit { by, fault } => format!("{}: {fault}", program.side_name(*by)),
        Reason::PlyCap { plies } => format!("no end after {plies} plies"),
    };
    format!("Result: {} ({reason})\n", ending.result())
}
