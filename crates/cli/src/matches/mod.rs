//! `match`: two players compared by many games.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use plyground::Game;
use plyground::search::Options;
use plyground_arena::matches::{
    Entrant, GamePair, MatchConditions, MatchTally, draw_openings, play,
};
use plyground_arena::programs::{ProgramOptions, check_given_moves};
use plyground_arena::seat::{PlayerSetup, check_player, make_player};
use plyground_arena::statistics::{Pentanomial, Sprt};
use plyground_durable::output::{check_writable, make_folder, write_whole};
use plyground_durable::{parse_duration, whole_number};
use plyground_host::external::KnownLineEnds;
use plyground_host::player::{Player, PlayerSpec};
use plyground_host::record::{GameRecord, PlayerRecord};
use plyground_host::referee::PLY_CAP;
use plyground_host::{EngineOptions, SharedGame, any_seed};
use plyground_sandbox::SandboxLevel;

use self::report::{MatchReport, PairRows};
use crate::args::{BookChoice, Depth, Plies, mebibytes_parser};
use crate::failure::{Failure, listen, refuse, warn};
use crate::programs::{ProgramArgs, prepare, warn_of_patient};
use crate::progress;

mod report;

/// The default memory for the table of a machine, in MiB. Every game of every job has two tables.
const DEFAULT_TABLE: usize = 16;
/// The template of the progress line.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} pairs  {msg}  {eta_precise} left";

/// The most games. A greater number is taken for a typing error: all openings are drawn beforehand.
const MOST_GAMES: u64 = 1_000_000;

/// The arguments of `match`.
#[derive(Clone, Debug, Args)]
pub struct MatchArgs {
    /// The player whose score is kept: random, machine, machine:depth=N, machine:time=TIME,
    /// machine:perfect, machine:perfect,time=TIME, or a program: file:COMMAND, line:COMMAND
    /// or java:FOLDER-OR-JAR:CLASS
    #[arg(value_name = "A")]
    pub a: PlayerSpec,

    /// The opponent
    #[arg(value_name = "B")]
    pub b: PlayerSpec,

    /// The number of games at most, rounded up to pairs; 0 with --before, to show the result of its
    /// pairs
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = whole_number(0..=MOST_GAMES))]
    pub games: u64,

    /// The number of random moves that a game begins with; every pair has a different opening
    #[arg(long = "openings", value_name = "PLIES", default_value = "4")]
    pub plies: Plies,

    /// The seed of openings and random players; without it, a new one each time
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of games at a time. The results are the same unless players look at a clock
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    pub jobs: NonZeroUsize,

    /// Stop as soon as one of two differences in Elo can be accepted, with a 5 % risk of error;
    /// append alpha=RISK,beta=RISK for other risks, and model=normalized for differences in
    /// normalized Elo
    #[arg(long, value_name = "ELO0,ELO1,...", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,

    /// Count the pairs of an earlier run with another seed, too: the numbers of pairs in which A
    /// had 0, 0.5, 1, 1.5 and 2 points
    #[arg(long, value_name = "N,N,N,N,N")]
    pub before: Option<Pentanomial>,

    /// The time for a move; a player that takes longer loses
    #[arg(short, long, value_name = "SECONDS", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,

    /// Add this time to each move without telling the players: for programs that start slowly
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "time_limit")]
    pub margin: Option<Duration>,

    /// Memory for the transposition table of a machine, in MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_TABLE)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// The book of both players.
    #[command(flatten)]
    pub book: BookChoice,

    /// End a game as a draw after this many moves, counting the moves of both players
    #[arg(long, value_name = "N", default_value_t = PLY_CAP)]
    #[arg(value_parser = whole_number(1..=u32::MAX))]
    pub ply_cap: u32,

    /// Save every game in this folder, as `play` does; it is created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,

    /// Write the pairs into this file, rewritten after every pair
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,

    /// Print one line of JSON: the result and all pairs
    #[arg(long)]
    pub json: bool,

    /// The number of moves that external programs are told to look ahead
    #[arg(long, value_name = "N")]
    pub depth: Option<Depth>,

    /// The options of other people's programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

impl MatchArgs {
    /// Returns the time after which a player loses.
    pub(super) fn wall_limit(&self) -> Option<Duration> {
        Some(self.time_limit?.saturating_add(self.margin.unwrap_or_default()))
    }

    pub(super) fn pairs(&self) -> usize {
        usize::try_from(self.games.div_ceil(2)).unwrap_or(usize::MAX)
    }

    pub(super) fn spec(&self, entrant: Entrant) -> &PlayerSpec {
        match entrant {
            Entrant::A => &self.a,
            Entrant::B => &self.b,
        }
    }

