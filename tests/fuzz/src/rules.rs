//! The rules of the games, against naive programs of them.

pub use self::maxconnect4_rules::maxconnect4_rules;
pub use self::network_rules::network_rules;
pub use self::othello_rules::othello_rules;

mod maxconnect4_rules {
    //! The rules of Max-Connect4: a size, pieces perhaps, then the moves.

    use maxconnect4::{Column, Position, Size};
    use plyground::{Game, Outcome, SearchHints, Side};

    use crate::Source;
    use crate::naive_board::Board;

    /// The fast rules are the naive ones, in every position on the way.
    pub fn maxconnect4_rules(bytes: &[u8]) {
        let mut source = Source(bytes);
        let sizes: Vec<Size> = Size::all().collect();
        let size = sizes[source.below(sizes.len())];
        let mut board = Board::empty(size);
        let mut side = Side::First;
        if source.byte() % 2 == 1 {
            side = Side::BOTH[source.below(2)];
            for column in &mut board.columns {
                let (height, pieces) = (source.below(board.rows + 1), source.byte());
                column.extend((0..height).map(|row| Side::BOTH[usize::from(pieces >> row & 1)]));
            }
        }
        let cell = |column, row| board.cell(usize::from(column), usize::from(row));
        let mut position =
            Position::from_cells(size, side, cell).expect("no piece without support");
        assert_same(&position, &board, side);
        while !source.is_empty() {
            let column = Column::from_index(source.below(usize::from(Size::MOST)) as u8);
            let pieces = board.columns.get_mut(usize::from(column.index()));
            let pieces = pieces.filter(|pieces| pieces.len() < board.rows);
            assert_eq!(position.play(column).is_ok(), pieces.is_some(), "{column}\n{position}");
            if let Some(pieces) = pieces {
                pieces.push(side);
                side = side.other();
                assert_same(&position, &board, side);
            }
        }
    }

    fn assert_same(position: &Position, board: &Board, side: Side) {
        assert_eq!(position.side_to_move(), side);
        for (column, pieces) in (0..).zip(&board.columns) {
            for row in 0..=board.rows {
                assert_eq!(
                    position.cell(column, row as u8),
                    pieces.get(row).copied(),
                    "{position}"
                );
            }
        }
        let [first, second] = Side::BOTH.map(|side| board.points(side) as i32);
        assert_eq!(
            Side::BOTH.map(|side| position.points(side) as i32),
            [first, second],
            "{position}"
        );
        let legal = (0..).zip(&board.columns).filter(|(_, pieces)| pieces.len() < board.rows);
        let legal: Vec<u8> = legal.map(|(column, _)| column).collect();
        let mut found: Vec<u8> = position.legal_moves().map(Column::index).collect();
        found.sort_unstable();
        assert_eq!(found, legal, "{position}");
        let outcome = Outcome::Points { first, second };
        assert_eq!(position.outcome(), legal.is_empty().then_some(outcome), "{position}");
        let bounds = position.bounds();
        assert!(bounds.lower <= bounds.upper, "{position}");
        assert_mirror_image_is_known(position);
    }

    /// A position and its mirror image have one key.
    fn assert_mirror_image_is_known(position: &Position) {
        let size = position.size();
        let cell = |column: u8, row| {
            size.columns().checked_sub(column + 1).and_then(|column| position.cell(column, row))
        };
        let image =
            Position::from_cells(size, position.side_to_move(), cell).expect("a mirror image");
        assert_eq!(image.key(), position.key(), "{position}");
        assert_eq!(image.end_of_game_key(), position.end_of_game_key(), "{position}");
    }
}

mod network_rules {
    //! The rules of Network: which rules, chips perhaps, then the moves.

    use network::naive::{Board, NaiveMove, Place};
    use network::{Color, Move, Position, Rules, Square, SquareSet};
    use plyground::{Game, Outcome};

    use crate::Source;

    /// More plies than this are steps back and forth. The naive rules take their time.
    const PLIES: usize = 30;

