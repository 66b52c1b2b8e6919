//! The file of checks, in TOML: the reader, and the keys of every kind.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use plyground_durable::excerpt;
use plyground_durable::input::{TomlError, TomlFile};
use plyground_host::HostedGame;
use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::check::{Check, KINDS, KindRow, Visibility, unfit_key};

/// The keys that every check must have.
const REQUIRED: [&str; 6] = ["name", "points", "kind", "asks", "why", "sentence"];

/// The keys that every check may have.
const OPTIONAL: [&str; 5] = ["visibility", "expected", "needs", "positions", "draw"];

/// Returns the keys that a check of a kind may have.
fn keys(kind: &KindRow) -> impl Iterator<Item = &'static str> {
    let own = kind.required.iter().chain(kind.optional);
    REQUIRED.iter().chain(&OPTIONAL).chain(own).copied()
}

/// The keys of `draw`.
#[cfg(test)]
const DRAW_KEYS: [&str; 10] =
    ["count", "after", "moves", "right", "needed", "further", "gap", "final-gap", "points", "lead"];

/// A check as it stands in the file.
type Entry = BTreeMap<Spanned<String>, Spanned<Value>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    check: Vec<Spanned<Entry>>,
}

/// Reads the checks of an assignment for a game from a file, or from standard input if the path is `-`.
///
/// # Errors
///
/// Returns an error with its place if the file cannot be read, is not a list of checks, or has a key
/// that cannot apply to the game.
pub fn read_checks(game: &dyn HostedGame, path: &Path) -> Result<Vec<Check>, TomlError> {
    checked(game, &TomlFile::read(path)?)
}

/// Returns the checks of a file for a game.
fn checked(game: &dyn HostedGame, source: &TomlFile<'_>) -> Result<Vec<Check>, TomlError> {
    let entries = entries(source)?;
    let checks = checks(source, &entries)?;
    for (entry, check) in entries.iter().zip(&checks) {
        if let Some((key, fault)) = unfit_key(game, check) {
            return Err(source.fault(place(entry, key), fault));
        }
    }
    Ok(checks)
}

/// Reads the checks that come with a game. An empty text has no checks.
///
/// # Errors
///
/// Returns an error if the text is not a list of checks, two checks have the same name, or a check
/// needs another that does not exist.
pub fn parse_checks(text: &str) -> Result<Vec<Check>, TomlError> {
    let source = TomlFile { path: Path::new("checks.toml"), text: text.to_owned() };
    let entries = entries(&source)?;
    checks(&source, &entries)
}

/// The checks of a file that students may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudentChecks {
    /// The text of the file, without comments if checks are left out.
    pub text: String,
    /// The number of checks that are left out, because they are not visible at once.
    pub left_out: usize,
}

/// Reads the checks of an assignment as [`read_checks`] does, without the checks that students must not see.
///
/// # Errors
///
/// Returns an error as [`read_checks`] does, or if no check is visible.
pub fn read_student_checks(game: &dyn HostedGame, path: &Path) -> Result<StudentChecks, TomlError> {
    let source = TomlFile::read(path)?;
    let hidden = |check: &Check| check.visibility != Visibility::Visible;
    let checks = checked(game, &source)?;
    let hidden: Vec<&str> =
        checks.iter().filter(|check| hidden(check)).map(|check| &*check.name).collect();
    if hidden.is_empty() {
        return Ok(StudentChecks { text: source.text.clone(), left_out: 0 });
    }
    if hidden.len() == checks.len() {
        let fault = "expected a check that is visible to students";
        return Err(source.fault(0..0, fault.to_owned()));
    }
    let is_hidden = |value: &Value| match value {
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).any(|it| hidden.contains(&it))
        }
        name => name.as_str().is_some_and(|name| hidden.contains(&name)),
    };
    let mut file: Table = source.parse()?;
    if let Some(Value::Array(list)) = file.get_mut("check") {
        list.retain(|check| !check.get("name").is_some_and(is_hidden));
        for check in list.iter_mut().filter_map(Value::as_table_mut) {
            if check.get("needs").is_some_and(is_hidden) {
                check.remove("needs");
            }
        }
    }
    let text = toml::to_string_pretty(&file);
    let text = text.map_err(|error| source.fault(0..0, error.to_string()))?;
    Ok(StudentChecks { text, left_out: hidden.len() })
}

