//! The player whose program stays alive for a game, and exchanges lines with the referee.

use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use plyground::{Game, Side};
use plyground_durable::excerpt;
use plyground_sandbox::{
    Launch, Meter, ProcessEnd, ProcessEvent, ProcessFailure, Sandbox, SandboxPolicy, TurnBudget,
};

use super::engine::{self, InfoLines};
use super::message::{EngineMessage, KEYWORDS, START};
use crate::adapter::MoveText;
use crate::ending::Ending;
use crate::external::ProgramCommand;
use crate::fault::Fault;
use crate::game::HostedPosition;
use crate::player::{Answer, Player, ProposedMove, Turn};

/// A program that speaks the [line protocol](super).
#[derive(Debug)]
pub struct LinePlayer {
    words: Vec<String>,
    depth: Option<u32>,
    policy: SandboxPolicy,
    meter: Meter,
    session: Option<Session>,
    /// The position from which the program knows the moves.
    start: Option<HostedPosition>,
    moves: Vec<MoveText>,
    /// The position after the moves.
    position: Option<HostedPosition>,
    /// The fault by which the player has lost already.
    lost: Option<Fault>,
    /// If false, the player does not let its opponent take moves back, because the program could not be told.
    pub allows_take_back: bool,
    /// The wall-clock time of the last question, up to the answer.
    turn_time: Duration,
    /// The part of the player's time that is not reported to the program, so that a program that starts slowly does
    /// not lose by it.
    pub margin: Duration,
    /// The place in which the last lines `info ...` of the program are kept, if they are wanted.
    pub info: Option<InfoLines>,
}

#[derive(Debug)]
struct Session {
    sandbox: Sandbox,
    /// The CPU time that the meter has counted.
    cpu: Duration,
}

impl LinePlayer {
    /// Returns a player for one game, which is told to look `depth` plies ahead if a depth is given.
    #[must_use]
    pub fn new(
        command: impl Into<ProgramCommand>,
        depth: Option<u32>,
        policy: SandboxPolicy,
    ) -> LinePlayer {
        let (words, policy) = command.into().under(policy);
        LinePlayer {
            meter: Meter::new(&policy),
            words,
            depth,
            policy,
            session: None,
            start: None,
            moves: Vec::new(),
            position: None,
            lost: None,
            allows_take_back: true,
            turn_time: Duration::ZERO,
            margin: Duration::ZERO,
            info: None,
        }
    }

    /// Starts the program, which is to play `side` of the game of `position`, unless it runs already.
    fn open_session(&mut self, position: &HostedPosition, side: Side) -> Result<(), Fault> {
        if let Some(fault) = &self.lost {
            return Err(fault.clone());
        }
        if self.session.is_none() {
            let session = self.open().map_err(|error| ProcessFailure::system(&error))?;
            self.session = Some(session);
            let (game, side) = (position.game(), side_word(side));
            let greeting = format!("newgame {} {} {side}\nisready\n", game.name(), game.rules());
            // The time of the start does not count for the first turn.
            self.wait_until_ready(greeting, Meter::spend)?;
        }
        Ok(())
    }

    fn open(&self) -> io::Result<Session> {
        let mut sandbox = Sandbox::new(&self.words, &self.policy)?;
        let launch = Launch::new(self.words.clone(), self.policy.limits.game_cpu);
        let asides: &[&str] = if self.info.is_some() { &[engine::KEYWORD] } else { &[] };
        sandbox.start(launch.talking(&KEYWORDS).with_asides(asides));
        Ok(Session { sandbox, cpu: Duration::ZERO })
    }

    /// Makes sure that the program will know the position before `mv`, and the position after `mv` if there is a move.
    fn follow(&mut self, before: &HostedPosition, mv: Option<MoveText>) {
        if self.position.as_ref() != Some(before) {
            self.start = Some(before.clone());
            self.moves.clear();
        }
        self.moves.extend(mv);
        let mut after = before.clone();
        // Programs are asked about illegal moves too, after which there is no position.
        self.position = mv.is_none_or(|mv| after.play(mv).is_ok()).then_some(after);
    }

