//! A rules program: what it has said is remembered, and checked against what it has said before.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plyground::Score;
use plyground_durable::excerpt;

use super::message::{Description, END, Facts, Step, Unexpected, VERSION};
use super::process::{Process, RulesFault};
use crate::move_text::MoveText;

/// Ends this program because the rules program has failed: the rules can give no answer, and without one
/// there is no game.
pub type GiveUp = fn(&RulesFault) -> !;

/// The most bytes of remembered answers of one generation; there are two.
const MOST_REMEMBERED: usize = 64 << 20;

/// The approximate number of bytes of a remembered move beside its texts.
const BYTES_OF_STEP: usize = 200;

/// The most bytes of positions in one question. The program answers while it reads, so that no pipe is full
/// on both sides.
const MOST_ASKED: usize = 8 << 10;

/// The most moves of a position.
const MOST_MOVES: usize = 10_000;

/// The most different moves of a game: as many numbers as a search may use for them.
pub(super) const MOST_CODES: usize = u16::MAX as usize;

/// The name of the move of a player who has no other.
pub(super) const PASS: &str = "pass";

/// A game whose rules are a program. All clones share the process.
///
/// When the program fails, whichever question it was asked, [`GiveUp`] ends the run: a search, a referee and
/// a page need rules that always answer.
#[derive(Clone)]
pub struct RulesProgram(Arc<Shared>);

struct Shared {
    /// The name of the game. It lives as long as this program.
    name: &'static str,
    /// The command that has started the program.
    command: String,
    description: Description,
    process: Mutex<Process>,
    memory: Mutex<Memory>,
    /// The numbers of moves for the search, in the order in which the moves were first named.
    codes: Mutex<HashMap<MoveText, u16>>,
    give_up: GiveUp,
}

/// The moves of a position.
#[derive(Debug)]
pub(super) struct Expansion {
    of: Arc<Facts>,
    steps: Vec<Step>,
    /// The numbers of the moves.
    codes: Vec<u16>,
    /// The number of positions after these moves that were asked for.
    asked: AtomicU32,
}

/// The expansions that were asked for, by the text of the position. When there are too many, those that were
/// not asked for again lately are forgotten.
#[derive(Default)]
struct Memory {
    recent: HashMap<Arc<str>, Arc<Expansion>>,
    earlier: HashMap<Arc<str>, Arc<Expansion>>,
    /// The approximate number of bytes of `recent`.
    bytes: usize,
}

impl Memory {
    fn get(&mut self, text: &str) -> Option<Arc<Expansion>> {
        if let Some(known) = self.recent.get(text) {
            return Some(Arc::clone(known));
        }
        let known = self.earlier.remove(text)?;
        self.insert(Arc::clone(&known));
        Some(known)
    }

    fn knows(&self, text: &str) -> Option<&Arc<Expansion>> {
        self.recent.get(text).or_else(|| self.earlier.get(text))
    }

    fn insert(&mut self, expansion: Arc<Expansion>) {
        let text = expansion.of.text.len();
        self.bytes += (expansion.steps.len() + 1) * (BYTES_OF_STEP + text);
        if self.bytes > MOST_REMEMBERED {
            self.earlier = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
        self.recent.insert(Arc::clone(&expansion.of.text), expansion);
    }
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
        Ok(RulesProgram(Arc::new(Shared {
            name: description.name.clone().leak(),
            command: command.to_owned(),
            description,
            process: Mutex::new(process),
            memory: Mutex::default(),
            codes: Mutex::default(),
            give_up,
        })))
    }

