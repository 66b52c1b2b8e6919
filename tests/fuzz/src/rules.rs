//! The rules of the games, against naive programs of them, and behind text, in which any bytes are played as moves; the
//! names of players, and commands.

use std::fmt::{Debug, Display};
use std::iter;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use plyground::Game;
use plyground::book::Shard;
use plyground_arena::statistics::Sprt;
use plyground_arena::timing::{Depths, SearchKind};
use plyground_durable::parse_duration;
use plyground_grading::grade::{Check, parse_checks, read_points};
use plyground_host::external::{CommandLine, JavaProgram, check_class, move_in_output};
use plyground_host::player::{Answer, Input, LineSource, Lines, Player, PlayerSpec, Turn};
use plyground_host::protocol::{EngineMessage, serve};
use plyground_host::state::StateText;
use plyground_host::{Bound, Fault, MoveText, SharedGame};
use plyground_sandbox::SandboxLevel;

use crate::{GAMES, Source, assert_told};

pub use self::maxconnect4_rules::maxconnect4_rules;
pub use self::network_rules::network_rules;
pub use self::othello_rules::othello_rules;

/// More plies than this tell nothing more.
const MOST_PLIES: usize = 130;

/// A byte from here on begins a move in letters; the others choose among the legal moves.
const LETTERS: u8 = 240;

/// Every legal move can be played, no other can, and every position survives being written.
pub fn plays(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let mut position = game.start();
    for _ in 0..MOST_PLIES {
        let legal: Vec<MoveText> = position.legal_moves().collect();
        assert_eq!(legal.is_empty(), position.outcome().is_some(), "{}", position.state());
        if source.is_empty() || legal.is_empty() {
            break;
        }
        if source.0[0] >= LETTERS {
            source.byte();
            let text = String::from_utf8_lossy(source.until(b' ')).into_owned();
            let is_legal = position.parse_move(&text).is_some_and(|mv| legal.contains(&mv));
            let before = position.clone();
            assert_eq!(position.play_text(&text).is_ok(), is_legal, "{text:?}");
            assert!(is_legal || position == before);
        } else {
            let mv = legal[source.below(legal.len())];
            let left = position.plies_left();
            position.play(mv).expect("a legal move");
            let fewer = position.plies_left().zip(left).is_none_or(|(now, before)| now < before);
            assert!(fewer || position.is_over(), "{}", position.state());
        }
        let again = game.parse_state(&StateText::new(position.state())).expect("a position");
        assert_eq!((again.key(), &again), (position.key(), &position));
    }
    let children = position.legal_moves().count() as u64;
    assert_eq!(position.perft(1), children);
}

/// The checks of every game that has some.
static CHECKS: LazyLock<Vec<Vec<Check>>> = LazyLock::new(|| {
    let checks = GAMES.iter().map(|game| parse_checks(game.checks()).expect("checks"));
    checks.filter(|checks| !checks.is_empty()).collect()
});

/// Points are finite and not negative; a fault is told with its place.
pub fn points(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.below(CHECKS.len() + 1).checked_sub(1) {
        None => match parse_checks(&source.text()) {
            Ok(checks) => {
                let mut names: Vec<_> = checks.iter().map(|check| &check.name).collect();
                names.sort();
                assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
            }
            // Games come with their checks, so that no user reads a fault of theirs.
            Err(fault) => assert!(!fault.to_string().is_empty()),
        },
        Some(index) => {
            let mut checks = CHECKS[index].clone();
            match read_points(&crate::file("points.toml", source.0), &mut checks) {
                Ok(()) => assert!(checks.iter().all(|c| c.points.is_finite() && c.points >= 0.0)),
                Err(fault) => assert_told(&fault),
            }
        }
    }
}

/// A player is read from what it is written as.
pub fn players(bytes: &[u8]) {
    let text = Source(bytes).text();
    match text.parse::<PlayerSpec>() {
        Ok(spec) => assert_eq!(spec.to_string().parse().as_ref(), Ok(&spec), "{text:?}"),
        Err(fault) => assert_told(&fault),
    }
    match text.parse::<CommandLine>() {
        Ok(command) => assert_eq!(command.to_string().parse().as_ref(), Ok(&command), "{text:?}"),
        Err(fault) => assert_told(&fault),
    }
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    if let Err(why) = check_class(&words) {
        assert_told(&why);
    }
    if let Err(fault) = text.parse::<JavaProgram>() {
        assert_told(&fault);
    }
}

