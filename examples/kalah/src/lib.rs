//! Kalah on boards of several sizes, complete and small: the model of a game with extra turns. The rules come
//! first, then the evaluation, the texts, the state format and the page.

use std::fmt;
use std::str::FromStr;

use plyground::proof::NoTactics;
use plyground::{Bounds, Evaluator, Game, Outcome, Score, SearchHints, Side};
use plyground_host::page::{Edges, Ground, Layout, Owner, Path, Picture};
use plyground_host::state::{Grid, GridFormat, StateText, TextError};
use plyground_host::{
    GameAdapter, HostedGame, KitTexts, Language, Lesson, SharedGame, StarterKit, Text,
    default_text, host,
};
use thiserror::Error;

/// The greatest number of pits of a side.
const MOST_PITS: usize = 6;

/// A position of Kalah with up to six pits on either side.
///
/// A move takes all seeds of an own pit and sows them one by one into the next pits, the own store, and the
/// pits of the opponent. If the last one falls into the store, the same side moves again. If it falls into
/// an own pit that was empty, and there are seeds opposite, both go into the store. When the pits of either
/// side are empty, all other seeds go into the store of their side, and the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The seeds in the pits of each side, the pit that is farthest from its store first.
    pits: [[u8; MOST_PITS]; 2],
    stores: [u8; 2],
    side: Side,
    /// The number of pits of a side.
    count: u8,
}

/// A move: one of the side's own pits, counted from 1, the one farthest from its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pit(u8);

/// The error that a text is not a move.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected the number of a pit, from 1 to {MOST_PITS}")]
pub struct NotAPit;

/// The error that a pit has no seeds, or does not exist.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{0}: there are no seeds in this pit")]
pub struct EmptyPit(Pit);

impl Pit {
    /// Returns the pit with this index, counted from 0.
    #[must_use]
    pub fn new(index: usize) -> Pit {
        Pit(index as u8)
    }

    /// Returns the index of the pit, counted from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl Position {
    /// Makes the start of a game with `count` pits for each side, and `seeds` in each of them.
    #[must_use]
    pub fn new(count: u8, seeds: u8) -> Position {
        let mut pits = [0; MOST_PITS];
        pits[..count.into()].fill(seeds);
        Position { pits: [pits; 2], stores: [0; 2], side: Side::First, count }
    }

    /// Makes the position with these seeds, the pits of each side as in [`Position::pits`].
    #[must_use]
    pub fn from_seeds(pits: [&[u8]; 2], stores: [u8; 2], side: Side) -> Position {
        let row = |seeds: &[u8]| std::array::from_fn(|pit| seeds.get(pit).copied().unwrap_or(0));
        Position { pits: pits.map(row), stores, side, count: pits[0].len() as u8 }
    }

    /// Returns the seeds in the pits of a side, the pit that is farthest from its store first.
    #[must_use]
    pub fn pits(&self, side: Side) -> &[u8] {
        &self.pits[side.index()][..self.count.into()]
    }

    /// Returns the number of seeds in the store of a side.
    #[must_use]
    pub fn store(&self, side: Side) -> i32 {
        self.stores[side.index()].into()
    }

    /// Returns the number of seeds in all pits of a side.
    #[must_use]
    pub fn in_pits(&self, side: Side) -> i32 {
        self.pits(side).iter().map(|&seeds| i32::from(seeds)).sum()
    }

    /// Sows the seeds of a pit, and returns true if the last one falls into the store.
    fn sow(&mut self, pit: usize) -> bool {
        let (own, other, count) =
            (self.side.index(), self.side.other().index(), self.pits(self.side).len());
        let mut seeds = std::mem::take(&mut self.pits[own][pit]);
        // The places in the order of sowing: the own pits, the store, the pits of the opponent.
        let mut place = pit;
        while seeds > 0 {
            place = (place + 1) % (2 * count + 1);
            match place {
                _ if place < count => self.pits[own][place] += 1,
                _ if place == count => self.stores[own] += 1,
                _ => self.pits[other][place - count - 1] += 1,
            }
            seeds -= 1;
        }
        if place < count && self.pits[own][place] == 1 {
            let opposite = count - 1 - place;
            if self.pits[other][opposite] > 0 {
                self.stores[own] += 1 + std::mem::take(&mut self.pits[other][opposite]);
                self.pits[own][place] = 0;
            }
        }
        place == count
    }

