//! The size of a tree.

use super::alpha_beta::search;
use super::observer::{Entered, Found, Observer, Source};
use super::options::TraceOptions;
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::score::Score;

/// The counts of the positions that a search enters, and of its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions entered at each distance from the root, which is the first.
    pub by_ply: Vec<u64>,
    /// Moves cut off, by the distance of the positions after them.
    pub cut_by_ply: Vec<u64>,
    /// Evaluations at the horizon; those that put moves in order are not counted.
    pub evaluations: u64,
    /// Answers of the table.
    pub table_hits: u64,
    /// The value of the root.
    pub score: Score,
    most: u64,
    ply: usize,
}

impl Counts {
    /// Searches `position` and counts the steps. Returns `None` if the search enters more than `most`
    /// positions.
    pub fn search<G: SearchHints, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        options: &TraceOptions,
        most: u64,
    ) -> Option<Counts> {
        let plies = options.depth as usize + 1;
        let zeros = || vec![0; plies];
        let mut counts = Counts { by_ply: zeros(), cut_by_ply: zeros(), most, ..Counts::default() };
        counts.score = search(position, evaluator, options, &mut counts)?.score;
        Some(counts)
    }

    /// Returns the number of positions entered.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.by_ply.iter().sum()
    }

    /// Returns the number of moves cut off.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut_by_ply.iter().sum()
    }

    /// Returns the greatest distance from the root down to which the tree has no more than `most` nodes,
    /// including those that are cut off; at least 1.
    #[must_use]
    pub fn plies_within(&self, most: u64) -> u32 {
        let mut sum = 0;
        let plies = self.by_ply.iter().zip(&self.cut_by_ply).take_while(|&(searched, cut)| {
            sum += searched + cut;
            sum <= most
        });
        (plies.count() as u32).saturating_sub(1).max(1)
    }
}

impl<G: SearchHints> Observer<G> for Counts {
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool {
        self.ply = entered.ply as usize;
        self.by_ply[self.ply] += 1;
        self.most = match self.most.checked_sub(1) {
            Some(left) => left,
            None => return false,
        };
        true
    }

    fn cut(&mut self, _: &G, moves: &[(G::Move, G)]) {
        // The search has just come back from the ply of these.
        self.cut_by_ply[self.ply] += moves.len() as u64;
    }

    fn leave(&mut self, _: &G, found: &Found<G::Move>) {
        match found.source {
            Source::Evaluation => self.evaluations += 1,
            Source::Table(_) => self.table_hits += 1,
            Source::Outcome | Source::Moves => {}
        }
        if found.source == Source::Moves {
            self.ply -= 1;
        }
    }
}
