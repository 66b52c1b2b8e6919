//! Who of the players of a tournament can play.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::tournament::Fixture;

/// Who was looked for, and who of them cannot play. Players are numbered as in the plan.
#[derive(Debug, Default)]
pub(super) struct Attendance {
    looked_for: BTreeSet<usize>,
    absent: BTreeMap<usize, String>,
    /// Those of whom nobody has been told yet.
    news: BTreeSet<usize>,
}

impl Attendance {
    /// The players of these games who have not been looked for.
    pub(super) fn newcomers(&self, fixtures: &[Fixture]) -> BTreeSet<usize> {
        let players = fixtures.iter().flat_map(|fixture| fixture.seats);
        players.filter(|player| !self.looked_for.contains(player)).collect()
    }

    /// Takes notice of a player who can play, or why not.
    pub(super) fn add(&mut self, player: usize, ready: Result<(), String>) {
        self.looked_for.insert(player);
        if let Err(why) = ready {
            self.absent.insert(player, why);
            self.news.insert(player);
        }
    }

    /// Those who cannot play, and why.
    pub(super) fn absent(&self) -> BTreeMap<usize, String> {
        self.absent.clone()
    }

    /// Says on standard error who cannot play: a line for every reason, for a whole class may have
    /// the same.
    pub(super) fn warn(&mut self, names: &[String]) {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for player in std::mem::take(&mut self.news) {
            let why = self.absent.get(&player).map_or("", String::as_str);
            by_reason.entry(why).or_default().push(&names[player]);
        }
        for (why, names) in by_reason {
            // If standard error is closed, nobody wants to know.
            let _ = writeln!(io::stderr(), "warning: {} not played: {why}", names.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{GameNumber, Opening};

    #[test]
    fn everybody_is_looked_for_once() {
        let fixture = |seats| Fixture {
            number: GameNumber { meeting: 0, game: 0 },
            seats,
            opening: Opening::TieBreak,
            seed: 0,
        };
        let fixtures = [fixture([0, 1]), fixture([2, 0])];
        let mut attendance = Attendance::default();
        assert_eq!(attendance.newcomers(&fixtures), BTreeSet::from([0, 1, 2]));
        attendance.add(0, Ok(()));
        attendance.add(1, Err("gone".to_owned()));
        assert_eq!(attendance.newcomers(&fixtures), BTreeSet::from([2]));
        assert_eq!(attendance.absent(), BTreeMap::from([(1, "gone".to_owned())]));
    }
}