    /// Forgets the moves after the position `to`, if the moves pass through that position.
    fn rewind(&mut self, to: &HostedPosition) {
        let Some(start) = &self.start else { return };
        let mut position = start.clone();
        for plies in 0..=self.moves.len() {
            if position == *to {
                self.moves.truncate(plies);
                self.position = Some(position);
                return;
            }
            if let Some(&mv) = self.moves.get(plies) {
                position.play_unchecked(mv);
            }
        }
    }

    /// Returns the line that describes the position.
    fn position_line(&self) -> String {
        let mut line = "position ".to_owned();
        match &self.start {
            Some(start) if *start != start.game().start() => line += &start.state_word(),
            _ => line += START,
        }
        if !self.moves.is_empty() {
            line += " moves";
        }
        for mv in &self.moves {
            // Writing to a string cannot fail.
            let _ = write!(line, " {mv}");
        }
        line + "\n"
    }

    /// Sends a text that ends with a question, and waits for the answer: the first message that
    /// `understand` accepts.
    fn ask<A>(
        &mut self,
        text: String,
        budget: &TurnBudget,
        spend: Spend,
        mut understand: impl FnMut(EngineMessage) -> Option<Result<A, Fault>>,
    ) -> Result<A, Fault> {
        let Some(session) = &mut self.session else { return Err(Fault::Quit) };
        session.sandbox.ask(text, budget.wall.left, budget.cpu.map(|cpu| cpu.left));
        let policy = &self.policy;
        let answer = loop {
            match session.sandbox.next_event(&|| policy.is_stopped()) {
                None => break Err(Fault::Quit),
                Some(ProcessEvent::TurnEnded) => {}
                Some(ProcessEvent::Ended(end)) => {
                    let left = session.sandbox.take_leftovers();
                    let failure = self.meter.failure(&end, budget);
                    break Err(Fault::of_talk(failure, &left, &KEYWORDS));
                }
                Some(ProcessEvent::Line(line)) => {
                    self.info.iter().for_each(|info| info.hear(&line));
                    if let Some(answer) = EngineMessage::read(&line).and_then(&mut understand) {
                        break answer;
                    }
                }
            }
        };
        let answered = Instant::now();
        let ended = end_turn(&mut session.sandbox);
        let (cpu, wall) = (session.sandbox.cpu(), session.sandbox.wall());
        self.turn_time = wall;
        spend(&mut self.meter, cpu.saturating_sub(session.cpu), wall);
        session.cpu = session.cpu.max(cpu);
        match (answer, ended) {
            // The program has exceeded a limit before it answered, or has run on since.
            (Ok(_), Some(end)) if end.is_excess() => {
                self.meter.delay(answered.elapsed());
                Err(self.meter.failure(&end, budget).into())
            }
            (answer, _) => answer,
        }
    }

    /// Waits for `readyok`. Returns `true` if the program has no objection.
    fn wait_until_ready(&mut self, text: String, spend: Spend) -> Result<bool, Fault> {
        let mut agrees = true;
        let budget = self.meter.budget(None);
        self.ask(text, &budget, spend, |message| match message {
            EngineMessage::Ready => Some(Ok(agrees)),
            EngineMessage::Illegal => {
                agrees = false;
                None
            }
            EngineMessage::Resign => Some(Err(Fault::Quit)),
            EngineMessage::BestMove { mv, .. } => Some(Err(unasked(&mv))),
        })
    }

