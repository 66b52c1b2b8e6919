//! The texts of the game, its rules for people, its page and its starter kits.

use std::cmp::Ordering;

use plyground::book::{Book, BookError};
use plyground::proof::NoTactics;
use plyground::{Game, Side};
use plyground_host::page::{Edges, Layout, Look, Path, Picture, Piece, Stroke, StrokeKind};
use plyground_host::state::{StateText, TextError};
use plyground_host::{
    GameAdapter, HostedGame, KitTexts, Language, Lesson, SharedGame, StarterKit, Text, Variants,
    default_text, host, starter_files,
};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::cells::{Column, NotASize, Size};
use crate::eval::OpenQuads;
use crate::position::{Position, contradiction};
use crate::state::{CELLS, board, drawing, format_state, margins, parse_state, points};

/// The book for the board of the assignment: a repertoire up to ply 12 and the values of all positions up
/// to ply 8, see docs/perfect-play.md.
const BOOK: &[u8] = include_bytes!("../book/maxconnect4.book");

/// The positions of the bench on the board of the assignment, and their depths.
const BENCH: [(&str, u32); 9] = [
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

/// The depth to which the bench searches the empty board of another size.
const BENCH_DEPTH: u32 = 12;

/// The name of the rules on the board of the assignment.
const STANDARD: &str = "standard";

/// Returns Max-Connect4 on the board of the assignment.
#[must_use]
pub fn game() -> SharedGame {
    host(MaxConnect4 { size: Size::STANDARD })
}

/// Max-Connect4 on a board of any size.
#[derive(Clone, Copy, Debug)]
pub struct MaxConnect4 {
    /// The size of the board.
    pub size: Size,
}

impl GameAdapter for MaxConnect4 {
    type Game = Position;
    type Evaluator = OpenQuads;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        Position::empty(self.size)
    }

    fn evaluator(&self) -> OpenQuads {
        OpenQuads
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        parse_state(text, self.size)
    }

    fn format_state(&self, position: &Position) -> String {
        format_state(position)
    }

    fn move_hint(&self) -> String {
        format!("a column from 1 to {}", self.size.columns())
    }

    /// Returns the rules, part by part; with pictures for the board of the assignment.
    fn lessons(&self) -> Vec<Lesson> {
        let parts = [
            (
                "A turn",
                "Player 1 moves first, and then the players take turns. A turn drops one piece into a column that \
                 is not full, and the piece falls to the lowest empty cell.",
                "0000000/0000000/0000000/0000000/0002000/0001000/1",
                "The piece of player 2 in column 4 has fallen on the piece of player 1.",
            ),
            (
                "Points",
                "Four pieces of yours side by side are a point: in a row, in a column or in a diagonal. Every four \
                 count, so five in a line are two points.",
                "0000000/0000000/0020000/0012000/0021200/1111122/2",
                "Player 1 has two points: five in a row. Player 2 has one, in a diagonal.",
            ),
            (
                "The end",
                "The game goes on until the board is full. The player with more points then wins; \
                 equal points are a tie.",
                "2222121/2121212/1211221/1211121/2222112/1121211/1",
                "The board is full, and player 1 has won, 3 to 2.",
            ),
        ];
        let lesson = |(title, text, state, caption)| match self.size {
            Size::STANDARD => Lesson::new(title, text).with_figure(state, caption),
            _ => Lesson::new(title, text),
        };
        parts.map(lesson).to_vec()
    }

    fn text(&self, position: &Position, text: Text<Column>) -> String {
        let [first, second] = points(position);
        match text {
            Text::Board => board(position),
            Text::Drawing(last) => drawing(position, last),
            Text::Prompt => {
                let player = self.side_name(position.side_to_move());
                format!("{player}, choose a column (1-{})", self.size.columns())
            }
            Text::Announcement(column) => {
                let [first, second] = Side::BOTH.map(|side| position.pieces(side));
                let player = self.side_name(position.side_to_move());
                format!("move {}: {player}, column {column}", first + second + 1)
            }
            Text::Ending => "BOARD FULL".to_owned(),
            Text::Reason => format!("board full, {first} to {second}"),
            Text::Result => match first.cmp(&second) {
                Ordering::Greater => format!("Player 1 wins, {first} to {second}."),
                Ordering::Less => format!("Player 2 wins, {second} to {first}."),
                Ordering::Equal => format!("It is a tie, {first} to {second}."),
            },
            Text::Doubt => contradiction(position).unwrap_or_default(),
            Text::Values(values) => margins(self.size, position.side_to_move(), &values),
            Text::Verdict(value) => verdict(position, value),
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        let size = self.size;
        let [empty, first, second] = CELLS;
        let piece =
            |name, fill, mark, symbol| Piece { name, fill, mark, symbol, turn_symbol: symbol };
        let name = |(column, row)| vec![format!("column {}, row {}", column + 1, row + 1)];
        let numbers = (1..=size.columns()).map(|column| column.to_string()).collect();
        Some(Layout {
            look: Look::Holes,
            falls: true,
            notations: vec!["Columns"],
            names: cells(size).map(name).collect(),
            edges: Edges { top: numbers, ..Edges::default() },
            // The pieces also differ in their marks and in brightness, for people who cannot tell the colors
            // apart.
            pieces: [
                piece("piece of player 1", "#f2b134", "#7a4b00", first),
                piece("piece of player 2", "#c2361b", "#ffd9cf", second),
            ],
            empty_symbol: empty,
            legend: "Dotted lines are one piece short of points.",
            ..Layout::of_squares(size.columns().into(), size.rows().into(), [first, second])
        })
    }

    /// Shows the pieces, and the quadruples that each side has or can still get.
    fn picture(&self, position: &Position) -> Picture {
        let [_, first, second] = CELLS;
        let points = Game::points(position);
        let lines = Side::BOTH.into_iter().flat_map(|side| quads(position, side)).collect();
        Picture { lines, ..Picture::from_state(&format_state(position), [first, second], points) }
    }

    /// Returns the path to the cell in which a piece lands that is dropped into `column`.
    fn path(&self, position: &Position, column: Column) -> Path {
        let (size, column) = (self.size, column.index());
        let row = (0..size.rows()).find(|&row| position.cell(column, row).is_none());
        Path { from: None, to: row.map(|row| number(size, (column, row))) }
    }

    fn move_at(&self, _: &Position, _: Option<usize>, to: usize) -> Option<Column> {
        let column = to % usize::from(self.size.columns());
        u8::try_from(column).ok().map(Column::from_index)
    }

    fn actions(&self) -> usize {
        self.size.columns().into()
    }

    fn action(&self, _: &Position, column: Column) -> Option<usize> {
        Some(column.index().into())
    }

    fn move_of_action(&self, position: &Position, action: usize) -> Option<Column> {
        let index = u8::try_from(action).ok().filter(|&index| index < self.size.columns())?;
        let column = Column::from_index(index);
        position.check_legal(column).is_ok().then_some(column)
    }

    fn write_planes(&self, position: &Position, own: &mut [u8], others: &mut [u8]) {
        let mover = position.side_to_move();
        position.cells_of(mover).for_each(|cell| own[number(self.size, cell)] = 1);
        position.cells_of(mover.other()).for_each(|cell| others[number(self.size, cell)] = 1);
    }

    fn random_move(&self, position: &Position, rng: &mut StdRng) -> Option<Column> {
        let count = position.legal_moves().count();
        if count == 0 {
            return None;
        }
        position.legal_moves().nth(rng.random_range(0..count))
    }
}

impl HostedGame for MaxConnect4 {
    fn about(&self) -> String {
        "Plays and analyzes Max-Connect4".to_owned()
    }

    fn title(&self) -> String {
        "Max-Connect4".to_owned()
    }

    /// Returns the heading of the sample in the assignment.
    fn heading(&self) -> String {
        "MaxConnect-4 game".to_owned()
    }

    fn bench(&self) -> Vec<(String, u32)> {
        if self.size == Size::STANDARD {
            BENCH.map(|(state, depth)| (state.to_owned(), depth)).to_vec()
        } else {
            vec![(format_state(&self.start()).replace('\n', "/"), BENCH_DEPTH)]
        }
    }

    fn rules(&self) -> String {
        if self.size == Size::STANDARD { STANDARD.to_owned() } else { self.size.to_string() }
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        let size = if rules == STANDARD { Some(Size::STANDARD) } else { rules.parse().ok() };
        size.map(|size| host(MaxConnect4 { size }))
    }

    fn rule_sets(&self) -> Vec<String> {
        Size::all().map(|size| MaxConnect4 { size }.rules()).collect()
    }

    fn variants(&self) -> Option<Variants> {
        Some(Variants {
            option: "size",
            value_name: "COLUMNSxROWS",
            help: "The size of the board, 4x4 to 8x8",
            expected: NotASize::EXPECTED.to_owned(),
            default: Size::STANDARD.to_string(),
            only_solving: true,
        })
    }

    fn book(&self) -> Result<Option<Book>, BookError> {
        if self.size != Size::STANDARD {
            return Ok(None);
        }
        Book::from_bytes(BOOK)?.for_start(&self.start()).map(Some)
    }

    fn checks(&self) -> &'static str {
        include_str!("checks.toml")
    }

    /// Returns the kits, all for the board of the assignment.
    fn starters(&self) -> Vec<StarterKit> {
        if self.size != Size::STANDARD {
            return Vec::new();
        }
        let boards: [(_, &[_]); 6] = [
            (Language::Java, starter_files!("starters/java": ["GameBoard.java"])),
            (Language::Cpp, starter_files!("starters/cpp": ["board.cpp", "board.h"])),
            (Language::Python, starter_files!("starters/python": ["board.py"])),
            (Language::C, starter_files!("starters/c": ["board.c", "board.h"])),
            (Language::Rust, starter_files!("starters/rust": ["src/board.rs"])),
            (Language::JavaScript, starter_files!("starters/javascript": ["board.js"])),
        ];
        boards.into_iter().map(|(language, files)| KIT.kit(language, files)).collect()
    }
}

