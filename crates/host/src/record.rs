//! Games as text, which can be saved, read back and checked.
//!
//! A record is in JSON Lines: one object on each line, the game first, then every move, then the ending. Each
//! line is complete by itself, so that line-based tools can read a record, `diff` can compare two records,
//! and the missing ending shows that a record was cut off. Times are in microseconds; scores are
//! [`Score::get`], as the side to move sees them.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use plyground::{Game, Score, Side};
use plyground_durable::input::plain;
use plyground_durable::output::write_whole;
use plyground_durable::sealed_line::{is_sealed_object, seal_object, unseal_object};
use plyground_durable::{FileError, excerpt, one_line};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::adapter::MoveText;
use crate::analysis::Bound;
use crate::ending::{Ending, Reason};
use crate::game::{HostedGame, HostedPosition};
use crate::referee::{PlayedGame, PlayedMove};
use crate::state::StateText;

/// A finished game as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The game that was played, and its players.
    pub header: Header,
    /// The moves in order.
    pub moves: Vec<MoveRecord>,
    /// The end of the game.
    pub ending: Ending,
    /// The CPU time of each player, as in [`PlayedGame::cpu`]; without it, the times of the moves are added
    /// up.
    pub cpu: Option<[Duration; 2]>,
}

/// The game that was played, and its players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The name of the game, as in [`Game::NAME`].
    pub game: String,
    /// The name of the rules, as the game's program calls them.
    pub rules: String,
    /// The state file of the first position, its lines joined by `/`.
    pub start: String,
    /// The player of [`Side::First`].
    pub first: PlayerRecord,
    /// The other player.
    pub second: PlayerRecord,
    /// The reason why the game was played again, as in [`PlayedGame::again`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// A player of a recorded game. A record may come from a stranger, so both texts are read as lines of limited length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerRecord {
    /// The name of the player.
    #[serde(deserialize_with = "line")]
    pub name: String,
    /// The kind of the player, as in [`PlayerSpec`](crate::player::PlayerSpec).
    #[serde(deserialize_with = "line")]
    pub player: String,
}

/// Reads a text as one line.
fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| one_line(&text))
}

/// A move of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveRecord {
    /// The number of the move, from 1.
    pub ply: usize,
    /// The side that made the move.
    pub by: Side,
    /// The move in the game's canonical notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The value of the move to the player, as the player said it and as in [`Score::get`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// The kind of the score; without it, the score is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The number of plies that the player looked ahead, as it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The CPU time that the player took.
    #[serde(rename = "cpu_us", with = "plyground_durable::quantities::microseconds")]
    pub cpu: Duration,
    /// The time that passed.
    #[serde(rename = "wall_us", with = "plyground_durable::quantities::microseconds")]
    pub wall: Duration,
    /// If true, the move was given, and not chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// If true, the opponent took the move for illegal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
enum Line {
    Game(Header),
    Move(MoveRecord),
    End(EndLine),
}

/// The last line. The result repeats the ending, because people look for the result.
#[derive(Serialize, Deserialize)]
struct EndLine {
    result: String,
    #[serde(flatten)]
    ending: Ending,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_cpu_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second_cpu_us: Option<u64>,
}

impl EndLine {
    fn new(record: &GameRecord) -> EndLine {
        let micros = |side: Side| {
            let cpu = record.cpu?[side.index()];
            Some(u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX))
        };
        EndLine {
            result: record.ending.result().to_owned(),
            ending: record.ending.clone(),
            first_cpu_us: micros(Side::First),
            second_cpu_us: micros(Side::Second),
        }
    }

    fn cpu(&self) -> Option<[Duration; 2]> {
        Some([self.first_cpu_us?, self.second_cpu_us?].map(Duration::from_micros))
    }
}

/// The fault of a record, and its line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}: {fault}")]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// The fault, as one line.
    pub fault: String,
}

impl RecordError {
    /// Returns the fault of a line, counted from 1.
    pub fn new(line: usize, fault: impl Into<String>) -> RecordError {
        RecordError { line, fault: fault.into() }
    }
}

impl GameRecord {
    /// Returns the record of a game that `players` have played, the player of [`Side::First`] first.
    #[must_use]
    pub fn of(played: &PlayedGame, players: [PlayerRecord; 2]) -> GameRecord {
        let [first, second] = players;
        let game = played.start.game();
        let header = Header {
            game: game.name().to_owned(),
            rules: game.rules(),
            start: played.start.state_word(),
            first,
            second,
            again: played.again.clone(),
        };
        let moves = (1..).zip(&played.moves).map(|(ply, played)| MoveRecord::new(ply, played));
        let (moves, ending) = (moves.collect(), played.ending.clone());
        GameRecord { header, moves, ending, cpu: Some(played.cpu.map(whole_microseconds)) }
    }