    /// Puts all seeds into the stores of their sides, if the pits of either side are empty.
    fn finish(&mut self) {
        if Side::BOTH.into_iter().any(|side| self.in_pits(side) == 0) {
            for side in Side::BOTH {
                self.stores[side.index()] += self.in_pits(side) as u8;
                self.pits[side.index()] = [0; MOST_PITS];
            }
        }
    }
}

impl Game for Position {
    type Move = Pit;
    type IllegalMove = EmptyPit;

    const NAME: &'static str = "kalah";

    /// A move that ends in the store keeps the turn.
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.stores.map(i32::from);
        (self.in_pits(self.side) == 0).then_some(Outcome::Points { first, second })
    }

    fn legal_moves(&self) -> impl Iterator<Item = Pit> {
        let pits = self.pits(self.side);
        (0..pits.len()).filter(|&pit| pits[pit] > 0).map(Pit::new)
    }

    fn check_legal(&self, pit: Pit) -> Result<(), EmptyPit> {
        let seeds = self.pits(self.side).get(pit.index());
        seeds.filter(|&&seeds| seeds > 0).map(|_| ()).ok_or(EmptyPit(pit))
    }

    fn play_unchecked(&mut self, pit: Pit) {
        if !self.sow(pit.index()) {
            self.side = self.side.other();
        }
        self.finish();
    }

    /// Returns a key of the pits as the side to move sees them: its own pits, then the pits of the opponent.
    fn key(&self) -> u64 {
        let pack =
            |side| self.pits(side).iter().fold(0, |bits, &seeds| bits << 8 | u64::from(seeds));
        let [own, other] = [self.side, self.side.other()].map(pack);
        // Odd factors and shifts that mix all bits: equal keys are as rare as chance.
        let mut key = own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.rotate_left(16);
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            key = (key ^ key >> 29).wrapping_add(other).wrapping_mul(factor);
        }
        key ^ key >> 32
    }

    /// Returns the number of steps that all seeds can make, a loose limit: a move brings seeds nearer to the
    /// store of their side, or puts at least one into a store, and then all others may begin anew.
    fn plies_left(&self) -> Option<u32> {
        let count = u32::from(self.count);
        let steps = Side::BOTH.map(|side| {
            let pits = self.pits(side).iter().zip((1..=count).rev());
            pits.map(|(&seeds, steps)| u32::from(seeds) * steps).sum::<u32>()
        });
        let seeds: i32 = Side::BOTH.map(|side| self.in_pits(side)).iter().sum();
        let seeds = seeds as u32;
        Some(steps[0] + steps[1] + seeds + count * (seeds * seeds.saturating_sub(1) / 2))
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(self.stores.map(i32::from))
    }
}

/// Gives a number for every pit, and the limit that one side gets all seeds in the pits.
impl SearchHints for Position {
    const MOVE_CODES: usize = MOST_PITS;

    fn move_code(&self, pit: Pit) -> usize {
        pit.index()
    }

    fn bounds(&self) -> Bounds {
        let (margin, open) =
            (self.margin(), self.in_pits(Side::First) + self.in_pits(Side::Second));
        Bounds::points(margin - open, margin + open)
    }
}

/// Writes the board as the first side sees it: above, from right to left, the pits of the second side and
/// its store, below, from left to right, the pits of the first side and its store.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:2} |", self.stores[1])?;
        self.pits(Side::Second).iter().rev().try_for_each(|seeds| write!(f, " {seeds:2}"))?;
        write!(f, "\n   |")?;
        self.pits(Side::First).iter().try_for_each(|seeds| write!(f, " {seeds:2}"))?;
        write!(f, " | {:2}", self.stores[0])
    }
}

/// Writes the number of the pit, from 1.
impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl FromStr for Pit {
    type Err = NotAPit;

    fn from_str(text: &str) -> Result<Pit, NotAPit> {
        match text.as_bytes() {
            [digit @ b'1'..=b'6'] => Ok(Pit(digit - b'1')),
            _ => Err(NotAPit),
        }
    }
}

/// Kalah with this many pits for each side, and seeds in each of them at the start.
#[derive(Clone, Copy, Debug)]
pub struct Kalah {
    /// The number of pits of a side, from 1 to 6.
    pub pits: u8,
    /// The number of seeds in a pit at the start, from 1 to 6. All seeds together are at most 60.
    pub seeds: u8,
}

/// The sizes that are named in help. Other sizes can be asked for, too.
const SIZES: [Kalah; 4] = [Kalah::of(6, 4), Kalah::of(6, 3), Kalah::of(4, 3), Kalah::of(3, 2)];

/// The symbols of 0, 1, 2 and so on up to 61 seeds in a state file.
const SYMBOLS: [char; 62] = symbols();

