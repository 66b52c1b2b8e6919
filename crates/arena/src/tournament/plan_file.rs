//! The file of a plan.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground_durable::input::{STDIN, TomlError, TomlFile, read_toml};
use plyground_durable::{FileError, excerpt, parse_duration};
use plyground_host::external::CommandLine;
use plyground_host::player::PlayerSpec;
use plyground_host::referee::PLY_CAP;
use plyground_sandbox::{ProcessLimits, SandboxLevel};
use serde::Deserialize;
use toml::Spanned;

use super::plan::{Contestant, TournamentFormat, TournamentOpenings, TournamentPlan};
use crate::class_folder::{SubmissionFolder, check_prepared, submissions};
use crate::seat::PlayerTemplate;

/// The default memory for the transposition table of an engine, in MiB.
const DEFAULT_TABLE: u64 = 16;

/// The greatest memory for a table, in MiB: a greater value counts as a typing error.
const MAX_TABLE: u64 = 1 << 16;

/// The greatest number of openings: a greater number counts as a typing error.
const MAX_OPENINGS: usize = 10_000;

/// The greatest number of games in a tournament. All games are listed before the first is played.
const MAX_GAMES: u64 = 1_000_000;

/// The default least number of points that a win by a fault counts.
const FORFEIT_POINTS: i32 = 4;

/// The name of a tournament whose plan has neither a name nor a file.
const UNNAMED: &str = "tournament";

/// The plan as it is written in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PlanFile {
    name: Option<Spanned<String>>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    format: FormatName,
    challenger: Option<Spanned<String>>,
    pairings: Option<Spanned<NonZeroU32>>,
    rounds: Option<Spanned<NonZeroU32>>,
    ply_cap: Option<NonZeroU32>,
    table: Option<Spanned<u64>>,
    forfeit_points: Option<u16>,
    openings: Option<Spanned<OpeningsTable>>,
    #[serde(default)]
    limits: ProcessLimits,
    margin: Option<Spanned<String>>,
    #[serde(default)]
    lenient: bool,
    sandbox: Option<SandboxLevel>,
    #[serde(default)]
    player: Vec<Spanned<PlayerTable>>,
    class: Option<ClassTable>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FormatName {
    #[default]
    RoundRobin,
    Gauntlet,
    Knockout,
    Swiss,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OpeningsTable {
    plies: Option<u32>,
    count: Option<usize>,
    file: Option<Spanned<PathBuf>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerTable {
    name: Option<Spanned<String>>,
    player: Spanned<String>,
    /// The depth that replaces `{depth}` in the player.
    depth: Option<Spanned<u32>>,
    /// The first pairing of a Swiss tournament that the player plays.
    joins: Option<Spanned<NonZeroU32>>,
}

/// The table for a class: each folder in the folder of the class is a player.
#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table such as { folder = \"subs\", player = \"line:{start} line\" }"
)]
struct ClassTable {
    folder: Spanned<PathBuf>,
    player: Spanned<String>,
    depth: Option<Spanned<u32>>,
}

impl TournamentPlan {
    /// Reads a plan, from standard input if the file is `-`. Relative paths in the plan are
    /// relative to its folder, or to the current folder if there is no file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or for the first fault in it.
    pub fn read(path: &Path) -> Result<TournamentPlan, TomlError> {
        Reader(TomlFile::read(path)?).plan()
    }

    /// Reads the text of a plan in the file `t.toml`, for tests.
    #[cfg(test)]
    pub(super) fn parse(text: &str) -> Result<TournamentPlan, TomlError> {
        Reader(TomlFile { path: Path::new("t.toml"), text: text.to_owned() }).plan()
    }
}

/// A reader that turns a file into a plan.
struct Reader<'a>(TomlFile<'a>);

