//! Checks of an engine that speaks the line protocol: the referee's side of some exchanges.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use plyground::{Game, Side};
use plyground_durable::excerpt;
use plyground_sandbox::{
    Launch, Meter, ProcessEnd, ProcessEvent, ProcessFailure, Sandbox, SandboxPolicy,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::line_player::{end_turn, side_word};
use super::message::{KEYWORDS, START, VERSION, first_word};
use crate::adapter::MoveText;
use crate::external::ProgramCommand;
use crate::fault::unheard_line;
use crate::game::{HostedPosition, SharedGame};

/// A question to an engine, and the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The name of the exchange.
    pub name: &'static str,
    /// The expected behavior of the engine, as one line.
    pub expected: &'static str,
    /// The behavior that was found instead, if it differs.
    pub found: Option<String>,
}

/// Checks that the program of a command keeps to the [line protocol](super), and reports every exchange to
/// `on_exchange`. The program is started anew for each.
///
/// # Errors
///
/// Returns an error if the system cannot run programs, which is not a fault of the engine.
pub fn check_engine(
    game: &SharedGame,
    command: ProgramCommand,
    policy: &SandboxPolicy,
    mut on_exchange: impl FnMut(&Exchange),
) -> io::Result<()> {
    let ProgramCommand { words, files } = command;
    let policy = &SandboxPolicy { named: files, ..policy.clone() };
    for (name, expected, exchange) in EXCHANGES {
        if policy.is_stopped() {
            return Ok(());
        }
        let found = again_if_system_fails(|failed| {
            Ok(exchange(game, &mut Talk::start(&words, policy, failed)?).err())
        })?;
        on_exchange(&Exchange { name, expected, found });
    }
    Ok(())
}

/// The number of times that an exchange is tried if the system fails, as a busy computer does by chance.
const TRIES: usize = 3;

/// Tries an exchange until the system does not fail. The exchange sets `failed` if the system fails.
///
/// # Errors
///
/// Returns an error if the system fails each time.
fn again_if_system_fails<T>(
    exchange: impl Fn(&Cell<Option<String>>) -> io::Result<T>,
) -> io::Result<T> {
    let failed = Cell::new(None);
    for _ in 1..TRIES {
        let found = exchange(&failed)?;
        if failed.take().is_none() {
            return Ok(found);
        }
    }
    let found = exchange(&failed)?;
    failed.take().map_or(Ok(found), |why| Err(io::Error::other(why)))
}

