//! Which players of a tournament can play.

use std::collections::{BTreeMap, BTreeSet};

use super::fixture::Fixture;

/// Which players were looked for, and which of them cannot play. Players are numbered as in the
/// plan.
#[derive(Debug, Default)]
pub(super) struct Attendance {
    looked_for: BTreeSet<usize>,
    absent: BTreeMap<usize, String>,
    /// Those that nobody has been told of yet.
    news: BTreeSet<usize>,
}

impl Attendance {
    /// The players of these games that have not been looked for.
    pub(super) fn newcomers(&self, fixtures: &[Fixture]) -> BTreeSet<usize> {
        self.unseen(fixtures.iter().flat_map(|fixture| fixture.seats))
    }

    /// Those of these players that have not been looked for.
    pub(super) fn unseen(&self, players: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        players.into_iter().filter(|player| !self.looked_for.contains(player)).collect()
    }

    /// Takes notice of a player that can play, or why not.
    pub(super) fn add(&mut self, player: usize, ready: Result<(), String>) {
        self.looked_for.insert(player);
        if let Err(why) = ready {
            self.absent.insert(player, why);
            self.news.insert(player);
        }
    }

    /// Those that cannot play, and why.
    pub(super) fn absent(&self) -> BTreeMap<usize, String> {
        self.absent.clone()
    }

    /// Those that cannot play and were not asked for before, by the reason: a whole class may have
    /// the same.
    pub(super) fn take_news(&mut self) -> BTreeMap<String, Vec<usize>> {
        let mut by_reason: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for player in std::mem::take(&mut self.news) {
            let why = self.absent.get(&player).cloned().unwrap_or_default();
            by_reason.entry(why).or_default().push(player);
        }
        by_reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::fixture::FixtureOpening;
    use crate::tournament::number::GameNumber;

    #[test]
    fn every_player_is_looked_for_once() {
        let fixture = |seats| Fixture {
            number: GameNumber { meeting: 0, game: 0 },
            seats,
            opening: FixtureOpening::TieBreak,
            seed: 0,
        };
        let fixtures = [fixture([0, 1]), fixture([2, 0])];
        let mut attendance = Attendance::default();
        assert_eq!(attendance.newcomers(&fixtures), BTreeSet::from([0, 1, 2]));
        attendance.add(0, Ok(()));
        attendance.add(1, Err("gone".to_owned()));
        assert_eq!(attendance.newcomers(&fixtures), BTreeSet::from([2]));
        assert_eq!(attendance.absent(), BTreeMap::from([(1, "gone".to_owned())]));
        attendance.add(2, Err("gone".to_owned()));
        assert_eq!(attendance.take_news(), BTreeMap::from([("gone".to_owned(), vec![1, 2])]));
        assert!(attendance.take_news().is_empty());
    }
}