/// A message that is understood has a move without blanks, and a value that a score can have.
pub fn engine_lines(bytes: &[u8]) {
    for line in Source(bytes).text().lines() {
        match EngineMessage::read(line) {
            Some(EngineMessage::BestMove { mv, value, .. }) => {
                assert!(!mv.contains(|c: char| c.is_ascii_whitespace()), "{mv:?}");
                let again = format!("bestmove {mv}");
                let is_same = |message| matches!(message, Some(EngineMessage::BestMove { mv: same, .. }) if same == mv);
                assert!(is_same(EngineMessage::read(&again)), "{again:?}");
                if let Some(value) = value {
                    let _ = value.score().plies_to_end();
                }
            }
            Some(known) => assert!(line.trim_start().len() >= 5, "{known:?}"),
            None => {}
        }
    }
}

/// Plays the first legal move.
struct FirstMove;

impl Player for FirstMove {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let mv = turn.position.legal_moves().next().ok_or(Fault::NoMove)?;
        Ok(Answer::Move(mv.into()))
    }
}

/// The answers that an engine may give, by their first words.
const ANSWERS: [&str; 7] =
    ["readyok", "protocol ", "bestmove ", "resign", "illegal ", "info error ", "info "];

/// Every answer is a line of the protocol, and every `isready` has its own.
pub fn referee_lines(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let mut output = Vec::new();
    let seat = |_: &SharedGame, _: Option<u32>, _: &Arc<AtomicBool>| -> Box<dyn Player> {
        Box::new(FirstMove)
    };
    let input = std::io::Cursor::new(source.0.to_vec());
    serve(input, &mut output, game, seat).expect("memory does not fail");
    let output = String::from_utf8(output).expect("answers in UTF-8");
    for line in output.lines() {
        assert!(ANSWERS.iter().any(|answer| line.starts_with(answer)), "{line:?}");
        assert_told(&line);
    }
    let mut lines = Lines::new(source.0);
    let heard = iter::from_fn(|| match lines.next_line(None).expect("a reader of bytes") {
        Input::Line(line) => {
            Some(line.split_ascii_whitespace().next().unwrap_or_default().to_owned())
        }
        Input::End | Input::TimedOut => None,
    });
    let asked = heard.take_while(|word| word != "quit").filter(|word| word == "isready");
    assert_eq!(output.lines().filter(|line| *line == "readyok").count(), asked.count());
}

const PLIES: usize = 40;

/// A move that is found is legal; the strict find nothing that the lenient do not.
pub fn outputs(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let position = source.position(game, PLIES);
    let text = source.text();
    let [strict, lenient] = [false, true].map(|lenient| move_in_output(&position, &text, lenient));
    for found in [&strict, &lenient] {
        match found {
            Ok(mv) => assert_eq!(position.check_legal(*mv), Ok(())),
            Err(fault) => assert_told(fault),
        }
    }
    if let Ok(mv) = strict {
        assert_eq!(lenient, Ok(mv));
    }
}

/// A word that is read is written so that it is read as the same.
pub fn words(bytes: &[u8]) {
    let text = Source(bytes).text();
    same::<Shard>(&text);
    same::<SearchKind>(&text);
    same::<SandboxLevel>(&text);
    same::<Bound>(&text);
    same::<MoveText>(&text);
    same::<maxconnect4::Size>(&text);
    same::<maxconnect4::Column>(&text);
    same::<network::Rules>(&text);
    read::<Sprt>(&text);
    read::<Depths>(&text);
    if let Err(fault) = parse_duration(&text) {
        assert_told(&fault);
    }
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Option<T> {
    match text.parse::<T>() {
        Ok(value) => Some(value),
        Err(fault) => {
            assert_told(&fault);
            None
        }
    }
}

fn same<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    if let Some(value) = read::<T>(text) {
        assert_eq!(read::<T>(&value.to_string()).as_ref(), Some(&value), "{text:?}");
    }
}

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