    /// Returns the two players, for the record.
    pub(super) fn records(&self, seats: [Entrant; 2]) -> [PlayerRecord; 2] {
        seats.map(|entrant| {
            let player = self.spec(entrant).to_string();
            PlayerRecord { name: player.clone(), player }
        })
    }
}

pub(super) fn run(game: &SharedGame, args: &MatchArgs) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or_else(any_seed);
    let setup = MatchSetup::new(game, args, seed)?;
    setup.prepare()?;
    // The flag is raised at an interruption and at the end of the test; the sheet tells the two apart.
    let interrupted = listen()?;
    if !args.json {
        announce(args, seed)?;
    }
    let mut sheet = MatchSheet::new(game, args, seed);
    let seated = AtomicUsize::new(0);
    let seat = |entrant: Entrant, chance| {
        let log = format!("{:05}-{entrant:?}.log", seated.fetch_add(1, Ordering::Relaxed) + 1);
        setup.player(entrant, chance, &log, &interrupted)
    };
    if !sheet.decided && args.games > 0 {
        play(&setup.conditions, seat, &interrupted, |pair| sheet.add(&pair))?;
    }
    let sheet = sheet.finish();
    for (entrant, line_ends) in [Entrant::A, Entrant::B].into_iter().zip(&setup.line_ends) {
        line_ends.warning(&args.spec(entrant).to_string()).iter().for_each(warn);
    }
    sheet
}

/// All that a match needs.
pub(super) struct MatchSetup {
    game: SharedGame,
    pub(super) args: MatchArgs,
    pub(super) conditions: MatchConditions,
    pub(super) programs: ProgramOptions,
    /// The line ends that each player reads.
    line_ends: [KnownLineEnds; 2],
    engine: EngineOptions,
}

impl MatchSetup {
    /// Creates the setup of a match with this seed, after a check that it can be played.
    pub(super) fn new(
        game: &SharedGame,
        args: &MatchArgs,
        seed: u64,
    ) -> Result<MatchSetup, Failure> {
        check(game, args)?;
        let start = game.start();
        let engine = EngineOptions {
            search: Options { table_mib: args.table, ..Options::default() },
            book: args.book.open(&start)?,
            without_prepared: args.book.no_book.0,
        };
        warn_of_patient(&start, [&args.a, &args.b], engine.book.as_ref());
        let openings =
            draw_openings(&start, args.plies.0, args.pairs(), seed).map_err(Failure::usage)?;
        let conditions = MatchConditions {
            start,
            openings,
            seed,
            jobs: args.jobs,
            wall_limit: args.wall_limit(),
            ply_cap: args.ply_cap,
        };
        if args.plies.0 > 0 {
            check_given_moves(&**game, &[&args.a, &args.b], "add `--openings 0`")?;
        }
        let (game, programs) = (SharedGame::clone(game), args.programs.options());
        let line_ends = Default::default();
        Ok(MatchSetup { game, args: args.clone(), conditions, programs, line_ends, engine })
    }

    /// Returns an error if a program cannot play.
    pub(super) fn prepare(&self) -> Result<(), Failure> {
        let specs = [&self.args.a, &self.args.b];
        prepare(&*self.game, &self.programs, &specs, self.args.depth.map(|depth| depth.0))
    }

    /// Returns a player for one game. A program is ended when `stop` is raised.
    pub(super) fn player(
        &self,
        entrant: Entrant,
        chance: u64,
        log: &str,
        stop: &Arc<AtomicBool>,
    ) -> Box<dyn Player> {
        let setup = PlayerSetup {
            engine: self.engine.clone(),
            policy: self.programs.policy(self.args.wall_limit(), Some(Arc::clone(stop)), log),
            lenient: self.programs.lenient,
            line_ends: self.line_ends[entrant as usize].clone(),
            depth: self.args.depth.map(|depth| depth.0),
            margin: self.args.margin.unwrap_or_default(),
            seed: chance,
            ..PlayerSetup::default()
        };
        make_player(&self.game, self.args.spec(entrant), setup)
    }

    /// Shows the result of these pairs.
    pub(super) fn show(&self, pairs: &[GamePair]) -> Result<(), Failure> {
        if !self.args.json {
            announce(&self.args, self.conditions.seed)?;
        }
        let mut sheet = MatchSheet::new(&self.game, &self.args, self.conditions.seed);
        for pair in pairs {
            let _ = sheet.add(pair)?;
        }
        match sheet.finish() {
            // The caller reports the missing pairs.
            Err(Failure::Stopped(_)) => Ok(()),
            shown => shown,
        }
    }
}

/// Prints the players and the number of games.
fn announce(args: &MatchArgs, seed: u64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "A: {}\nB: {}", args.a, args.b)?;
    let games = 2 * args.pairs();
    let most = if args.sprt.is_some() { "At most " } else { "" };
    writeln!(out, "{most}{games} games, openings of {} plies, seed {seed}", args.plies.0)?;
    if let Some(level) = level(args) {
        writeln!(out, "External programs in sandboxes of the level {level}")?;
    }
    out.flush()
}

