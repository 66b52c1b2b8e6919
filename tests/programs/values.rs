//! No score is called exact that is a bound, and no bound is false: the output, records and answers
//! of the programs are compared with plain minimax, and with the solved opening of Network.

use plyground::testing::random_position;
use plyground::{Bounds, Game, Score, Side, Turn, Value};
use plyground_host::Bound;
use serde_json::{Value as Json, json};

use crate::common::served::Served;
use crate::common::{self, TestFolder, Tested};

/// Returns the number of positions of each game: more where the time does not matter.
fn positions() -> usize {
    if std::env::var_os("PLYGROUND_NIGHTLY").is_some() { 1_000 } else { 100 }
}

/// A position of Max-Connect4 has so many plies left at most: plain minimax sees all of them.
const LATE: u32 = 7;
/// So many moves at most are behind a position of Network, and so many plies are seen.
const STEPS: u32 = 32;
const SIGHT: u32 = 2;

/// Returns what plain minimax knows of the result within so many plies, as the side to move sees
/// it.
fn truth<G: Game>(position: &G, plies: u32) -> Bounds {
    if let Some(outcome) = position.outcome() {
        return Bounds::only(outcome.score::<G>(position.side_to_move(), 0));
    }
    if plies == 0 {
        return Bounds::NONE;
    }
    let mut known = Bounds::only(Score::MIN);
    for mv in position.legal_moves() {
        let of_move = truth_of_move(position, mv, plies);
        known.lower = known.lower.max(of_move.lower);
        known.upper = known.upper.max(of_move.upper);
    }
    known
}

/// Returns what plain minimax knows of a move, as the side that makes it sees it.
fn truth_of_move<G: Game>(position: &G, mv: G::Move, plies: u32) -> Bounds {
    let after = position.after(mv);
    let (next, turn) = (truth(&after, plies - 1), Turn::between(position, &after));
    Bounds { lower: turn.before_move(next.upper), upper: turn.before_move(next.lower) }
}

/// The numbers of claims, by kind.
#[derive(Clone, Copy, Debug, Default)]
struct Claims {
    exact: usize,
    bounds: usize,
}

impl Claims {
    /// Holds a claim against what is known for certain.
    #[track_caller]
    fn check(&mut self, value: Value, known: Bounds, what: &str) {
        let claimed = value.bounds();
        let fits = claimed.lower <= known.upper && known.lower <= claimed.upper;
        let fits = fits
            && known.exact().is_none_or(|score| (claimed.lower..=claimed.upper).contains(&score));
        assert!(fits, "{what}: {value:?}, but plain minimax knows {known:?}");
        match value {
            Value::Exact(_) => self.exact += 1,
            Value::AtLeast(_) | Value::AtMost(_) => self.bounds += 1,
            Value::Estimate(_) => {}
        }
    }
}

/// The number under a name, with the kind of value beside it.
fn value_in(json: &Json, name: &str) -> Value {
    let number = json[name].as_i64().and_then(|number| i32::try_from(number).ok());
    let bound: Bound = serde_json::from_value(json["bound"].clone()).expect("a bound");
    bound.with(Score::new(number.expect("a score")))
}

/// Reads the value of a move on standard error, as in `perfect: proof, win in <= 15 (at least)`.
fn value_in_words(line: &str) -> Value {
    let worth = line.trim().rsplit_once(", ").expect("a source and a value").1;
    if let Some(margin) = worth.strip_prefix("final value ") {
        return Value::Exact(Score::points(margin.parse().expect("a margin")));
    }
    let (score, kind) = worth.trim_end_matches(')').split_once(" (").expect("a kind");
    let plies = |text: &str| text.rsplit(' ').next().and_then(|plies| plies.parse().ok());
    let score = match score {
        win if win.starts_with("win in ") => Score::win_in(plies(win).expect("plies")),
        loss if loss.starts_with("loss in ") => Score::loss_in(plies(loss).expect("plies")),
        points => {
            let points: f64 = points.parse().expect("a score in points");
            Score::new((points * 100.0).round() as i32)
        }
    };
    kind.replace(' ', "-").parse::<Bound>().expect("a kind").with(score)
}

/// A game, as these tests see it.
trait Tried: Tested {
    type Game: Game;

