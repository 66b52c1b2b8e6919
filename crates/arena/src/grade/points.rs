//! The file that changes what the checks are worth.

use std::collections::BTreeMap;
use std::path::Path;

use plyground_host::toml_file::{TomlError, TomlFile};
use serde::Deserialize;
use toml::Spanned;

use super::check::Check;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointsFile {
    points: BTreeMap<Spanned<String>, Spanned<f64>>,
}

/// Gives checks the points that a file in TOML has for them; a check with none is left out. Checks
/// that the file does not name stay as they are.
///
/// ```toml
/// [points]
/// "beats a random player" = 20
/// "time" = 0
/// ```
///
/// # Errors
///
/// When the file cannot be read, names a check that is not there, or has negative points.
pub fn read_points(path: &Path, checks: &mut Vec<Check>) -> Result<(), TomlError> {
    let source = TomlFile::read(path)?;
    let file: PointsFile = source.parse()?;
    for (name, points) in &file.points {
        let value = *points.get_ref();
        if !value.is_finite() || value < 0.0 {
            return Err(source.fault(points.span(), "expected points, 0 or more".to_owned()));
        }
        let Some(check) = checks.iter_mut().find(|check| check.name == *name.get_ref()) else {
            let names: Vec<_> = checks.iter().map(|check| format!("`{}`", check.name)).collect();
            let expected = match names.as_slice() {
                [] => "expected no names, for the game has no checks".to_owned(),
                _ => format!("expected the name of a check: {}", names.join(", ")),
            };
            return Err(source.fault(name.span(), expected));
        };
        check.points = value;
    }
    checks.retain(|check| check.points > 0.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::grade::parse_checks;

    fn read(text: &str) -> Result<Vec<(String, f64)>, String> {
        let checks = "[[check]]\nname = 'a b'\npoints = 1\nkind = 'faultless'\ndepth = 1\ngames = 1\n\
            [[check]]\nname = 'c'\npoints = 2\nkind = 'faultless'\ndepth = 1\ngames = 1\n";
        let mut checks = parse_checks(checks).expect("checks");
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
    fn fault_is_named_with_its_place() {
        for (text, part) in [
            ("[points]\nd = 5\n", "p.toml:2:1: expected the name of a check: `a b`, `c`"),
            ("[points]\nc = -5\n", "p.toml:2:5: expected points"),
            ("[points]\nc = 'x'\n", "p.toml:2:5: invalid type"),
            ("[point]\nc = 1\n", "p.toml:1:2: unknown field `point`"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