/// The name of an exchange, the expected behavior, and the function that runs the exchange.
type Entry = (&'static str, &'static str, fn(&SharedGame, &mut Talk<'_>) -> Result<(), Found>);

/// All exchanges, in order.
const EXCHANGES: [Entry; 15] = [
    ("ready", "readyok after isready, once for each", ready),
    ("version", "protocol 1 after protocol, or nothing", version),
    ("unknown", "only info for unknown lines, and readyok after them", unknown),
    ("line-ends", "CR LF taken for an end of line", line_ends),
    ("start", "a legal bestmove in startpos, once", |game, talk| ask_after(game, talk, 0)),
    ("moves", "a legal bestmove after moves", |game, talk| ask_after(game, talk, TOLD)),
    ("state", "a legal bestmove in the position of a state file", state),
    ("state-moves", "a legal bestmove after moves from a state file", state_moves),
    ("replaced", "a legal bestmove in the latest position", replaced),
    ("limits", "a bestmove for any limits of go, in any order", limits),
    ("no-objection", "no illegal for legal moves", no_objection),
    ("second", "a legal bestmove of the second side", |game, talk| ask_after(game, talk, 1)),
    ("new-game", "a legal bestmove after another newgame", new_game),
    (
        "other-rules",
        "legal moves by other rules, or info that the rules are not known",
        other_rules,
    ),
    ("whole-game", "legal moves to the end of a game, and exit code 0 after quit", whole_game),
];

/// The number of plies after which whole games are stopped.
const MOST_PLIES: usize = 200;

/// The number of moves before the question to the engine.
const TOLD: usize = 4;

/// The first words of answers to `go`.
const MOVES: [&str; 2] = ["bestmove", "resign"];

/// Begins a game, and returns the answers to `newgame` and `isready`.
fn begin(game: &SharedGame, talk: &mut Talk<'_>, side: Side) -> Result<Vec<String>, Found> {
    let (name, rules, side) = (game.name(), game.rules(), side_word(side));
    let lines = talk.ask(&format!("newgame {name} {rules} {side}\nisready\n"), &["readyok"])?;
    expect_ready(&lines)?;
    Ok(lines)
}

/// Returns the lines that are not for people.
fn answers(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| first_word(line) != "info").collect()
}

/// Checks that `readyok` is the only answer.
fn expect_ready(lines: &[String]) -> Result<(), Found> {
    match answers(lines)[..] {
        [line] if first_word(line) == "readyok" => Ok(()),
        _ => Err(format!("{}nothing more", said(answers(lines)))),
    }
}

/// Checks that the engine sends nothing without a question.
fn expect_silence(talk: &mut Talk<'_>) -> Result<(), Found> {
    expect_ready(&talk.ask("isready\n", &["readyok"])?)
}

/// Returns random moves from the start that do not end the game, and the position after them.
fn line(game: &SharedGame, plies: usize, seed: u64) -> (Vec<MoveText>, HostedPosition) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut moves, mut position) = (Vec::new(), game.start());
    for _ in 0..plies {
        let goes_on = |mv: &MoveText| !position.after(*mv).is_over();
        let Some(mv) = position.legal_moves().filter(goes_on).choose(&mut rng) else { break };
        position.play_unchecked(mv);
        moves.push(mv);
    }
    (moves, position)
}

/// Returns the line that describes the moves from a position.
fn position_line(from: &str, moves: &[MoveText]) -> String {
    let told = moves.iter().map(|mv| format!(" {mv}")).collect::<String>();
    let word = if moves.is_empty() { "" } else { " moves" };
    format!("position {from}{word}{told}\n")
}

/// Asks for a move in `position`, which the lines `told` describe.
fn go(talk: &mut Talk<'_>, told: &str, position: &HostedPosition) -> Result<MoveText, Found> {
    let wall = talk.time().as_millis();
    let lines = talk.ask(&format!("{told}go depth 1 wall {wall}\n"), &MOVES)?;
    legal_move(&lines, position)
}

/// Returns the move in the last line, before which only `info` lines are allowed.
fn legal_move(lines: &[String], position: &HostedPosition) -> Result<MoveText, Found> {
    let [answer] = answers(lines)[..] else { return Err(format!("{}nothing more", said(lines))) };
    let mut words = answer.split_ascii_whitespace();
    let mv = match (words.next(), words.next()) {
        (Some("bestmove"), Some(mv)) => mv,
        _ => return Err(format!("`{}`", excerpt(answer))),
    };
    let unfit = |why: String| format!("`{}`: {why}", excerpt(answer));
    let mv = position.parse_move(mv).ok_or_else(|| unfit("it is no move".to_owned()))?;
    position.check_legal(mv).map_err(|why| unfit(why.to_string()))?;
    Ok(mv)
}

/// Asks for a move after moves from the start, and checks that nothing follows it.
fn ask_after(game: &SharedGame, talk: &mut Talk<'_>, plies: usize) -> Result<(), Found> {
    let (moves, position) = line(game, plies, plies as u64);
    begin(game, talk, position.side_to_move())?;
    go(talk, &position_line(START, &moves), &position)?;
    expect_silence(talk)
}

fn ready(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    begin(game, talk, Side::First)?;
    // A surplus answer would pass for one to the next question, so a move ends the count.
    let wall = talk.time().as_millis();
    let text = format!("isready\nisready\nposition {START}\ngo depth 1 wall {wall}\n");
    let lines = talk.ask(&text, &MOVES)?;
    match lines.iter().filter(|line| first_word(line) == "readyok").count() {
        2 => Ok(()),
        _ => Err(format!("{}nothing more", said(&lines))),
    }
}