    /// Tells the program, which plays `side`, of a move that it did not choose.
    fn tell(&mut self, side: Side, before: &HostedPosition, mv: MoveText) -> bool {
        self.follow(before, Some(mv));
        let text = self.position_line() + "isready\n";
        match self
            .open_session(before, side)
            .and_then(|()| self.wait_until_ready(text, Meter::spend_between))
        {
            Ok(agrees) => agrees,
            Err(fault) => {
                self.lost = Some(fault);
                true
            }
        }
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<ProposedMove, Fault> {
        self.open_session(turn.position, turn.position.side_to_move())?;
        self.refuse_early_answers()?;
        let budget = self.meter.budget(turn.limit);
        let mut text = self.position_line() + "go";
        let depth = self.depth.map(|depth| ("depth", u128::from(depth)));
        let cpu = budget.cpu.map(|cpu| ("cpu", cpu.left.as_millis()));
        let wall = budget.wall.left.saturating_sub(self.margin);
        for (name, number) in depth.into_iter().chain(cpu).chain([("wall", wall.as_millis())]) {
            let _ = write!(text, " {name} {number}");
        }
        self.info.iter().for_each(InfoLines::begin_turn);
        self.ask(text + "\n", &budget, Meter::spend, |message| match message {
            EngineMessage::BestMove { mv, value, depth } => {
                let proposed = read_move(turn.position, &mv);
                Some(proposed.map(|mv| ProposedMove { mv, value, depth }))
            }
            EngineMessage::Resign => Some(Err(Fault::Quit)),
            EngineMessage::Ready | EngineMessage::Illegal => None,
        })
    }

    fn refuse_early_answers(&mut self) -> Result<(), Fault> {
        let Some(session) = &mut self.session else { return Ok(()) };
        while let Some(event) = session.sandbox.try_next_event() {
            match event {
                ProcessEvent::Line(line) => {
                    self.info.iter().for_each(|info| info.hear(&line));
                    match EngineMessage::read(&line) {
                        Some(EngineMessage::BestMove { mv, .. }) => return Err(unasked(&mv)),
                        Some(EngineMessage::Resign) => return Err(Fault::Quit),
                        Some(EngineMessage::Ready | EngineMessage::Illegal) | None => {}
                    }
                }
                ProcessEvent::TurnEnded => {}
                ProcessEvent::Ended(_) => break,
            }
        }
        Ok(())
    }
}

/// A way to add the CPU time and the wall time of a question to the meter.
type Spend = fn(&mut Meter, Duration, Duration);

/// Ends a turn, waits until the program's time is measured, and returns the end of the program, if it has ended.
pub(super) fn end_turn(sandbox: &mut Sandbox) -> Option<ProcessEnd> {
    sandbox.end_turn();
    let mut early = Vec::new();
    let end = loop {
        match sandbox.next_event(&|| false) {
            Some(ProcessEvent::Ended(end)) => break Some(end),
            Some(ProcessEvent::TurnEnded) | None => break None,
            Some(ProcessEvent::Line(line)) => early.push(line),
        }
    };
    sandbox.put_back(early);
    end
}

fn unasked(mv: &str) -> Fault {
    Fault::IllegalMove { why: format!("`{}` before it was asked", excerpt(mv)) }
}

fn read_move(position: &HostedPosition, text: &str) -> Result<MoveText, Fault> {
    let why = || format!("`{}` is no move", excerpt(text));
    position.parse_move(text).ok_or_else(|| Fault::IllegalMove { why: why() })
}

pub(super) fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// Returns the end of a game in the words of the protocol.
fn farewell(ending: &Ending) -> String {
    let name = |side: Side| format!("player {}", side.index() + 1);
    let why = ending.reason.words(|| "by the rules".to_owned(), name);
    format!("gameover {} {why}\nquit\n", ending.result())
}

impl Player for LinePlayer {
    fn begin(&mut self, start: &HostedPosition, side: Side) {
        self.lost = self.open_session(start, side).err();
    }

    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        self.follow(turn.position, None);
        match self.choose(turn) {
            Ok(choice) => {
                if turn.position.check_legal(choice.mv).is_ok() {
                    self.follow(turn.position, Some(choice.mv));
                }
                Ok(Answer::Move(choice))
            }
            Err(fault) => {
                self.lost = Some(fault.clone());
                Err(fault)
            }
        }
    }

    fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        self.tell(before.side_to_move().other(), before, mv)
    }

    fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        self.tell(before.side_to_move(), before, mv)
    }

    fn judges_moves(&self) -> bool {
        true
    }

    fn lost(&self) -> Option<&Fault> {
        self.lost.as_ref()
    }

    fn allows_take_back(&self) -> bool {
        self.allows_take_back
    }

    fn taken_back(&mut self, position: &HostedPosition) {
        self.rewind(position);
    }

    fn game_over(&mut self, ending: &Ending) {
        if let Some(session) = self.session.take() {
            let (cpu, delay) = session.sandbox.dismiss(farewell(ending));
            self.meter.spend(cpu.saturating_sub(session.cpu), Duration::ZERO);
            self.meter.delay(delay);
        }
    }

    fn turn_time(&self) -> Option<Duration> {
        Some(self.turn_time)
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        Some(self.meter.cpu())
    }
}