const fn symbols() -> [char; 62] {
    let text = *b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let (mut symbols, mut index) = ([' '; 62], 0);
    while index < symbols.len() {
        symbols[index] = text[index] as char;
        index += 1;
    }
    symbols
}

impl Default for Kalah {
    fn default() -> Kalah {
        SIZES[0]
    }
}

impl Kalah {
    const fn of(pits: u8, seeds: u8) -> Kalah {
        Kalah { pits, seeds }
    }

    fn has_checks(self) -> bool {
        (self.pits, self.seeds) == (SIZES[0].pits, SIZES[0].seeds)
    }

    fn all_seeds(self) -> usize {
        2 * usize::from(self.pits) * usize::from(self.seeds)
    }

    /// Returns the number of cells in a row of the board: the pits and a store.
    fn columns(self) -> usize {
        usize::from(self.pits) + 1
    }

    /// Returns the cell of a pit, or of the store as the last. The first side has the lower row, and its
    /// store is at the right; the second has the upper row the other way around.
    fn cell(self, side: Side, pit: usize) -> usize {
        match side {
            Side::First => self.columns() + pit,
            Side::Second => self.columns() - 1 - pit,
        }
    }

    /// Returns the seeds of a side, the seeds in its store last.
    fn seeds_of(self, position: &Position, side: Side) -> Vec<usize> {
        let pits = position.pits(side).iter().map(|&seeds| seeds.into());
        pits.chain([position.store(side) as usize]).collect()
    }

    /// Returns the seeds in every cell.
    fn cells(self, position: &Position) -> Vec<usize> {
        let mut cells = vec![0; 2 * self.columns()];
        for side in Side::BOTH {
            for (pit, seeds) in self.seeds_of(position, side).into_iter().enumerate() {
                cells[self.cell(side, pit)] = seeds;
            }
        }
        cells
    }

    fn read(self, grid: &Grid) -> Result<Position, TextError> {
        let columns = self.columns();
        let seeds = |cell| grid.symbol(cell / columns, cell % columns).unwrap_or_default();
        let all: usize = (0..2 * columns).map(seeds).sum();
        if all != self.all_seeds() {
            let expected = format!("{} seeds in all pits and stores together", self.all_seeds());
            return Err(grid.fault(0, 0, &expected, &all.to_string()));
        }
        let [first, second] = Side::BOTH.map(|side| {
            (0..columns).map(|pit| seeds(self.cell(side, pit)) as u8).collect::<Vec<_>>()
        });
        let (pits, last) = ([&first[..columns - 1], &second[..columns - 1]], columns - 1);
        let is_empty = pits.map(|pits| pits.iter().all(|&seeds| seeds == 0));
        if is_empty[0] != is_empty[1] {
            let expected = "seeds in the pits of both sides, or of neither";
            return Err(grid.fault(usize::from(is_empty[0]), 0, expected, "an empty row"));
        }
        Ok(Position::from_seeds(pits, [first[last], second[last]], grid.side_to_move()))
    }
}

