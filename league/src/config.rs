//! The file `league.toml`, which an instructor writes.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Timestamp, Zoned};
use plyground_arena::class_folder::SubmissionFolder;
use plyground_arena::seat::{PlayerTemplate, check_unattended};
use plyground_arena::tournament::TournamentOpenings;
use plyground_durable::input::{TomlError, TomlFile};
use plyground_durable::{excerpt, parse_duration};
use plyground_grading::grade::LateRule;
use plyground_host::player::PlayerSpec;
use plyground_host::{MoveText, SharedGame};
use plyground_sandbox::{ByteSize, ProcessLimits, SandboxLevel};
use serde::Deserialize;
use toml::Spanned;

/// The name of the file.
pub const FILE: &str = "league.toml";

/// The settings file of a new league.
pub const TEMPLATE: &str = include_str!("league.toml");

/// The part of the table that students see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// The whole table.
    #[default]
    All,
    /// The first ten places, and the three places above and below the student's own.
    Neighbors,
}

/// The names under which students stand in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// The nickname, unless the student chooses to show the name.
    #[default]
    Nicknames,
    /// The name of the roster.
    Names,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    name: String,
    game: Spanned<String>,
    rules: Option<Spanned<String>>,
    player: Spanned<String>,
    depth: Option<u32>,
    program: Option<String>,
    #[serde(default)]
    limits: ProcessLimits,
    sandbox: Option<SandboxLevel>,
    openings: Option<Spanned<Openings>>,
    checks: Option<PathBuf>,
    check_only: Option<Vec<String>>,
    check_time: Option<Spanned<String>>,
    deadline: Option<Spanned<String>>,
    accept_late: Option<Spanned<String>>,
    late_rule: Option<Spanned<String>>,
    #[serde(default)]
    references: Vec<Spanned<String>>,
    settled: Option<f64>,
    jobs: Option<NonZeroUsize>,
    upload: Option<ByteSize>,
    disk: Option<ByteSize>,
    uploads_per_hour: Option<u32>,
    #[serde(default)]
    show: Shown,
    #[serde(default)]
    names: Names,
    analysis: Option<bool>,
    #[serde(default, rename = "final")]
    finale: Finale,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Openings {
    plies: u32,
    count: usize,
    #[serde(default)]
    seed: u64,
}

/// The tournament at the end.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Finale {
    /// The format; without it, a round robin.
    pub format: Option<String>,
    /// The pairings of a Swiss tournament.
    pub pairings: Option<u32>,
    /// The number of rounds.
    pub rounds: Option<u32>,
    /// The seed.
    pub seed: Option<u64>,
}

/// The settings of a league.
#[derive(Debug)]
pub struct Config {
    /// The title of the pages.
    pub name: String,
    /// The game, under the rules of the league.
    pub game: SharedGame,
    /// The template of the player that runs a version.
    pub player: PlayerTemplate,
    /// The depth that is given to the players.
    pub depth: Option<u32>,
    /// The name of the program in the assignment.
    pub program: String,
    /// The limits of programs in games and checks.
    pub limits: ProcessLimits,
    /// The level of the sandboxes.
    pub sandbox: Option<SandboxLevel>,
    /// The openings of the games.
    pub openings: Vec<Vec<MoveText>>,
    /// The text of the openings, for a tournament: plies, count and seed.
    pub drawn: Option<(u32, usize, u64)>,
    /// The file with the checks.
    pub checks: Option<PathBuf>,
    /// The names of the checks of an upload; `None` for all checks that students may see.
    pub check_only: Option<Vec<String>>,
    /// The time of all checks of an upload.
    pub check_time: Duration,
    /// The deadline, with the zone in which it is shown.
    pub deadline: Option<Zoned>,
    /// The time after the deadline in which uploads are still accepted.
    pub accept_late: Duration,
    /// The rule for late submissions, as text.
    pub late_rule: Option<String>,
    /// The built-in players that stand in the table as marks.
    pub references: Vec<PlayerSpec>,
    /// The deviation below which a rating is settled.
    pub settled: f64,
    /// The number of games that the server plays at a time.
    pub jobs: NonZeroUsize,
    /// The size of an upload.
    pub upload: ByteSize,
    /// The disk space of a person.
    pub disk: ByteSize,
    /// The number of uploads of a person in an hour.
    pub uploads_per_hour: u32,
    /// The part of the table that students see.
    pub show: Shown,
    /// The names in the table.
    pub names: Names,
    /// If true, pages show the values of moves.
    pub analysis: bool,
    /// The tournament at the end.
    pub finale: Finale,
}

