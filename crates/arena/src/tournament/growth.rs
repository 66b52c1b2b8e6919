//! Plans that grow: late players, more rounds and more pairings leave everything that has been
//! played as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::fixture::Fixture;
use super::plan::{PLAN, TournamentFormat, TournamentPlan};

/// The difference between a plan and the plan of the games in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The plans are the same.
    Same,
    /// The plan has all games of the folder's plan and more.
    Grown,
    /// The plans differ in another way.
    Other {
        /// The key that differs.
        key: String,
        /// Its value in the folder.
        found: String,
        /// Its value in the plan.
        expected: String,
    },
}

impl Growth {
    /// Compares the text of a plan with the text that was found in a folder.
    pub(super) fn of(found: &str, plan: &str) -> Growth {
        if found == plan {
            return Growth::Same;
        }
        let parse = |text| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
        let (found, plan) = (parse(found), parse(plan));
        let format = plan.get("format").and_then(|format| format.get("format"));
        // The meetings of a knockout or a Swiss tournament depend on all earlier games and players.
        let is_fixed = format.is_some_and(|format| format != "round-robin" && format != "gauntlet");
        let keys = plan.keys().chain(found.keys().filter(|key| !plan.contains_key(*key)));
        for key in keys {
            let [old, new] = [&found, &plan].map(|plan| plan.get(key).unwrap_or(&Value::Null));
            let has_grown = match key.as_str() {
                "name" => true,
                "rounds" => !is_fixed && old.as_u64() < new.as_u64(),
                "format" => more_pairings(old, new),
                "players" => match first_difference(old, new) {
                    Some((_, Value::Null, _)) | None => !is_fixed,
                    Some((place, old, new)) => {
                        let key = format!("player {}", place + 1);
                        return Growth::Other { key, found: brief(&old), expected: brief(&new) };
                    }
                },
                // The plan in the folder has no level if no player needed a sandbox.
                "sandbox" => old.is_null(),
                _ => false,
            };
            if old != new && !has_grown {
                let (found, expected) = (brief(old), brief(new));
                return Growth::Other { key: key.clone(), found, expected };
            }
        }
        Growth::Grown
    }
}

/// Returns true if a Swiss tournament has gained pairings and is otherwise the same.
fn more_pairings(old: &Value, new: &Value) -> bool {
    let pairings = |format: &Value| format.get("pairings").and_then(Value::as_u64);
    old.get("format") == new.get("format") && pairings(old) < pairings(new)
}

/// Returns the first place in which two lists differ, with the values there.
fn first_difference(old: &Value, new: &Value) -> Option<(usize, Value, Value)> {
    let [old, new] = [old, new].map(|list| list.as_array().cloned().unwrap_or_default());
    let at = |list: &Vec<Value>, place| list.get(place).cloned().unwrap_or_default();
    let places = 0..old.len().max(new.len());
    let all = places.map(|place| (place, at(&old, place), at(&new, place)));
    all.into_iter().find(|(_, old, new)| old != new)
}

