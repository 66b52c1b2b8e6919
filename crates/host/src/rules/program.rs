//! A rules program, whose answers are remembered and checked against its earlier answers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plyground::Score;
use plyground_durable::excerpt;

use super::message::{Description, END, Facts, Step, Unexpected, VERSION};
use super::process::{Expansion, Memory, PASS, Process, RulesFault, check_step, contradiction};
use crate::adapter::MoveText;

/// A function that ends this program because the rules program has failed: without its answers there is no game. The
/// function is not called for a text that the rules program fails to read, because a stranger may have written the
/// text.
pub type GiveUp = fn(&RulesFault) -> !;

/// The most bytes of positions in one question. The program answers while it reads: after a longer question, both pipes
/// could be full, and both processes would wait.
const MOST_ASKED: usize = 8 << 10;

/// The most moves of a position.
const MOST_MOVES: usize = 10_000;

/// The most different moves of a game, because a search has as many numbers for moves.
pub(super) const MOST_CODES: usize = u16::MAX as usize;

/// A game whose rules are a program. All clones share the process.
///
/// When the program fails to give the moves of a position, [`GiveUp`] ends the run: a search and a referee need rules
/// that always answer. A game that [outlasts faults](crate::HostedGame::outlast_faults) goes on: such a position has a
/// single move, which ends the game as a draw or by the points so far, and [`take_fault`] returns the fault to the
/// thread that asked. The program is started anew after every fault.
#[derive(Clone)]
pub struct RulesProgram(pub(super) Arc<Shared>);

pub(super) struct Shared {
    /// The name of the game, which lives as long as this process.
    pub(super) name: &'static str,
    /// The command that has started the program.
    pub(super) command: String,
    limit: Duration,
    pub(super) description: Description,
    process: Mutex<Process>,
    memory: Mutex<Memory>,
    /// The numbers of moves for the search, in the order in which the moves were first named.
    codes: Mutex<HashMap<MoveText, u16>>,
    give_up: GiveUp,
    /// If true, this program outlasts the failure of the rules program.
    pub(super) outlasts_faults: AtomicBool,
}

/// The time for which a position stays without moves after a failure of the program. Without it, a search would repeat
/// the failure, because it asks for some positions often.
const FAILED_FOR: Duration = Duration::from_secs(60);

thread_local! {
    static FAULT: RefCell<Option<RulesFault>> = const { RefCell::new(None) };
}