impl Reader<'_> {
    fn plan(&self) -> Result<TournamentPlan, TomlError> {
        let file: PlanFile = self.0.parse()?;
        let players = self.players(&file)?;
        let format = self.format(&file, &players)?;
        let table = file.table.as_ref().map_or(DEFAULT_TABLE, |table| *table.get_ref());
        if let Some(span) = file.table.as_ref().filter(|_| table > MAX_TABLE) {
            return Err(self.at(span, format!("expected a table of at most {MAX_TABLE} MiB")));
        }
        let name = match &file.name {
            Some(name) => self.title(name)?,
            None if self.0.path == Path::new(STDIN) => UNNAMED.to_owned(),
            None => self.0.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let openings = self.openings(file.openings.as_ref())?;
        let rounds = file.rounds.as_ref().map_or(NonZeroU32::MIN, |rounds| *rounds.get_ref());
        let players_met = players.len() as u64 - 1;
        let meetings = match format {
            TournamentFormat::RoundRobin => (players_met + 1) * players_met / 2,
            TournamentFormat::Gauntlet { .. } | TournamentFormat::Knockout => players_met,
            TournamentFormat::Swiss { pairings } => {
                (players.len() / 2) as u64 * u64::from(pairings)
            }
        };
        let pairs = u64::from(rounds.get()).saturating_mul(openings.count() as u64);
        let games = pairs.saturating_mul(2 * meetings);
        if games > MAX_GAMES {
            let span = file.rounds.as_ref().map_or(0..0, Spanned::span);
            let fault = format!("expected at most {MAX_GAMES} games, not {games}");
            return Err(self.0.fault(span, fault));
        }
        Ok(TournamentPlan {
            name,
            format,
            seed: file.seed,
            rounds,
            openings,
            margin: self.margin(&file)?,
            limits: file.limits,
            lenient: file.lenient,
            sandbox: file.sandbox,
            ply_cap: file.ply_cap.map_or(PLY_CAP, NonZeroU32::get),
            table,
            forfeit_points: file.forfeit_points.map_or(FORFEIT_POINTS, i32::from),
            players,
            class: file.class.as_ref().map(|class| self.beside(class.folder.get_ref())),
            file: self.0.path.to_owned(),
        })
    }

    fn players(&self, file: &PlanFile) -> Result<Vec<Contestant>, TomlError> {
        let mut players: Vec<Contestant> = Vec::new();
        for table in &file.player {
            let table = table.get_ref();
            let depth = table.depth.as_ref().map(|depth| *depth.get_ref());
            let player = self.spec(&table.player, &template(&table.player, depth))?;
            self.check_takes_depth(&table.player, &player, table.depth.as_ref())?;
            let span = table.name.as_ref().unwrap_or(&table.player);
            let contestant = Contestant {
                name: self.title(span)?,
                player,
                depth,
                joins: self.joins(file, table)?,
            };
            self.add(&mut players, contestant, span)?;
        }
        if let Some(class) = &file.class {
            let depth = class.depth.as_ref().map(|depth| *depth.get_ref());
            let template = template(&class.player, depth);
            for submission in self.class_submissions(class, &template)? {
                let player = self.spec(&class.player, &template.of_submission(&submission))?;
                self.check_takes_depth(&class.player, &player, class.depth.as_ref())?;
                let contestant = Contestant { name: submission.name, player, depth, joins: 1 };
                self.add(&mut players, contestant, &class.folder)?;
            }
        }
        if players.len() < 2 {
            let found = players.len();
            return Err(self.0.fault(0..0, format!("expected two players or more, found {found}")));
        }
        Ok(players)
    }

    /// Returns the first pairing that a player plays.
    fn joins(&self, file: &PlanFile, player: &PlayerTable) -> Result<u32, TomlError> {
        let Some(joins) = &player.joins else { return Ok(1) };
        let pairings = match &file.pairings {
            Some(pairings) if file.format == FormatName::Swiss => pairings.get_ref(),
            _ => {
                return Err(self.at(joins, "only a Swiss tournament has pairings to join"));
            }
        };
        if joins.get_ref() > pairings {
            return Err(self.at(joins, format!("expected one of the {pairings} pairings")));
        }
        Ok(joins.get_ref().get())
    }

    fn add<T>(
        &self,
        players: &mut Vec<Contestant>,
        player: Contestant,
        span: &Spanned<T>,
    ) -> Result<(), TomlError> {
        if players.iter().any(|other| other.name == player.name) {
            let name = excerpt(&player.name);
            let fault =
                format!("there is another player of the name `{name}`: expected a `name` for it");
            return Err(self.at(span, fault));
        }
        players.push(player);
        Ok(())
    }

    /// Returns the folders of a class, by name.
    fn class_submissions(
        &self,
        class: &ClassTable,
        template: &PlayerTemplate,
    ) -> Result<Vec<SubmissionFolder>, TomlError> {
        let path = self.beside(class.folder.get_ref());
        let found = submissions(&path).map_err(FileError::at(&path, "read the folder"))?;
        if template.has_start() {
            check_prepared(&found).map_err(|error| self.at(&class.folder, error.to_string()))?;
        }
        Ok(found)
    }

    /// Checks that the player takes a depth, if a depth is given.
    fn check_takes_depth(
        &self,
        text: &Spanned<String>,
        player: &PlayerSpec,
        depth: Option<&Spanned<u32>>,
    ) -> Result<(), TomlError> {
        let is_told = match player {
            PlayerSpec::Line(_) | PlayerSpec::Java(_) => true,
            _ => PlayerTemplate::from(text.get_ref().as_str()).has_depth(),
        };
        match depth.filter(|_| !is_told) {
            None => Ok(()),
            Some(depth) => {
                let fault = "expected no depth, because the player has no `{depth}`: write it in \
                    the player, as in machine:depth={depth}";
                Err(self.at(depth, fault))
            }
        }
    }

    fn spec<T>(&self, span: &Spanned<T>, player: &PlayerTemplate) -> Result<PlayerSpec, TomlError> {
        match player.parse() {
            Ok(PlayerSpec::Human) => Err(self.at(span, "a tournament takes no human player")),
            Ok(spec) if spec.command().is_some_and(CommandLine::needs_depth) => {
                Err(self.at(span, "expected `depth = N` as well, because the player has `{depth}`"))
            }
            Ok(spec) => Ok(spec),
            Err(error) => Err(self.at(span, error.to_string())),
        }
    }

    fn title(&self, name: &Spanned<String>) -> Result<String, TomlError> {
        let text = name.get_ref().trim();
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(self.at(name, "expected a name in one line"));
        }
        Ok(text.to_owned())
    }

    fn format(
        &self,
        file: &PlanFile,
        players: &[Contestant],
    ) -> Result<TournamentFormat, TomlError> {
        if let Some(span) = file.pairings.as_ref().filter(|_| file.format != FormatName::Swiss) {
            return Err(self.at(span, "only a Swiss tournament has pairings"));
        }
        match (file.format, &file.challenger) {
            (FormatName::Swiss, None) => self.swiss(file.pairings.as_ref(), players),
            (FormatName::RoundRobin, None) => Ok(TournamentFormat::RoundRobin),
            (FormatName::Knockout, None) => Ok(TournamentFormat::Knockout),
            (FormatName::Gauntlet, None) => {
                let fault = "expected a challenger: in a gauntlet, it meets all others";
                Err(self.0.fault(0..0, fault.to_owned()))
            }
            (FormatName::Gauntlet, Some(name)) => {
                let challenger = players.iter().position(|player| player.name == *name.get_ref());
                let challenger =
                    challenger.ok_or_else(|| self.at(name, "expected the name of a player"))?;
                Ok(TournamentFormat::Gauntlet { challenger })
            }
            (_, Some(name)) => Err(self.at(name, "only a gauntlet has a challenger")),
        }
    }

    fn margin(&self, file: &PlanFile) -> Result<Option<Duration>, TomlError> {
        let Some(span) = &file.margin else { return Ok(None) };
        if file.limits.wall.is_none() {
            return Err(self.at(span, "expected `wall` in `limits` as well"));
        }
        parse_duration(span.get_ref()).map(Some).map_err(|fault| self.at(span, fault))
    }

    fn swiss(
        &self,
        pairings: Option<&Spanned<NonZeroU32>>,
        players: &[Contestant],
    ) -> Result<TournamentFormat, TomlError> {
        let Some(span) = pairings else {
            let fault = "expected `pairings`, the number of pairings of a Swiss tournament";
            return Err(self.0.fault(0..0, fault.to_owned()));
        };
        let pairings = span.get_ref().get();
        for pairing in 1..=pairings {
            let players = players.iter().filter(|player| player.joins <= pairing).count();
            if pairing as usize > players / 2 {
                // With more pairings, two players might have to meet again.
                let fault =
                    format!("expected at most {} pairings of {players} players", players / 2);
                return Err(self.at(span, fault));
            }
        }
        Ok(TournamentFormat::Swiss { pairings })
    }

    fn openings(
        &self,
        table: Option<&Spanned<OpeningsTable>>,
    ) -> Result<TournamentOpenings, TomlError> {
        let Some(span) = table else { return Ok(TournamentOpenings::Empty) };
        match span.get_ref() {
            OpeningsTable { plies: Some(plies), count, file: None } => {
                let count = count.unwrap_or(1);
                if !(1..=MAX_OPENINGS).contains(&count) {
                    let fault = format!("expected a count from 1 to {MAX_OPENINGS}");
                    return Err(self.at(span, fault));
                }
                Ok(TournamentOpenings::Random { plies: *plies, count })
            }
            OpeningsTable { plies: None, count: None, file: Some(file) } => {
                let text = read_toml(&self.beside(file.get_ref()))?;
                let openings = TournamentOpenings::parse(&text);
                if openings.count() == 0 {
                    return Err(self.at(file, "expected an opening in this file"));
                }
                Ok(openings)
            }
            _ => Err(self.at(span, "expected either plies, and perhaps count, or file")),
        }
    }

    fn beside(&self, path: &Path) -> PathBuf {
        self.0.path.parent().unwrap_or(Path::new("")).join(path)
    }

    fn at<T>(&self, span: &Spanned<T>, fault: impl Into<String>) -> TomlError {
        self.0.fault(span.span(), fault.into())
    }
}

