//! The lines that a rules program prints.

use std::str::FromStr;
use std::sync::Arc;

use plyground::{Outcome, Score, Side};
use plyground_durable::{excerpt, fnv1a};

use crate::adapter::MoveText;
use crate::ending::result_of;

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The most bytes of the text of a position.
pub(super) const MOST_TEXT: usize = 1_000;

/// The word in place of a result while the game goes on.
const OPEN: &str = "-";

/// The last line of an answer of several lines.
pub(super) const END: &str = "end";

/// The letters that are no part of a move, because they separate moves and positions elsewhere.
const NOT_IN_MOVES: [char; 3] = ['/', '.', ','];

/// Everything about a position except its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// The state file as one word, its lines joined by `/`.
    pub(super) text: Arc<str>,
    pub(super) side: Side,
    pub(super) outcome: Option<Outcome>,
    pub(super) points: Option<[i32; 2]>,
    /// The program's judgment from the view of the side to move, in hundredths of a point, without the margin.
    pub(super) score: i32,
    pub(super) plies_left: Option<u32>,
    pub(super) key: u64,
}

/// A move, and the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) mv: MoveText,
    pub(super) after: Arc<Facts>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Description {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) rule_set: String,
    pub(super) sides: Option<[String; 2]>,
    pub(super) board: Option<Board>,
    pub(super) hint: Option<String>,
    /// The rules in words: headings with their texts.
    pub(super) lessons: Vec<(String, String)>,
    /// If true, the program draws the board itself.
    pub(super) shows: bool,
    pub(super) start: Arc<Facts>,
}

/// The grid of cells in the state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// The symbols of the pieces of the two sides.
    pub(super) symbols: [char; 2],
}

/// The most rows and columns of a board on the page, whose columns are letters.
const MOST_CELLS: usize = 26;

/// The fault of a line: the expected text and the text that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unexpected {
    pub(super) expected: String,
    pub(super) found: String,
}

fn unexpected(expected: &str, found: Option<&str>) -> Unexpected {
    let found = found.map_or_else(|| "nothing".to_owned(), |word| format!("`{}`", excerpt(word)));
    Unexpected { expected: expected.to_owned(), found }
}

/// The words of a line, in order.
type Words<'a> = std::str::SplitAsciiWhitespace<'a>;

impl Facts {
    /// Reads a position and its facts: `TEXT SIDE RESULT [points A B] [score N] [left N] [key WORD]`.
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Facts, Unexpected> {
        let text = words.next();
        let is_text = |text: &&str| text.len() <= MOST_TEXT && !text.contains(char::is_control);
        let text = text
            .filter(is_text)
            .ok_or_else(|| unexpected(&format!("a position of at most {MOST_TEXT} bytes"), text))?;
        let side = match words.next() {
            Some("first") => Side::First,
            Some("second") => Side::Second,
            other => return Err(unexpected("the side to move, `first` or `second`", other)),
        };
        let result = words.next();
        let mut facts = Facts {
            text: text.into(),
            side,
            outcome: None,
            points: None,
            score: 0,
            plies_left: None,
            key: 0,
        };
        let mut key = text;
        while let Some(word) = words.next() {
            match word {
                "points" => facts.points = Some([number(words)?, number(words)?]),
                "score" => facts.score = number(words)?,
                "left" => facts.plies_left = Some(number(words)?),
                "key" => key = words.next().ok_or_else(|| unexpected("a key", None))?,
                other => {
                    return Err(unexpected("`points`, `score`, `left` or `key`", Some(other)));
                }
            }
        }
        facts.outcome = outcome(result, facts.points)?;
        facts.key = hash(key, side, facts.plies_left);
        facts.check_scores()?;
        Ok(facts)
    }