fn version(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    let lines = talk.ask("protocol\nisready\n", &["readyok"])?;
    let expected = format!("protocol {VERSION}");
    match lines.iter().find(|line| first_word(line) == "protocol") {
        Some(line) if line.trim() != expected => Err(format!("`{}`", excerpt(line))),
        _ => begin(game, talk, Side::First).map(drop),
    }
}

fn unknown(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    begin(game, talk, Side::First)?;
    let long = "x".repeat(10_000);
    let text = format!("\n  \nfrobnicate 7\n{long}\ninfo hello\nbestmove 1\nisready\n");
    expect_ready(&talk.ask(&text, &["readyok"])?)?;
    go(talk, &position_line(START, &[]), &game.start()).map(drop)
}

fn line_ends(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    let (name, rules) = (game.name(), game.rules());
    talk.ask(&format!("newgame {name} {rules} first\r\nisready\r\n"), &["readyok"])?;
    go(talk, "position startpos\r\n", &game.start()).map(drop)
}

fn state(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    let (_, position) = line(game, TOLD, 2);
    begin(game, talk, position.side_to_move())?;
    go(talk, &position_line(&position.state_word(), &[]), &position).map(drop)
}

fn state_moves(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    let (moves, position) = line(game, 2 * TOLD, 3);
    let from = moves[..TOLD.min(moves.len())].iter().fold(game.start(), |at, &mv| at.after(mv));
    begin(game, talk, position.side_to_move())?;
    let rest = &moves[TOLD.min(moves.len())..];
    go(talk, &position_line(&from.state_word(), rest), &position).map(drop)
}

fn replaced(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    begin(game, talk, Side::First)?;
    for seed in 0..TOLD as u64 {
        let (earlier, _) = line(game, TOLD, 100 + seed);
        let (moves, position) = line(game, 2 * TOLD, 200 + seed);
        let told = position_line(START, &earlier) + &position_line(START, &moves);
        go(talk, &told, &position)?;
    }
    expect_silence(talk)
}

fn limits(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    begin(game, talk, Side::First)?;
    let wall = talk.time().as_millis();
    for limits in [
        format!("depth 1 cpu {wall} wall {wall}"),
        format!("wall {wall} depth 1"),
        format!("cpu {wall} depth 1 wall {wall}"),
        format!("stars 5 depth 1 wall {wall}"),
    ] {
        let lines = talk.ask(&format!("position startpos\ngo {limits}\n"), &MOVES)?;
        legal_move(&lines, &game.start()).map_err(|found| format!("after go {limits}, {found}"))?;
    }
    Ok(())
}

fn no_objection(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    begin(game, talk, Side::First)?;
    let (moves, _) = line(game, 4 * TOLD, 4);
    for plies in 1..=moves.len() {
        let told = position_line(START, &moves[..plies]) + "isready\n";
        expect_ready(&talk.ask(&told, &["readyok"])?)?;
    }
    Ok(())
}

fn new_game(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    for plies in [2 * TOLD, 0, 1] {
        ask_after(game, talk, plies)?;
    }
    Ok(())
}

fn other_rules(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    let own = game.rules();
    let names = game.rule_sets().into_iter().filter(|name| *name != own);
    for other in names.filter_map(|name| game.with_rules(&name)) {
        let found = play_by(&other, talk);
        found.map_err(|found| format!("by the rules {}, {found}", other.rules()))?;
    }
    Ok(())
}

/// Asks for moves by these rules, if the engine knows them.
fn play_by(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    for plies in 0..2 * TOLD {
        let (moves, position) = line(game, plies, 5);
        let lines = begin(game, talk, position.side_to_move())?;
        if lines.iter().any(|line| first_word(line) == "info") {
            return Ok(());
        }
        go(talk, &position_line(START, &moves), &position)?;
    }
    Ok(())
}