    /// The name of the rules on the page.
    const RULES: &str;
    /// The number of random moves that a recorded game begins with.
    const OPENING: u32;

    /// A random position.
    fn position(seed: u64) -> Self::Game;

    fn start() -> Self::Game;

    /// The text of a state file.
    fn state(position: &Self::Game) -> String;

    /// Returns the number of plies that plain minimax looks ahead.
    fn sight(position: &Self::Game) -> u32;

    /// The positions in which the game goes on.
    fn positions() -> impl Iterator<Item = Self::Game> {
        let going = |position: &Self::Game| position.outcome().is_none();
        (0..).map(Self::position).filter(going).take(positions())
    }

    /// Returns what is known of a move by its text.
    fn known(position: &Self::Game, mv: &str) -> Bounds {
        truth_of_move(position, move_of(position, mv), Self::sight(position))
    }
}

fn move_of<G: Game>(position: &G, text: &str) -> G::Move {
    position.legal_moves().into_iter().find(|mv| mv.to_string() == text).expect("a legal move")
}

struct MaxConnect4;
struct Network;

impl Tested for MaxConnect4 {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_maxconnect4");
}

impl Tried for MaxConnect4 {
    type Game = maxconnect4::Position;

    const RULES: &str = "standard";
    const OPENING: u32 = 42 - LATE;

    fn position(seed: u64) -> maxconnect4::Position {
        let plies = 42 - LATE + seed as u32 % LATE;
        random_position(&maxconnect4::Position::standard(), plies, seed)
    }

    fn start() -> maxconnect4::Position {
        maxconnect4::Position::standard()
    }

    fn state(position: &maxconnect4::Position) -> String {
        maxconnect4::format_state(position)
    }

    fn sight(position: &maxconnect4::Position) -> u32 {
        if position.empty_cells() <= LATE { LATE } else { 0 }
    }
}

impl Tested for Network {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_network");
}

impl Tried for Network {
    type Game = network::Position;

    const RULES: &str = "berkeley";
    const OPENING: u32 = 16;

    fn position(seed: u64) -> network::Position {
        random_position(&Network::start(), 8 + seed as u32 % (STEPS - 7), seed)
    }

    fn start() -> network::Position {
        network::Position::new(network::Rules::Berkeley)
    }

    fn state(position: &network::Position) -> String {
        position.to_string()
    }

    fn sight(_: &network::Position) -> u32 {
        SIGHT
    }
}

/// The values of `analyze` by these arguments.
fn analyzed<T: Tried>(args: &str) -> Claims {
    let (folder, mut claims) = (TestFolder::<T>::new(), Claims::default());
    for position in T::positions() {
        folder.write("in.txt", T::state(&position));
        let run = folder.run(&format!("analyze in.txt --json {args}")).success();
        let analysis: Json = serde_json::from_str(&run.stdout).expect("JSON");
        for line in analysis["moves"].as_array().expect("moves") {
            let value = value_in(line, "score");
            assert_eq!(line["proven"], value.is_exact(), "{line}");
            assert_eq!(line["value"].is_null(), !value.is_exact(), "{line}");
            let known = T::known(&position, line["move"].as_str().expect("a move"));
            claims.check(value, known, &format!("{position}\n{line}"));
        }
    }
    claims
}

/// The values of `one-move` by this effort.
fn moved<T: Tried>(effort: &str) -> Claims {
    let (folder, mut claims) = (TestFolder::<T>::new(), Claims::default());
    for position in T::positions() {
        folder.write("in.txt", T::state(&position));
        let run = folder.run(&format!("one-move in.txt out.txt {effort}"));
        assert_eq!(run.code, Some(0), "{run:?}");
        let known = truth(&position, T::sight(&position));
        claims.check(value_in_words(&run.stderr), known, &format!("{position}\n{}", run.stderr));
    }
    claims
}

/// The values that the page is sent.
fn served<T: Tried>() -> Claims {
    let (served, mut claims) = (Served::start(T::PROGRAM, ""), Claims::default());
    for (number, position) in T::positions().enumerate() {
        let start = T::state(&position).trim().replace('\n', "/");
        let game = json!({ "rules": T::RULES, "start": start, "moves": [] });
        // An analysis of the page may go on for long: its first events are enough.
        let events = served.ask(&format!("client {number}"), &game, 0);
        for event in events.take(3) {
            for line in event["lines"].as_array().expect("lines") {
                let mut value = value_in(line, "first");
                if position.side_to_move() == Side::Second {
                    value = Bound::of(value).with(-value.score());
                }
                let known = T::known(&position, line["pv"][0]["move"].as_str().expect("a move"));
                claims.check(value, known, &format!("{position}\n{line}"));
            }
        }
    }
    claims
}