    /// The fast rules are the naive ones, in every position on the way.
    pub fn network_rules(bytes: &[u8]) {
        let mut source = Source(bytes);
        let rules = Rules::BOTH[source.below(2)];
        let mut position = Position::new(rules);
        if source.byte() % 2 == 1 {
            position = set_up(&mut source, rules);
        }
        for _ in 0..PLIES {
            let board = board_of(&position);
            assert_eq!(winner(&position), board.winner(), "{position}");
            for color in Color::BOTH {
                let found = position.network(color).map(|chain| chain.len());
                assert_eq!(found, board.network(color.letter()), "{position}");
            }
            if source.is_empty() || position.outcome().is_some() {
                assert_same_moves(&position, &board);
                return;
            }
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = any_move(&mut source, &position).unwrap_or(moves[source.below(moves.len())]);
            assert_eq!(position.check_legal(mv).is_ok(), moves.contains(&mv), "{mv}\n{position}");
            let is_legal = board.why_illegal(naive_move(mv)).is_none();
            assert_eq!(position.play(mv).is_ok(), is_legal, "{mv}\n{position}");
            if is_legal {
                let next = board.play(naive_move(mv));
                assert_eq!(position.to_string(), next.text(), "{mv}");
                let [white, black] = Color::BOTH.map(|color| position.chips(color));
                let again = Position::from_chips(rules, white, black, position.to_move());
                assert_eq!(again.map(|again| again.key()), Ok(position.key()), "{position}");
            }
        }
    }

    /// Chips on any squares on which they may stand.
    fn set_up(source: &mut Source<'_>, rules: Rules) -> Position {
        let mut chips = [SquareSet::EMPTY; 2];
        let mut position = Position::new(rules);
        let to_move = Color::BOTH[source.below(2)];
        for chip in 0..source.below(2 * Position::CHIPS + 1) {
            let Some(square) = Square::from_index(source.below(Square::COUNT)) else { continue };
            let mut with = chips;
            with[chip % 2] = with[chip % 2].with(square);
            if let Ok(next) = Position::from_chips(rules, with[0], with[1], to_move) {
                (chips, position) = (with, next);
            }
        }
        position
    }

    /// Any move at all, legal or not, if the next byte is for one.
    fn any_move(source: &mut Source<'_>, position: &Position) -> Option<Move> {
        if !source.0.first()?.is_multiple_of(4) {
            return None;
        }
        source.byte();
        let to = Square::from_index(source.below(Square::COUNT))?;
        let steps = position.in_hand(position.to_move()) == 0 || source.byte().is_multiple_of(4);
        let from = Square::from_index(source.below(Square::COUNT))?;
        Some(if steps { Move::Step { from, to } } else { Move::Add(to) })
    }

    fn board_of(position: &Position) -> Board {
        let is_usf = position.rules() == Rules::Usf;
        Board::from_text(&position.to_string(), is_usf).expect("a position has a color to move")
    }

    fn winner(position: &Position) -> Option<char> {
        match position.outcome()? {
            Outcome::Win(side) => Some(position.rules().color(side).letter()),
            other => panic!("no outcome of Network: {other:?}"),
        }
    }

    fn naive_move(mv: Move) -> NaiveMove {
        let place = |square: Square| -> Place { (square.x() as i8, square.y() as i8) };
        NaiveMove { from: mv.from().map(place), to: place(mv.to()) }
    }

    fn assert_same_moves(position: &Position, board: &Board) {
        let mut found: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
        let mut expected = match position.outcome() {
            Some(_) => Vec::new(),
            None => board.legal_moves().into_iter().map(NaiveMove::text).collect(),
        };
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{position}");
    }
}

mod othello_rules {
    //! The rules of Othello: a size, discs perhaps, then the moves.

    use othello::{Move, Position};
    use plyground::{Game, Side};

    use crate::Source;

    /// The fast rules are the naive ones, in every position on the way.
    pub fn othello_rules(bytes: &[u8]) {
        let mut source = Source(bytes);
        let size = [4, 6, 8][source.below(3)];
        let mut position = if source.byte().is_multiple_of(2) {
            Position::new(size)
        } else {
            set_up(&mut source, size)
        };
        let mut naive = naive(&position);
        loop {
            assert_same(&position, &naive);
            let moves: Vec<Move> = position.legal_moves().collect();
            if source.is_empty() || moves.is_empty() {
                return;
            }
            let mv = moves[source.below(moves.len())];
            position.play(mv).expect("a legal move");
            naive.play(match mv {
                Move::Place(square) => Some(place(square)),
                Move::Pass => None,
            });
        }
    }

