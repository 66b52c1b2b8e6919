//! Plans that grow by late players, more rounds or more pairings, without a change to the games
//! that have been played.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fixture::GameNumber;
use super::swiss::first_meeting;

/// The remedy for a plan that does not fit the games of a folder.
const ANEW: &str = "choose another folder with --out, or remove this one";

/// Compares the text of a plan with the text that was found in a folder whose games have these
/// numbers. Returns true if the plan has all games of the folder's plan and more, and false if the
/// plans are the same.
///
/// # Errors
///
/// Returns the reason and the remedy if the plan has more games, but does not fit the games that have
/// been played, or if the plans differ in another way.
pub(super) fn has_grown(found: &str, plan: &str, played: &[GameNumber]) -> Result<bool, String> {
    if found == plan {
        return Ok(false);
    }
    let parse = |text| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
    let (found, plan) = (parse(found), parse(plan));
    if let Some(why) = unfit(&found, &plan, played) {
        return Err(why);
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
                // `unfit` has refused late players that do not fit.
                Some((_, Value::Null, _)) | None => true,
                Some((place, old, new)) => return Err(other_player(place, &old, &new)),
            },
            // The plan in the folder has no level if no player needed a sandbox.
            "sandbox" => old.is_null(),
            _ => false,
        };
        if old != new && !has_grown {
            let (key, old, new) = innermost(key.clone(), old, new);
            let [old, new] = briefs(old, new);
            return Err(other_plan(&key, &old, &new));
        }
    }
    Ok(true)
}

/// Returns the first difference inside two tables under a key: `limits.cpu` with its values.
fn innermost<'v>(key: String, old: &'v Value, new: &'v Value) -> (String, &'v Value, &'v Value) {
    let (Value::Object(before), Value::Object(after)) = (old, new) else { return (key, old, new) };
    let keys = after.keys().chain(before.keys());
    let pair =
        |inner: &String| [before, after].map(|table| table.get(inner).unwrap_or(&Value::Null));
    let mut found = keys.map(|inner| (inner, pair(inner)));
    match found.find(|(_, [old, new])| old != new) {
        Some((inner, [old, new])) => innermost(format!("{key}.{inner}"), old, new),
        None => (key, old, new),
    }
}