/// Returns a value as one short line. A player is shown by its name and specification.
fn brief(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = match (value.get("name"), value.get("player"), value) {
        (Some(name), Some(player), _) => {
            let [name, player] = [name, player].map(|it| it.as_str().unwrap_or_default());
            if name == player { name.to_owned() } else { format!("{name} ({player})") }
        }
        (_, _, Value::Null) => "none".to_owned(),
        (_, _, Value::Array(list)) => format!("{} of them", list.len()),
        _ => value.to_string(),
    };
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

impl TournamentPlan {
    /// Puts the players in the order that they have in a folder with games of this plan, if it has
    /// any. Players that joined later come last, wherever the file or the class has them. The order
    /// of a knockout or a Swiss tournament stays, since its meetings depend on it.
    pub fn keep_order_of(&mut self, folder: &Path) {
        if self.format.unfolds() {
            return;
        }
        let text = fs::read(folder.join(PLAN)).unwrap_or_default();
        // Opening the folder refuses it if it has no such plan.
        let found: Value = serde_json::from_slice(&text).unwrap_or_default();
        let names = found["players"].as_array().into_iter().flatten();
        let places: BTreeMap<&str, usize> =
            names.filter_map(|player| player["name"].as_str()).zip(0..).collect();
        let challenger = match self.format {
            TournamentFormat::Gauntlet { challenger } => {
                Some(self.players[challenger].name.clone())
            }
            _ => None,
        };
        let last = places.len();
        self.players.sort_by_key(|player| places.get(&*player.name).copied().unwrap_or(last));
        let is_challenger = |name: &String| challenger.as_ref() == Some(name);
        if let Some(challenger) = self.players.iter().position(|it| is_challenger(&it.name)) {
            self.format = TournamentFormat::Gauntlet { challenger };
        }
    }
}

/// The players that were checked, and those of them that cannot play. Players are numbered as in
/// the plan.
#[derive(Debug, Default)]
pub(super) struct Attendance {
    looked_for: BTreeSet<usize>,
    absent: BTreeMap<usize, String>,
    /// The absent players that were not reported yet.
    news: BTreeSet<usize>,
}

impl Attendance {
    /// Returns the players of these games that have not been checked.
    pub(super) fn newcomers(&self, fixtures: &[Fixture]) -> BTreeSet<usize> {
        self.unseen(fixtures.iter().flat_map(|fixture| fixture.seats))
    }

    /// Returns those of these players that have not been checked.
    pub(super) fn unseen(&self, players: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        players.into_iter().filter(|player| !self.looked_for.contains(player)).collect()
    }

    /// Records that a player can play, or the reason why it cannot.
    pub(super) fn add(&mut self, player: usize, ready: Result<(), String>) {
        self.looked_for.insert(player);
        if let Err(why) = ready {
            self.absent.insert(player, why);
            self.news.insert(player);
        }
    }

    /// Returns the players that cannot play, with the reasons.
    pub(super) fn absent(&self) -> BTreeMap<usize, String> {
        self.absent.clone()
    }

    /// Returns the absent players that were not reported yet, by reason, since a whole class may
    /// share one.
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
    use crate::tournament::fixture::{FixtureOpening, GameNumber};

    fn plan(format: &str, rounds: u32, players: &[&str]) -> String {
        let players: Vec<_> = players
            .iter()
            .map(|name| format!(r#"{{"name":"{name}","player":"random","depth":null}}"#))
            .collect();
        let players = players.join(",");
        format!(r#"{{"seed":3,"format":{format},"rounds":{rounds},"players":[{players}]}}"#)
    }

    const ROBIN: &str = r#"{"format":"round-robin"}"#;

    fn swiss(pairings: u32) -> String {
        format!(r#"{{"format":"swiss","pairings":{pairings}}}"#)
    }

    #[test]
    fn more_rounds_pairings_and_players_are_growth() {
        let old = plan(ROBIN, 2, &["a", "b"]);
        assert_eq!(Growth::of(&old, &old), Growth::Same);
        assert_eq!(Growth::of(&old, &plan(ROBIN, 3, &["a", "b"])), Growth::Grown);
        assert_eq!(Growth::of(&old, &plan(ROBIN, 2, &["a", "b", "c"])), Growth::Grown);
        let old = plan(&swiss(2), 2, &["a", "b"]);
        assert_eq!(Growth::of(&old, &plan(&swiss(3), 2, &["a", "b"])), Growth::Grown);
    }

    #[test]
    fn what_is_no_growth_is_named() {
        let (robin, swiss2) = (plan(ROBIN, 2, &["a", "b"]), swiss(2));
        let old_swiss = plan(&swiss2, 2, &["a", "b"]);
        for (old, new, key, found, expected) in [
            (&robin, robin.replace('3', "4"), "seed", "3", "4"),
            (&robin, plan(ROBIN, 1, &["a", "b"]), "rounds", "2", "1"),
            (&robin, plan(ROBIN, 2, &["a", "c", "b"]), "player 2", "b (random)", "c (random)"),
            (&robin, plan(ROBIN, 2, &["a"]), "player 2", "b (random)", "none"),
            (&old_swiss, plan(&swiss2, 3, &["a", "b"]), "rounds", "2", "3"),
            (&old_swiss, plan(&swiss2, 2, &["a", "b", "c"]), "players", "2 of them", "3 of them"),
        ] {
            let [key, found, expected] = [key, found, expected].map(str::to_owned);
            assert_eq!(Growth::of(old, &new), Growth::Other { key, found, expected });
        }
        assert!(matches!(Growth::of("torn", &robin), Growth::Other { .. }));
    }

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
