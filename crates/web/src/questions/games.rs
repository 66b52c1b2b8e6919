//! The games of a page, and the game that every question carries; the reading of state files and records that a person
//! opens, and the writing of records to save.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use plyground::Game;
use plyground::book::Book;
use plyground_durable::input::unix_lines;
use plyground_durable::{excerpt, shorten};
use plyground_explain::review::records;
use plyground_host::record::{GameRecord, Header, MoveRecord, PlayerRecord, RecordError};
use plyground_host::referee::PLY_CAP;
use plyground_host::state::StateText;
use plyground_host::{Ending, HostedPosition, MoveText, SharedGame};
use serde::{Deserialize, Serialize};

use crate::milliseconds;

/// A game on the page.
#[derive(Clone, Debug)]
pub struct ServedGame {
    /// The game, under the rules that a new visitor of the page gets.
    pub game: SharedGame,
    /// The book for these rules, if there is one.
    pub book: Option<Book>,
}

/// The games of a page.
#[derive(Debug)]
pub struct Games {
    games: Vec<Arc<ServedGame>>,
    has_values: bool,
}

impl Games {
    /// Creates the games of a page; a new visitor gets the first. Without `has_values`, the page does not show the
    /// values of moves, and has no books.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game, or if a game has no page.
    pub fn new(mut games: Vec<ServedGame>, has_values: bool) -> Result<Games, Refused> {
        if games.is_empty() {
            return Err(Refused::new("there is no game to serve"));
        }
        if let Some(served) = games.iter().find(|served| served.game.layout().is_none()) {
            return Err(Refused::new(format!("{} has no page", served.game.name())));
        }
        if !has_values {
            games.iter_mut().for_each(|served| served.book = None);
        }
        Ok(Games { games: games.into_iter().map(Arc::new).collect(), has_values })
    }

    /// Creates the games of a page without a check, for tests.
    #[cfg(test)]
    pub(crate) fn of_any(games: Vec<ServedGame>) -> Games {
        Games { games: games.into_iter().map(Arc::new).collect(), has_values: true }
    }

    /// Returns true if the page shows the values of moves.
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// Returns an iterator over the games.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ServedGame>> {
        self.games.iter()
    }

    /// Returns the number of games.
    pub fn count(&self) -> usize {
        self.games.len()
    }

    /// Returns the game of this name, or the first game if there is no name.
    pub fn get(&self, name: Option<&str>) -> Result<&Arc<ServedGame>, Refused> {
        let Some(name) = name else { return Ok(&self.games[0]) };
        let found = self.games.iter().find(|served| served.game.name() == name);
        found.ok_or_else(|| Refused::new(format!("there is no game called `{}`", excerpt(name))))
    }
}

/// Returns the game under the rules of this name.
pub(crate) fn with_rules(served: &ServedGame, rules: &str) -> Result<SharedGame, Refused> {
    served
        .game
        .with_rules(rules)
        .ok_or_else(|| Refused::new(format!("there are no rules called `{}`", excerpt(rules))))
}

/// The reason why a question has no answer: one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    /// Creates a refusal for this reason, which is shortened if it is long.
    pub fn new(why: impl Into<String>) -> Refused {
        Refused(shorten(&why.into()).into_owned())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refused {}

/// A text that a person has pasted, or the contents of a file: a state file or records of games.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastedText {
    /// The name of the game of a state file; a record names its own.
    #[serde(default)]
    game: Option<String>,
    /// The rules of a state file; a record names its own.
    rules: String,
    text: String,
}

/// The contents of the text: one or more games, or a position as a game without moves.
#[derive(Debug, Serialize)]
pub struct Opened {
    games: Vec<OpenedGame>,
}

#[derive(Debug, Serialize)]
struct OpenedGame {
    #[serde(flatten)]
    line: GameLine,
    /// The players of the two sides, as in a record; `None` for a state file.
    players: Option<[PlayerRecord; 2]>,
    /// The time of each move in milliseconds.
    times: Vec<u64>,
    /// The result if the game is over, such as `1-0`.
    result: Option<&'static str>,
}