/// Returns the reason why a plan is another than that of a folder, with the remedy.
fn other_plan(key: &str, found: &str, expected: &str) -> String {
    format!(
        "holds the games of another plan, with {key}: {found}, not {expected}; a folder takes \
         more rounds and late players of a round robin or gauntlet, and more pairings and late \
         players of a Swiss tournament: otherwise {ANEW}"
    )
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
            "has meetings of {} rounds, and with {} rounds other players might have won them: {ANEW}",
            rounds[0].unwrap_or_default(),
            rounds[1].unwrap_or_default()
        ));
    }
    let known: BTreeSet<&str> = players(found).map(name).collect();
    let late = players(plan).find(|player| !known.contains(name(player)))?;
    let (late, joins) = (name(late), joins(late));
    match format {
        "knockout" => Some(format!(
            "has games of a knockout, which takes no late player such as `{late}`, because its \
             first round decides all meetings: {ANEW}"
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
fn other_player(place: usize, old: &Value, new: &Value) -> String {
    let is_same = |key: &str| old[key] == new[key];
    if is_same("name") && is_same("player") && joins(old) != joins(new) {
        let [found, expected] = [old, new].map(|player| joins(player).to_string());
        return other_plan(&format!("joins of `{}`", name(old)), &found, &expected);
    }
    let [old, new] = briefs(old, new);
    other_plan(&format!("player {}", place + 1), &old, &new)
}

/// Returns the first place in which two lists differ, with the values there.
fn first_difference(old: &Value, new: &Value) -> Option<(usize, Value, Value)> {
    let [old, new] = [old, new].map(|list| list.as_array().cloned().unwrap_or_default());
    let at = |list: &Vec<Value>, place| list.get(place).cloned().unwrap_or_default();
    let places = 0..old.len().max(new.len());
    let all = places.map(|place| (place, at(&old, place), at(&new, place)));
    all.into_iter().find(|(_, old, new)| old != new)
}

/// Returns two values that differ as one short line each, from a little before their difference if they begin alike.
fn briefs(old: &Value, new: &Value) -> [String; 2] {
    const LONGEST: usize = 60;
    const BEFORE: usize = 20;
    let lines = [old, new].map(line);
    let same =
        lines[0].chars().zip(lines[1].chars()).take_while(|(one, other)| one == other).count();
    let left_out = if same > LONGEST - BEFORE { same - BEFORE } else { 0 };
    lines.map(|line| {
        let shown: String = line.chars().skip(left_out).take(LONGEST).collect();
        if left_out > 0 { format!("...{shown}") } else { shown }
    })
}

/// Returns a value as one line. A player is shown by its name and specification.
fn line(value: &Value) -> String {
    let text = match (value.get("name"), value.get("player"), value) {
        (Some(name), Some(player), _) => {
            let [name, player] = [name, player].map(|it| it.as_str().unwrap_or_default());
            if name == player { name.to_owned() } else { format!("{name} ({player})") }
        }
        (_, _, Value::Null) => "none".to_owned(),
        (_, _, Value::Array(list)) => format!("{} of them", list.len()),
        _ => value.to_string(),
    };
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::sync::Arc;

    use plyground::book::Shard;
    use plyground_durable::lock::Locking;
    use plyground_host::toy::toy;

    use super::*;
    use crate::tournament::{ReportPlayer, Tournament, TournamentError, TournamentPlan};

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

    fn growth(found: &str, plan: &str) -> Result<bool, String> {
        has_grown(found, plan, &[GameNumber::default()])
    }

    #[test]
    fn more_rounds_pairings_and_players_are_growth() {
        let old = plan(ROBIN, 2, &["a", "b"]);
        assert_eq!(growth(&old, &old), Ok(false));
        assert_eq!(growth(&old, &plan(ROBIN, 3, &["a", "b"])), Ok(true));
        assert_eq!(growth(&old, &plan(ROBIN, 2, &["a", "b", "c"])), Ok(true));
        let old = plan(&swiss(2), 2, &["a", "b"]);
        assert_eq!(growth(&old, &plan(&swiss(3), 2, &["a", "b"])), Ok(true));
        let late = plan(&swiss(3), 2, &["a", "b", "c"]).replace(r#""c""#, r#""c","joins":2"#);
        assert_eq!(growth(&old, &late), Ok(true));
    }

    #[test]
    fn what_is_no_growth_is_named() {
        let robin = plan(ROBIN, 2, &["a", "b"]);
        let limited = robin.replace("\"seed\"", r#""limits":{"cpu":null,"memory":9},"seed""#);
        for (old, new, key, found, expected) in [
            (&limited, limited.replace("null", "7"), "limits.cpu", "none", "7"),
            (&robin, robin.replace('3', "4"), "seed", "3", "4"),
            (&robin, plan(ROBIN, 1, &["a", "b"]), "rounds", "2", "1"),
            (&robin, plan(ROBIN, 2, &["a", "c", "b"]), "player 2", "b (random)", "c (random)"),
            (&robin, plan(ROBIN, 2, &["a"]), "player 2", "b (random)", "none"),
            (&robin, robin.replace(r#""b""#, r#""b","joins":2"#), "joins of `b`", "1", "2"),
        ] {
            assert_eq!(growth(old, &new), Err(other_plan(key, found, expected)));
        }
        assert!(growth("torn", &robin).is_err());
    }

    #[test]
    fn growth_that_would_change_what_was_played_is_refused_with_the_reason() {
        let (swiss, knockout) = (swiss(2), r#"{"format":"knockout"}"#);
        for (format, rounds, players, part) in [
            (
                &*swiss,
                3,
                &["a", "b"][..],
                "2 rounds, and with 3 rounds other players might have won",
            ),
            (knockout, 3, &["a", "b"], "2 rounds, and with 3 rounds other players might have won"),
            (knockout, 2, &["a", "c", "b"], "takes no late player such as `c`"),
            (&*swiss, 2, &["a", "b", "c"], "1 pairings, so that `c` cannot join in pairing 1"),
        ] {
            let grown = growth(&plan(format, 2, &["a", "b"]), &plan(format, rounds, players));
            let why = grown.expect_err("unfit");
            assert!(why.contains(part), "{why}");
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

    /// Plays the missing games in the folder `out` of a tournament of these players. A player that joins later
    /// has `@` and its first pairing at the end. Returns the number of games that were there before, and the
    /// tournament.
    fn play(
        folder: &Path,
        head: &str,
        names: &str,
        out: &str,
    ) -> Result<(usize, Tournament), TournamentError> {
        let player = |name: &str| match name.split_once('@') {
            Some((name, joins)) => player(name) + &format!("joins = {joins}\n"),
            None => player(name),
        };
        let players: String = names.split(' ').map(player).collect();
        let text = format!("seed = 9\n{head}{players}");
        let plan = TournamentPlan::parse(&text).expect("a plan");
        let mut tournament = Tournament::open(&toy(), plan, &folder.join(out), Locking::Always)?;
        tournament.load()?;
        let before = tournament.played();
        tournament.play(Shard::WHOLE, NonZeroUsize::MIN, &Arc::default(), |_| {})?;
        Ok((before, tournament))
    }

    fn player(name: &str) -> String {
        format!("[[player]]\nname = '{name}'\nplayer = 'random'\n")
    }

    /// Returns all games with their seeds and moves, by the players and the number of their earlier
    /// games.
    fn all_games(tournament: &Tournament) -> BTreeMap<(String, String, u32), Vec<String>> {
        let name = |player: usize| tournament.plan.players[player].name.clone();
        let games = tournament.results.iter().map(|(number, result)| {
            let [first, second] = result.seats.map(name);
            ((first, second, number.game / 2), tournament.games[number].moves.clone())
        });
        games.collect()
    }

    #[test]
    fn extended_tournament_equals_one_that_was_planned_so() -> Result<(), Box<dyn std::error::Error>>
    {
        let folder = tempfile::tempdir()?;
        let of = |head: &str, names: &str, out: &str| play(folder.path(), head, names, out);
        for head in ["", "format = 'gauntlet'\nchallenger = 'cleo'\n"] {
            let (out, whole) = (format!("grown{}", head.len()), format!("whole{}", head.len()));
            let (_, first) = of(head, "ann bob cleo", &out)?;
            let (count, kept) = (first.played(), all_games(&first));
            drop(first);
            let rounds = format!("rounds = 3\n{head}");
            let (before, second) = of(&rounds, "ann bob cleo", &out)?;
            assert_eq!((before, second.played()), (count, 3 * count));
            drop(second);
            // The late players are in the middle and at the end of the file.
            let (before, third) = of(&rounds, "ann late bob cleo later", &out)?;
            assert_eq!(before, 3 * count);
            let (_, planned) = of(&rounds, "ann late bob cleo later", &whole)?;
            assert_eq!(third.played(), planned.played());
            assert_eq!(all_games(&third), all_games(&planned));
            assert!(kept.iter().all(|(game, moves)| all_games(&third)[game] == *moves));
            // A plan in the order of arrival gives the same names of files, too.
            let (_, planned) = of(&rounds, "ann bob cleo late later", &format!("{whole}, too"))?;
            assert_eq!(third.store.numbers()?, planned.store.numbers()?);
            let moves = |tournament: &Tournament| -> Vec<_> {
                tournament.games.values().map(|game| game.moves.clone()).collect()
            };
            assert_eq!(moves(&third), moves(&planned));
        }
        Ok(())
    }

    #[test]
    fn extended_swiss_equals_one_that_was_planned_so() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let of = |pairings: u32, names: &str, out: &str| {
            let head = format!("format = 'swiss'\npairings = {pairings}\n");
            play(folder.path(), &head, names, out)
        };
        let six = "ann bob cleo dan eve fay";
        drop(of(1, six, "grown")?);
        let (before, second) = of(3, six, "grown")?;
        assert_eq!((before, second.played()), (6, 18));
        let (_, planned) = of(3, six, "planned")?;
        assert_eq!(all_games(&second), all_games(&planned));
        drop(second);
        // Late players join in the next pairing, from any place in the file.
        let late = "ann gil bob cleo dan eve hal fay";
        let (before, third) = of(4, late, "grown")?;
        assert_eq!((before, third.played()), (18, 26));
        let late = "gil@4 ann bob hal@4 cleo dan eve fay";
        let (_, planned) = of(4, late, "planned so")?;
        assert_eq!(all_games(&third), all_games(&planned));
        assert_eq!(third.store.numbers()?, planned.store.numbers()?);
        let places = |tournament: &Tournament| -> Vec<_> {
            let row = |it: ReportPlayer| (it.name, it.joined, it.rank);
            let mut rows: Vec<_> = tournament.report().players.into_iter().map(row).collect();
            rows.sort_unstable();
            rows
        };
        assert_eq!(places(&third), places(&planned));
        assert!(places(&third).iter().any(|(name, joined, _)| name == "hal" && *joined == Some(4)));
        drop(third);
        // The same file continues the tournament; players that are too late are refused.
        let (before, same) = of(4, "ann gil bob cleo dan eve hal fay", "grown")?;
        assert_eq!((before, same.played()), (26, 26));
        drop(same);
        let late = "ann bob cleo dan eve fay gil hal ian jan";
        for (pairings, late, part) in [
            (
                4,
                late.to_owned(),
                "`ian` comes after the last pairing: expected `pairings` of at least 5",
            ),
            (5, late.replace("ian", "ian@3"), "cannot join in pairing 3: write `joins = 5`"),
            (5, late.replace("gil", "gil@5"), "with joins of `gil`: 4, not 5; "),
        ] {
            let error = of(pairings, &late, "grown").expect_err("too late").to_string();
            assert!(error.contains(part), "{error}");
        }
        Ok(())
    }

    #[test]
    fn difference_of_long_lines_is_shown() {
        let long =
            |depth: u32| Value::from(format!("file:{} {{in}} {{out}} {depth}", "x".repeat(80)));
        let shown = briefs(&long(2), &long(3));
        assert!(shown[0].ends_with("{in} {out} 2\"") && shown[1].ends_with(" 3\""), "{shown:?}");
        assert!(shown.iter().all(|line| line.starts_with("...")), "{shown:?}");
    }

    #[test]
    fn knockout_takes_no_late_player() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let of = |head: &str, names: &str| {
            play(folder.path(), &format!("format = 'knockout'\n{head}"), names, "out")
        };
        of("", "ann bob cleo")?;
        for (head, names, part) in [
            ("", "ann late bob cleo", "takes no late player such as `late`"),
            (
                "rounds = 2\n",
                "ann bob cleo",
                "with 2 rounds other players might have won them: choose",
            ),
            ("", "bob ann cleo", "with player 1: ann (random), not bob (random); "),
        ] {
            let error = of(head, names).expect_err("another").to_string();
            assert!(error.contains(part), "{error}");
        }
        Ok(())
    }
}