impl GameAdapter for Kalah {
    type Game = Position;
    type Evaluator = Seeds;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        Position::new(self.pits, self.seeds)
    }

    fn evaluator(&self) -> Seeds {
        Seeds
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        let format = GridFormat {
            columns: self.columns(),
            rows: 2,
            cells: &SYMBOLS,
            cell_names: "a number of seeds: 0 to 9, a for 10, b for 11, and so on",
            sides: ['S', 'N'],
            side_names: "the next player, S or N",
        };
        self.read(&format.parse(text)?)
    }

    fn format_state(&self, position: &Position) -> String {
        let cells: Vec<char> =
            self.cells(position).into_iter().map(|seeds| SYMBOLS[seeds]).collect();
        let rows = cells.chunks(self.columns()).map(|row| row.iter().collect::<String>());
        let side = ["S", "N"][position.side_to_move().index()].to_owned();
        rows.chain([side]).collect::<Vec<_>>().join("\n")
    }

    fn side_name(&self, side: Side) -> String {
        ["South", "North"][side.index()].to_owned()
    }

    fn lessons(&self) -> Vec<Lesson> {
        let start = self.format_state(&self.start()).replace('\n', "/");
        vec![
            Lesson::new(
                "A turn",
                "South moves first. A turn takes all seeds out of one of your own pits and sows them one by one, \
                 against the clock: into your pits, your store, and the opponent's pits, but not into the \
                 opponent's store.",
            )
            .with_figure(start, "North's pits are above, South's below, and each store is at its owner's right."),
            Lesson::new(
                "Again, and captures",
                "If the last seed falls into your store, you move again. If it falls into an empty pit of your \
                 own, that seed and all seeds opposite go to your store, if there are any opposite.",
            ),
            Lesson::new(
                "The end",
                "The game is over when all pits of one side are empty. The seeds that are left go to their owner, \
                 and who has more seeds has won.",
            ),
        ]
    }

    fn text(&self, position: &Position, text: Text<Pit>) -> String {
        let side = self.side_name(position.side_to_move());
        match text {
            Text::Prompt => format!("{side}, sow the seeds of a pit from 1 to {}", self.pits),
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        let mut layout = Layout::of_squares(self.columns(), 2, ['S', 'N']);
        let mut names = vec!["store".to_owned(); 2 * self.columns()];
        for side in Side::BOTH {
            for pit in 0..=usize::from(self.pits) {
                let cell = self.cell(side, pit);
                layout.grounds[cell] = Ground::of(side);
                if pit < self.pits.into() {
                    names[cell] = Pit::new(pit).to_string();
                }
            }
        }
        let (above, below) = names.split_at(self.columns());
        let numbers = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| name.replace("store", "")).collect()
        };
        layout.edges = Edges { top: numbers(above), bottom: numbers(below), ..Edges::default() };
        layout.notations = vec!["Pits"];
        layout.names = names.into_iter().map(|name| vec![name]).collect();
        layout.pieces[0].name = "seeds of South";
        layout.pieces[1].name = "seeds of North";
        layout.empty_symbol = SYMBOLS[0];
        Some(layout)
    }

    fn picture(&self, position: &Position) -> Picture {
        let seeds = self.cells(position);
        let owner = |cell: usize| if cell < self.columns() { Owner::Second } else { Owner::First };
        let cells = seeds.iter().enumerate().map(|(cell, &seeds)| (seeds > 0).then(|| owner(cell)));
        let labels = seeds.iter().map(|seeds| Some(seeds.to_string())).collect();
        let state = self.format_state(position);
        let counts = Picture::from_state(&state, ['S', 'N'], position.points()).counts;
        Picture { cells: cells.collect(), labels, counts, ..Picture::default() }
    }

    fn path(&self, position: &Position, pit: Pit) -> Path {
        Path { from: None, to: Some(self.cell(position.side_to_move(), pit.index())) }
    }
}

impl HostedGame for Kalah {
    fn rules(&self) -> String {
        format!("{}x{}", self.pits, self.seeds)
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        let (pits, seeds) = rules.split_once('x')?;
        let number = |text: &str| text.parse().ok().filter(|number| (1..=6).contains(number));
        let kalah = Kalah { pits: number(pits)?, seeds: number(seeds)? };
        let fits = usize::from(kalah.pits) <= MOST_PITS && kalah.all_seeds() < SYMBOLS.len();
        (fits && kalah.rules() == rules).then(|| host(kalah))
    }

    fn rule_sets(&self) -> Vec<String> {
        SIZES.map(|size| size.rules()).to_vec()
    }

    /// Returns the checks, whose numbers are for the usual size.
    fn checks(&self) -> &'static str {
        if self.has_checks() { include_str!("checks.toml") } else { "" }
    }

    /// Returns the kit in Python, with the board of these rules.
    fn starters(&self) -> Vec<StarterKit> {
        let board = include_str!("../starters/python/board.py")
            .replace("PITS = 6", &format!("PITS = {}", self.pits))
            .replace("SEEDS = 4", &format!("SEEDS = {}", self.seeds));
        let rules = self.rules();
        let texts = KitTexts {
            game: "kalah",
            rules: &rules,
            options: &format!("--rules {rules}"),
            title: "Kalah",
            depth: 4,
            by_files: false,
            own_checks: !self.has_checks(),
        };
        vec![texts.kit(Language::Python, &[("board.py", &board)])]
    }
}

/// The value of a seed in the pits of a side, in hundredths of a seed in its store.
const IN_PITS: i32 = 20;

/// An evaluator that counts the seeds in the stores, and with less weight the seeds in the pits, which go to
/// their side if the game ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seeds;

impl Evaluator<Position> for Seeds {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| position.in_pits(side));
        Score::points(position.margin()) + IN_PITS * (own - other)
    }

    /// Ranks moves that keep the turn first, then moves that store many seeds.
    fn order(&self, position: &Position, _: Pit, next: &Position) -> i32 {
        let mover = position.side_to_move();
        let stored = next.store(mover) - position.store(mover);
        1_000 * stored + if next.side_to_move() == mover { 10_000 } else { 0 }
    }
}