/// Returns the last fault of a rules program that this thread has outlasted since the last call.
#[must_use]
pub fn take_fault() -> Option<RulesFault> {
    FAULT.take()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RulesProgram {
    /// Starts a rules program by a command in words, as a shell reads them. Each of its answers must come
    /// within the limit.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, or does not describe its game.
    pub fn start(
        command: &str,
        limit: Duration,
        give_up: GiveUp,
    ) -> Result<RulesProgram, RulesFault> {
        let (process, description) = start(command, limit)?;
        Ok(RulesProgram(Arc::new(Shared {
            name: description.name.clone().leak(),
            command: command.to_owned(),
            limit,
            description,
            process: Mutex::new(process),
            memory: Mutex::default(),
            codes: Mutex::default(),
            give_up,
            outlasts_faults: AtomicBool::new(false),
        })))
    }

    /// Returns the moves of a position that is not over. `origin` has the move by which the position was reached.
    pub(super) fn expansion(
        &self,
        position: &Arc<Facts>,
        origin: Option<&Arc<Expansion>>,
    ) -> Arc<Expansion> {
        let earlier = origin.map_or(0, |origin| origin.asked.fetch_add(1, Ordering::Relaxed));
        if let Some(known) = self.known(position) {
            return known;
        }
        let mut process = lock(&self.0.process);
        // Another thread may have asked meanwhile.
        if let Some(known) = self.known(position) {
            return known;
        }
        let mut asked = vec![Arc::clone(position)];
        if let Some(origin) = origin.filter(|_| earlier > 0) {
            self.add_siblings(origin, earlier, &mut asked);
        }
        let answer = self.remember(&mut process, &asked);
        answer.unwrap_or_else(|fault| self.outlast(&mut process, position, fault))
    }

    fn known(&self, position: &Facts) -> Option<Arc<Expansion>> {
        let known = lock(&self.0.memory).get(&position.text)?;
        if let Some((fault, since)) = &known.fault {
            if since.elapsed() > FAILED_FOR {
                return None;
            }
            FAULT.set(Some(fault.clone()));
        }
        Some(known)
    }

    /// Asks for the moves of positions, at least one, and remembers them. Returns the moves of the first position.
    fn remember(
        &self,
        process: &mut Process,
        asked: &[Arc<Facts>],
    ) -> Result<Arc<Expansion>, RulesFault> {
        let mut found = self.expand(process, asked)?;
        let mut memory = lock(&self.0.memory);
        for expansion in &found {
            memory.insert(Arc::clone(expansion));
        }
        Ok(found.swap_remove(0))
    }

    /// Returns the moves of a position after a failure of the program: the answer of a new process to a question about
    /// this position alone, or a single move that ends the game.
    fn outlast(
        &self,
        process: &mut Process,
        position: &Arc<Facts>,
        fault: RulesFault,
    ) -> Arc<Expansion> {
        if !self.0.outlasts_faults.load(Ordering::Relaxed) {
            self.give_up(process, &fault);
        }
        self.start_anew(process);
        let fault = match self.remember(process, &[Arc::clone(position)]) {
            Ok(found) => return found,
            Err(fault) => fault,
        };
        self.start_anew(process);
        FAULT.set(Some(fault.clone()));
        let expansion = Arc::new(Expansion::without_moves(position, fault));
        lock(&self.0.memory).insert(Arc::clone(&expansion));
        expansion
    }

    /// Starts the program anew. If the start fails, the next question fails, too.
    fn start_anew(&self, process: &mut Process) {
        process.kill();
        if let Ok((started, description)) = start(&self.0.command, self.0.limit)
            && description == self.0.description
        {
            *process = started;
        }
    }

    /// Adds up to `most` positions beside the first for which the search is likely to ask next: the best ones for the
    /// side that moved there. A search may need only the first of several positions, but the more of them it has asked
    /// for, the more it will ask for.
    fn add_siblings(&self, origin: &Expansion, most: u32, asked: &mut Vec<Arc<Facts>>) {
        let memory = lock(&self.0.memory);
        let is_new = |facts: &&Arc<Facts>| {
            facts.outcome.is_none()
                && facts.text != asked[0].text
                && memory.knows(&facts.text).is_none()
        };
        let mut found: Vec<_> =
            origin.steps.iter().map(|step| &step.after).filter(is_new).collect();
        found.sort_by_key(|facts| {
            let judgment = facts.margin() * Score::POINT + facts.score;
            if facts.side == origin.of.side { -judgment } else { judgment }
        });
        let mut bytes = 0;
        for facts in found.into_iter().take(most as usize) {
            bytes += facts.text.len() + 1;
            if bytes > MOST_ASKED {
                return;
            }
            asked.push(Arc::clone(facts));
        }
    }

    /// Asks for the moves of positions, and returns them in the same order.
    pub(super) fn expand(
        &self,
        process: &mut Process,
        asked: &[Arc<Facts>],
    ) -> Result<Vec<Arc<Expansion>>, RulesFault> {
        let words: Vec<&str> = asked.iter().map(|facts| &*facts.text).collect();
        process.ask(format!("expand {}", words.join(" ")));
        let mut found = Vec::with_capacity(asked.len());
        for facts in asked {
            let steps = self.steps(process, facts)?;
            let codes = self.codes(process, &steps)?;
            let (of, asked) = (Arc::clone(facts), AtomicU32::new(0));
            found.push(Arc::new(Expansion { of, steps, codes, asked, fault: None }));
        }
        process.answered();
        Ok(found)
    }

    /// Reads the moves of a position, and checks them.
    fn steps(&self, process: &mut Process, of: &Arc<Facts>) -> Result<Vec<Step>, RulesFault> {
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let line = process.line()?;
            if line == END {
                break;
            }
            let step = Step::parse(line)
                .map_err(|Unexpected { expected, found }| process.unexpected(&expected, &found))?;
            if of.outcome.is_some() {
                let why = format!("says that the game is over, and gives moves in {}", of.text);
                return Err(process.fault(why));
            }
            if steps.iter().any(|other| other.mv == step.mv) {
                let why = format!("gives the move {} twice in {}", step.mv, of.text);
                return Err(process.fault(why));
            }
            check_step(of, &step).map_err(|why| process.fault(why))?;
            steps.push(step);
            if steps.len() > MOST_MOVES {
                return Err(process.unexpected("fewer moves", &format!("more than {MOST_MOVES}")));
            }
        }
        let why = match &steps[..] {
            [] if of.outcome.is_none() => "says that the game goes on, and gives no move",
            [_, _, ..] if steps.iter().any(|step| step.mv.as_str() == PASS) => {
                "gives other moves beside `pass`"
            }
            _ => return self.compare(&mut steps).map(|()| steps).map_err(|why| process.fault(why)),
        };
        Err(process.fault(format!("{why} in {}", of.text)))
    }

    /// Checks that positions have the same facts as in earlier answers.
    fn compare(&self, steps: &mut [Step]) -> Result<(), String> {
        let memory = lock(&self.0.memory);
        for Step { after, .. } in steps {
            let Some(known) = memory.knows(&after.text) else { continue };
            if *known.of != **after {
                return Err(contradiction(&known.of, after));
            }
            *after = Arc::clone(&known.of);
        }
        Ok(())
    }

    /// Returns the numbers of moves.
    ///
    /// If the numbers run out in a game that outlasts faults, they are assigned anew. The numbers of one position still
    /// differ, and a search never plays an illegal move because of its number.
    fn codes(&self, process: &Process, steps: &[Step]) -> Result<Vec<u16>, RulesFault> {
        let mut codes = lock(&self.0.codes);
        let is_full = codes.len() + steps.len() > MOST_CODES;
        if is_full && self.0.outlasts_faults.load(Ordering::Relaxed) {
            codes.clear();
        }
        let mut code = |step: &Step| {
            let next = u16::try_from(codes.len()).unwrap_or(u16::MAX);
            *codes.entry(step.mv).or_insert(next)
        };
        let found: Vec<u16> = steps.iter().map(&mut code).collect();
        if codes.len() > MOST_CODES {
            let found = format!("more than {MOST_CODES}");
            return Err(process.unexpected("a limited number of different moves", &found));
        }
        Ok(found)
    }

    /// Asks for the position of a state file. Returns the reason if the program refuses the position, fails to read it,
    /// or fails to give its moves. None of these ends this program, because the text may be that of a stranger.
    pub(super) fn read(&self, text: &str) -> Result<Arc<Facts>, String> {
        let mut process = lock(&self.0.process);
        let answer = self.ask_to_read(&mut process, text).and_then(|read| match read {
            Ok(facts) if facts.outcome.is_none() && self.known(&facts).is_none() => {
                self.remember(&mut process, &[Arc::clone(&facts)]).map(|_| Ok(facts))
            }
            read => Ok(read),
        });
        answer.unwrap_or_else(|fault| {
            self.start_anew(&mut process);
            Err(format!("the rules program {}", fault.why()))
        })
    }

    pub(super) fn ask_to_read(
        &self,
        process: &mut Process,
        text: &str,
    ) -> Result<Result<Arc<Facts>, String>, RulesFault> {
        process.ask(format!("read {text}"));
        let line = process.line()?.to_owned();
        process.answered();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "position" => Facts::parse(&mut rest.split_ascii_whitespace())
                .map(|facts| Ok(Arc::new(facts)))
                .map_err(|Unexpected { expected, found }| process.unexpected(&expected, &found)),
            "illegal" => Ok(Err(rest.to_owned())),
            _ => {
                let found = format!("`{}`", excerpt(&line));
                Err(process.unexpected("`position POSITION ...` or `illegal REASON`", &found))
            }
        }
    }

    /// Asks for the drawing of a position, each of whose lines ends with a line end.
    pub(super) fn show(&self, text: &str) -> String {
        let mut process = lock(&self.0.process);
        let answer = ask_to_show(&mut process, text);
        answer.unwrap_or_else(|fault| {
            if !self.0.outlasts_faults.load(Ordering::Relaxed) {
                self.give_up(&mut process, &fault);
            }
            self.start_anew(&mut process);
            FAULT.set(Some(fault));
            String::new()
        })
    }

    pub(super) fn process(&self) -> MutexGuard<'_, Process> {
        lock(&self.0.process)
    }

    fn give_up(&self, process: &mut Process, fault: &RulesFault) -> ! {
        process.kill();
        (self.0.give_up)(fault)
    }
}