    /// Checks that the points and the judgment fit into a score.
    fn check_scores(&self) -> Result<(), Unexpected> {
        let most = Score::MAX_ESTIMATE.get();
        let points = self.points.unwrap_or_default();
        if points.iter().any(|points| *points < 0 || *points > most) {
            let found = format!("{} and {}", points[0], points[1]);
            let expected = format!("points from 0 to {most}");
            return Err(Unexpected { expected, found });
        }
        let margin = (points[0] - points[1]).abs().saturating_mul(Score::POINT);
        if self.score.saturating_abs().saturating_add(margin) > most {
            let expected = format!("a margin of points and a score of at most {most} hundredths");
            let found = format!("a margin of {margin} and a score of {}", self.score);
            return Err(Unexpected { expected, found });
        }
        Ok(())
    }

    /// Returns the points so far of the side to move minus the points of the opponent.
    pub(super) fn margin(&self) -> i32 {
        let [first, second] = self.points.unwrap_or_default();
        if self.side == Side::First { first - second } else { second - first }
    }

    /// Returns the facts in the words of the protocol.
    pub(super) fn words(&self) -> String {
        let side = ["first", "second"][self.side.index()];
        let result = self.outcome.map_or(OPEN, |outcome| result_of(outcome.winner()));
        let mut text = format!("{side} {result}");
        if let Some([first, second]) = self.points {
            text += &format!(" points {first} {second}");
        }
        if self.score != 0 {
            text += &format!(" score {}", self.score);
        }
        if let Some(left) = self.plies_left {
            text += &format!(" left {left}");
        }
        text
    }
}

fn number<N: FromStr>(words: &mut Words<'_>) -> Result<N, Unexpected> {
    let word = words.next();
    word.and_then(|word| word.parse().ok()).ok_or_else(|| unexpected("a whole number", word))
}

/// Returns the outcome of a result, which must agree with the points.
fn outcome(word: Option<&str>, points: Option<[i32; 2]>) -> Result<Option<Outcome>, Unexpected> {
    let outcome = match word {
        Some(OPEN) => return Ok(None),
        Some("1-0") => Outcome::Win(Side::First),
        Some("0-1") => Outcome::Win(Side::Second),
        Some("1/2-1/2") => Outcome::Draw,
        other => return Err(unexpected("a result: `-`, `1-0`, `0-1` or `1/2-1/2`", other)),
    };
    let Some([first, second]) = points else { return Ok(Some(outcome)) };
    let by_points = Outcome::Points { first, second };
    if by_points.winner() != outcome.winner() {
        let expected = format!("the result of {first} to {second} points");
        return Err(unexpected(&expected, word));
    }
    Ok(Some(by_points))
}

/// Returns a key of a position. Positions with the same word have different keys unless they also have the same side to
/// move and the same number of plies left.
fn hash(word: &str, side: Side, plies_left: Option<u32>) -> u64 {
    let plies = plies_left.map_or(0, |plies| u64::from(plies) + 1);
    let hash = fnv1a(word.as_bytes()) ^ (plies << 1 | side.index() as u64);
    // The hash alone changes few bits for a change in the last letters.
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ hash >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash >> 32
}

impl Step {
    /// Reads a move and the position after it: `MOVE TEXT SIDE RESULT ...`.
    pub(super) fn parse(line: &str) -> Result<Step, Unexpected> {
        let mut words = line.split_ascii_whitespace();
        let word = words.next();
        let mv = word.and_then(read_move).ok_or_else(|| {
            let most = MoveText::MOST_BYTES;
            let expected =
                format!("a move of at most {most} bytes without `/`, `.` and `,`, or `{END}`");
            unexpected(&expected, word)
        })?;
        let after = Facts::parse(&mut words).map_err(|fault| Unexpected {
            // The first word of a line that is not part of the protocol may pass for a move, so the
            // fault quotes the whole line.
            found: format!("{} in `{}`", fault.found, excerpt(line)),
            ..fault
        })?;
        Ok(Step { mv, after: Arc::new(after) })
    }
}

/// Returns the move of a word, if the word has the form of one.
pub(super) fn read_move(word: &str) -> Option<MoveText> {
    let is_part = |c: char| !c.is_whitespace() && !c.is_control() && !NOT_IN_MOVES.contains(&c);
    let is_move = !word.is_empty() && word != END && word.chars().all(is_part);
    if is_move { word.parse().ok() } else { None }
}

