//! Othello on square boards of several sizes, complete and small: the model of a game of your own.
//! `rules.rs` is the game; this file has the evaluation, the texts and the page.

mod rules;

use plyground::proof::NoTactics;
use plyground::{Evaluator, Game, Score, Side};
use plyground_host::page::{Layout, Path};
use plyground_host::state::{GridFormat, StateText, TextError};
use plyground_host::{GameAdapter, HostedGame, Lesson, SharedGame, Text, default_text, host};

pub use rules::{IllegalMove, Move, NotAMove, Position};

/// Othello on a board with this many squares to a side: 4, 6 or 8.
#[derive(Clone, Copy, Debug)]
pub struct Othello(pub u8);

const SIZES: [u8; 3] = [8, 6, 4];

impl GameAdapter for Othello {
    type Game = Position;
    type Evaluator = Discs;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        Position::new(self.0)
    }

    fn evaluator(&self) -> Discs {
        Discs
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        let format = GridFormat {
            columns: self.0.into(),
            rows: self.0.into(),
            cells: &['.', 'X', 'O'],
            cell_names: "., X or O",
            sides: ['X', 'O'],
            side_names: "the next player, X or O",
        };
        let grid = format.parse(text)?;
        let mut discs = [0; 2];
        for square in self.start().squares() {
            if let Some(disc @ 1..) = grid.symbol((square / 8).into(), (square % 8).into()) {
                discs[disc - 1] |= 1 << square;
            }
        }
        Ok(Position::from_discs(self.0, discs, grid.side_to_move()))
    }

    fn format_state(&self, position: &Position) -> String {
        format!("{position}\n{}", ['X', 'O'][position.side_to_move().index()])
    }

    fn side_name(&self, side: Side) -> String {
        ["Black", "White"][side.index()].to_owned()
    }

    fn lessons(&self) -> Vec<Lesson> {
        let start = self.format_state(&self.start()).replace('\n', "/");
        vec![
            Lesson::new(
                "A turn",
                "Black moves first. A turn puts a disc on an empty square so that discs of the opponent are \
                 between it and another disc of yours, in a row, a column or a diagonal. All of them become \
                 yours. If you can turn no disc, you pass.",
            )
            .with_figure(start, "The start: Black may play on four squares, each next to a white disc."),
            Lesson::new("The end", "The game is over when neither can move. Who has more discs has won."),
        ]
    }

    fn text(&self, position: &Position, text: Text<Move>) -> String {
        let side = self.side_name(position.side_to_move());
        match text {
            Text::Prompt => format!("{side}, place a disc on a square"),
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::of_squares(self.0.into(), self.0.into(), ['X', 'O']))
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        let Move::Place(square) = mv else { return Path::default() };
        Path { from: None, to: Some(usize::from(square / 8 * self.0 + square % 8)) }
    }
}

impl HostedGame for Othello {
    fn rules(&self) -> String {
        format!("{0}x{0}", self.0)
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        SIZES.map(Othello).into_iter().find(|other| other.rules() == rules).map(host)
    }

    fn rule_sets(&self) -> Vec<String> {
        SIZES.map(|size| Othello(size).rules()).to_vec()
    }
}

/// The value of a corner, and of a square that a side can move to, in hundredths of a disc.
const CORNER: i32 = 600;
const PLACE: i32 = 60;

/// An evaluator that counts corners, and the squares that each side can move to: the number of discs says
/// little before the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discs;

impl Evaluator<Position> for Discs {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| {
            let corners = (position.discs(side) & corners(position.size())).count_ones() as i32;
            CORNER * corners + PLACE * position.places(side).count_ones() as i32
        });
        Score::points(position.margin()) + (own - other)
    }

    /// Ranks corners first, then moves that leave the opponent few replies.
    fn order(&self, position: &Position, mv: Move, next: &Position) -> i32 {
        let is_corner = matches!(mv, Move::Place(at) if corners(position.size()) >> at & 1 == 1);
        let replies = next.places(next.side_to_move()).count_ones() as i32;
        10_000 * (i32::from(is_corner) * 10 - replies)
    }
}

fn corners(size: u8) -> u64 {
    let last = size - 1;
    1 | 1 << last | 1 << (8 * last) | 1 << (9 * last)
}