    pub(super) fn game_name(&self) -> &'static str {
        self.0.name
    }

    pub(super) fn command(&self) -> &str {
        &self.0.command
    }

    pub(super) fn description(&self) -> &Description {
        &self.0.description
    }

    /// Returns the moves of a position that is not over. `origin` are those among which it was reached.
    pub(super) fn expansion(
        &self,
        position: &Arc<Facts>,
        origin: Option<&Arc<Expansion>>,
    ) -> Arc<Expansion> {
        let earlier = origin.map_or(0, |origin| origin.asked.fetch_add(1, Ordering::Relaxed));
        if let Some(known) = lock(&self.0.memory).get(&position.text) {
            return known;
        }
        let mut process = lock(&self.0.process);
        // Another thread may have asked meanwhile.
        if let Some(known) = lock(&self.0.memory).get(&position.text) {
            return known;
        }
        let mut asked = vec![Arc::clone(position)];
        if let Some(origin) = origin.filter(|_| earlier > 0) {
            self.add_siblings(origin, earlier, &mut asked);
        }
        let answer = self.expand(&mut process, &asked).and_then(|found| {
            let mut memory = lock(&self.0.memory);
            for expansion in &found {
                memory.insert(Arc::clone(expansion));
            }
            found.into_iter().next().ok_or_else(|| process.unexpected("moves", "none"))
        });
        answer.unwrap_or_else(|fault| self.give_up(&mut process, &fault))
    }

    /// Adds up to `most` positions beside the first that are likely to be asked for next: those that look
    /// best to the side that moved there. A search may be content with the first position of several, but the
    /// more of them it has asked for, the more it will.
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

    /// Asks for the moves of positions.
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
            found.push(Arc::new(Expansion { of, steps, codes, asked }));
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

    /// Checks that positions are told as they were before.
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
    fn codes(&self, process: &Process, steps: &[Step]) -> Result<Vec<u16>, RulesFault> {
        let mut codes = lock(&self.0.codes);
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

    /// Asks for the position of a state file. Returns the reason if the program refuses it.
    pub(super) fn read(&self, text: &str) -> Result<Arc<Facts>, String> {
        let mut process = lock(&self.0.process);
        let answer = self.ask_to_read(&mut process, text);
        answer.unwrap_or_else(|fault| self.give_up(&mut process, &fault))
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
        answer.unwrap_or_else(|fault| self.give_up(&mut process, &fault))
    }

    pub(super) fn process(&self) -> MutexGuard<'_, Process> {
        lock(&self.0.process)
    }

    fn give_up(&self, process: &mut Process, fault: &RulesFault) -> ! {
        process.kill();
        (self.0.give_up)(fault)
    }
}

/// Checks that a move fits the position before it.
fn check_step(of: &Facts, Step { mv, after }: &Step) -> Result<(), String> {
    let place = || format!("after the move {mv} in {}", of.text);
    if after.side == of.side && mv.as_str() == PASS {
        return Err(format!("lets the same side move again, {}", place()));
    }
    if after.points.is_some() != of.points.is_some() {
        return Err(format!("gives points in some positions only: see {}", place()));
    }
    match (of.plies_left, after.plies_left) {
        (None, _) => Ok(()),
        (Some(left), Some(next)) if next < left => Ok(()),
        (Some(left), next) => {
            let found = next.map_or_else(|| "no number".to_owned(), |next| next.to_string());
            Err(format!("goes from `left {left}` to {found}, {}", place()))
        }
    }
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

/// Returns the fault that a position was told in two ways.
pub(super) fn contradiction(before: &Facts, now: &Facts) -> String {
    if before.text == now.text && before.words() == now.words() {
        return format!("contradicts itself: {} has two keys", now.text);
    }
    let (said, says) = (before.words(), now.words());
    let what = if before.text == now.text { "" } else { &*format!(" {}", before.text) };
    format!("contradicts itself: {} is `{says}`, and was{what} `{said}`", now.text)
}

impl Expansion {
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn find(&self, mv: MoveText) -> Option<(&Step, u16)> {
        let index = self.steps.iter().position(|step| step.mv == mv)?;
        Some((&self.steps[index], self.codes[index]))
    }
}

impl fmt::Debug for RulesProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RulesProgram").field(&self.0.name).finish()
    }
}