impl Config {
    /// Reads the settings of the league in `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error that names the faulty line.
    pub fn read(folder: &Path) -> Result<Config, TomlError> {
        let path = folder.join(FILE);
        Reader { file: TomlFile::read(&path)?, folder }.read()
    }

    /// Returns the time after which uploads are refused.
    #[must_use]
    pub fn closes(&self) -> Option<Timestamp> {
        let deadline = self.deadline.as_ref()?.timestamp();
        Some(deadline.checked_add(self.accept_late).unwrap_or(deadline))
    }

    /// Returns true if an upload at this time is late.
    #[must_use]
    pub fn is_late(&self, time: Timestamp) -> bool {
        self.deadline.as_ref().is_some_and(|deadline| time > deadline.timestamp())
    }
}

struct Reader<'a> {
    file: TomlFile<'a>,
    folder: &'a Path,
}

impl Reader<'_> {
    fn at<T>(&self, span: &Spanned<T>, fault: impl ToString) -> TomlError {
        self.file.fault(span.span(), fault.to_string())
    }

    fn read(&self) -> Result<Config, TomlError> {
        let file: File = self.file.parse()?;
        let game = self.game(&file)?;
        let player = PlayerTemplate::from(file.player.get_ref().as_str());
        if !player.has_start() && !player.has_folder() {
            let fault = "expected {start} or {folder} in the player, for an uploaded program";
            return Err(self.at(&file.player, fault));
        }
        // The template is filled with a placeholder submission, to check that the result is a player.
        let (name, path) = ("any".to_owned(), "/any".to_owned());
        let any = SubmissionFolder { name, path, prepared: None };
        let filled = player.of_submission(&any).at(file.depth);
        filled.map_err(|error| self.at(&file.player, error))?;
        let (openings, drawn) = self.openings(&game, file.openings.as_ref())?;
        if let Some(rule) = &file.late_rule {
            rule.get_ref().parse::<LateRule>().map_err(|why| self.at(rule, why))?;
        }
        Ok(Config {
            references: self.references(&game, &file)?,
            deadline: self.deadline(&file)?,
            accept_late: self.time(file.accept_late.as_ref(), Duration::ZERO)?,
            check_time: self.time(file.check_time.as_ref(), Duration::from_secs(40))?,
            check_only: file.check_only,
            checks: file.checks.map(|path| self.folder.join(path)),
            name: file.name,
            player,
            depth: file.depth,
            program: file.program.unwrap_or_else(|| game.name().to_owned()),
            game,
            limits: file.limits,
            sandbox: file.sandbox,
            openings,
            drawn,
            late_rule: file.late_rule.map(Spanned::into_inner),
            settled: file.settled.unwrap_or(45.0),
            jobs: file.jobs.unwrap_or(NonZeroUsize::MIN),
            upload: file.upload.unwrap_or(ByteSize::mib(16)),
            disk: file.disk.unwrap_or(ByteSize::mib(500)),
            uploads_per_hour: file.uploads_per_hour.unwrap_or(20).max(1),
            show: file.show,
            names: file.names,
            analysis: file.analysis.unwrap_or(true),
            finale: file.finale,
        })
    }

    fn game(&self, file: &File) -> Result<SharedGame, TomlError> {
        let games = games::all();
        let name = file.game.get_ref();
        let Some(game) = games.iter().find(|game| game.name() == name) else {
            let names = games.iter().map(|game| game.name()).collect::<Vec<_>>().join(" or ");
            let fault = format!("expected {names}, found `{}`", excerpt(name));
            return Err(self.at(&file.game, fault));
        };
        match &file.rules {
            None => Ok(game.clone()),
            Some(rules) => game.with_rules(rules.get_ref()).ok_or_else(|| {
                let sets = game.rule_sets().join(" or ");
                self.at(rules, format!("expected {sets}, found `{}`", excerpt(rules.get_ref())))
            }),
        }
    }

    #[expect(clippy::type_complexity, reason = "the openings, and how they were drawn")]
    fn openings(
        &self,
        game: &SharedGame,
        table: Option<&Spanned<Openings>>,
    ) -> Result<(Vec<Vec<MoveText>>, Option<(u32, usize, u64)>), TomlError> {
        let Some(table) = table else { return Ok((vec![Vec::new()], None)) };
        let Openings { plies, count, seed } = *table.get_ref();
        let openings = TournamentOpenings::Random { plies, count };
        let drawn = openings.draw(&game.start(), seed).map_err(|why| self.at(table, why))?;
        if drawn.is_empty() {
            return Err(self.at(table, "expected a count of 1 or more"));
        }
        Ok((drawn, Some((plies, count, seed))))
    }

    fn references(&self, game: &SharedGame, file: &File) -> Result<Vec<PlayerSpec>, TomlError> {
        let specs = file.references.iter().map(|text| {
            let spec: PlayerSpec =
                text.get_ref().parse().map_err(|unknown| self.at(text, unknown))?;
            check_unattended(&**game, &spec).map_err(|why| self.at(text, why))?;
            if spec.is_external() {
                return Err(self.at(text, "expected a player of ours: random or machine"));
            }
            Ok(spec)
        });
        specs.collect()
    }

    fn deadline(&self, file: &File) -> Result<Option<Zoned>, TomlError> {
        let read = |text: &Spanned<String>| {
            text.get_ref().parse::<Zoned>().map_err(|_| {
                let found = excerpt(text.get_ref());
                let fault = format!(
                    "expected a time with its zone, such as 2026-11-20T23:59[America/Chicago], found \
                     `{found}`"
                );
                self.at(text, fault)
            })
        };
        file.deadline.as_ref().map(read).transpose()
    }

    fn time(
        &self,
        text: Option<&Spanned<String>>,
        default: Duration,
    ) -> Result<Duration, TomlError> {
        let read = |text: &Spanned<String>| {
            parse_duration(text.get_ref()).map_err(|why| self.at(text, why))
        };
        text.map_or(Ok(default), read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), text).expect("a file");
        Config::read(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn template_is_a_league() {
        let config = read(TEMPLATE).expect("a league");
        assert_eq!(config.game.name(), "maxconnect4");
        assert!(!config.openings.is_empty() && !config.references.is_empty());
        assert!(config.deadline.is_some());
    }

    #[test]
    fn faults_are_named_by_their_lines() {
        for (from, to, part) in [
            ("game = \"maxconnect4\"", "game = \"chess\"", "found `chess`"),
            ("file:{start}", "file:start", "expected {start}"),
            ("T23:59[America/Chicago]", "", "expected a time with its zone"),
            ("\"random\"", "\"human\"", "human"),
            ("\"random\"", "\"line:x\"", "expected a player of ours"),
            ("name = ", "nam = ", "nam"),
        ] {
            let text = TEMPLATE.replacen(from, to, 1);
            assert_ne!(text, TEMPLATE, "{from}");
            let why = read(&text).expect_err(to);
            assert!(why.contains("league.toml:") && why.contains(part), "{why}");
        }
    }
}
