//! The evaluation, the texts, the state format, the page and the kit.

use plyground::proof::NoTactics;
use plyground::{Evaluator, Game, Score, Side};
use plyground_host::page::{Layout, Path};
use plyground_host::state::{GridFormat, StateText, TextError};
use plyground_host::{
    GameAdapter, HostedGame, KitTexts, Language, SharedGame, StarterKit, Text, default_text, host,
};

use crate::rules::{Move, Position};

/// Konane on a board with this many squares to a side: 4, 6 or 8.
#[derive(Clone, Copy, Debug)]
pub struct Konane(pub u8);

const SIZES: [u8; 3] = [8, 6, 4];

/// The colors of the sides.
const COLORS: [&str; 2] = ["Black", "White"];

impl Konane {
    fn has_checks(self) -> bool {
        self.0 == SIZES[0]
    }
}

impl GameAdapter for Konane {
    type Game = Position;
    type Evaluator = Mobility;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        Position::new(self.0)
    }

    fn evaluator(&self) -> Mobility {
        Mobility
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
        let mut pieces = 0;
        for square in self.start().squares() {
            let (row, column) = (usize::from(square / 8), usize::from(square % 8));
            let color = Position::color(square).index();
            match grid.symbol(row, column) {
                Some(0) | None => {}
                Some(piece) if piece == color + 1 => pieces |= 1 << square,
                Some(_) => {
                    let expected = format!("an empty square, or {}", ["X", "O"][color]);
                    return Err(grid.fault(row, column, &expected, ["O", "X"][color]));
                }
            }
        }
        Ok(Position::from_pieces(self.0, pieces, grid.side_to_move()))
    }

    fn format_state(&self, position: &Position) -> String {
        let side = plyground::Game::side_to_move(position);
        format!("{position}\n{}", ['X', 'O'][side.index()])
    }

    fn side_name(&self, side: Side) -> String {
        COLORS[side.index()].to_owned()
    }

    fn text(&self, position: &Position, text: Text<Move>) -> String {
        let side = self.side_name(plyground::Game::side_to_move(position));
        match text {
            Text::Announcement(mv @ Move::Remove(_)) => format!("{side} removes {mv}"),
            Text::Announcement(mv @ Move::Jump(..)) => format!("{side} jumps {mv}"),
            Text::Reason => format!("{side} cannot move"),
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::of_squares(self.0.into(), self.0.into(), ['X', 'O']))
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        let cell = |square: u8| usize::from(square / 8 * self.0 + square % 8);
        match mv {
            Move::Remove(square) => Path { from: None, to: Some(cell(square)) },
            Move::Jump(from, to) => Path { from: Some(cell(from)), to: Some(cell(to)) },
        }
    }
}

impl HostedGame for Konane {
    fn rules(&self) -> String {
        format!("{0}x{0}", self.0)
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        SIZES.map(Konane).into_iter().find(|other| other.rules() == rules).map(host)
    }

    fn rule_sets(&self) -> Vec<String> {
        SIZES.map(|size| Konane(size).rules()).to_vec()
    }

    /// Returns the checks, whose numbers are for the usual size.
    fn checks(&self) -> &'static str {
        if self.has_checks() { include_str!("checks.toml") } else { "" }
    }

    /// Returns the kit in Python, with the board of this size.
    fn starters(&self) -> Vec<StarterKit> {
        let board = include_str!("../starters/python/board.py")
            .replace("SIZE = 8", &format!("SIZE = {}", self.0));
        let rules = self.rules();
        let texts = KitTexts {
            game: "konane",
            rules: &rules,
            options: &format!("--rules {rules}"),
            title: "Konane",
            depth: 4,
            by_files: false,
            own_checks: !self.has_checks(),
        };
        vec![texts.kit(Language::Python, &[("board.py", &board)])]
    }
}

/// The value of a jump more than the opponent has.
const JUMP: i32 = 100;

/// An evaluator that counts the jumps of each side: who runs out of them loses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Evaluator<Position> for Mobility {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| position.jumps(side).count() as i32);
        Score::estimate(JUMP * (own - other))
    }
}
