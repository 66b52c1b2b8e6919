//! State files and records of games, read from the page and written for it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::game_line::{Course, GameLine, with_rules};
use super::on_page::OnPage;
use super::refusal::Refusal;
use crate::cli::check_record;
use crate::game::Game;
use crate::record::{GameRecord, Header, MoveRecord, PlayerRecord, RecordError};
use crate::referee::Ending;
use crate::state::StateText;

/// A text that somebody has pasted, or the contents of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    /// The rules by which to read a state file; a record says it itself.
    rules: String,
    text: String,
}

/// What was in the text: one or more games, or a position as a game without moves.
#[derive(Debug, Serialize)]
pub(super) struct Opened {
    games: Vec<OpenedGame>,
}

#[derive(Debug, Serialize)]
struct OpenedGame {
    #[serde(flatten)]
    game: GameLine,
    /// As in [`PlayerRecord`], by side.
    players: Option<[PlayerRecord; 2]>,
    /// The time of every move in milliseconds.
    times: Vec<u64>,
    /// `1-0`, say.
    result: Option<&'static str>,
}

impl Text {
    pub(super) fn open<P: OnPage>(self, program: &P) -> Result<Opened, Refusal> {
        if !self.text.trim_start().starts_with('{') {
            let program = with_rules(program, &self.rules)?;
            let position = program
                .parse_state(&StateText::new(self.text))
                .map_err(|fault| Refusal::input(fault.to_string()))?;
            let game = GameLine::of_start(&program, &position);
            let game = OpenedGame { game, players: None, times: Vec::new(), result: None };
            return Ok(Opened { games: vec![game] });
        }
        let mut line = 0;
        let games = split(&self.text).into_iter().map(|text| {
            let game = read_game(program, &text, line);
            line += text.lines().count();
            game
        });
        Ok(Opened { games: games.collect::<Result<_, _>>()? })
    }
}

/// Several records one after the other, taken apart.
fn split(text: &str) -> Vec<String> {
    let mut games: Vec<String> = Vec::new();
    for line in text.lines() {
        let begins = serde_json::from_str(line).is_ok_and(|line: Value| line["line"] == "game");
        match games.last_mut() {
            Some(game) if !begins => {
                game.push_str(line);
                game.push('\n');
            }
            _ => games.push(format!("{line}\n")),
        }
    }
    games
}

/// A game from its record, which comes after so many lines of others.
fn read_game<P: OnPage>(
    program: &P,
    text: &str,
    lines_before: usize,
) -> Result<OpenedGame, Refusal> {
    let refused = |error: RecordError| {
        Refusal::input(RecordError::new(lines_before + error.line, error.fault).to_string())
    };
    let record = GameRecord::parse_unfinished(text).map_err(refused)?;
    let (program, played) = check_record(program, &record).map_err(refused)?;
    let is_over = played.position.outcome().is_some() || text.contains("\"line\":\"end\"");
    let header = record.header;
    Ok(OpenedGame {
        game: GameLine {
            moves: played.moves.iter().map(|played| played.mv.to_string()).collect(),
            ..GameLine::of_start(&program, &played.start)
        },
        players: Some([header.first, header.second]),
        times: record.moves.iter().map(|mv| milliseconds(mv.wall)).collect(),
        result: is_over.then(|| played.ending.result()),
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A game that is to be saved.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    pub(super) game: GameLine,
    players: [PlayerRecord; 2],
    /// The time of every move in milliseconds, as far as known.
    times: Vec<u64>,
}

impl Saved {
    /// The record. That of a game that is not over has no ending.
    pub(super) fn record<P: OnPage>(self, course: &Course<P>) -> Result<String, Refusal> {
        let [first, second] = self.players;
        let outcome = course.position.outcome();
        let plies = u32::try_from(course.past.len()).unwrap_or(u32::MAX);
        let times = self.times.iter().copied().chain(std::iter::repeat(0));
        let moves = (1..).zip(&course.past).zip(times).map(|((ply, (before, mv)), time)| {
            let by = before.side_to_move();
            MoveRecord::timed(ply, by, mv, Duration::from_millis(time))
        });
        let record = GameRecord {
            header: Header {
                game: P::Game::NAME.to_owned(),
                rules: self.game.rules,
                start: self.game.start,
                first,
                second,
            },
            moves: moves.collect(),
            ending: outcome.map_or_else(|| Ending::ply_cap(plies), Ending::by_rules),
            cpu: None,
        };
        let text = if outcome.is_some() || course.is_at_cap() {
            record.to_text()
        } else {
            record.to_text_without_ending()
        };
        text.map_err(|error| Refusal::input(error.to_string()))
    }
}
