//! The file that changes the points of the checks.

use std::collections::BTreeMap;
use std::path::Path;

use plyground_durable::toml_file::{TomlError, TomlFile};
use serde::Deserialize;
use toml::Spanned;

use super::check::{Check, CheckKind, Visibility};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointsFile {
    #[serde(default)]
    points: BTreeMap<Spanned<String>, Spanned<f64>>,
    #[serde(default)]
    visibility: BTreeMap<Spanned<String>, Visibility>,
    #[serde(default)]
    expected: BTreeMap<Spanned<String>, bool>,
}

/// Changes the points and the visibility of checks, and whether students see the expected moves, as
/// a file in TOML says. Checks without points are left out, except those that determine how the
/// remaining checks treat a player. Checks that the file does not name stay as they are.
///
/// ```toml
/// [points]
/// "beats a random player" = 20
/// "time" = 0
///
/// [visibility]
/// "time" = "after_due_date"  # or "visible", "hidden", "after_published"
///
/// [expected]
/// "the last four moves are seen" = true
/// ```
///
/// # Errors
///
/// Returns an error if the file cannot be read, names an unknown check, or has negative points.
pub fn read_points(path: &Path, checks: &mut Vec<Check>) -> Result<(), TomlError> {
    let source = TomlFile::read(path)?;
    let file: PointsFile = source.parse()?;
    for (name, points) in &file.points {
        let value = *points.get_ref();
        if !value.is_finite() || value < 0.0 {
            return Err(source.fault(points.span(), "expected points, 0 or more".to_owned()));
        }
        named(&source, checks, name)?.points = value;
    }
    for (name, visibility) in &file.visibility {
        named(&source, checks, name)?.visibility = *visibility;
    }
    for (name, expected) in &file.expected {
        named(&source, checks, name)?.expected = *expected;
    }
    leave_out_worthless(checks);
    Ok(())
}

/// The error for an unknown name of a check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not the name of a check: expected {expected}")]
pub struct UnknownCheck {
    name: String,
    /// The names of all checks.
    expected: String,
}

/// Keeps only the checks with these names, and the checks that they depend on.
///
/// # Errors
///
/// Returns an error if one of the names is not the name of a check.
pub fn select_checks(checks: &mut Vec<Check>, names: &[String]) -> Result<(), UnknownCheck> {
    if let Some(name) = names.iter().find(|name| checks.iter().all(|check| check.name != **name)) {
        return Err(UnknownCheck { name: name.clone(), expected: quoted_names(checks) });
    }
    for check in checks.iter_mut().filter(|check| !names.contains(&check.name)) {
        check.points = 0.0;
    }
    leave_out_worthless(checks);
    Ok(())
}

/// Leaves out the checks that are worth nothing, except those that a check with points depends on.
fn leave_out_worthless(checks: &mut Vec<Check>) {
    let asks_for_search =
        checks.iter().any(|check| check.points > 0.0 && check.kind.asks_for_search());
    checks.retain(|check| match check.kind {
        _ if check.points > 0.0 => true,
        CheckKind::CountsDepth { .. } => asks_for_search,
        _ => check.kind.is_probe(),
    });
}

/// Returns the check with this name.
fn named<'a>(
    source: &TomlFile<'_>,
    checks: &'a mut [Check],
    name: &Spanned<String>,
) -> Result<&'a mut Check, TomlError> {
    let expected = match checks {
        [] => "expected no names, for the game has no checks".to_owned(),
        _ => format!("expected the name of a check: {}", quoted_names(checks)),
    };
    let check = checks.iter_mut().find(|check| check.name == *name.get_ref());
    check.ok_or_else(|| source.fault(name.span(), expected))
}

/// Returns the names of all checks, for a message.
fn quoted_names(checks: &[Check]) -> String {
    let names: Vec<_> = checks.iter().map(|check| format!("`{}`", check.name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::grade::parse_checks;

    fn read(text: &str) -> Result<Vec<(String, f64)>, String> {
        let rest = "kind = 'faultless'\ndepth = 1\ngames = 1\nasks = ''\nwhy = ''\nsentence = ''\n";
        let checks = format!(
            "[[check]]\nname = 'a b'\npoints = 1\n{rest}[[check]]\nname = 'c'\npoints = 2\n{rest}"
        );
        let mut checks = parse_checks(&checks).expect("checks");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("p.toml");
        fs::write(&path, text).expect("a file");
        read_points(&path, &mut checks).map_err(|error| error.to_string())?;
        Ok(checks.into_iter().map(|check| (check.name, check.points)).collect())
    }

    #[test]
    fn weights_are_changed() {
        let points = read("[points]\n'a b' = 5\nc = 0\n");
        assert_eq!(points, Ok(vec![("a b".to_owned(), 5.0)]));
    }

    #[test]
    fn depth_is_counted_only_for_checks_that_go_by_it() {
        let reasons = "asks = ''\nwhy = ''\nsentence = ''\n";
        let text = format!(
            "[[check]]\nname = 'a'\npoints = 0\nkind = 'counts-depth'\nplies = 2\n{reasons}\
            [[check]]\nname = 'b'\npoints = 0\nkind = 'reads-files'\ndepth = 2\n{reasons}\
            [[check]]\nname = 'c'\npoints = 1\nkind = 'file-format'\ndepth = 2\n{reasons}\
            [[check]]\nname = 'd'\npoints = 1\nkind = 'sees'\ndepth = 2\nplies = 2\n{reasons}"
        );
        for (last, left) in [(1.0, "abcd"), (0.0, "bc")] {
            let mut checks = parse_checks(&text).expect("checks");
            checks[3].points = last;
            leave_out_worthless(&mut checks);
            let names: String = checks.iter().map(|check| check.name.as_str()).collect();
            assert_eq!(names, left);
        }
    }

    #[test]
    fn fault_is_named_with_its_place() {
        for (text, part) in [
            ("[points]\nd = 5\n", "p.toml:2:1: expected the name of a check: `a b`, `c`"),
            ("[points]\nc = -5\n", "p.toml:2:5: expected points"),
            ("[points]\nc = 'x'\n", "p.toml:2:5: invalid type"),
            ("[visibility]\nd = 'hidden'\n", "p.toml:2:1: expected the name of a check"),
            ("[visibility]\nc = 'gone'\n", "p.toml:2:5: unknown variant `gone`"),
            ("[expected]\nc = 1\n", "p.toml:2:5: invalid type"),
            ("[point]\nc = 1\n", "p.toml:1:2: unknown field `point`"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
