//! A person's overrides of the commands that build and start submissions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plyground_durable::toml_file::{TomlError, TomlFile};
use serde::Deserialize;
use toml::Spanned;

use crate::submissions::error::PrepareError;
use crate::submissions::recipe::is_below;

/// The overrides for one submission, or for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The shell command that builds it; empty if there is nothing to build.
    pub build: Option<String>,
    /// The shell command that starts it; the arguments are appended.
    pub start: Option<String>,
    /// The folder in which both commands run, below that of the submission's files.
    pub folder: Option<PathBuf>,
}

/// The overrides for the submissions of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    class: Override,
    submissions: BTreeMap<String, Override>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OverrideFile {
    class: Option<Spanned<Override>>,
    #[serde(default)]
    submission: BTreeMap<Spanned<String>, Spanned<Override>>,
}

impl Overrides {
    /// Reads a TOML file. The table `class` holds for all submissions; the table `submission.NAME` takes
    /// precedence over it for one.
    ///
    /// ```toml
    /// [class]
    /// build = "make player"
    ///
    /// [submission.ann]
    /// folder = "src"
    /// build = ""
    /// start = "python3 main.py --quiet"
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has a fault, or names a submission that is not among
    /// `names`.
    pub fn read(path: &Path, names: &[String]) -> Result<Overrides, PrepareError> {
        let source = TomlFile::read(path)?;
        let file: OverrideFile = source.parse()?;
        file.class.iter().try_for_each(|said| check(&source, said))?;
        let mut submissions = BTreeMap::new();
        for (name, said) in file.submission {
            if !names.contains(name.get_ref()) {
                let place = source.fault(name.span(), String::new()).to_string();
                return Err(PrepareError::NoSubmission {
                    path: place.trim_end_matches([':', ' ']).to_owned(),
                    name: name.get_ref().escape_debug().to_string(),
                    names: names.join(", "),
                });
            }
            check(&source, &said)?;
            submissions.insert(name.into_inner(), said.into_inner());
        }
        let class = file.class.map(Spanned::into_inner).unwrap_or_default();
        Ok(Overrides { class, submissions })
    }

    /// Returns the overrides for one submission.
    #[must_use]
    pub fn of(&self, name: &str) -> Override {
        let own = self.submissions.get(name).cloned().unwrap_or_default();
        Override {
            build: own.build.or_else(|| self.class.build.clone()),
            start: own.start.or_else(|| self.class.start.clone()),
            folder: own.folder.or_else(|| self.class.folder.clone()),
        }
    }
}

fn check(source: &TomlFile<'_>, said: &Spanned<Override>) -> Result<(), TomlError> {
    let Override { build, start, folder } = said.get_ref();
    let has_lines = |text: &Option<String>| {
        text.as_ref().is_some_and(|text| text.chars().any(char::is_control))
    };
    if has_lines(build) || has_lines(start) {
        return Err(source.fault(said.span(), "expected commands of one line".to_owned()));
    }
    if start.as_ref().is_some_and(|start| start.trim().is_empty()) {
        return Err(source.fault(said.span(), "expected a command as start".to_owned()));
    }
    if folder.as_ref().is_some_and(|folder| !is_below(folder)) {
        let fault = "expected a folder below that of the submission".to_owned();
        return Err(source.fault(said.span(), fault));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str) -> Result<Overrides, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("o.toml");
        fs::write(&path, text).expect("a file");
        let names = ["ann", "bob"].map(str::to_owned);
        Overrides::read(&path, &names).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_said_of_one_goes_before_what_is_said_of_all() {
        let text = "class = { build = 'make', start = 'x' }\n[submission.ann]\nstart = 'y z'\n";
        let overrides = read(text).expect("overrides");
        let ann = overrides.of("ann");
        assert_eq!((ann.build.as_deref(), ann.start.as_deref()), (Some("make"), Some("y z")));
        assert_eq!(overrides.of("bob").start.as_deref(), Some("x"));
    }

    #[test]
    fn fault_is_named_with_its_place() {
        for (text, part) in [
            (
                "[submission.carl]\n",
                "o.toml:1:13: expected the name of a submission, found `carl`; there are ann, bob",
            ),
            ("[class]\nbuilt = 'x'\n", "o.toml:2:1: unknown field `built`"),
            ("class = { start = ' ' }\n", "o.toml:1:9: expected a command"),
            ("class = { folder = '../x' }\n", "o.toml:1:9: expected a folder below"),
            ("class = { build = \"a\\nb\" }\n", "o.toml:1:9: expected commands of one line"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part) && error.lines().count() == 1, "{error}");
        }
    }
}
