//! The effort for a move, the formats of output, and the line that explains the move.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plyground::Value;
use plyground::perfect::{Source, Ties};
use plyground::search::MAX_DEPTH;
use plyground_durable::{parse_duration, whole_number};
use plyground_host::{
    ChosenMove, Constraints, HostedEngine, HostedGame, HostedPosition, MoveText, Strength,
};

use super::analyze::kind;
use super::args::{BookChoice, SearchArgs};
use super::failure::{Failure, refuse};
use super::programs::warn_of_hours;
use super::progress;

/// The effort for one move: a depth, or a time in its place, or to the end.
#[derive(Clone, Debug, Args)]
pub struct DepthOrTime {
    /// The number of moves to look ahead, where 1 is only the move to be made; or `perfect`, to
    /// play perfectly, by the book or by a search to the end of the game
    #[arg(value_name = "DEPTH", required_unless_present = "time")]
    #[arg(value_parser = effort_parser(MAX_DEPTH, false))]
    pub effort: Option<Effort>,

    /// Think this long by the clock on the wall, as in 1s or 250ms, instead of to a depth; with
    /// `perfect`, the limit for perfect play
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Which book to go by
    #[command(flatten)]
    pub book: BookChoice,

    /// Do not print the source and the value of a move to standard error
    #[arg(long)]
    pub quiet: bool,
}

/// The distance to look ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// This many plies.
    Depth(u32),
    /// To the end of the game.
    Perfect,
}

impl DepthOrTime {
    fn strength(&self) -> Result<Strength, Failure> {
        match (self.effort, self.time) {
            (Some(Effort::Perfect), time) => Ok(Strength::Perfect { time, ties: Ties::default() }),
            (Some(Effort::Depth(depth)), Some(_)) => refuse(format!(
                "the depth {depth} cannot be used with '--time <TIME>'; `perfect` can"
            )),
            (Some(Effort::Depth(depth)), None) => Ok(Strength::Depth(depth)),
            // clap refuses a command line without a depth and a time.
            (None, time) => Ok(Strength::Time(time.unwrap_or_default())),
        }
    }
}

/// Returns a parser of a depth up to `greatest`, or of `perfect`. If `greatest` reaches the end of
/// the game (`is_end`), greater depths count as `greatest`.
pub(super) fn effort_parser(
    greatest: u32,
    is_end: bool,
) -> impl Fn(&str) -> Result<Effort, String> + Clone + Send + Sync + 'static {
    let depth = whole_number(1..=if is_end { u32::MAX } else { greatest });
    let expected = whole_number(1..=greatest);
    move |text| match text {
        "perfect" => Ok(Effort::Perfect),
        _ => match depth(text) {
            Ok(depth) => Ok(Effort::Depth(depth.min(greatest))),
            Err(_) => expected(text).map(Effort::Depth).map_err(|why| format!("{why}, or perfect")),
        },
    }
}

/// A player that chooses moves by the arguments of one-move and interactive.
pub(super) struct Mover {
    engine: Box<dyn HostedEngine>,
    strength: Strength,
    quiet: bool,
}

impl Mover {
    /// Creates a mover for a game from `position`.
    pub(super) fn new(
        position: &HostedPosition,
        effort: &DepthOrTime,
        search: &SearchArgs,
    ) -> Result<Mover, Failure> {
        let strength = effort.strength()?;
        let engine = search.engine(position, &effort.book)?;
        if matches!(strength, Strength::Perfect { .. }) {
            engine.check_perfect(position)?;
            let book = effort.book.open(position)?;
            warn_of_hours(position, strength, book.as_ref(), "--time 10s");
        }
        Ok(Mover { engine, strength, quiet: effort.quiet })
    }

    /// Returns the move, or `None` when the game is over. A move of a book or of perfect play is
    /// explained on standard error.
    pub(super) fn choose(
        &mut self,
        position: &HostedPosition,
    ) -> Result<Option<MoveText>, Failure> {
        let chosen = self.engine.choose(position, self.strength, &Constraints::default())?;
        let Some(chosen) = chosen else { return Ok(None) };
        let game = position.game();
        match self.strength {
            _ if self.quiet => {}
            Strength::Perfect { .. } => explain(&*game, "perfect", &chosen),
            Strength::Depth(depth) if chosen.source == Source::Book => {
                explain(&*game, &format!("depth {depth}"), &chosen);
            }
            _ => {}
        }
        Ok(Some(chosen.mv))
    }
}

/// Prints the source and the value of a move of `player` on standard error.
pub(super) fn explain(game: &dyn HostedGame, player: &str, chosen: &ChosenMove) {
    let ChosenMove { value, source, .. } = *chosen;
    let worth = match (source, value) {
        (Source::Book | Source::Exact, Value::Exact(score)) => {
            format!("final value {}", game.value(score))
        }
        _ => format!("{} ({})", game.show(value), kind(value)),
    };
    let ran_out = if matches!(source, Source::Depth(_)) { " (time)" } else { "" };
    progress::say(format_args!("{player}: {source}{ran_out}, {worth}"));
}

/// The layout of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// For a person.
    Aligned,
    /// For a program.
    Csv,
}

impl Layout {
    /// Returns the layout for standard output. `kept` is `true` if a file has the rows, too.
    pub(super) fn of_stdout(kept: bool) -> Layout {
        if kept || io::stdout().is_terminal() { Layout::Aligned } else { Layout::Csv }
    }
}

/// Reads a path that ends in `.svg`, so that a typing error does not replace another file by a picture.
pub(super) fn svg_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_svg = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    is_svg.then_some(path).ok_or_else(|| "expected a file name that ends in .svg".to_owned())
}

/// Returns a time with three or more digits and its unit.
pub(super) fn short(time: Duration) -> String {
    const UNITS: [(f64, &str); 3] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let seconds = time.as_secs_f64();
    let unit = UNITS.into_iter().find(|(size, _)| seconds >= *size);
    let (size, name) = unit.unwrap_or((1e-9, "ns"));
    let number = seconds / size;
    let decimals = if number < 9.995 {
        2
    } else if number < 99.95 {
        1
    } else {
        0
    };
    format!("{number:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_stands_in_place_of_a_depth() {
        for is_end in [true, false] {
            let parse = effort_parser(42, is_end);
            assert_eq!(parse("42"), Ok(Effort::Depth(42)));
            assert_eq!(parse("perfect"), Ok(Effort::Perfect));
            assert_eq!(parse("43").ok(), is_end.then_some(Effort::Depth(42)));
            assert_eq!(parse("0"), Err("expected a whole number from 1 to 42, or perfect".into()));
            assert!(parse("Perfect").is_err());
        }
    }

    #[test]
    fn times_for_people() {
        let nanos = [0, 950, 1_234, 45_678, 999_999, 61_234_000_000].map(Duration::from_nanos);
        let times = nanos.map(short);
        assert_eq!(times, ["0.00 ns", "950 ns", "1.23 µs", "45.7 µs", "1000 µs", "61.2 s"]);
    }
}