fn entries(source: &TomlFile<'_>) -> Result<Vec<Spanned<Entry>>, TomlError> {
    source.parse::<File>().map(|file| file.check)
}

fn checks(source: &TomlFile<'_>, entries: &[Spanned<Entry>]) -> Result<Vec<Check>, TomlError> {
    let mut checks: Vec<Check> = Vec::new();
    for entry in entries {
        check_keys(source, entry)?;
        let table: Table = entry
            .get_ref()
            .iter()
            .map(|(key, value)| (key.get_ref().clone(), value.get_ref().clone()))
            .collect();
        let check: Check = table.try_into().map_err(|error: toml::de::Error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            source.fault(place(entry, "name"), message)
        })?;
        if checks.iter().any(|other| other.name == check.name) {
            let fault = format!("two checks are called `{}`", excerpt(&check.name));
            return Err(source.fault(place(entry, "name"), fault));
        }
        checks.push(check);
    }
    for (entry, check) in entries.iter().zip(&checks) {
        let is_unknown = |name: &&String| !checks.iter().any(|other| other.name == **name);
        if let Some(needed) = check.needs.iter().find(is_unknown) {
            let fault = format!("there is no check called `{}`", excerpt(needed));
            return Err(source.fault(place(entry, "needs"), fault));
        }
    }
    Ok(checks)
}

/// Refuses keys that the kind does not have, and a check that lacks a key.
fn check_keys(source: &TomlFile<'_>, entry: &Spanned<Entry>) -> Result<(), TomlError> {
    let whole = || entry.span();
    let Some(name) = entry.get_ref().get("kind") else {
        return Err(source.fault(whole(), format!("expected the key `kind`: {}", kinds())));
    };
    let kind = KINDS.iter().find(|kind| name.get_ref().as_str() == Some(kind.name));
    let Some(kind) = kind else {
        return Err(source.fault(name.span(), format!("expected a kind of check: {}", kinds())));
    };
    let unknown = entry.get_ref().keys().find(|key| keys(kind).all(|known| key.as_ref() != known));
    if let Some(key) = unknown {
        let keys: Vec<_> = keys(kind).collect();
        let (name, keys, kind) = (excerpt(key.get_ref()), keys.join(", "), kind.name);
        let fault = format!("a check of kind `{kind}` has no key `{name}`: expected {keys}");
        return Err(source.fault(key.span(), fault));
    }
    let mut required = REQUIRED.iter().chain(kind.required);
    match required.find(|key| !entry.get_ref().contains_key(**key)) {
        None => Ok(()),
        Some(key) => {
            let fault = format!("a check of kind `{}` must have the key `{key}`", kind.name);
            Err(source.fault(whole(), fault))
        }
    }
}

/// Returns the place of a key in a check, or the place of the check if the check lacks the key.
fn place(entry: &Spanned<Entry>, key: &str) -> Range<usize> {
    entry.get_ref().get_key_value(key).map_or_else(|| entry.span(), |(key, _)| key.span())
}