fn verdict(position: &Position, value: i32) -> String {
    let side = position.side_to_move();
    let winner = if value > 0 { side } else { side.other() }.index() + 1;
    match value.abs() {
        0 => "With best play it is a tie.".to_owned(),
        1 => format!("With best play player {winner} wins by 1 point."),
        margin => format!("With best play player {winner} wins by {margin} points."),
    }
}

/// The number of cells of a quadruple.
const QUAD: usize = 4;

/// The steps in columns and rows, these from the bottom, from one cell of a quadruple to the next.
const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Returns the columns and rows of the cells in the order of their numbers on the page.
fn cells(size: Size) -> impl Iterator<Item = (u8, u8)> {
    let row = move |row| (0..size.columns()).map(move |column| (column, row));
    (0..size.rows()).rev().flat_map(row)
}

/// Returns the number of a cell on the page.
fn number(size: Size, (column, row): (u8, u8)) -> usize {
    let from_top = size.rows() - 1 - row;
    usize::from(from_top) * usize::from(size.columns()) + usize::from(column)
}

/// Returns the quadruples that `side` has, and the quadruples that it can still get.
fn quads(position: &Position, side: Side) -> Vec<Stroke> {
    let size = position.size();
    let starts = cells(size).flat_map(|start| DIRECTIONS.map(|direction| (start, direction)));
    let quads = starts.filter_map(|(start, direction)| {
        let cells = quad(size, start, direction)?;
        let pieces = cells.map(|(column, row)| position.cell(column, row));
        if pieces.contains(&Some(side.other())) {
            return None;
        }
        let is_made = !pieces.contains(&None);
        let kind = if is_made { StrokeKind::Made } else { StrokeKind::Possible };
        let cells = cells.map(|cell| number(size, cell)).to_vec();
        Some(Stroke { kind, side: side.index(), cells })
    });
    quads.collect()
}

/// Returns the cells of a quadruple if it lies on the board.
fn quad(size: Size, start: (u8, u8), (dx, dy): (i8, i8)) -> Option<[(u8, u8); QUAD]> {
    let mut cells = [start; QUAD];
    for index in 1..QUAD {
        let (column, row) = cells[index - 1];
        let next = (column.checked_add_signed(dx)?, row.checked_add_signed(dy)?);
        if next.0 >= size.columns() || next.1 >= size.rows() {
            return None;
        }
        cells[index] = next;
    }
    Some(cells)
}

const KIT: KitTexts = KitTexts {
    game: "maxconnect4",
    rules: "standard",
    options: "",
    title: "Max-Connect4",
    depth: 4,
    by_files: true,
    own_checks: false,
};