fn whole_game(game: &SharedGame, talk: &mut Talk<'_>) -> Result<(), Found> {
    begin(game, talk, Side::First)?;
    let (mut moves, mut position) = (Vec::new(), game.start());
    while !position.is_over() && moves.len() < MOST_PLIES {
        let mv = go(talk, &position_line(START, &moves), &position)?;
        position.play_unchecked(mv);
        moves.push(mv);
    }
    let ended = talk.dismiss("gameover 1/2-1/2 the check is over\nquit\n");
    ended.map_err(|found| format!("after quit, {found}"))
}

/// The first words of further lines that count, besides the answers of the protocol.
const MORE: [&str; 2] = ["protocol", "info"];

struct Talk<'a> {
    sandbox: Sandbox,
    policy: &'a SandboxPolicy,
    /// Set if the system fails.
    failed: &'a Cell<Option<String>>,
}

/// The most lines that a message names one by one.
const MOST_SAID: usize = 4;

/// The fault of an engine, as the end of a sentence after `found`.
type Found = String;

impl<'a> Talk<'a> {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses, which is not a fault of the program.
    fn start(
        words: &[String],
        policy: &'a SandboxPolicy,
        failed: &'a Cell<Option<String>>,
    ) -> io::Result<Talk<'a>> {
        let mut sandbox = Sandbox::new(words, policy)?;
        let heard: Vec<_> = KEYWORDS.into_iter().chain(MORE).collect();
        sandbox.start(Launch::new(words.to_vec(), policy.limits.game_cpu).talking(&heard));
        Ok(Talk { sandbox, policy, failed })
    }

    /// Returns the time that the program has for an answer.
    fn time(&self) -> Duration {
        Meter::new(self.policy).budget(None).wall.left
    }

    /// Sends `text`, and returns the lines of the program up to one whose first word is among `until`.
    fn ask(&mut self, text: &str, until: &[&str]) -> Result<Vec<String>, Found> {
        let mut lines = Vec::new();
        match self.listen(text, |line| {
            let is_last = until.contains(&first_word(line));
            lines.push(line.to_owned());
            is_last
        }) {
            None => Ok(lines),
            Some(end) => {
                let line = unheard_line(&self.sandbox.take_leftovers(), &KEYWORDS);
                let line = line.map(|line| format!("{line}, then ")).unwrap_or_default();
                Err(format!("{}{line}{end}", said(&lines)))
            }
        }
    }

    /// Sends `text`, and waits until the program ends by itself.
    fn dismiss(&mut self, text: &str) -> Result<(), Found> {
        match self.listen(text, |_| false) {
            Some(ProcessFailure::Quit) => Ok(()),
            Some(end) => Err(end.to_string()),
            None => Err("nothing".to_owned()),
        }
    }

    /// Sends `text`, and passes every line to `hear` until `hear` returns true. Returns the failure of the program if
    /// the program ends before.
    fn listen(&mut self, text: &str, mut hear: impl FnMut(&str) -> bool) -> Option<ProcessFailure> {
        let meter = Meter::new(self.policy);
        let budget = meter.budget(None);
        self.sandbox.ask(text.to_owned(), budget.wall.left, budget.cpu.map(|cpu| cpu.left));
        let policy = self.policy;
        let end = loop {
            match self.sandbox.next_event(&|| policy.is_stopped()) {
                None => break Some(ProcessEnd::Dismissed),
                Some(ProcessEvent::Ended(end)) => break Some(end),
                Some(ProcessEvent::Line(line)) if hear(&line) => break None,
                Some(ProcessEvent::Line(_) | ProcessEvent::TurnEnded) => {}
            }
        };
        if end.is_none() {
            end_turn(&mut self.sandbox);
        }
        let failure = end.map(|end| meter.failure(&end, &budget));
        if let Some(ProcessFailure::System { why }) = &failure {
            self.failed.set(Some(why.clone()));
        }
        failure
    }
}

/// Returns the lines as the beginning of a list.
fn said<'l>(lines: impl IntoIterator<Item = &'l String>) -> String {
    let mut lines = lines.into_iter();
    let first = lines.by_ref().take(MOST_SAID);
    let first: String = first.map(|line| format!("`{}`, then ", excerpt(line))).collect();
    first + if lines.next().is_some() { "..., " } else { "" }
}
