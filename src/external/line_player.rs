//! The player that stays alive for a game, and is talked to line by line.

use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::host::{Heard, Host};
use super::java_class::find_class;
use super::message::{End, Start};
use super::meter::{Allowance, Meter};
use super::protocol::{START, Saying};
use super::system::system_fault;
use super::texts::{Texts, in_one_word};
use super::treatment::Treatment;
use crate::game::{Game, Side};
use crate::player::{Answer, Choice, Fault, Player, Turn};
use crate::referee::{Ending, Reason};

/// A program that speaks the [line protocol](super).
#[derive(Debug)]
pub struct LinePlayer<G: Game, T> {
    words: Vec<String>,
    depth: Option<u32>,
    texts: T,
    treatment: Treatment,
    meter: Meter,
    session: Option<Session>,
    /// The position from which the program knows the moves.
    start: Option<G>,
    moves: Vec<G::Move>,
    /// The position after them.
    position: Option<G>,
    /// How the player has lost already, though it was not its turn.
    lost: Option<Fault>,
    allows_take_back: bool,
}

/// A program that runs, and the folder in which it may write.
#[derive(Debug)]
struct Session {
    host: Host,
    _folder: Folder,
    /// The CPU time that the meter knows of.
    cpu: Duration,
}

impl<G: Game, T: Texts<G>> LinePlayer<G, T> {
    /// A player for one game, which is told to look `depth` plies ahead if that is given.
    pub fn new(
        words: Vec<String>,
        depth: Option<u32>,
        texts: T,
        treatment: Treatment,
    ) -> LinePlayer<G, T> {
        LinePlayer {
            meter: Meter::new(treatment.limits.clone()),
            words: find_class(words),
            depth,
            texts,
            treatment,
            session: None,
            start: None,
            moves: Vec::new(),
            position: None,
            lost: None,
            allows_take_back: true,
        }
    }

    /// The same, which does not let its opponent take moves back: it could not be told.
    #[must_use]
    pub fn without_take_back(self) -> LinePlayer<G, T> {
        LinePlayer { allows_take_back: false, ..self }
    }

    /// Starts the program, which is to play `side`, if it does not run.
    fn begin(&mut self, side: Side) -> Result<(), Fault> {
        if let Some(fault) = &self.lost {
            return Err(fault.clone());
        }
        if self.session.is_none() {
            let session = self.open().map_err(|error| system_fault(&error))?;
            self.session = Some(session);
            let (rules, side) = (self.texts.rules(), side_word(side));
            let greeting = format!("newgame {} {rules} {side}\nisready\n", G::NAME);
            self.wait_until_ready(greeting)?;
        }
        Ok(())
    }

    fn open(&self) -> io::Result<Session> {
        let folder = Folder::new();
        let cpu = self.treatment.limits.game_cpu;
        let start = Start::new(self.words.clone(), &folder, &self.treatment, cpu);
        let host = Host::start(start, &self.treatment)?;
        Ok(Session { host, _folder: folder, cpu: Duration::ZERO })
    }

    /// Makes sure that the program will know the position before `mv`, if there is one, and the
    /// one after it.
    fn follow(&mut self, before: &G, mv: Option<G::Move>) {
        if self.position.as_ref() != Some(before) {
            self.start = Some(before.clone());
            self.moves.clear();
        }
        self.moves.extend(mv);
        let mut after = before.clone();
        // Programs are asked about illegal moves too, after which there is no position.
        self.position = mv.is_none_or(|mv| after.play(mv).is_ok()).then_some(after);
    }

