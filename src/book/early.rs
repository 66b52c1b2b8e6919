//! The values of all early positions, from those at one ply.

use std::collections::HashMap;

use super::entry::{Entry, value_by};
use super::error::BookError;
use crate::hints::SearchHints;
use crate::score::Score;

/// The values of every position up to a ply, sorted by key.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlyValues(Vec<Entry>);

impl EarlyValues {
    /// Makes the values of all early positions from those of the positions `plies` after `start`, each
    /// without the margin so far, in the order of their keys. The value of a position before that ply
    /// follows from its moves.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more positions than values, or fewer, or more at an earlier ply.
    pub(super) fn new<G: SearchHints>(
        start: &G,
        plies: u32,
        values: &[i16],
    ) -> Result<EarlyValues, BookError> {
        let found = values.len();
        let mut layers = layers(start, plies, found);
        let last =
            layers.pop().filter(|last| layers.len() == plies as usize && last.len() == found);
        let last = last.ok_or(BookError::OtherCount { plies, found })?;
        let entry =
            |(position, &to_come): (&G, &i16)| Entry { key: position.key(), to_come, code: None };
        let mut all: Vec<Vec<Entry>> = vec![last.iter().zip(values).map(entry).collect()];
        for layer in layers.iter().rev() {
            let next = all.last().map(Vec::as_slice).unwrap_or_default();
            all.push(layer.iter().filter_map(|position| by_moves(position, next)).collect());
        }
        // In games that can return to a position it may be at several plies, with one value.
        let mut entries = all.concat();
        entries.sort_unstable_by_key(Entry::key);
        entries.dedup_by_key(|entry| entry.key);
        Ok(EarlyValues(entries))
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        find(&self.0, key)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the entry with this key, of entries that are sorted by key.
fn find(entries: &[Entry], key: u64) -> Option<Entry> {
    entries.binary_search_by_key(&key, Entry::key).ok().map(|index| entries[index])
}

/// Returns the value of a position from those of the positions after its moves.
fn by_moves<G: SearchHints>(position: &G, next: &[Entry]) -> Option<Entry> {
    let worth = |mv| value_by(&position.after(mv), |key| find(next, key)).map(Score::before_move);
    let value = position.legal_moves().filter_map(worth).max()?;
    Some(Entry::of_value(position, value))
}

/// Returns the positions after 0, 1, 2 moves and so on up to `plies`, in which the game goes on, each
/// sorted by key and each position once; up to the first ply with more than `most`.
fn layers<G: SearchHints>(start: &G, plies: u32, most: usize) -> Vec<Vec<G>> {
    let mut layers: Vec<Vec<G>> = Vec::new();
    let mut layer: Vec<G> =
        [start.clone()].into_iter().filter(|it| it.outcome().is_none()).collect();
    while layers.len() < plies as usize && layer.len() <= most {
        let next = after_all(&layer, most);
        layers.push(layer);
        layer = next;
    }
    if layer.len() <= most {
        layers.push(layer);
    }
    layers
}

/// Returns the positions one move after these, sorted by key; not all if there are more than `most`.
fn after_all<G: SearchHints>(layer: &[G], most: usize) -> Vec<G> {
    let mut next: HashMap<u64, G> = HashMap::new();
    for position in layer {
        let children = position.legal_moves().map(|mv| position.after(mv));
        next.extend(children.filter(|it| it.outcome().is_none()).map(|it| (it.key(), it)));
        if next.len() > most {
            break;
        }
    }
    let mut next: Vec<(u64, G)> = next.into_iter().collect();
    next.sort_unstable_by_key(|&(key, _)| key);
    next.into_iter().map(|(_, position)| position).collect()
}

/// Returns the last ply at which the value of every position is among `known`, and these values in the
/// order of the keys. The search for the ply ends at one that has more positions than `known`.
pub(super) fn last_known_ply<G: SearchHints>(
    start: &G,
    known: &HashMap<u64, Entry>,
) -> Option<(u32, Vec<Entry>)> {
    let plies = start.plies_left()?;
    let layers = layers(start, plies, known.len());
    layers.iter().enumerate().rev().find_map(|(ply, layer)| {
        let entries = layer.iter().map(|position| known.get(&position.key()).copied());
        let entries: Vec<Entry> = entries.collect::<Option<_>>()?;
        (!entries.is_empty()).then_some((ply as u32, entries))
    })
}