fn template(player: &Spanned<String>, depth: Option<u32>) -> PlayerTemplate {
    let template = PlayerTemplate::from(player.get_ref().as_str());
    depth.map_or_else(|| template.clone(), |depth| template.with_depth(depth))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PLAYERS: &str = "[[player]]\nname = 'Ann'\nplayer = 'random'\n\
        [[player]]\nplayer = 'machine:depth=3'\n";

    #[test]
    fn keys_that_are_left_out_have_values() -> Result<(), TomlError> {
        let plan = TournamentPlan::parse(PLAYERS)?;
        assert_eq!((plan.name.as_str(), plan.format), ("t", TournamentFormat::RoundRobin));
        assert_eq!((plan.openings.count(), plan.rounds.get(), plan.limits.wall), (1, 1, None));
        let names: Vec<_> = plan.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["Ann", "machine:depth=3"]);
        Ok(())
    }

    #[test]
    fn all_keys_are_read() -> Result<(), TomlError> {
        let text = "name = 'Autumn'\nseed = 5\nformat = 'gauntlet'\nchallenger = 'Ann'\n\
            rounds = 2\nply-cap = 80\ntable = 1\nforfeit-points = 0\n\
            openings = { plies = 4, count = 3 }\nlimits = { wall = '1.5s' }\nmargin = '50ms'\n";
        let plan = TournamentPlan::parse(&format!("{text}{PLAYERS}"))?;
        assert_eq!((plan.name.as_str(), plan.seed, plan.rounds.get()), ("Autumn", 5, 2));
        assert_eq!(plan.format, TournamentFormat::Gauntlet { challenger: 0 });
        assert_eq!((plan.ply_cap, plan.table, plan.forfeit_points), (80, 1, 0));
        assert_eq!(plan.openings, TournamentOpenings::Random { plies: 4, count: 3 });
        assert_eq!(plan.limits.wall, Some(Duration::from_millis(1_500)));
        assert_eq!(plan.wall_limit(), Some(Duration::from_millis(1_550)));
        Ok(())
    }

    #[test]
    fn fault_is_named_with_its_place() {
        for (text, start) in [
            ("seed = -1\n", "t.toml:1:8: "),
            ("seed = \n", "t.toml:1:8: "),
            ("\ncolour = 'red'\n", "t.toml:2:1: unknown field `colour`"),
            ("format = 'ladder'\n", "t.toml:1:10: unknown variant `ladder`"),
            ("format = 'swiss'\n", "t.toml:1:1: expected `pairings`"),
            ("format = 'swiss'\npairings = 2\n", "t.toml:2:12: expected at most 1 pairings of 2"),
            ("pairings = 1\n", "t.toml:1:12: only a Swiss"),
            ("format = 'gauntlet'\n", "t.toml:1:1: expected a challenger"),
            ("challenger = 'Ann'\n", "t.toml:1:14: only a gauntlet"),
            ("format = 'gauntlet'\nchallenger = 'Bob'\n", "t.toml:2:14: expected the name of"),
            ("limits = { wall = 'soon' }\n", "t.toml:1:19: expected a time"),
            ("margin = '50ms'\n", "t.toml:1:10: expected `wall` in `limits`"),
            ("margin = 'soon'\nlimits = { wall = '1s' }\n", "t.toml:1:10: expected a time"),
            ("openings = { count = 3 }\n", "t.toml:1:12: expected either plies"),
            ("openings = { plies = 3, count = 0 }\n", "t.toml:1:12: expected a count"),
            ("table = 99999999\n", "t.toml:1:9: expected a table"),
            ("rounds = 500001\n", "t.toml:1:10: expected at most 1000000 games, not 1000002"),
            ("name = \"two\\nlines\"\n", "t.toml:1:8: expected a name in one line"),
        ] {
            let error =
                TournamentPlan::parse(&format!("{text}{PLAYERS}")).expect_err(text).to_string();
            assert!(error.starts_with(start), "{text}{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        for (text, start) in [
            ("[[player]]\nplayer = 'robot'\n", "t.toml:6:"),
            ("[[player]]\nplayer = 'human'\n", "t.toml:7:10: a tournament takes no human player"),
            ("[[player]]\nplayer = 'line:x {depth}'\n", "t.toml:7:10: expected `depth = N`"),
            ("[[player]]\nname = 'Ann'\nplayer = 'random'\n", "t.toml:7:8: there is another"),
            ("[[player]]\nplayer = 'machine'\ndepth = 3\n", "t.toml:8:9: expected no depth"),
            ("[[player]]\nplayer = 'file:x {in} {out}'\ndepth = 3\n", "t.toml:8:9: expected no"),
        ] {
            let error =
                TournamentPlan::parse(&format!("{PLAYERS}{text}")).expect_err(text).to_string();
            let place = start.trim_end_matches("6:");
            assert!(error.starts_with(place), "{text}{error}");
        }
        let error =
            TournamentPlan::parse("seed = 1\n").expect_err("a plan without players").to_string();
        assert_eq!(error, "t.toml:1:1: expected two players or more, found 0");
    }

    #[test]
    fn class_is_a_folder_of_folders() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.toml");
        fs::write(&path, "class = { folder = 'subs', player = 'random' }\n")?;
        assert!(matches!(TournamentPlan::read(&path), Err(TomlError::Unreadable(_))));
        for name in ["subs/zoe", "subs/ann", "subs/.git"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        fs::write(folder.path().join("subs/notes.txt"), "")?;
        let names: Vec<_> =
            TournamentPlan::read(&path)?.players.into_iter().map(|p| p.name).collect();
        assert_eq!(names, ["ann", "zoe"]);
        Ok(())
    }
}