/// Starts a rules program and asks for its description.
fn start(command: &str, limit: Duration) -> Result<(Process, Description), RulesFault> {
    let mut process = Process::start(command, limit)?;
    process.ask(format!("rules {VERSION}"));
    let mut lines = Vec::new();
    let version = process.line()?.to_owned();
    Description::check_version(&version)
        .map_err(|Unexpected { expected, found }| process.unexpected(&expected, &found))?;
    loop {
        let line = process.line()?;
        if line == END {
            break;
        }
        lines.push(line.to_owned());
        if lines.len() > MOST_MOVES {
            return Err(process.unexpected("a description", "too many lines"));
        }
    }
    process.answered();
    let description = Description::parse(lines.iter().map(String::as_str))
        .map_err(|Unexpected { expected, found }| process.unexpected(&expected, &found))?;
    Ok((process, description))
}

fn ask_to_show(process: &mut Process, text: &str) -> Result<String, RulesFault> {
    process.ask(format!("show {text}"));
    let (mut drawing, mut count) = (String::new(), 0);
    loop {
        let line = process.line()?;
        if line == END {
            break;
        }
        let Some(row) = line.strip_prefix('|') else {
            let found = format!("`{}`", excerpt(line));
            return Err(process.unexpected("a line that begins with `|`, or `end`", &found));
        };
        drawing += row;
        drawing.push('\n');
        count += 1;
        if count > MOST_MOVES {
            return Err(process.unexpected("a drawing", "too many lines"));
        }
    }
    process.answered();
    Ok(drawing)
}

