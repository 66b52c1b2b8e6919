//! The moves that a rules program has told, remembered, and the contradictions in what it tells.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

use plyground::Outcome;

use super::message::{Facts, Step, read_move};
use super::process::RulesFault;
use crate::move_text::MoveText;

/// The most bytes of remembered answers of one generation; there are two.
const MOST_REMEMBERED: usize = 64 << 20;

/// The approximate number of bytes of a remembered move beside its texts.
const BYTES_OF_STEP: usize = 200;

/// The name of the move of a player who has no other.
pub(super) const PASS: &str = "pass";

/// The moves of a position.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) of: Arc<Facts>,
    pub(super) steps: Vec<Step>,
    /// The numbers of the moves.
    pub(super) codes: Vec<u16>,
    /// The number of positions after these moves that were asked for.
    pub(super) asked: AtomicU32,
    /// The reason why these are no real moves, and the time at which it came up.
    pub(super) fault: Option<(RulesFault, Instant)>,
}

/// The expansions that were asked for, by the text of the position. When there are too many, those that were
/// not asked for again lately are forgotten.
#[derive(Default)]
pub(super) struct Memory {
    recent: HashMap<Arc<str>, Arc<Expansion>>,
    earlier: HashMap<Arc<str>, Arc<Expansion>>,
    /// The approximate number of bytes of `recent`.
    bytes: usize,
}

impl Memory {
    pub(super) fn get(&mut self, text: &str) -> Option<Arc<Expansion>> {
        if let Some(known) = self.recent.get(text) {
            return Some(Arc::clone(known));
        }
        let known = self.earlier.remove(text)?;
        self.insert(Arc::clone(&known));
        Some(known)
    }

    pub(super) fn knows(&self, text: &str) -> Option<&Arc<Expansion>> {
        self.recent.get(text).or_else(|| self.earlier.get(text))
    }

    pub(super) fn insert(&mut self, expansion: Arc<Expansion>) {
        let text = expansion.of.text.len();
        self.bytes += (expansion.steps.len() + 1) * (BYTES_OF_STEP + text);
        if self.bytes > MOST_REMEMBERED {
            self.earlier = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
        self.recent.insert(Arc::clone(&expansion.of.text), expansion);
    }
}

impl Expansion {
    /// Returns the moves of a position that the program fails to tell: a pass, after which the game is over.
    pub(super) fn without_moves(of: &Arc<Facts>, fault: RulesFault) -> Expansion {
        let mut after = Facts::clone(of);
        after.outcome = Some(match of.points {
            Some([first, second]) => Outcome::Points { first, second },
            None => Outcome::Draw,
        });
        after.plies_left = of.plies_left.map(|left| left.saturating_sub(1));
        let steps = read_move(PASS).map(|mv| Step { mv, after: Arc::new(after) });
        let (steps, codes) = (steps.into_iter().collect(), vec![0]);
        let (of, asked) = (Arc::clone(of), AtomicU32::new(0));
        Expansion { of, steps, codes, asked, fault: Some((fault, Instant::now())) }
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn find(&self, mv: MoveText) -> Option<(&Step, u16)> {
        let index = self.steps.iter().position(|step| step.mv == mv)?;
        Some((&self.steps[index], self.codes[index]))
    }
}

/// Checks that a move fits the position before it.
pub(super) fn check_step(of: &Facts, Step { mv, after }: &Step) -> Result<(), String> {
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

/// Returns the fault that a position was told in two ways.
pub(super) fn contradiction(before: &Facts, now: &Facts) -> String {
    if before.text == now.text && before.words() == now.words() {
        return format!("contradicts itself: {} has two keys", now.text);
    }
    let (said, says) = (before.words(), now.words());
    let what = if before.text == now.text { "" } else { &*format!(" {}", before.text) };
    format!("contradicts itself: {} is `{says}`, and was{what} `{said}`", now.text)
}
