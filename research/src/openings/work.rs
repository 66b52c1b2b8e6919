//! The first moves and the questions about each, and the order of the work; and the questions, answered by several
//! threads at a time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use network::{ChipEval, Move, Position, Win};
use plyground::proof::{Goal, Prover};
use plyground::search::SearchContext;
use plyground::{Evaluator, Game, Limits};
use plyground_cli::progress;
use plyground_durable::FileError;
use plyground_durable::journal::Journal;
use plyground_durable::work::run_in_threads;

use super::question::{Fact, Facts, MoveStatus, Question, Trial, price};
use crate::opening::{distinct, moves_text, plies_to_chip};
use crate::speed_of;

/// The numbers of positions that a first move, and a reply to it, may cost before the next one is worked on
/// too.
const FIRST_PATIENCE: u64 = 100_000_000;
const REPLY_PATIENCE: u64 = 60_000_000;

/// The extent of the results that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The result of each first move: one reply may refute it.
    Firsts,
    /// The result of each reply to each first move.
    Replies,
    /// The result of each reply, with the least chip that wins.
    Least,
}

/// A first move of the color.
#[derive(Clone, Debug)]
pub(super) struct First {
    /// The move.
    pub(super) mv: Move,
    /// A question for each reply; one of each set of mirror images.
    pub(super) questions: Vec<Question>,
    /// The answer, if it needs no reply.
    judged: Option<bool>,
    /// The number of replies that each second move has beaten.
    wins: HashMap<Move, u32>,
    /// The number of positions that other tasks have visited for it.
    pub(super) nodes_elsewhere: u64,
}

impl First {
    /// Returns true if the first move wins by the last chip asked for, false if it does not; `None` if that
    /// is unknown.
    pub(super) fn verdict(&self, chips: usize) -> Option<bool> {
        if self.judged.is_some() {
            return self.judged;
        }
        if self.refuter(chips).is_some() {
            return Some(false);
        }
        self.questions.iter().all(|question| question.verdict() == Some(true)).then_some(true)
    }

    /// Returns a question with a negative answer for the last chip, if there is one.
    pub(super) fn refuter(&self, chips: usize) -> Option<&Question> {
        let refutes = |q: &&Question| q.chip == chips && q.verdict() == Some(false);
        self.questions.iter().find(refutes)
    }

    /// Returns the index of the free question to work on: the question of the reply that looks best for the
    /// other color, until it has cost too much. Replies that refute second moves tend to be good replies to
    /// the first move.
    fn next(
        &self,
        refuters: &HashMap<Move, u32>,
        is_free: impl Fn(&Question) -> bool,
    ) -> Option<usize> {
        let questions = &self.questions;
        let mut free: Vec<usize> =
            (0..questions.len()).filter(|&i| is_free(&questions[i])).collect();
        let count = |question: &Question| {
            let reply = question.moves.last();
            reply.and_then(|reply| refuters.get(reply)).copied().unwrap_or_default()
        };
        // The color is to move.
        free.sort_by_cached_key(|&index| {
            let question = &questions[index];
            (Reverse(count(question)), ChipEval.evaluate(&question.position).get())
        });
        let cost =
            |&(rank, index): &(usize, usize)| price(rank, questions[index].nodes, REPLY_PATIENCE);
        free.into_iter().enumerate().min_by_key(cost).map(|(_, index)| index)
    }

    /// Returns the number of positions visited so far.
    pub(super) fn nodes(&self) -> u64 {
        let here: u64 = self.questions.iter().map(|question| question.nodes).sum();
        self.nodes_elsewhere + here
    }
}

/// The task of a thread: to try the replies to a second move, in turn, until one refutes it or too many are
/// undecided.
#[derive(Clone, Debug)]
struct Attempt {
    first: usize,
    question: usize,
    second: usize,
    /// The moves from the start, the second move included.
    moves: Vec<Move>,
    /// The position after them.
    position: Position,
    /// The replies.
    replies: Vec<Move>,
    /// The number of the chip by which the color must win.
    chip: usize,
    /// The limits of the trial.
    trial: Trial,
}

impl Attempt {
    /// Returns the status of the second move by the known facts, without any search.
    fn known(&self, facts: &Facts) -> MoveStatus {
        let verdict = |&reply: &Move| facts.verdict(&self.position.after(reply), self.chip);
        if let Some(&reply) = self.replies.iter().find(|reply| verdict(reply) == Some(false)) {
            return MoveStatus::Refuted(Some(reply));
        }
        let all_won = self.replies.iter().all(|reply| verdict(reply) == Some(true));
        if all_won { MoveStatus::Wins } else { MoveStatus::Open }
    }
}