    /// Reads a record. The moves are not checked; see [`GameRecord::check`]. If the first line has a
    /// checksum, every line must have a correct one.
    pub fn parse(text: &str) -> Result<GameRecord, RecordError> {
        GameRecord::parse_with(text, false)
    }

    /// Reads a record that may have been cut off after a whole line, such as that of a game under way: such a
    /// game counts as a draw, stopped after its moves.
    pub fn parse_unfinished(text: &str) -> Result<GameRecord, RecordError> {
        GameRecord::parse_with(text, true)
    }

    /// Reads a record, which may lack its ending if `may_be_cut_off` is true.
    fn parse_with(text: &str, may_be_cut_off: bool) -> Result<GameRecord, RecordError> {
        let text = &*plain(text);
        let written = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).last();
        let written = written.map_or(0, |(number, _)| number);
        let is_sealed = text.lines().next().is_some_and(is_sealed_object);
        // The game has one line, and each move has one.
        let is_over = |moves: usize| written <= 1 + moves;
        let mut lines = (1..).zip(text.lines());
        let mut last = 0;
        let mut next = |expected: &str| match lines.next() {
            Some((number, line)) => {
                last = number;
                let line = unsealed(line, is_sealed)
                    .ok_or_else(|| RecordError::new(number, "the line is damaged"))?;
                let line = serde_json::from_str::<Line>(&line);
                line.map(|line| (number, line)).map_err(|error| unreadable(number, &error))
            }
            None => {
                let fault = format!("expected {expected}, found the end of the file");
                Err(RecordError::new(last + 1, fault))
            }
        };
        let (_, Line::Game(header)) = next("a game")? else {
            return Err(RecordError::new(1, "expected a game, found another line"));
        };
        let mut moves = Vec::new();
        let (ending, cpu) = loop {
            if may_be_cut_off && is_over(moves.len()) {
                let plies = u32::try_from(moves.len()).unwrap_or(u32::MAX);
                break (Ending::ply_cap(plies), None);
            }
            match next("a move or the ending")? {
                (_, Line::Move(record)) => moves.push(record),
                (number, Line::End(end)) => {
                    let cpu = end.cpu();
                    break (checked_ending(number, end)?, cpu);
                }
                (number, Line::Game(_)) => {
                    return Err(RecordError::new(number, "expected a move, found another game"));
                }
            }
        };
        match lines.find(|(_, line)| !line.trim().is_empty()) {
            Some((number, _)) => Err(RecordError::new(number, "expected nothing after the ending")),
            None => Ok(GameRecord { header, moves, ending, cpu }),
        }
    }

    /// Returns the text of the record.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let end = serde_json::to_string(&Line::End(EndLine::new(self)))?;
        Ok(self.to_text_without_ending()? + &end + "\n")
    }

    /// Returns the text of the record with a checksum in every line, for uses that must notice any damage.
    pub fn to_sealed_text(&self) -> Result<String, serde_json::Error> {
        Ok(self.to_text()?.lines().map(|line| seal_object(line) + "\n").collect())
    }

    /// Returns the text of the record of a game under way, which ends with the last move.
    pub fn to_text_without_ending(&self) -> Result<String, serde_json::Error> {
        let moves = self.moves.iter().cloned().map(Line::Move);
        let lines = [Line::Game(self.header.clone())].into_iter().chain(moves);
        lines.map(|line| serde_json::to_string(&line).map(|line| line + "\n")).collect()
    }

    /// Writes the record, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let text = self.to_text();
        let text = text.map_err(|error| FileError::at(path, "write the file")(error.into()))?;
        write_whole(path, &text)
    }

    /// Plays the game again by the rules of `game` that the header names, and checks every move, and that the ending
    /// follows from the moves.
    ///
    /// # Errors
    ///
    /// Returns the fault of the first line that contradicts the rules or the other lines.
    pub fn check(&self, game: &dyn HostedGame) -> Result<PlayedGame, RecordError> {
        let header = &self.header;
        let first_line = |fault: String| RecordError::new(1, fault);
        if header.game != game.name() {
            let (expected, found) = (game.name(), excerpt(&header.game));
            return Err(first_line(format!("expected a game of {expected}, found one of {found}")));
        }
        let game = game.with_rules(&header.rules).ok_or_else(|| {
            first_line(format!("there are no rules called `{}`", excerpt(&header.rules)))
        })?;
        let start = StateText::new(header.start.clone());
        let start = game
            .parse_state(&start)
            .map_err(|fault| first_line(format!("in the first position, {fault}")))?;
        self.check_from(&start)
    }

    /// Plays the moves from `start`, the position of the header, and checks each of them, and that the ending
    /// follows from them.
    ///
    /// # Errors
    ///
    /// Returns the fault of the first line that contradicts the rules or the other lines.
    pub fn check_from(&self, start: &HostedPosition) -> Result<PlayedGame, RecordError> {
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for (index, record) in self.moves.iter().enumerate() {
            let fault = |fault: String| RecordError::new(FIRST_MOVE_LINE + index, fault);
            if record.ply != index + 1 {
                return Err(fault(format!("expected ply {}, found {}", index + 1, record.ply)));
            }
            if record.by != position.side_to_move() {
                return Err(fault("the other player is to move".to_owned()));
            }
            let mv = position.parse_move(&record.mv);
            let mv = mv.ok_or_else(|| fault(format!("`{}` is no move", excerpt(&record.mv))))?;
            position.play(mv).map_err(|illegal| fault(format!("illegal move: {illegal}")))?;
            moves.push(record.played(mv));
        }
        self.check_ending(&position)?;
        let (ending, cpu) = (self.ending.clone(), self.cpu.unwrap_or_else(|| self.cpu_of_moves()));
        Ok(PlayedGame {
            start: start.clone(),
            moves,
            position,
            ending,
            cpu,
            again: self.header.again.clone(),
        })
    }

    fn cpu_of_moves(&self) -> [Duration; 2] {
        Side::BOTH.map(|side| {
            self.moves.iter().filter(|record| record.by == side).map(|record| record.cpu).sum()
        })
    }

    /// Checks that the game could end like this in `position`, to which the moves lead.
    fn check_ending(&self, position: &HostedPosition) -> Result<(), RecordError> {
        let follows = match (&self.ending.reason, position.outcome()) {
            (Reason::Rules, Some(outcome)) => self.ending.winner == outcome.winner(),
            (Reason::Rules, None) | (_, Some(_)) => false,
            (Reason::Forfeit { by, .. }, None) => {
                *by == position.side_to_move() && self.ending.winner == Some(by.other())
            }
            (Reason::PlyCap { plies }, None) => {
                self.ending.winner.is_none() && self.moves.len() == *plies as usize
            }
        };
        if follows {
            return Ok(());
        }
        let line = FIRST_MOVE_LINE + self.moves.len();
        Err(RecordError::new(line, "the ending does not follow from the moves"))
    }
}

