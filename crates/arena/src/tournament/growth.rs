//! Plans that grow: late players, more rounds and more pairings leave everything that has been
//! played as it is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::fixture::{Fixture, GameNumber};
use super::swiss::first_meeting;

/// The difference between a plan and the plan of the games in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The plans are the same.
    Same,
    /// The plan has all games of the folder's plan and more.
    Grown,
    /// The plan has more games, but would not leave everything as it is. The text has the reason and the
    /// remedy.
    Unfit(String),
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

/// The remedy for a plan that no folder with games takes.
const ANEW: &str = "choose another folder with --out, or remove this one";

impl Growth {
    /// Compares the text of a plan with the text that was found in a folder whose games have these
    /// numbers.
    pub(super) fn of(found: &str, plan: &str, played: &[GameNumber]) -> Growth {
        if found == plan {
            return Growth::Same;
        }
        let parse = |text| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
        let (found, plan) = (parse(found), parse(plan));
        if let Some(why) = unfit(&found, &plan, played) {
            return Growth::Unfit(why);
        }
        let unfolds = matches!(format_name(&plan), "knockout" | "swiss");
        let keys = plan.keys().chain(found.keys().filter(|key| !plan.contains_key(*key)));
        for key in keys {
            let [old, new] = [&found, &plan].map(|plan| plan.get(key).unwrap_or(&Value::Null));
            let has_grown = match key.as_str() {
                "name" => true,
                "rounds" => !unfolds && old.as_u64() < new.as_u64(),
                "format" => more_pairings(old, new),
                "players" => match first_difference(old, new) {
                    // Late players that do not fit have been named.
                    Some((_, Value::Null, _)) | None => true,
                    Some((place, old, new)) => return other_player(place, &old, &new),
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

/// Returns the reason why a plan that has grown does not fit the games that have been played, if
/// there is one, with the remedy.
fn unfit(
    found: &Map<String, Value>,
    plan: &Map<String, Value>,
    played: &[GameNumber],
) -> Option<String> {
    let format = format_name(plan);
    if format != format_name(found) {
        return None;
    }
    let rounds = [found, plan].map(|plan| plan.get("rounds").and_then(Value::as_u64));
    if matches!(format, "knockout" | "swiss") && rounds[0] < rounds[1] {
        return Some(format!(
            "has meetings of another number of rounds, {}, and with {} others might have won them: {ANEW}",
            rounds[0].unwrap_or_default(),
            rounds[1].unwrap_or_default()
        ));
    }
    let known: BTreeSet<&str> = players(found).map(name).collect();
    let late = players(plan).find(|player| !known.contains(name(player)))?;
    let (late, joins) = (name(late), joins(late));
    match format {
        "knockout" => Some(format!(
            "has games of a knockout, which takes no late player such as `{late}`, for its first \
             round decides who meets whom: {ANEW}"
        )),
        "swiss" => {
            let next = begun(found, played) + 1;
            (joins < next).then(|| {
                format!(
                    "has games of {} pairings, so that `{late}` cannot join in pairing {joins}: \
                     write `joins = {next}`",
                    next - 1
                )
            })
        }
        _ => None,
    }
}

fn format_name(plan: &Map<String, Value>) -> &str {
    plan.get("format").and_then(|format| format["format"].as_str()).unwrap_or_default()
}

pub(super) fn players(plan: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    plan.get("players").and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn name(player: &Value) -> &str {
    player["name"].as_str().unwrap_or_default()
}

/// Returns the first pairing of a player, from 1.
pub(super) fn joins(player: &Value) -> u32 {
    player["joins"].as_u64().and_then(|joins| joins.try_into().ok()).unwrap_or(1)
}

/// Returns the number of pairings of a Swiss tournament in which games have been played.
pub(super) fn begun(found: &Map<String, Value>, played: &[GameNumber]) -> u32 {
    let joins: Vec<u32> = players(found).map(|player| joins(player).saturating_sub(1)).collect();
    let Some(last) = played.iter().map(|number| number.meeting).max() else { return 0 };
    let most = u32::try_from(joins.len()).unwrap_or(u32::MAX);
    let begun = (0..most).take_while(|&pairing| first_meeting(&joins, pairing) <= last);
    begun.last().map_or(0, |pairing| pairing + 1)
}

/// Returns true if a Swiss tournament has gained pairings and is otherwise the same.
fn more_pairings(old: &Value, new: &Value) -> bool {
    let pairings = |format: &Value| format.get("pairings").and_then(Value::as_u64);
    old.get("format") == new.get("format") && pairings(old) < pairings(new)
}

/// Names the difference between two players at a place.
fn other_player(place: usize, old: &Value, new: &Value) -> Growth {
    let is_same = |key: &str| old[key] == new[key];
    if is_same("name") && is_same("player") && joins(old) != joins(new) {
        let [found, expected] = [old, new].map(|player| joins(player).to_string());
        return Growth::Other { key: format!("joins of `{}`", name(old)), found, expected };
    }
    let key = format!("player {}", place + 1);
    Growth::Other { key, found: brief(old), expected: brief(new) }
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
    use crate::tournament::fixture::FixtureOpening;

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

    fn growth(found: &str, plan: &str) -> Growth {
        Growth::of(found, plan, &[GameNumber { meeting: 0, game: 0 }])
    }

    #[test]
    fn more_rounds_pairings_and_players_are_growth() {
        let old = plan(ROBIN, 2, &["a", "b"]);
        assert_eq!(growth(&old, &old), Growth::Same);
        assert_eq!(growth(&old, &plan(ROBIN, 3, &["a", "b"])), Growth::Grown);
        assert_eq!(growth(&old, &plan(ROBIN, 2, &["a", "b", "c"])), Growth::Grown);
        let old = plan(&swiss(2), 2, &["a", "b"]);
        assert_eq!(growth(&old, &plan(&swiss(3), 2, &["a", "b"])), Growth::Grown);
        let late = plan(&swiss(3), 2, &["a", "b", "c"]).replace(r#""c""#, r#""c","joins":2"#);
        assert_eq!(growth(&old, &late), Growth::Grown);
    }

    #[test]
    fn what_is_no_growth_is_named() {
        let robin = plan(ROBIN, 2, &["a", "b"]);
        for (old, new, key, found, expected) in [
            (&robin, robin.replace('3', "4"), "seed", "3", "4"),
            (&robin, plan(ROBIN, 1, &["a", "b"]), "rounds", "2", "1"),
            (&robin, plan(ROBIN, 2, &["a", "c", "b"]), "player 2", "b (random)", "c (random)"),
            (&robin, plan(ROBIN, 2, &["a"]), "player 2", "b (random)", "none"),
            (&robin, robin.replace(r#""b""#, r#""b","joins":2"#), "joins of `b`", "1", "2"),
        ] {
            let [key, found, expected] = [key, found, expected].map(str::to_owned);
            assert_eq!(growth(old, &new), Growth::Other { key, found, expected });
        }
        assert!(matches!(growth("torn", &robin), Growth::Other { .. }));
    }

    #[test]
    fn growth_that_would_change_what_was_played_is_refused_with_the_reason() {
        let (swiss, knockout) = (swiss(2), r#"{"format":"knockout"}"#);
        for (format, rounds, players, part) in [
            (&*swiss, 3, &["a", "b"][..], "rounds, 2, and with 3 others might have won"),
            (knockout, 3, &["a", "b"], "rounds, 2, and with 3 others might have won"),
            (knockout, 2, &["a", "c", "b"], "takes no late player such as `c`"),
            (&*swiss, 2, &["a", "b", "c"], "1 pairings, so that `c` cannot join in pairing 1"),
        ] {
            match growth(&plan(format, 2, &["a", "b"]), &plan(format, rounds, players)) {
                Growth::Unfit(why) => assert!(why.contains(part), "{why}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn pairings_begin_with_their_first_game() {
        let found = serde_json::from_str(&plan(&swiss(3), 1, &["a", "b", "c", "d", "e", "f"]));
        let found = found.expect("a plan");
        let begun = |meeting| super::begun(&found, &[GameNumber { meeting, game: 1 }]);
        assert_eq!([0, 2, 3, 5, 6].map(begun), [1, 1, 2, 2, 3]);
        assert_eq!(super::begun(&found, &[]), 0);
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