/// The values in the records of games between two players.
fn recorded<T: Tried>(players: &str) -> Claims {
    let (folder, mut claims) = (TestFolder::<T>::new(), Claims::default());
    let (games, opening) = (positions() / 2, T::OPENING);
    let args = format!("--games {games} --openings {opening} --seed 1 --table 1 --record games");
    folder.run(&format!("match {players} {args}"));
    for entry in std::fs::read_dir(folder.path("games")).expect("the records") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a record");
        let mut position = T::start();
        let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
        for line in lines.filter(|line| line["move"].is_string()) {
            let mv = line["move"].as_str().expect("a move");
            if line["score"].is_number() {
                let known = T::known(&position, mv);
                claims.check(value_in(&line, "score"), known, &format!("{position}\n{line}"));
            }
            position = position.after(move_of(&position, mv));
        }
    }
    claims
}

#[test]
#[ignore = "long"]
fn what_analyze_prints() {
    assert!(analyzed::<MaxConnect4>("").exact > 0);
    assert!(analyzed::<MaxConnect4>("--depth 3").exact > 0);
    assert!(analyzed::<Network>("--depth 3").exact > 0);
    let claims = analyzed::<Network>("--time 50ms");
    assert!(claims.exact + claims.bounds > 0, "{claims:?}");
}

#[test]
#[ignore = "long"]
fn what_one_move_says() {
    assert!(moved::<MaxConnect4>("perfect").exact > 0);
    let claims = moved::<Network>("perfect --time 20ms");
    assert!(claims.exact + claims.bounds > 0, "{claims:?}");
}

#[test]
#[ignore = "long"]
fn what_the_page_is_sent() {
    assert!(served::<MaxConnect4>().exact > 0);
    let claims = served::<Network>();
    assert!(claims.exact + claims.bounds > 0, "{claims:?}");
}

#[test]
fn what_records_keep() {
    assert!(recorded::<MaxConnect4>("machine:depth=3 machine:perfect").exact > 0);
    let claims = recorded::<Network>("machine:depth=3 machine:perfect,time=20ms");
    assert!(claims.exact + claims.bounds > 0, "{claims:?}");
}

/// The replies to 03 against which chip 7 does not suffice, from `docs/network-solved.md`.
const LONGEST: &str = "10, 20, 30, 40, 60, 17, 27, 37, 47, 57, 67, and 34";

/// Returns the value of 03 and a reply: a loss by chip 8, ply 15, or by chip 7, ply 13, at the
/// latest.
fn known_of_reply(reply: &str) -> Bounds {
    let words: Vec<&str> = LONGEST.split([' ', ',']).collect();
    if words.contains(&reply) {
        Bounds::only(Score::loss_in(14))
    } else {
        Bounds { lower: Score::MIN, upper: Score::loss_in(12) }
    }
}

#[test]
fn the_replies_to_03() {
    let table = std::fs::read_to_string(common::project().join("docs/network-solved.md"));
    assert!(table.expect("the table").contains(&format!("| 8 | {LONGEST} |")));
    let position = Network::start();
    let position = position.after(move_of(&position, "03"));
    let (folder, mut claims) = (TestFolder::<Network>::new(), Claims::default());
    folder.write("in.txt", Network::state(&position));
    for args in ["--depth 1", "--depth 4", "--time 2s"] {
        let run = folder.run(&format!("analyze in.txt --json {args}")).success();
        let analysis: Json = serde_json::from_str(&run.stdout).expect("JSON");
        let lines = analysis["moves"].as_array().expect("moves");
        assert_eq!(lines.len(), 48);
        for line in lines {
            let known = known_of_reply(line["move"].as_str().expect("a move"));
            claims.check(value_in(line, "score"), known, &line.to_string());
        }
    }
    assert!(claims.bounds > 0, "{claims:?}");
}