fn kinds() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::{CheckKind, Visibility};

    const REASONS: &str = "asks = 'a'\nwhy = 'w'\nsentence = 's'\n";

    #[test]
    fn empty_text_has_no_checks() {
        assert_eq!(parse_checks("").map_err(|error| error.to_string()), Ok(Vec::new()));
        assert!(parse_checks("[[chek]]\n").is_err());
    }

    #[test]
    fn checks_are_read() {
        let text = format!(
            "[[check]]\nname = 'a'\npoints = 10\nkind = 'time'\nlimit = '5s'\n\
            positions = ['', '1 2']\nneeds = 'b'\n{REASONS}\
            [[check]]\nname = 'b'\npoints = 2.5\nkind = 'beats-random'\n\
            depth = 2\ngames = 10\nfrom = 0.5\nshare = 0.9\nvisibility = 'hidden'\n{REASONS}"
        );
        let checks = parse_checks(&text).expect("checks");
        assert_eq!(checks.len(), 2);
        let Check { kind, keys, .. } = &checks[0];
        let limit = Some(Duration::from_secs(5));
        assert_eq!((*kind, keys.depth, keys.limit), (CheckKind::Time, None, limit));
        assert_eq!(checks[0].positions.len(), 2);
        let seen = [checks[0].visibility, checks[1].visibility];
        assert_eq!(seen, [Visibility::Visible, Visibility::Hidden]);
        for (from, to) in [
            ("needs = 'b'", "needs = 'c'"),
            ("needs = 'b'", "needs = ['b', 'c']"),
            ("'b'\npoints", "'a'\npoints"),
            ("'5s'", "'soon'"),
            ("beats-random", "beats-all"),
            ("why = 'w'\n", ""),
        ] {
            assert!(parse_checks(&text.replace(from, to)).is_err(), "{from}");
        }
    }

    /// Returns the fault of a check of tic-tac-toe with these lines.
    fn fault(lines: &str) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.toml");
        let text = format!("[[check]]\nname = 'a'\npoints = 1\n{REASONS}{lines}");
        fs::write(&path, text).expect("a file");
        let error = read_checks(&*toy(), &path).err()?.to_string();
        Some(error.rsplit_once("c.toml:").expect("a place").1.to_owned())
    }

    const SEES: &str = "kind = 'sees'\ndepth = 1\nplies = 1\n";

    #[test]
    fn keys_that_cannot_apply_are_refused_with_their_places() {
        let near_end = "draw = { count = 2, after = [4, 6] }\n";
        assert_eq!(fault(&format!("{SEES}{near_end}")), None);
        let whole = "kind = 'beats-random'\ndepth = 1\ngames = 2\nfrom = 0\nshare = 1\n";
        for (kind, draw, part) in [
            (
                "kind = 'sees'\nplies = 1\n",
                "",
                "1:1: a check of kind `sees` must have the key `depth`",
            ),
            ("kind = 'saw'\n", "", "7:8: expected a kind of check: sees, counts-depth,"),
            ("", "", "1:1: expected the key `kind`: sees,"),
            (
                "kind = 'counts-depth'\nplies = 2\ndeph = 2\n",
                "",
                "9:1: a check of kind `counts-depth` has no key `deph`: expected name, points,",
            ),
            (SEES, "draw = { count = 1, lead = 1 }\n", "10:1: `lead` needs a game with"),
            (SEES, "draw = { count = 1, gap = 1 }\n", "10:1: `gap` needs a game with"),
            (SEES, "draw = { count = 1, after = [12, 13] }\n", "10:1: expected `after`"),
            (SEES, "draw = { count = 1, after = [5, 3] }\n", "10:1: expected `after`"),
            (SEES, "draw = { count = 0 }\n", "10:1: expected `count` of at least 1"),
            (
                SEES,
                "draw = [{ count = 1 }, { count = 0 }]\n",
                "10:1: expected `count` of at least 1",
            ),
            (SEES, "", "7:1: a check of kind `sees` needs `positions` or `draw`"),
            (
                "kind = 'time'\nlimit = '1s'\n",
                "draw = { count = 1, right = 1 }\n",
                "9:1: `right` is only for the kinds `sees` and `counts-depth`",
            ),
            (
                whole,
                near_end,
                "12:1: a check of kind `beats-random` plays whole games: it has no `draw`",
            ),
            (
                "kind = 'prints-score'\ndepth = 1\n",
                near_end,
                "7:1: a check of kind `prints-score` needs a game with points",
            ),
            (
                "kind = 'sees'\nplies = 10\ndepth = 2\n",
                near_end,
                "8:1: expected `plies` from 1 to 9",
            ),
            ("kind = 'time'\nlimit = 'soon'\n", "", "2:1: "),
        ] {
            let found = fault(&format!("{kind}{draw}")).expect(kind);
            assert!(found.starts_with(part), "{found}, expected {part}");
            assert_eq!(found.lines().count(), 1, "{found}");
        }
    }

    #[test]
    fn manual_has_every_kind_and_key() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/checks.md");
        let page = fs::read_to_string(page).expect("the page");
        let own = KINDS.iter().flat_map(|kind| keys(kind).chain([kind.name]));
        let of_draw = DRAW_KEYS.iter().copied();
        for word in own.chain(of_draw) {
            assert!(page.contains(&format!("`{word}`")), "docs/checks.md lacks `{word}`");
        }
    }
}