/// Returns the level of the sandboxes of external programs, if there are any.
fn level(args: &MatchArgs) -> Option<SandboxLevel> {
    let has_programs = args.a.is_external() || args.b.is_external();
    has_programs.then(|| args.programs.options().level())
}

/// Returns an error for arguments that make no sense, before any game.
fn check(game: &SharedGame, args: &MatchArgs) -> Result<(), Failure> {
    for spec in [&args.a, &args.b] {
        if *spec == PlayerSpec::Human {
            return refuse("human: a match takes no human player");
        }
        check_player(&**game, spec)?;
    }
    if args.games == 0 && args.before.is_none() {
        return refuse("expected --before with --games 0");
    }
    if args.plies.0 >= args.ply_cap {
        let (plies, cap) = (args.plies.0, args.ply_cap);
        return refuse(format!(
            "openings of {plies} plies leave none of the {cap} moves of a game"
        ));
    }
    if let Some(left) = game.start().plies_left().filter(|&left| left <= args.plies.0) {
        return refuse(format!("expected openings of fewer than {left} plies"));
    }
    if let Some(path) = &args.csv {
        check_writable(path)?;
    }
    if let Some(path) = &args.record {
        make_folder(path)?;
    }
    Ok(())
}

/// Returns the number of records of games in a folder whose pair has a greater number than `last`.
fn records_after(last: usize, folder: &Path) -> usize {
    let is_later = |name: &str| {
        let pair = name.strip_suffix(".jsonl").and_then(|name| name.split_once('-'));
        pair.and_then(|(pair, _)| pair.parse().ok()).is_some_and(|pair: usize| pair > last)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_later)).count()
}

/// The outputs of a match, to which each pair is added.
struct MatchSheet<'a> {
    args: &'a MatchArgs,
    report: MatchReport,
    progress: ProgressBar,
    decided: bool,
    /// The greatest number of a pair whose games were saved.
    saved: usize,
}

impl<'a> MatchSheet<'a> {
    fn new(game: &SharedGame, args: &'a MatchArgs, seed: u64) -> MatchSheet<'a> {
        let progress = progress::bar(args.pairs() as u64, progress::style(PROGRESS));
        let report = MatchReport {
            game: game.name(),
            players: [&args.a, &args.b].map(ToString::to_string),
            opening_plies: args.plies.0,
            seed,
            sprt: args.sprt,
            sandbox: level(args),
            before: args.before.unwrap_or_default(),
            tally: MatchTally::default(),
            rows: PairRows::default(),
            first_faults: Default::default(),
        };
        let decided = report.is_decided();
        MatchSheet { args, report, progress, decided, saved: 0 }
    }

    fn add(&mut self, pair: &GamePair) -> Result<ControlFlow<()>, Failure> {
        self.report.add(pair);
        if let Some(folder) = &self.args.record {
            self.save(pair, folder)?;
        }
        if let Some(path) = &self.args.csv {
            write_whole(path, self.report.rows.to_csv())?;
        }
        self.progress.inc(1);
        self.progress.set_message(self.report.brief());
        self.decided = self.report.is_decided();
        Ok(if self.decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Saves the games as `0001-1.jsonl` and `0001-2.jsonl`, the number of the pair first.
    fn save(&mut self, pair: &GamePair, folder: &Path) -> Result<(), Failure> {
        self.saved = self.saved.max(pair.index + 1);
        for ((number, played), seats) in (1..).zip(&pair.games).zip(Entrant::SEATS) {
            let path = folder.join(format!("{:04}-{number}.jsonl", pair.index + 1));
            GameRecord::of(played, self.args.records(seats)).save(&path)?;
        }
        Ok(())
    }

    /// Shows the result so far. Returns an error if pairs are missing.
    fn finish(self) -> Result<(), Failure> {
        self.progress.finish_and_clear();
        if let Some(folder) = &self.args.record
            && let left @ 1.. = records_after(self.saved, folder)
        {
            let folder = folder.display();
            warn(&format!(
                "{folder}: has {left} records of an earlier match, which `review` counts, too: \
                 expected an empty folder"
            ));
        }
        let mut out = io::stdout().lock();
        if self.args.json {
            writeln!(out, "{}", self.report.to_json()?)?;
        } else {
            write!(out, "{}", self.report.to_text())?;
        }
        let played = self.report.tally.pairs.pairs();
        if self.decided || played == self.args.pairs() as u64 {
            Ok(())
        } else {
            let pairs = self.args.pairs();
            Err(Failure::Stopped(format!("{played} of {pairs} pairs played")))
        }
    }
}