/// The number of the line with the first move.
const FIRST_MOVE_LINE: usize = 2;

impl MoveRecord {
    fn new(ply: usize, played: &PlayedMove) -> MoveRecord {
        MoveRecord {
            ply,
            by: played.by,
            mv: played.mv.to_string(),
            score: played.value.map(|value| value.score().get()),
            bound: played.value.map(Bound::of),
            depth: played.depth,
            cpu: whole_microseconds(played.cpu),
            wall: whole_microseconds(played.wall),
            forced: played.forced,
            rejected: played.rejected,
        }
    }

    /// Returns the record of a move without any measurement except the wall-clock time.
    #[must_use]
    pub fn timed(ply: usize, by: Side, mv: MoveText, wall: Duration) -> MoveRecord {
        MoveRecord::new(ply, &PlayedMove { wall, ..PlayedMove::unmeasured(by, mv.into()) })
    }

    fn played(&self, mv: MoveText) -> PlayedMove {
        let bound = self.bound.unwrap_or_default();
        PlayedMove {
            by: self.by,
            mv,
            value: self.score.map(|raw| bound.with(Score::new(raw))),
            depth: self.depth,
            cpu: self.cpu,
            wall: self.wall,
            forced: self.forced,
            rejected: self.rejected,
        }
    }
}

/// Returns the time as a record writes it, so that a record equals itself when it is read back.
fn whole_microseconds(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

fn checked_ending(line: usize, end: EndLine) -> Result<Ending, RecordError> {
    let expected = end.ending.result();
    if end.result == expected {
        return Ok(end.ending);
    }
    let found = excerpt(&end.result);
    Err(RecordError::new(line, format!("expected the result {expected}, found {found}")))
}

/// Returns the object on a line without its checksum, if it must have one, or `None` if it is damaged.
fn unsealed(line: &str, is_sealed: bool) -> Option<Cow<'_, str>> {
    match is_sealed {
        true => unseal_object(line.trim_end()).map(Cow::Owned),
        false => Some(Cow::Borrowed(line)),
    }
}

/// Returns the fault of a line that is not part of a record. The place in the parser's error is left out: the
/// parser counts every line as the first.
fn unreadable(line: usize, error: &serde_json::Error) -> RecordError {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    RecordError::new(line, format!("not a line of a game record: {}", one_line(text)))
}