impl PastedText {
    /// Returns the contents of the text.
    pub fn open(self, games: &Games) -> Result<Opened, Refused> {
        let served = games.get(self.game.as_deref())?;
        let text = unix_lines(&self.text);
        if !text.trim_start().starts_with('{') {
            let game = with_rules(served, &self.rules)?;
            let start = game
                .parse_state(&StateText::new(self.text))
                .map_err(|fault| Refused::new(fault.to_string()))?;
            let line = GameLine::of_start(&start);
            let game = OpenedGame { line, players: None, times: Vec::new(), result: None };
            return Ok(Opened { games: vec![game] });
        }
        let found = records(&text).into_iter();
        let found = found.map(|(line, text)| read_game(games, served, &text, line));
        Ok(Opened { games: found.collect::<Result<_, _>>()? })
    }
}

/// Returns the game of a record that comes after `lines_before` lines of other records. The record may be of another
/// game than `shown`, the game on the page.
fn read_game(
    games: &Games,
    shown: &Arc<ServedGame>,
    text: &str,
    lines_before: usize,
) -> Result<OpenedGame, Refused> {
    let refused = |error: RecordError| {
        Refused::new(RecordError::new(lines_before + error.line, error.fault).to_string())
    };
    let record = GameRecord::parse_unfinished(text).map_err(refused)?;
    let served = games.get(Some(&record.header.game)).unwrap_or(shown);
    let played = record.check(&*served.game).map_err(refused)?;
    let is_over = played.position.is_over() || text.contains("\"line\":\"end\"");
    Ok(OpenedGame {
        line: GameLine {
            moves: played.moves.iter().map(|played| played.mv.to_string()).collect(),
            ..GameLine::of_start(&played.start)
        },
        players: Some([record.header.first, record.header.second]),
        times: record.moves.iter().map(|mv| milliseconds(mv.wall)).collect(),
        result: is_over.then(|| played.ending.result()),
    })
}

/// The record of a game.
#[derive(Debug, Serialize)]
pub struct RecordText {
    text: String,
}

/// A game that a person wants to save.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameToSave {
    game: GameLine,
    players: [PlayerRecord; 2],
    /// The time of each move in milliseconds; unknown times may be left out at the end.
    times: Vec<u64>,
}

impl GameToSave {
    /// Returns the record, which has no ending if the game is not over.
    ///
    /// # Errors
    ///
    /// Returns the fault of the game, or of the names of its players.
    pub fn record(self, games: &Games) -> Result<RecordText, Refused> {
        let replayed = self.game.replay(games)?;
        let ReplayedGame { past, position, .. } = &replayed;
        let [first, second] = self.players;
        let outcome = position.outcome();
        let plies = u32::try_from(past.len()).unwrap_or(u32::MAX);
        let times = self.times.iter().copied().chain(std::iter::repeat(0));
        let moves = (1..).zip(past).zip(times).map(|((ply, (before, mv)), time)| {
            MoveRecord::timed(ply, before.side_to_move(), *mv, Duration::from_millis(time))
        });
        let game = position.game();
        let record = GameRecord {
            header: Header {
                game: game.name().to_owned(),
                rules: game.rules(),
                start: self.game.start,
                first,
                second,
                again: None,
            },
            moves: moves.collect(),
            ending: outcome.map_or_else(|| Ending::ply_cap(plies), Ending::by_rules),
            cpu: None,
        };
        let text = if outcome.is_some() || replayed.is_at_cap() {
            record.to_text()
        } else {
            record.to_text_without_ending()
        };
        let text = text.map_err(|error| Refused::new(error.to_string()))?;
        Ok(RecordText { text })
    }
}

/// The game and its rules, the first position and the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// The name of the game; if absent, the first game of the page.
    #[serde(default)]
    pub game: Option<String>,
    /// The name of the rules.
    pub rules: String,
    /// A state file with `/` for the line ends, as in records.
    pub start: String,
    /// The moves as people write them.
    pub moves: Vec<String>,
}

/// A game in which every move is legal.
#[derive(Debug)]
pub struct ReplayedGame {
    /// The kind of game.
    pub served: Arc<ServedGame>,
    /// The moves, each with the position before it.
    pub past: Vec<(HostedPosition, MoveText)>,
    /// The last position.
    pub position: HostedPosition,
}

impl ReplayedGame {
    /// Returns the position after `ply` moves of the game.
    pub fn position_at(&self, ply: usize) -> Option<&HostedPosition> {
        if ply == self.past.len() {
            return Some(&self.position);
        }
        self.past.get(ply).map(|(position, _)| position)
    }

