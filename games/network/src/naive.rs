//! The rules as the text of the assignments states them, slow and plain: letters on a board of eight rows.
//! They use no other code of the crate.
//!
//! They are the reference for the tests of the fast rules, and of the rules that check strategies.

/// A square: column and row from the upper left corner.
pub type Place = (i8, i8);

/// A move: an add if there is no `from`, otherwise a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveMove {
    /// The square that a step leaves.
    pub from: Option<Place>,
    /// The square of the chip after the move.
    pub to: Place,
}

impl NaiveMove {
    /// Returns the canonical notation: `34`, or `34-56`.
    #[must_use]
    pub fn text(self) -> String {
        let name = |(x, y): Place| format!("{x}{y}");
        match self.from {
            None => name(self.to),
            Some(from) => format!("{}-{}", name(from), name(self.to)),
        }
    }
}

/// The number of chips of a color.
const CHIPS: usize = 10;
/// The least number of chips in a network.
pub const SHORTEST: usize = 6;

/// A board: `.`, `W` and `B` by row and column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    rows: [[char; 8]; 8],
    /// The color to move, `W` or `B`.
    pub to_move: char,
    /// If true, the rules are USF's; otherwise they are Berkeley's.
    pub usf: bool,
}

/// The (dx, dy) of the eight directions.
pub const DIRECTIONS: [Place; 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

impl Board {
    /// Reads eight lines of chips and one of the color to move. Returns `None` if the color is missing, if a
    /// symbol is unknown, or if a color has too many chips.
    #[must_use]
    pub fn from_text(text: &str, usf: bool) -> Option<Board> {
        let mut rows = [['.'; 8]; 8];
        for (row, line) in rows.iter_mut().zip(text.lines()) {
            for (cell, symbol) in row.iter_mut().zip(line.chars()) {
                *cell = symbol;
            }
        }
        let to_move = text.lines().nth(8)?.chars().next().filter(|&color| "WB".contains(color))?;
        let is_known = rows.iter().flatten().all(|symbol| ".WB".contains(*symbol));
        let board = Board { rows, to_move, usf };
        let fits = |color| board.chips(color).len() <= CHIPS;
        (is_known && fits('W') && fits('B')).then_some(board)
    }

    /// Returns the nine lines that [`from_text`](Board::from_text) reads.
    #[must_use]
    pub fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| row.iter().collect()).collect();
        format!("{}\n{}", rows.join("\n"), self.to_move)
    }

    /// Returns the contents of a square of the board: `.`, `W` or `B`.
    #[must_use]
    pub fn at(&self, (x, y): Place) -> char {
        self.rows[y as usize][x as usize]
    }

    /// Puts `chip`, or nothing (`.`), on a square of the board.
    pub fn set(&mut self, (x, y): Place, chip: char) {
        self.rows[y as usize][x as usize] = chip;
    }

    /// Returns the squares with chips of `color`.
    #[must_use]
    pub fn chips(&self, color: char) -> Vec<Place> {
        places().filter(|&place| self.at(place) == color).collect()
    }

    /// Returns the number of chips that `color` has yet to put on the board.
    #[must_use]
    pub fn in_hand(&self, color: char) -> usize {
        CHIPS - self.rows.iter().flatten().filter(|&&chip| chip == color).count()
    }

    /// Returns the size of the connected group of the chip on `start`, by flood fill.
    #[must_use]
    pub fn group_size(&self, start: Place) -> usize {
        let color = self.at(start);
        let mut group = vec![start];
        let mut next = 0;
        while next < group.len() {
            let (x, y) = group[next];
            next += 1;
            for (dx, dy) in DIRECTIONS {
                let place = (x + dx, y + dy);
                if on_board(place) && self.at(place) == color && !group.contains(&place) {
                    group.push(place);
                }
            }
        }
        group.len()
    }

    /// Returns the number of chips in the shortest network of `color`: depth-first over all chains.
    #[must_use]
    pub fn network(&self, color: char) -> Option<usize> {
        let starts = self.chips(color).into_iter().filter(|&place| goal(place) == Some((color, 1)));
        starts.filter_map(|start| self.shortest(color, &mut vec![start], None)).min()
    }

    /// Returns the length of the shortest network that begins with `chain`, whose last chip was reached in
    /// the direction `came`.
    fn shortest(&self, color: char, chain: &mut Vec<Place>, came: Option<Place>) -> Option<usize> {
        let at = chain[chain.len() - 1];
        let mut shortest: Option<usize> = None;
        for direction in DIRECTIONS {
            let Some(next) = self.first_chip(at, direction) else { continue };
            if Some(direction) == came || self.at(next) != color || chain.contains(&next) {
                continue;
            }
            chain.push(next);
            let found = match goal(next) {
                Some((_, 2)) if chain.len() >= SHORTEST => Some(chain.len()),
                Some(_) => None,
                None => self.shortest(color, chain, Some(direction)),
            };
            chain.pop();
            shortest = shortest.into_iter().chain(found).min();
        }
        shortest
    }

    /// Returns true if `color` has a network: depth-first until the first is found.
    #[must_use]
    pub fn has_network(&self, color: char) -> bool {
        let chips = self.chips(color);
        let end = |number| chips.iter().filter(move |&&place| goal(place) == Some((color, number)));
        chips.len() >= SHORTEST
            && end(2).next().is_some()
            && end(1).any(|&start| self.reaches(color, &mut vec![start], None))
    }

    /// Returns true if there is a network that begins with `chain`, as in [`Board::shortest`].
    fn reaches(&self, color: char, chain: &mut Vec<Place>, came: Option<Place>) -> bool {
        let at = chain[chain.len() - 1];
        DIRECTIONS.into_iter().any(|direction| {
            let Some(next) = self.first_chip(at, direction) else { return false };
            if Some(direction) == came || self.at(next) != color || chain.contains(&next) {
                return false;
            }
            chain.push(next);
            let found = match goal(next) {
                Some((_, 2)) => chain.len() >= SHORTEST,
                Some(_) => false,
                None => self.reaches(color, chain, Some(direction)),
            };
            chain.pop();
            found
        })
    }

    /// Returns the first chip of either color in a straight line.
    fn first_chip(&self, (x, y): Place, (dx, dy): Place) -> Option<Place> {
        let line = (1..8).map(|i| (x + i * dx, y + i * dy));
        line.take_while(|&place| on_board(place)).find(|&place| self.at(place) != '.')
    }

    /// Returns the position after `mv`, legal or not.
    #[must_use]
    pub fn play(&self, mv: NaiveMove) -> Board {
        let mut next = self.clone();
        if let Some(from) = mv.from {
            next.set(from, '.');
        }
        next.set(mv.to, self.to_move);
        next.to_move = other(self.to_move);
        next
    }

    /// Returns the name of the reason that `mv` is illegal in a game that goes on, or `None`.
    #[must_use]
    pub fn why_illegal(&self, mv: NaiveMove) -> Option<&'static str> {
        let me = self.to_move;
        match mv.from {
            None if self.in_hand(me) == 0 => return Some("NoChipsInHand"),
            Some(_) if self.in_hand(me) > 0 => return Some("StillHasChipsInHand"),
            Some(from) if self.at(from) == '.' => return Some("EmptyOrigin"),
            Some(from) if self.at(from) != me => return Some("NotYourChip"),
            Some(from) if from == mv.to => return Some("SamePlace"),
            _ => {}
        }
        if is_corner(mv.to) {
            return Some("Corner");
        }
        if goal(mv.to).is_some_and(|(owner, _)| owner != me) {
            return Some("OpponentGoal");
        }
        if self.at(mv.to) != '.' {
            return Some("Occupied");
        }
        let next = self.play(mv);
        if next.group_size(mv.to) > 2 {
            return Some("GroupOfThree");
        }
        let both = || next.has_network('W') && next.has_network('B');
        (self.usf && mv.from.is_some() && both()).then_some("BothNetworks")
    }

    /// Returns all legal moves, by trying every move.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<NaiveMove> {
        let mut moves: Vec<NaiveMove> = places().map(|to| NaiveMove { from: None, to }).collect();
        for from in self.chips(self.to_move) {
            moves.extend(places().map(|to| NaiveMove { from: Some(from), to }));
        }
        moves.retain(|&mv| self.why_illegal(mv).is_none());
        moves
    }

    /// Returns the color that has won, if one has. The color that is not to move made the last move.
    #[must_use]
    pub fn winner(&self) -> Option<char> {
        let (me, mover) = (self.to_move, other(self.to_move));
        match (self.has_network(mover), self.has_network(me)) {
            (_, true) => Some(me),
            (true, false) => Some(mover),
            (false, false) if self.legal_moves().is_empty() => Some(mover),
            (false, false) => None,
        }
    }
}

/// Returns all squares, row by row.
pub fn places() -> impl Iterator<Item = Place> {
    (0..8).flat_map(|y| (0..8).map(move |x| (x, y)))
}

/// Returns the opponent of a color.
#[must_use]
pub fn other(color: char) -> char {
    if color == 'W' { 'B' } else { 'W' }
}

/// Returns true if the board has such a square.
#[must_use]
pub fn on_board((x, y): Place) -> bool {
    (0..8).contains(&x) && (0..8).contains(&y)
}

/// Returns true if the square is one of the four dead corners.
#[must_use]
pub fn is_corner((x, y): Place) -> bool {
    (x == 0 || x == 7) && (y == 0 || y == 7)
}

/// Returns the owner of the goal that a square lies in, and the number of the goal, 1 or 2.
#[must_use]
pub fn goal(place: Place) -> Option<(char, u8)> {
    match place {
        _ if is_corner(place) => None,
        (0, _) => Some(('W', 1)),
        (7, _) => Some(('W', 2)),
        (_, 0) => Some(('B', 1)),
        (_, 7) => Some(('B', 2)),
        _ => None,
    }
}