impl Description {
    /// Checks the first line of a description.
    pub(super) fn check_version(line: &str) -> Result<(), Unexpected> {
        let expected = format!("rules {VERSION}");
        if line == expected {
            return Ok(());
        }
        Err(unexpected(&format!("the version, `{expected}`"), Some(line)))
    }

    /// Reads the lines that describe a game, without the first and the last.
    pub(super) fn parse<'l>(
        lines: impl Iterator<Item = &'l str>,
    ) -> Result<Description, Unexpected> {
        let (mut name, mut start) = (None, None);
        let (mut title, mut rule_set, mut sides, mut board) = (None, None, None, None);
        let (mut hint, mut lessons, mut shows) = (None, Vec::new(), false);
        for line in lines {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let value = value.trim();
            let mut words = value.split_ascii_whitespace();
            match key {
                "name" => name = Some(read_name(value)?),
                "title" => title = Some(value.to_owned()),
                "rule-set" => rule_set = Some(read_name(value)?),
                "sides" => sides = Some(read_sides(&mut words, value)?),
                "board" => board = Some(Board::parse(&mut words)?),
                "hint" => hint = Some(value.to_owned()),
                "lesson" => lessons.push(read_lesson(value)?),
                "shows" => shows = true,
                "start" => start = Some(Arc::new(Facts::parse(&mut words)?)),
                _ => {
                    let keys = "`name`, `title`, `rule-set`, `sides`, `board`, `hint`, `lesson`, \
                                `shows`, `start` or `end`";
                    return Err(unexpected(keys, Some(line)));
                }
            }
        }
        Ok(Description {
            name: name.ok_or_else(|| unexpected("a line `name NAME`", None))?,
            start: start.ok_or_else(|| unexpected("a line `start POSITION SIDE RESULT`", None))?,
            rule_set: rule_set.unwrap_or_else(|| "standard".to_owned()),
            title,
            sides,
            board,
            hint,
            lessons,
            shows,
        })
    }
}

fn read_name(word: &str) -> Result<String, Unexpected> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_+.".contains(c);
    let is_name = (1..=40).contains(&word.len()) && word.chars().all(is_part);
    let expected = "a name of small letters and digits";
    if is_name { Ok(word.to_owned()) } else { Err(unexpected(expected, Some(word))) }
}

fn read_sides(words: &mut Words<'_>, value: &str) -> Result<[String; 2], Unexpected> {
    match (words.next(), words.next(), words.next()) {
        (Some(first), Some(second), None) => Ok([first.to_owned(), second.to_owned()]),
        _ => Err(unexpected("the names of the two sides, a word each", Some(value))),
    }
}

fn read_lesson(value: &str) -> Result<(String, String), Unexpected> {
    let expected = "a heading and a text, as in `lesson The aim: The last move wins.`";
    let parts = value.split_once(": ").map(|(heading, text)| (heading.trim(), text.trim()));
    match parts.filter(|(heading, text)| !heading.is_empty() && !text.is_empty()) {
        Some((heading, text)) => Ok((heading.to_owned(), text.to_owned())),
        None => Err(unexpected(expected, Some(value))),
    }
}