    /// Returns true if the game has reached the greatest number of moves, and so ends in a draw.
    pub fn is_at_cap(&self) -> bool {
        self.past.len() >= PLY_CAP as usize
    }

    /// Returns true if the game is over after `ply` moves, or has no position after `ply` moves.
    pub fn is_over_at(&self, ply: usize) -> bool {
        let is_over = self.position_at(ply).is_none_or(HostedPosition::is_over);
        is_over || (ply == self.past.len() && self.is_at_cap())
    }
}

impl GameLine {
    /// Returns a game without moves that begins in this position.
    pub fn of_start(start: &HostedPosition) -> GameLine {
        let game = start.game();
        GameLine {
            game: Some(game.name().to_owned()),
            rules: game.rules(),
            start: start.state_word(),
            moves: Vec::new(),
        }
    }

    /// Plays the game by the rules.
    ///
    /// # Errors
    ///
    /// Returns the first fault: an unknown game or unknown rules, a first position that cannot be read, too
    /// many moves, or a move that cannot be read or is illegal.
    pub fn replay(&self, games: &Games) -> Result<ReplayedGame, Refused> {
        let served = games.get(self.game.as_deref())?;
        let game = with_rules(served, &self.rules)?;
        if self.moves.len() > PLY_CAP as usize {
            return Err(Refused::new(format!("a game ends after {PLY_CAP} moves")));
        }
        let start = StateText::new(self.start.clone());
        let start = game.parse_state(&start);
        let mut position = start.map_err(|fault| Refused::new(fault.to_string()))?;
        let mut past = Vec::with_capacity(self.moves.len());
        for (index, text) in self.moves.iter().enumerate() {
            let number = index + 1;
            let mv = game.read_move(text).ok_or_else(|| {
                let (hint, found) = (game.move_hint(), excerpt(text));
                Refused::new(format!("move {number}: expected {hint}, found `{found}`"))
            })?;
            let before = position.clone();
            position
                .play(mv)
                .map_err(|illegal| Refused::new(format!("move {number}, {illegal}")))?;
            past.push((before, mv));
        }
        Ok(ReplayedGame { served: Arc::clone(served), past, position })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::questions::testing::games;

    fn open(text: &str) -> Result<Value, Refused> {
        let rules = "standard".to_owned();
        let opened = PastedText { game: None, rules, text: text.to_owned() }.open(&games())?;
        Ok(serde_json::to_value(opened).expect("JSON"))
    }

    fn saved(game: &str, start: &str, moves: &[&str]) -> String {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        let (game, rules) = (Some(game.to_owned()), "standard".to_owned());
        let line = GameLine { game, rules, start: start.to_owned(), moves };
        let player = PlayerRecord { name: "Ann".to_owned(), player: "human".to_owned() };
        let players = [player.clone(), player];
        let saved = GameToSave { game: line, players, times: vec![1_500] };
        saved.record(&games()).expect("a record").text
    }

    #[test]
    fn records_of_several_games_are_opened_together() {
        let texts = [
            saved("row", "..../X", &["0", "2", "1", "-"]),
            saved("tictactoe", ".../.../.../X", &["5"]),
        ];
        let opened = open(&texts.concat()).expect("games");
        let games = opened["games"].as_array().expect("games");
        assert_eq!(games.len(), 2);
        assert_eq!((&games[0]["game"], &games[1]["game"]), (&json!("row"), &json!("tictactoe")));
        assert_eq!(games[0]["moves"], json!(["0", "2", "1", "-"]));
        assert_eq!(games[0]["times"], json!([1_500, 0, 0, 0]));
        assert_eq!(games[0]["result"], json!(null));
    }

    #[test]
    fn finished_game_has_its_result() {
        let text = saved("row", "..../X", &["0", "2", "1", "-", "3"]);
        let strange = format!("\u{feff}{}\u{1a}", text.replace('\n', "\r\r\n"));
        assert_eq!(open(&strange).expect("a game"), open(&text).expect("a game"));
        assert_eq!(open(&text).expect("a game")["games"][0]["result"], "1-0");
    }

    #[test]
    fn state_file_is_a_game_without_moves() {
        let opened = open("X..O\nX").expect("a position");
        assert_eq!(opened["games"][0]["start"], "X..O/X");
        assert!(open("X..\nX").is_err());
    }
}