/// All first moves.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The goal that the color wins.
    goal: Win,
    /// The last chip that is asked for.
    pub(super) chips: usize,
    /// The extent of the results that are asked for.
    pub(super) extent: Extent,
    /// The first moves, one of each set of mirror images.
    pub(super) firsts: Vec<First>,
    /// The number of second moves that each reply has refuted.
    refuters: HashMap<Move, u32>,
}

impl Tree {
    /// Makes the questions about these first moves, or about all first moves if `moves` is empty.
    ///
    /// # Errors
    ///
    /// Returns the first move that cannot be played, or the first reply that no first move allows.
    pub(super) fn new(
        start: &Position,
        moves: &[Move],
        replies: &[Move],
        chips: usize,
        extent: Extent,
    ) -> Result<Tree, network::IllegalMove> {
        let goal = Win::new(start, start.to_move());
        let moves = if moves.is_empty() { start.legal_moves().collect() } else { moves.to_vec() };
        let mut tree = Tree { goal, chips, extent, firsts: Vec::new(), refuters: HashMap::new() };
        moves.iter().try_for_each(|&mv| start.check_legal(mv))?;
        for (mv, after) in distinct(start, moves) {
            let first = tree.first(start, mv, &after, replies);
            tree.firsts.push(first);
        }
        replies.iter().try_for_each(|&reply| tree.check_reply(start, reply))?;
        Ok(tree)
    }

    /// Checks that a reply can be played after one of the first moves.
    fn check_reply(&self, start: &Position, reply: Move) -> Result<(), network::IllegalMove> {
        let mut checks = self.firsts.iter().map(|first| start.after(first.mv).check_legal(reply));
        let fault = checks.next().and_then(Result::err);
        fault.filter(|_| checks.all(|check| check.is_err())).map_or(Ok(()), Err)
    }

    fn first(&self, start: &Position, mv: Move, after: &Position, replies: &[Move]) -> First {
        let plies = plies_to_chip(start, self.chips).saturating_sub(1);
        // A reply can hand the color its win, so the last ply may be the reply's.
        let judged = self.goal.judge(after, plies).verdict();
        let mut first =
            First { mv, questions: Vec::new(), judged, wins: HashMap::new(), nodes_elsewhere: 0 };
        if judged.is_some() {
            return first;
        }
        let is_asked = |reply: &Move| replies.is_empty() || replies.contains(reply);
        for (reply, position) in distinct(after, after.legal_moves().filter(is_asked)) {
            let least = position.chips(position.to_move()).len() + 1;
            let chip = if self.extent == Extent::Least { least } else { self.chips };
            let question = Question::new(&self.goal, &position, vec![mv, reply], chip);
            first.questions.push(question);
        }
        first.questions.iter_mut().for_each(|q| ask_on(&self.goal, q, self.chips));
        first
    }

    /// Returns true if the questions about a first move are settled.
    pub(super) fn is_settled(&self, first: &First) -> bool {
        match self.extent {
            Extent::Firsts => first.verdict(self.chips).is_some(),
            Extent::Replies | Extent::Least => {
                first.questions.iter().all(|question| question.verdict().is_some())
            }
        }
    }

    /// Takes the next attempt: for the first of the unsettled first moves, until it has cost too much.
    /// Returns `None` if everything is settled or being worked on.
    fn take(&mut self) -> Option<Attempt> {
        let is_free = |q: &Question| !q.is_busy && q.verdict().is_none();
        let open = |index: &usize| {
            let first = &self.firsts[*index];
            !self.is_settled(first) && first.questions.iter().any(is_free)
        };
        let cost = |&index: &usize| price(index, self.firsts[index].nodes(), FIRST_PATIENCE);
        let first_index = (0..self.firsts.len()).filter(open).min_by_key(cost)?;
        let first = &mut self.firsts[first_index];
        let index = first.next(&self.refuters, is_free)?;
        let question = &mut first.questions[index];
        let (second_index, trial) = question.next(&first.wins)?;
        question.is_busy = true;
        Some(self.task((first_index, index, second_index), trial))
    }

    /// Makes the attempt at a second move, given the indexes of its first move, its question and itself.
    fn task(&self, (first, question, second): (usize, usize, usize), trial: Trial) -> Attempt {
        let asked = &self.firsts[first].questions[question];
        let tried = &asked.seconds[second];
        Attempt {
            first,
            question,
            second,
            moves: asked.moves.iter().copied().chain([tried.mv]).collect(),
            position: tried.position,
            replies: asked.replies(&self.goal, second, &self.refuters),
            chip: asked.chip,
            trial,
        }
    }

