//! The texts and formats of the command line.

use maxconnect4::state::{contradiction, format_state, parse_state};
use maxconnect4::{Column, OpenQuads, Position, Size};
use plyground::book::{Book, BookError};
use plyground::cli::Program;
use plyground::proof::NoTactics;
use plyground::state::{Fault, StateText};
use plyground::{Game, Score, Side};

/// A repertoire for the board of the assignment: `maxconnect4 book build --repertoire`.
const BOOK: &[u8] = include_bytes!("../book/maxconnect4.book");

/// Max-Connect4 on a board of any size.
#[derive(Clone, Copy, Debug)]
pub struct MaxConnect4 {
    /// The size of the board.
    pub size: Size,
}

impl MaxConnect4 {
    /// On the board of the assignment.
    pub const STANDARD: MaxConnect4 = MaxConnect4 { size: Size::STANDARD };
}

impl Program for MaxConnect4 {
    type Game = Position;
    type Evaluator = OpenQuads;
    type Tactics = NoTactics;

    const ABOUT: &'static str = "Plays and analyses Max-Connect4";
    const TITLE: &'static str = "MaxConnect-4 game";
    const MAX_DEPTH: u32 = Size::STANDARD.columns() as u32 * Size::STANDARD.rows() as u32;
    const EXAMPLE_FILE: &'static str = "inputs/maxconnect4/input1.txt";
    const MOVE: &'static str = "a column from 1 to 7";
    const BENCH: &'static [(&'static str, u32)] = &[
        ("0000000/0000000/0000000/0000000/0000000/0000000/1", 13),
        ("0000000/0000000/0000000/0000000/0000002/0000001/1", 12),
        ("0000000/0000000/0000000/0000000/0000000/1120020/1", 12),
        ("0000000/0000000/0000000/0100000/2200000/1121020/1", 12),
        ("0000000/0000000/0200000/0100002/0200111/1100222/1", 14),
        ("0000000/0001000/0001000/0211010/0221020/2212012/1", 15),
        ("0000000/0000000/1000021/2200011/1221022/2122111/1", 16),
        ("0000000/0100020/2200010/1210220/2210210/1111212/1", 42),
        ("0100001/0100002/0200012/2100112/1201222/2102211/1", 42),
    ];

    fn start(&self) -> Position {
        Position::empty(self.size)
    }

    fn evaluator(&self) -> OpenQuads {
        OpenQuads
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn book(&self) -> Result<Option<Book>, BookError> {
        if self.size == Size::STANDARD { Book::from_bytes(BOOK).map(Some) } else { Ok(None) }
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, Fault> {
        parse_state(text, self.size)
    }

    fn format_state(&self, position: &Position) -> String {
        format_state(position)
    }

    fn doubt(&self, position: &Position) -> Option<String> {
        contradiction(position)
    }

    /// As the course's sample programs print it, a blank after every row included.
    fn board(&self, position: &Position) -> String {
        // The frame of the board on the screen.
        let border = format!(" {}\n", "-".repeat(2 * usize::from(self.size.columns()) + 3));
        let cells = |row: &str| row.chars().flat_map(|cell| [cell, ' ']).collect::<String>();
        let board = position.to_string();
        let rows: String = board.lines().map(|row| format!(" | {}| \n", cells(row))).collect();
        let [first, second] = Side::BOTH.map(|side| position.points(side));
        format!("{border}{rows}{border}Score: Player 1 = {first}, Player 2 = {second}\n")
    }

    fn prompt(&self, position: &Position) -> String {
        format!("Player {}, choose a column (1-7)", number(position.side_to_move()))
    }

    fn announce(&self, position: &Position, column: Column) -> String {
        let [first, second] = Side::BOTH.map(|side| position.pieces(side));
        let player = number(position.side_to_move());
        format!("move {}: Player {player}, column {column}", first + second + 1)
    }

    fn turn(&self, position: &Position) -> String {
        format!("Player {} is to move.", number(position.side_to_move()))
    }

    fn ending(&self, _: &Position) -> String {
        "BOARD FULL".to_owned()
    }

    fn result(&self, position: &Position) -> String {
        let [first, second] = Side::BOTH.map(|side| position.points(side));
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => format!("Player 1 wins, {first} to {second}."),
            std::cmp::Ordering::Less => format!("Player 2 wins, {second} to {first}."),
            std::cmp::Ordering::Equal => format!("It is a tie, {first} to {second}."),
        }
    }

    fn reason(&self, position: &Position) -> String {
        let [first, second] = Side::BOTH.map(|side| position.points(side));
        format!("board full, {first} to {second}")
    }

    /// A piece in the outer left column, the mirror image of which is as good.
    fn tie_break_opening(&self) -> Vec<Column> {
        vec![Column::from_index(0)]
    }

    fn checks(&self) -> &'static str {
        include_str!("checks.toml")
    }

    /// The final margin in points.
    fn value(&self, proven: Score) -> i32 {
        proven.get() / Score::POINT
    }

    /// A margin under the number of every column, the best ones marked.
    fn values(&self, _: &Position, values: &[(Column, i32)]) -> String {
        let best = values.iter().map(|&(_, value)| value).max();
        let (mut numbers, mut margins) = ("Column      ".to_owned(), "Final margin".to_owned());
        for column in (0..self.size.columns()).map(Column::from_index) {
            let value = values.iter().find(|&&(own, _)| own == column).map(|&(_, value)| value);
            let margin = match value {
                None => "full".to_owned(),
                Some(0) => "0".to_owned(),
                Some(value) => format!("{value:+}"),
            };
            let mark = if value.is_some() && value == best { '*' } else { ' ' };
            numbers += &format!("{:>5} ", column.number());
            margins += &format!("{margin:>5}{mark}");
        }
        format!("{}\n{}\n", numbers.trim_end(), margins.trim_end())
    }

    fn verdict(&self, position: &Position, value: i32) -> String {
        let side = position.side_to_move();
        let winner = number(if value > 0 { side } else { side.other() });
        match value.abs() {
            0 => "With best play it is a tie.".to_owned(),
            1 => format!("With best play player {winner} wins by 1 point."),
            margin => format!("With best play player {winner} wins by {margin} points."),
        }
    }
}

/// The number by which people know a player.
fn number(side: Side) -> usize {
    side.index() + 1
}
