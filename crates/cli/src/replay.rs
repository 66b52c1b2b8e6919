//! Stepping through a recorded game.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use plyground::{Game, Side};
use plyground_host::player::{Console, Input};
use plyground_host::record::{GameRecord, PlayerRecord, RecordError};
use plyground_host::referee::PlayedGame;
use plyground_host::{HostedGame, Text};

use super::args::TextFile;
use super::failure::Failure;
use super::play::{moved, result_line};

/// The arguments of `replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The game, as `--record` has saved it; - for standard input
    #[arg(value_name = "GAME")]
    pub game: PathBuf,
}

/// Checks the whole game before it shows anything of it. At a terminal it then waits for Enter
/// before every move; elsewhere it shows the game in one go.
pub(super) fn run(game: &dyn HostedGame, args: &ReplayArgs) -> Result<(), Failure> {
    let text = RECORD.read(&args.game)?;
    let refused = |error: RecordError| Failure::Usage(format!("{}:{error}", args.game.display()));
    let record = GameRecord::parse(&text).map_err(refused)?;
    let played = record.check(game).map_err(refused)?;
    let screens = screens(&record, &played);
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

/// The game as a series of texts: the players and the first position, every move, the result.
fn screens(record: &GameRecord, played: &PlayedGame) -> Vec<String> {
    let mut position = played.start.clone();
    let game = position.game();
    let title = |side: Side, PlayerRecord { name, player }: &PlayerRecord| {
        let name = if name == player { name.clone() } else { format!("{name} ({player})") };
        format!("{}: {}\n", game.side_name(side), name.escape_debug())
    };
    let first = title(Side::First, &record.header.first);
    let second = title(Side::Second, &record.header.second);
    let mut screens = vec![format!("{first}{second}\n{}", position.text(Text::Drawing(None)))];
    for played in &played.moves {
        let after = position.after(played.mv);
        let milliseconds = played.wall.as_millis();
        let screen = moved(&position, played, &after);
        screens.push(format!("{screen}thought for {milliseconds} ms\n"));
        position = after;
    }
    screens.push(format!("\n{}", result_line(&position, &played.ending)));
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