    /// Applies the facts that are known before the work begins, so that no thread finds them again.
    pub(super) fn learn(&mut self, facts: &Facts) {
        for first in 0..self.firsts.len() {
            for question in 0..self.firsts[first].questions.len() {
                while self.learn_of(first, question, facts) {}
            }
        }
    }

    /// Applies the facts known of the open second moves of a question. Returns true if there were any; then
    /// the question may be about another chip.
    fn learn_of(&mut self, first: usize, question: usize, facts: &Facts) -> bool {
        let open = self.firsts[first].questions[question].open();
        let tasks = open.map(|second| self.task((first, question, second), Trial::FREE));
        let judged = tasks.map(|task| (task.known(facts), task));
        let known: Vec<_> = judged.filter(|(status, _)| *status != MoveStatus::Open).collect();
        known.iter().for_each(|(status, task)| self.give(task, *status, 0));
        !known.is_empty()
    }

    /// Records the result of an attempt, and the number of positions visited.
    fn give(&mut self, task: &Attempt, status: MoveStatus, nodes: u64) {
        let first = &mut self.firsts[task.first];
        let question = &mut first.questions[task.question];
        question.is_busy = false;
        question.set(task.second, status, nodes);
        match status {
            MoveStatus::Wins => {
                *first.wins.entry(question.seconds[task.second].mv).or_default() += 1
            }
            MoveStatus::Refuted(Some(reply)) => *self.refuters.entry(reply).or_default() += 1,
            MoveStatus::Open | MoveStatus::Refuted(None) => {}
        }
        ask_on(&self.goal, question, self.chips);
    }

    /// Returns the number of first moves, or of replies if all are asked about, and the number of those
    /// that are settled.
    pub(super) fn progress(&self) -> (usize, usize) {
        match self.extent {
            Extent::Firsts => {
                let settled = self.firsts.iter().filter(|first| self.is_settled(first)).count();
                (self.firsts.len(), settled)
            }
            Extent::Replies | Extent::Least => {
                let questions = || self.firsts.iter().flat_map(|first| &first.questions);
                let settled = questions().filter(|question| question.verdict().is_some()).count();
                (questions().count(), settled)
            }
        }
    }
}

/// Asks for the next chip as long as the present one does not suffice.
fn ask_on(goal: &Win, question: &mut Question, chips: usize) {
    while question.chip < chips && question.verdict() == Some(false) {
        question.ask(goal, question.chip + 1);
    }
}

/// The work that the threads share.
pub(super) struct Work {
    prover: Prover,
    known: Mutex<Known>,
    /// Notified when an attempt ends.
    ended: Condvar,
    context: SearchContext,
}

/// The results so far.
struct Known {
    tree: Tree,
    facts: Facts,
    keeping: Keeping,
    /// The number of attempts under way.
    busy: usize,
}

/// The place where facts are kept, besides memory.
#[derive(Debug)]
pub(super) enum Keeping {
    /// Facts are kept in memory only.
    Nothing,
    /// Facts are kept in a journal, on the disk.
    Journal(Journal),
    /// Facts are kept as the lines of a journal.
    List(Vec<String>),
}

impl Keeping {
    fn keep(&mut self, fact: &Fact) -> Result<(), FileError> {
        match self {
            Keeping::Nothing => {}
            Keeping::Journal(journal) => journal.add(&fact.line())?,
            Keeping::List(lines) => lines.push(fact.line()),
        }
        Ok(())
    }
}

impl Work {
    /// Makes work that has not begun.
    pub(super) fn new(tree: Tree, memory: usize, stop: Arc<AtomicBool>, keeping: Keeping) -> Work {
        let known = Known { tree, facts: Facts::default(), keeping, busy: 0 };
        Work {
            prover: Prover::new(memory),
            known: Mutex::new(known),
            ended: Condvar::new(),
            context: stop.into(),
        }
    }

    /// Adds earlier facts, with their positions, and keeps new facts in `journal`.
    pub(super) fn resume(&mut self, journal: Journal, found: Vec<(Position, Fact)>) {
        let known = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (position, fact) in found {
            known.facts.add(&position, fact.chip, fact.won);
        }
        known.tree.learn(&known.facts);
        known.keeping = Keeping::Journal(journal);
    }

