//! The effort for a move, and the line that explains the move.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use plyground::Value;
use plyground::perfect::Ties;
use plyground::search::MAX_DEPTH;
use plyground_durable::{parse_duration, whole_number};
use plyground_host::{
    ChosenMove, Constraints, HostedEngine, HostedGame, HostedPosition, MoveSource, MoveText,
    Strength,
};

use super::args::{EFFORT, SearchArgs};
use super::book_choice::BookChoice;
use super::failure::Failure;
use super::patience::warn_of_hours;
use super::value_text::kind;

/// The effort for one move: a depth, or a time in its place, or to the end.
#[derive(Clone, Debug, Args)]
pub struct DepthOrTime {
    /// The number of moves to look ahead, where 1 is only the move to be made; or `perfect`, to
    /// play perfectly, by the book or by a search to the end of the game
    #[arg(id = EFFORT, value_name = "DEPTH", required_unless_present = "time")]
    #[arg(value_parser = effort_parser(MAX_DEPTH, false))]
    pub effort: Option<Effort>,

    /// Think this long by the clock on the wall, as in 1s or 250ms, instead of to a depth; with
    /// `perfect`, the limit for perfect play
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Which book to go by
    #[command(flatten)]
    pub book: BookChoice,

    /// Do not print to standard error where a move comes from and what its value is worth
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
            (Some(Effort::Depth(depth)), Some(_)) => Err(Failure::Usage(format!(
                "the depth {depth} cannot be used with '--time <TIME>'; `perfect` can"
            ))),
            (Some(Effort::Depth(depth)), None) => Ok(Strength::Depth(depth)),
            // The command line has one of them or is refused.
            (None, time) => Ok(Strength::Time(time.unwrap_or_default())),
        }
    }
}

/// Reads a depth up to the greatest, or `perfect`. Where the greatest looks to the end of a game
/// (`is_end`), more is the same.
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

/// Chooses moves as the arguments of one-move and interactive ask for.
pub(super) struct Mover {
    engine: Box<dyn HostedEngine>,
    strength: Strength,
    quiet: bool,
}

impl Mover {
    /// For a game from `position`.
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

    /// The move, or `None` when the game is over. A move of a book or of perfect play is explained
    /// on standard error.
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
            Strength::Depth(depth) if chosen.source == MoveSource::Book => {
                explain(&*game, &format!("depth {depth}"), &chosen);
            }
            _ => {}
        }
        Ok(Some(chosen.mv))
    }
}

/// Says on standard error where the move of `player` is from and what it is worth.
pub(super) fn explain(game: &dyn HostedGame, player: &str, chosen: &ChosenMove) {
    let ChosenMove { value, source, .. } = *chosen;
    let worth = match (source, value) {
        (MoveSource::Book | MoveSource::Exact, Value::Exact(score)) => {
            format!("final value {}", game.value(score))
        }
        _ => format!("{} ({})", game.show(value), kind(value)),
    };
    let ran_out = if matches!(source, MoveSource::Depth(_)) { " (time)" } else { "" };
    // If standard error is closed, nobody wants to know.
    let _ = writeln!(std::io::stderr(), "{player}: {source}{ran_out}, {worth}");
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
}