impl fmt::Debug for RulesProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RulesProgram").field(&self.0.name).finish()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use plyground::{Game, Outcome};

    use super::*;
    use crate::adapter::GameAdapter;
    use crate::game::{AdaptedGame, HostedGame};
    use crate::state::StateText;

    /// A program that ends, is silent or contradicts itself about some texts. `a` leads to `b`, in which it
    /// has no move.
    const GAME: &str = r#"sh -c '
        while read -r word text more; do case "$word $text" in
            "rules 1") printf "rules 1\nname toy\nstart s first -\nend\n";;
            "read end") exit 1;;
            "read late") exec sleep 100;;
            "read odd") echo odd;;
            "read "*) echo "position $text first -";;
            "expand s") printf "x a second -\nend\n";;
            "expand a") printf "y b first -\nend\n";;
            "expand c") printf "x d first 1-0\nend\n";;
            "expand "*) echo end;;
        esac; done'"#;

    fn game() -> RulesProgram {
        let limit = Duration::from_secs(2);
        RulesProgram::start(GAME, limit, |fault| panic!("{fault}")).expect("a game")
    }

    fn read(game: &RulesProgram, text: &str) -> Result<(), String> {
        let read = GameAdapter::parse_state(game, &StateText::new(text.to_owned()));
        read.map(|_| ()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn no_text_ends_the_game() {
        let game = game();
        for (text, why) in [
            ("end", "has ended with exit code 1"),
            ("late", "has not answered"),
            ("odd", "answers `read odd`"),
            // It is a position, but has no moves.
            ("b", "gives no move"),
            ("\u{3000}", "a hidden character"),
            ("\u{feff}\u{feff}\u{feff}\u{3000}", "a hidden character"),
            ("a\u{85}b", "a hidden character"),
            ("a\u{200b}b", "a hidden character"),
        ] {
            let found = read(&game, text).expect_err(text);
            assert!(found.contains(why), "{text:?}: {found}");
            assert_eq!(read(&game, "c"), Ok(()), "after {text:?}");
        }
    }

    #[test]
    #[should_panic = "gives no move in b"]
    fn faults_in_a_game_end_it() {
        let mut position = AdaptedGame::start(&game());
        for _ in 0..3 {
            let mv = position.legal_moves().next().expect("a move");
            position = position.after(mv);
        }
    }

    #[test]
    fn game_for_many_outlasts_faults() {
        let game = game();
        HostedGame::outlast_faults(&game);
        let play = || {
            let mut position = AdaptedGame::start(&game);
            loop {
                let Some(mv) = position.legal_moves().next() else { break };
                position = position.after(mv);
            }
            position.outcome()
        };
        assert_eq!(take_fault(), None);
        for _ in 0..2 {
            assert_eq!(play(), Some(Outcome::Draw));
            let fault = take_fault().expect("a fault").to_string();
            assert!(fault.contains("gives no move in b"), "{fault}");
        }
        assert_eq!(read(&game, "c"), Ok(()));
        assert_eq!(take_fault(), None);
    }

    #[test]
    fn numbers_of_moves_never_run_out_for_many() -> Result<(), RulesFault> {
        let game = game();
        let steps = |from: usize| -> Vec<Step> {
            let of = |n| Step::parse(&format!("m{n} s first -")).expect("a move");
            (from..from + 30_000).map(of).collect()
        };
        let codes = |from| game.codes(&game.process(), &steps(from));
        codes(0)?;
        codes(30_000)?;
        assert!(codes(60_000).is_err());
        HostedGame::outlast_faults(&game);
        let mut found = codes(60_000)?;
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 30_000);
        Ok(())
    }
}
