//! The rules of every game behind text, in which any bytes are played as moves; the names of players, and
//! commands.

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
