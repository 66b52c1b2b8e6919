//! Stepping through a recorded game.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;

use super::announcer::{moved, result_line};
use super::failure::Failure;
use super::program::Program;
use super::text_file::TextFile;
use crate::game::{Game, Side};
use crate::player::{Console, Input};
use crate::record::{GameRecord, PlayerRecord, RecordError};
use crate::referee::PlayedGame;
use crate::state::StateText;

/// The arguments of `replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The game, as `--record` has saved it; - for standard input
    #[arg(value_name = "GAME")]
    pub game: PathBuf,
}

/// Checks the whole game before it shows anything of it. At a terminal it then waits for Enter
/// before every move; elsewhere it shows the game in one go.
pub(super) fn run<P: Program>(program: &P, args: &ReplayArgs) -> Result<(), Failure> {
    let text = RECORD.read(&args.game)?;
    let refused = |error: RecordError| Failure::Usage(format!("{}:{error}", args.game.display()));
    let record = GameRecord::parse(&text).map_err(refused)?;
    let (program, game) = check_record(program, &record).map_err(refused)?;
    let screens = screens(&program, &record, &game);
    let console = Console::standard();
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        step_through(&console, &screens)?;
    } else {
        console.show(&screens.concat())?;
    }
    Ok(())
}

const RECORD: TextFile<'_> =
    TextFile { expected: "a recorded game", what: "the game", most: 16 * 1024 * 1024 };

/// The program with the rules of the record, and the game.
pub(crate) fn check_record<P: Program>(
    program: &P,
    record: &GameRecord,
) -> Result<(P, PlayedGame<P::Game>), RecordError> {
    let header = &record.header;
    let first_line = |fault: String| RecordError::new(1, fault);
    if header.game != P::Game::NAME {
        let (expected, found) = (P::Game::NAME, header.game.escape_debug());
        return Err(first_line(format!("expected a game of {expected}, found one of {found}")));
    }
    let program = program.with_rules(&header.rules).ok_or_else(|| {
        first_line(format!("there are no rules called `{}`", header.rules.escape_debug()))
    })?;
    let start = StateText::new(header.start.replace('/', "\n"));
    let start = program
        .parse_state(&start)
        .map_err(|fault| first_line(format!("in the first position, {fault}")))?;
    let game = record.check(&start)?;
    Ok((program, game))
}

/// The game as a series of texts: the players and the first position, every move, the result.
fn screens<P: Program>(
    program: &P,
    record: &GameRecord,
    game: &PlayedGame<P::Game>,
) -> Vec<String> {
    let title = |side: Side, PlayerRecord { name, player }: &PlayerRecord| {
        let name = if name == player { name.clone() } else { format!("{name} ({player})") };
        format!("{}: {}\n", program.side_name(side), name.escape_debug())
    };
    let first = title(Side::First, &record.header.first);
    let second = title(Side::Second, &record.header.second);
    let mut position = game.start.clone();
    let mut screens = vec![format!("{first}{second}\n{}", program.drawing(&position, None))];
    for played in &game.moves {
        let after = position.after(played.mv);
        let milliseconds = played.wall.as_millis();
        let screen = moved(program, &position, played, &after);
        screens.push(format!("{screen}thought for {milliseconds} ms\n"));
        position = after;
    }
    screens.push(format!("\n{}", result_line(program, &position, &game.ending)));
    screens
}

const KEYS: &str = "[Enter] next, b back, e to the end, q quit: ";

fn step_through(console: &Console, screens: &[String]) -> io::Result<()> {
    let (mut shown, last) = (0, screens.len() - 1);
    console.show(&screens[shown])?;
    while shown < last {
        let Input::Line(key) = console.ask(KEYS, None)? else { return Ok(()) };
        match key.trim() {
            "" | "n" => shown += 1,
            "b" => shown = shown.saturating_sub(1),
            "e" => shown = last,
            "q" => return Ok(()),
            _ => continue,
        }
        if shown == last && last > 0 {
            console.show(&screens[last - 1])?;
        }
        console.show(&screens[shown])?;
    }
    Ok(())
}