    /// Works on the open questions until they are settled or the work is stopped. Returns the first moves
    /// with all results, and the place where facts are kept.
    pub(super) fn run(self, threads: NonZeroUsize) -> anyhow::Result<(Tree, Keeping)> {
        let bar = self.progress_bar();
        let next = || {
            let attempt = self.take()?;
            let moves = moves_text(&attempt.moves);
            bar.set_message(format!("{moves} by chip {}", attempt.chip));
            Some(attempt)
        };
        // The same thread records the result: its next attempt may depend on it.
        let work = |_, attempt: Attempt| {
            self.attempt(&attempt)?;
            bar.set_position(self.lock().tree.progress().1 as u64);
            Ok::<_, FileError>(())
        };
        run_in_threads(threads, &self.context.stop, next, work, |result| anyhow::Ok(result?))?;
        bar.finish_and_clear();
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((known.tree, known.keeping))
    }

    /// Works on the open questions in this thread, and returns the results; `None` if the work was stopped.
    pub(super) fn in_turn(self) -> Result<Option<(Tree, Keeping)>, FileError> {
        while let Some(attempt) = self.take() {
            self.attempt(&attempt)?;
        }
        let is_stopped = self.context.is_stopped();
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((!is_stopped).then_some((known.tree, known.keeping)))
    }

    /// Makes an attempt and records its result.
    fn attempt(&self, attempt: &Attempt) -> Result<(), FileError> {
        let result = self.solve(attempt);
        let mut known = self.lock();
        known.busy -= 1;
        self.ended.notify_all();
        let (status, nodes) = result?;
        known.tree.give(attempt, status, nodes);
        Ok(())
    }

    /// Takes the next attempt. If there is no attempt now, waits while attempts under way may lead to more.
    fn take(&self) -> Option<Attempt> {
        let mut known = self.lock();
        loop {
            if self.context.is_stopped() {
                return None;
            }
            if let Some(attempt) = known.tree.take() {
                known.busy += 1;
                return Some(attempt);
            }
            if known.busy == 0 {
                return None;
            }
            known = self.ended.wait(known).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tries the replies of an attempt. Returns the status of the second move, and the number of positions
    /// visited.
    fn solve(&self, attempt: &Attempt) -> Result<(MoveStatus, u64), FileError> {
        let known = attempt.known(&self.lock().facts);
        if known != MoveStatus::Open {
            return Ok((known, 0));
        }
        let (mut nodes, mut undecided) = (0, 0);
        for &reply in &attempt.replies {
            let (verdict, visited) = self.after(attempt, reply)?;
            nodes += visited;
            match verdict {
                Some(true) => {}
                Some(false) => return Ok((MoveStatus::Refuted(Some(reply)), nodes)),
                None => undecided += 1,
            }
            if undecided >= attempt.trial.undecided || self.context.is_stopped() {
                return Ok((MoveStatus::Open, nodes));
            }
        }
        Ok((if undecided == 0 { MoveStatus::Wins } else { MoveStatus::Open }, nodes))
    }

    /// Returns true if the color wins after a reply, false if it does not, `None` if that remains unknown;
    /// and the number of positions visited.
    fn after(&self, attempt: &Attempt, reply: Move) -> Result<(Option<bool>, u64), FileError> {
        let position = attempt.position.after(reply);
        let (verdict, goal) = {
            let known = self.lock();
            (known.facts.verdict(&position, attempt.chip), known.tree.goal)
        };
        if verdict.is_some() {
            return Ok((verdict, 0));
        }
        let limits = Limits {
            nodes: Some(attempt.trial.nodes),
            context: self.context.clone(),
            ..Limits::default()
        };
        let plies = plies_to_chip(&position, attempt.chip);
        let proof = self.prover.prove(&goal, &position, plies, &limits);
        if let Some(won) = proof.reached {
            let moves = attempt.moves.iter().copied().chain([reply]).collect();
            self.keep(&position, &Fact { moves, chip: attempt.chip, won, nodes: proof.nodes })?;
        }
        Ok((proof.reached, proof.nodes))
    }

    fn keep(&self, position: &Position, fact: &Fact) -> Result<(), FileError> {
        let mut known = self.lock();
        known.facts.add(position, fact.chip, fact.won);
        known.keeping.keep(fact)
    }

    /// Makes a line on standard error, if that is a terminal, with the settled questions, the latest
    /// attempt, and the speed.
    fn progress_bar(&self) -> ProgressBar {
        let template = "{elapsed_precise}  {pos} of {len} settled {wide_bar}  \
            now {msg}, {speed} nodes/s";
        let style = progress::style(template).with_key("speed", speed_of(&self.context.monitor));
        let (all, settled) = self.lock().tree.progress();
        progress::bar(all as u64, style).with_position(settled as u64)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