    /// Any discs on a board.
    fn set_up(source: &mut Source<'_>, size: u8) -> Position {
        let board = Position::new(size).squares().fold(0, |board, square| board | 1_u64 << square);
        let first = source.number() & board;
        let second = source.number() & board & !first;
        Position::from_discs(size, [first, second], Side::BOTH[source.below(2)])
    }

    fn place(square: u8) -> (i8, i8) {
        ((square % 8) as i8, (square / 8) as i8)
    }

    fn naive(position: &Position) -> NaiveDiscs {
        let size = position.size();
        let row = |row| (0..size).map(|column| position.disc(8 * row + column)).collect();
        NaiveDiscs { rows: (0..size).map(row).collect(), side: position.side_to_move() }
    }

    fn assert_same(position: &Position, discs: &NaiveDiscs) {
        assert_eq!(naive(position).rows, discs.rows, "{position}");
        let [own, other] = [discs.side, discs.side.other()].map(|side| discs.places(side));
        let mut expected: Vec<Move> =
            own.iter().map(|&(column, row)| Move::Place((8 * row + column) as u8)).collect();
        if own.is_empty() && !other.is_empty() {
            expected.push(Move::Pass);
        }
        let mut found: Vec<Move> = position.legal_moves().collect();
        found.sort_by_key(|mv| mv.to_string());
        expected.sort_by_key(|mv| mv.to_string());
        assert_eq!(found, expected, "{position}");
        assert_eq!(position.outcome().is_some(), own.is_empty() && other.is_empty(), "{position}");
        let count = |side| discs.rows.iter().flatten().filter(|disc| **disc == Some(side)).count();
        let [first, second] = Side::BOTH.map(|side| count(side) as i32);
        assert_eq!(position.points(), Some([first, second]), "{position}");
    }

    /// (columns, rows) to the neighbors in every direction.
    const DIRECTIONS: [(i8, i8); 8] =
        [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

    /// Discs by row and column.
    #[derive(Clone, Debug)]
    pub(crate) struct NaiveDiscs {
        pub(crate) rows: Vec<Vec<Option<Side>>>,
        pub(crate) side: Side,
    }

    impl NaiveDiscs {
        pub(crate) fn at(&self, column: i8, row: i8) -> Option<Side> {
            let row = self.rows.get(usize::try_from(row).ok()?)?;
            *row.get(usize::try_from(column).ok()?)?
        }

        /// The discs that turn when `side` places one here.
        fn turned(&self, side: Side, column: i8, row: i8) -> Vec<(i8, i8)> {
            let mut turned = Vec::new();
            for (right, down) in DIRECTIONS {
                let line = (1..).map(|step| (column + step * right, row + step * down));
                let others: Vec<_> =
                    line.take_while(|&(x, y)| self.at(x, y) == Some(side.other())).collect();
                let behind = others.len() as i8 + 1;
                if self.at(column + behind * right, row + behind * down) == Some(side) {
                    turned.extend(others);
                }
            }
            turned
        }

        /// The squares, by column and row, on which `side` may place a disc.
        pub(crate) fn places(&self, side: Side) -> Vec<(i8, i8)> {
            let size = self.rows.len() as i8;
            let squares = (0..size).flat_map(|row| (0..size).map(move |column| (column, row)));
            squares
                .filter(|&(column, row)| self.at(column, row).is_none())
                .filter(|&(column, row)| !self.turned(side, column, row).is_empty())
                .collect()
        }

        /// Places a disc, or passes.
        pub(crate) fn play(&mut self, place: Option<(i8, i8)>) {
            if let Some((column, row)) = place {
                for (column, row) in self.turned(self.side, column, row).into_iter().chain(place) {
                    self.rows[row as usize][column as usize] = Some(self.side);
                }
            }
            self.side = self.side.other();
        }
    }
}