impl Board {
    fn parse(words: &mut Words<'_>) -> Result<Board, Unexpected> {
        let (columns, rows) = (number(words)?, number(words)?);
        let symbols = words.next();
        let letters: Vec<char> = symbols.unwrap_or_default().chars().collect();
        let sizes = 1..=MOST_CELLS;
        match letters[..] {
            [first, second]
                if first != second && sizes.contains(&rows) && sizes.contains(&columns) =>
            {
                Ok(Board { columns, rows, symbols: [first, second] })
            }
            _ => Err(unexpected(
                &format!(
                    "the numbers of columns and rows, at most {MOST_CELLS}, and the symbols of the \
                     two sides, as in `board 5 5 XO`"
                ),
                symbols,
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(line: &str) -> Result<Facts, Unexpected> {
        Facts::parse(&mut line.split_ascii_whitespace())
    }

    #[test]
    fn facts_are_read_in_any_order() -> Result<(), Unexpected> {
        let found = facts("X./O second - left 3 score -20 points 2 5 key abc")?;
        assert_eq!((found.side, found.outcome, found.points), (Side::Second, None, Some([2, 5])));
        assert_eq!((found.score, found.plies_left, found.margin()), (-20, Some(3), 3));
        assert_eq!(found.words(), "second - points 2 5 score -20 left 3");
        assert_eq!(facts("x first 1/2-1/2")?.outcome, Some(Outcome::Draw));
        let points = Outcome::Points { first: 4, second: 1 };
        assert_eq!(facts("x first 1-0 points 4 1")?.outcome, Some(points));
        Ok(())
    }

    #[test]
    fn keys_are_those_of_words_with_side_and_plies() -> Result<(), Unexpected> {
        let key = |line| facts(line).map(|facts| facts.key);
        assert_eq!(key("a first - key k")?, key("b first - key k")?);
        assert_eq!(key("a first -")?, key("b first - key a")?);
        for other in ["a second - key k", "a first - left 0 key k", "a first -", "a first - key l"]
        {
            assert_ne!(key("a first - key k")?, key(other)?, "{other}");
        }
        Ok(())
    }

    #[test]
    fn faults_say_what_was_expected_and_found() {
        for (line, expected, found) in [
            ("", "a position of", "nothing"),
            ("X", "the side to move", "nothing"),
            ("X white", "the side to move", "`white`"),
            ("X first", "a result", "nothing"),
            ("X first over", "a result", "`over`"),
            ("X first - left -1", "a whole number", "`-1`"),
            ("X first - depth 3", "`points`", "`depth`"),
            ("X first 1-0 points 2 3", "the result of 2 to 3 points", "`1-0`"),
            ("X first - points -1 3", "points from 0", "-1 and 3"),
            ("X first - points 300 3", "a margin of points", "a margin of 29700"),
            ("X first - points 3 2000000000", "points from 0", "3 and 2000000000"),
            ("X first - score 29000", "a margin of points", "a score of 29000"),
        ] {
            let fault = facts(line).expect_err(line);
            assert!(fault.expected.contains(expected), "{line}: {fault:?}");
            assert!(fault.found.contains(found), "{line}: {fault:?}");
        }
    }

    #[test]
    fn moves_are_words_that_separate_nothing() {
        for (line, is_move) in [
            ("b3 X first -", true),
            ("Nf3+ X first -", true),
            ("end X first -", false),
            ("a.b X first -", false),
            ("a/b X first -", false),
            ("abcdefghijklmnopqrstuvwx X first -", false),
            ("debug: x is 3", false),
            ("", false),
        ] {
            assert_eq!(Step::parse(line).is_ok(), is_move, "{line}");
        }
    }

    #[test]
    fn description_needs_a_name_and_a_start() {
        let parse = |text: &str| Description::parse(text.lines());
        let all = "name toy\ntitle Toy game\nrule-set 3x3\nsides Red Blue\nboard 3 2 XO\n\
                   hint a square\nlesson The aim: More points: they win.\nshows\nstart .../.../X first - left 6";
        let found = parse(all).expect("a description");
        assert_eq!((&*found.name, &*found.rule_set), ("toy", "3x3"));
        let board = Board { columns: 3, rows: 2, symbols: ['X', 'O'] };
        assert_eq!((found.board, found.shows), (Some(board), true));
        let lesson = ("The aim".to_owned(), "More points: they win.".to_owned());
        assert_eq!(found.lessons, [lesson]);
        assert_eq!(
            parse("name a\nstart x first -").map(|toy| toy.rule_set),
            Ok("standard".to_owned())
        );
        for (text, expected) in [
            ("name a", "a line `start"),
            ("start x first -", "a line `name"),
            ("name My Game", "small letters"),
            ("sides White", "two sides"),
            ("board 3 3 X", "as in `board"),
            ("board 3 27 XO", "as in `board"),
            ("nam a", "`name`"),
            ("lesson The last move wins.", "a heading and a text"),
        ] {
            let fault = parse(text).expect_err(text);
            assert!(fault.expected.contains(expected), "{text}: {fault:?}");
        }
    }
}