    /// Forgets the last moves, if without some of them the position is this one.
    fn rewind(&mut self, to: &G) {
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

    /// The line that says what the position is.
    fn position_line(&self) -> String {
        let mut line = "position ".to_owned();
        match &self.start {
            Some(start) if *start != self.texts.start() => line += &in_one_word(&self.texts, start),
            _ => line += START,
        }
        if !self.moves.is_empty() {
            line += " moves";
        }
        for mv in &self.moves {
            // A string takes all that is written.
            let _ = write!(line, " {mv}");
        }
        line + "\n"
    }

    /// Says something that ends with a question, and waits for the answer: what `understand` makes
    /// of a saying, if anything.
    fn ask<A>(
        &mut self,
        text: String,
        allowance: &Allowance,
        mut understand: impl FnMut(Saying) -> Option<Result<A, Fault>>,
    ) -> Result<A, Fault> {
        let Some(session) = &mut self.session else { return Err(Fault::Quit) };
        let started = Instant::now();
        session.host.ask(text, allowance.wall.left, allowance.cpu.map(|cpu| cpu.left));
        let treatment = &self.treatment;
        let answer = loop {
            match session.host.hear(&|| treatment.is_stopped()) {
                None => break Err(Fault::Quit),
                Some(Heard::Settled) => {}
                Some(Heard::Ended(end)) => break Err(self.meter.fault(&end, allowance)),
                Some(Heard::Line(line)) => {
                    if let Some(answer) = Saying::read(&line).and_then(&mut understand) {
                        break answer;
                    }
                }
            }
        };
        let settled = settle(&mut session.host);
        let cpu = session.host.cpu();
        self.meter.spend(cpu.saturating_sub(session.cpu), started.elapsed());
        session.cpu = session.cpu.max(cpu);
        match (answer, settled) {
            // It has used too much before it answered.
            (Ok(_), Some(end @ End::CpuLimit)) => Err(self.meter.fault(&end, allowance)),
            (answer, _) => answer,
        }
    }

    /// Waits for `readyok`; whether the program has no objection.
    fn wait_until_ready(&mut self, text: String) -> Result<bool, Fault> {
        let mut agrees = true;
        let allowance = self.meter.allowance(None);
        self.ask(text, &allowance, |saying| match saying {
            Saying::Ready => Some(Ok(agrees)),
            Saying::Illegal => {
                agrees = false;
                None
            }
            Saying::Resign => Some(Err(Fault::Quit)),
            Saying::BestMove(choice) => Some(Err(unasked(&choice.mv))),
        })
    }

    /// Tells the program, which plays `side`, of a move that is not its choice.
    fn tell(&mut self, side: Side, before: &G, mv: G::Move) -> bool {
        self.follow(before, Some(mv));
        let text = self.position_line() + "isready\n";
        match self.begin(side).and_then(|()| self.wait_until_ready(text)) {
            Ok(agrees) => agrees,
            Err(fault) => {
                self.lost = Some(fault);
                true
            }
        }
    }

    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Choice<G::Move>, Fault> {
        self.begin(turn.position.side_to_move())?;
        self.refuse_early_answers()?;
        let allowance = self.meter.allowance(turn.limit);
        let mut text = self.position_line() + "go";
        let depth = self.depth.map(|depth| ("depth", u128::from(depth)));
        let cpu = allowance.cpu.map(|cpu| ("cpu", cpu.left.as_millis()));
        for (name, number) in
            depth.into_iter().chain(cpu).chain([("wall", allowance.wall.left.as_millis())])
        {
            let _ = write!(text, " {name} {number}");
        }
        self.ask(text + "\n", &allowance, |saying| match saying {
            Saying::BestMove(choice) => Some(read_choice::<G>(choice)),
            Saying::Resign => Some(Err(Fault::Quit)),
            Saying::Ready | Saying::Illegal => None,
        })
    }

    fn refuse_early_answers(&mut self) -> Result<(), Fault> {
        let Some(session) = &mut self.session else { return Ok(()) };
        while let Some(heard) = session.host.heard_already() {
            match heard {
                Heard::Line(line) => match Saying::read(&line) {
                    Some(Saying::BestMove(choice)) => return Err(unasked(&choice.mv)),
                    Some(Saying::Resign) => return Err(Fault::Quit),
                    Some(Saying::Ready | Saying::Illegal) | None => {}
                },
                Heard::Settled => {}
                Heard::Ended(_) => break,
            }
        }
        Ok(())
    }
}

/// Ends a turn, and waits until the program's time is taken; its end, if that came before.
fn settle(host: &mut Host) -> Option<End> {
    host.answered();
    let mut early = Vec::new();
    let end = loop {
        match host.hear(&|| false) {
            Some(Heard::Ended(end)) => break Some(end),
            Some(Heard::Settled) | None => break None,
            Some(Heard::Line(line)) => early.push(line),
        }
    };
    host.put_back(early);
    end
}

fn unasked(mv: &str) -> Fault {
    Fault::IllegalMove { why: format!("`{}` before it was asked", mv.escape_debug()) }
}

fn read_choice<G: Game>(choice: Choice<String>) -> Result<Choice<G::Move>, Fault> {
    let Choice { mv, score, depth } = choice;
    match mv.parse() {
        Ok(mv) => Ok(Choice { mv, score, depth }),
        Err(_) => Err(Fault::IllegalMove { why: format!("`{}` is no move", mv.escape_debug()) }),
    }
}

fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// The end of a game in the words of the protocol.
fn farewell(ending: &Ending) -> String {
    let why = match &ending.reason {
        Reason::Rules => "by the rules".to_owned(),
        Reason::Forfeit { by, fault } => format!("player {}: {fault}", by.index() + 1),
        Reason::PlyCap { plies } => format!("no end after {plies} plies"),
    };
    format!("gameover {} {why}\nquit\n", ending.result())
}

impl<G: Game, T: Texts<G>> Player<G> for LinePlayer<G, T> {
    fn choose_move(&mut self, turn: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault> {
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

    fn opponent_move(&mut self, before: &G, mv: G::Move) -> bool {
        self.tell(before.side_to_move().other(), before, mv)
    }

    fn force_move(&mut self, before: &G, mv: G::Move) -> bool {
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

    fn taken_back(&mut self, position: &G) {
        self.rewind(position);
    }

    fn game_over(&mut self, ending: &Ending) {
        if let Some(session) = self.session.take() {
            let cpu = session.host.dismiss(farewell(ending));
            self.meter.spend(cpu.saturating_sub(session.cpu), Duration::ZERO);
        }
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        Some(self.meter.cpu())
    }
}
