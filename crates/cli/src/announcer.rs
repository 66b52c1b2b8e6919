//! Shows a game to those who watch it.

use std::io;

use plyground_host::player::Console;
use plyground_host::referee::{Event, Observer, PlayedMove};
use plyground_host::{Ending, HostedGame, HostedPosition};

/// Shows on a console what happens in a game.
pub(super) struct Announcer<'a> {
    pub(super) game: &'a dyn HostedGame,
    pub(super) console: &'a Console,
}

impl Observer for Announcer<'_> {
    /// The end is not shown, for other words may be wanted before it.
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()> {
        let text = match *event {
            Event::Start { position } => format!("\n{}", position.drawing(None)),
            Event::Moved { before, played, after, .. } => moved(before, played, after),
            Event::Rejected { by, mv } => {
                format!("{} takes {mv} for illegal, which it is not\n", self.game.side_name(by))
            }
            Event::TakenBack { position } => {
                format!("\nmoves taken back\n{}", position.drawing(None))
            }
            Event::End { .. } => return Ok(()),
        };
        self.console.show(&text)
    }
}

/// A move, and the position after it.
pub(super) fn moved(
    before: &HostedPosition,
    played: &PlayedMove,
    after: &HostedPosition,
) -> String {
    let value = played.value.map(|value| before.game().show(value));
    let thought = match (value, played.depth) {
        _ if played.forced => "  (given)".to_owned(),
        (Some(value), Some(depth)) => format!("  ({value}, depth {depth})"),
        (Some(value), None) => format!("  ({value})"),
        _ => String::new(),
    };
    let announcement = before.announce(played.mv);
    format!("\n{announcement}{thought}\n{}", after.drawing(Some(played.mv)))
}

/// The last line of a game that ended in `position`.
pub(super) fn result_line(position: &HostedPosition, ending: &Ending) -> String {
    format!("Result: {} ({})\n", ending.result(), ending.words(position))
}
