//! Books, solutions, runtime tables, tournaments and matches as work of many tasks.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use plyground::Game;
use plyground::book::{Coverage, Shard};
use plyground::perfect::plies_to_end;
use plyground_arena::alone::Gate;
use plyground_arena::book::{BookRequest, SharedBook};
use plyground_arena::contents::{ContentCheck, program_content};
use plyground_arena::matches::{Entrant, GamePair, play_pair};
use plyground_arena::programs::settle_level;
use plyground_arena::timing::{RuntimeError, RuntimeFile, RuntimeRow, RuntimeTable, tabulate};
use plyground_arena::tournament::{SharedTournament, Tournament, TournamentPlan};
use plyground_durable::fnv1a;
use plyground_durable::input::STDIN;
use plyground_durable::output::write_whole;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};
use plyground_host::record::GameRecord;
use plyground_host::{HostedPosition, SharedGame};
use plyground_sandbox::SandboxLevel;

use super::job::{Job, Order, Prepared, contents};
use crate::SolveArgs;
use crate::analyze::show;
use crate::args::load_or_start;
use crate::book::{BookBuildArgs, request};
use crate::failure::{Failure, warn};
use crate::matches::{MatchArgs, MatchSetup};
use crate::programs::prepare_system;
use crate::timing::{Kept, NAME, Tables, TimingArgs, TimingTarget};
use crate::tournament::{TournamentArgs, finish};

struct BookJob {
    title: String,
    out: PathBuf,
    book: SharedBook,
}

/// Shares the build of a book.
pub(super) fn book(game: &SharedGame, args: BookBuildArgs) -> Result<Box<dyn Job>, Failure> {
    if !args.shard.is_whole() || args.partial || args.jobs.get() > 1 {
        let fault =
            "expected book build without --shard, --partial and --jobs: tasks share the work";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let request = request(&**game, &args)?;
    let base = request.base.as_ref().map_or(0, |base| fnv1a(base.as_bytes()));
    let lines = [
        "book".to_owned(),
        format!("{} {}", game.name(), game.rules()),
        format!("from {:016x}", request.start.key()),
        format!("{} plies, {:?}", request.plies, request.coverage),
        format!("base {base:016x}"),
        format!("table of {} MiB", request.table_mib),
    ];
    let title = lines.map(|line| line + "\n").concat();
    Ok(Box::new(BookJob { title, out: args.out, book: SharedBook::new(request) }))
}

impl Job for BookJob {
    fn workload(&self) -> &dyn Workload {
        &self.book
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn namesake(&self) -> &Path {
        &self.out
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        // A part of a book would be taken for the whole.
        let Some(book) = self.book.book(folder)? else { return Ok(()) };
        write_whole(&self.out, book.as_bytes())?;
        writeln!(io::stdout(), "{} positions in {}", book.count()?, self.out.display())?;
        Ok(())
    }
}

/// The plies of the shared book: so deep, there are many more positions than tasks.
const PLIES: u32 = 4;

struct SolveJob {
    game: SharedGame,
    args: SolveArgs,
    position: HostedPosition,
    book: SharedBook,
}

/// Shares the solution of a position.
pub(super) fn solve(game: &SharedGame, args: SolveArgs) -> Result<Box<dyn Job>, Failure> {
    if args.threads.get() > 1 || args.file.as_ref().is_some_and(|file| file.as_os_str() == STDIN) {
        let fault = "expected solve of a file, without --threads: tasks share the work";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let position = load_or_start(&**game, args.file.as_deref())?;
    let left = plies_to_end(&position)?;
    let book = SharedBook::new(BookRequest {
        start: position.clone(),
        plies: PLIES.min(left),
        coverage: Coverage::Every,
        shard: Shard::WHOLE,
        base: None,
        jobs: args.threads,
        table_mib: args.table.mib,
        partial: false,
    });
    Ok(Box::new(SolveJob { game: SharedGame::clone(game), args, position, book }))
}

impl Job for SolveJob {
    fn workload(&self) -> &dyn Workload {
        &self.book
    }

    fn title(&self) -> String {
        let lines = [
            "solve".to_owned(),
            format!("{} {}", self.game.name(), self.game.rules()),
            self.position.state_word(),
            format!("table of {} MiB", self.args.table.mib),
        ];
        lines.map(|line| line + "\n").concat()
    }

    fn namesake(&self) -> &Path {
        self.args.file.as_deref().unwrap_or(Path::new("solve"))
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        // With only a part of the book, this process would search nearly as long as without it.
        let Some(book) = self.book.book(folder)? else { return Ok(()) };
        show(&*self.game, &self.args, &self.position, Some(book), Arc::default())
    }
}

/// Positions to time. A position is one piece with all its depths, because the times of the depths
/// decide the last depth.
struct TimingJob {
    game: SharedGame,
    args: TimingArgs,
    targets: Vec<TimingTarget>,
}

/// Shares the measuring of positions.
pub(super) fn timing(game: &SharedGame, args: TimingArgs) -> Result<Box<dyn Job>, Failure> {
    if args.files.iter().any(|file| file.as_os_str() == STDIN) {
        let fault = "expected timing of files: tasks share the files";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let targets = TimingTarget::all(&**game, &args)?;
    Ok(Box::new(TimingJob { game: SharedGame::clone(game), args, targets }))
}

impl TimingJob {
    /// Returns the names of the pieces, in the order of the files.
    fn names(&self) -> impl Iterator<Item = String> {
        self.targets.iter().enumerate().map(|(index, target)| piece_name(index, &target.name))
    }

    /// Returns the table of a piece, if a task has measured it.
    fn measured(
        &self,
        folder: &WorkFolder,
        piece: &str,
        target: &TimingTarget,
    ) -> Result<Option<RuntimeTable>, WorkError> {
        let Some(text) = folder.result(piece)? else { return Ok(None) };
        let table =
            RuntimeTable::from_csv(&text).map_err(|fault| folder.wrong_result(piece, &fault))?;
        let position = target.position.state_word();
        if table.rows().iter().any(|row| row.position != position) {
            let why = format_args!("expected rows of {position}");
            return Err(folder.wrong_result(piece, &why));
        }
        Ok(Some(table))
    }
}

impl Workload for TimingJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok(self.names().collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let target = self.names().zip(&self.targets).find(|(name, _)| name == piece);
        let none = || PieceError::Failed("there is no such position".to_owned());
        let (_, target) = target.ok_or_else(none)?;
        let mut table = RuntimeTable::default();
        let keep = |row: &RuntimeRow, _| {
            table.insert(row.clone());
            Ok(())
        };
        let plan = self.args.plan(&target.position, stop);
        match tabulate(&plan, &RuntimeTable::default(), |_, _| (), keep) {
            Ok(_) => Ok(Some(table.to_csv().into_bytes())),
            Err(RuntimeError::Stopped { .. }) => Ok(None),
            Err(error) => Err(PieceError::Failed(error.to_string())),
        }
    }
}

impl Job for TimingJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let args = &self.args;
        let lines = [
            "timing".to_owned(),
            format!("{} {}", self.game.name(), self.game.rules()),
            format!("{}, table of {} MiB", args.search, args.table),
            format!("depths {:?}, {:?} at most", args.depths, args.max_cpu),
            format!("runs {:?}", args.runs),
        ];
        let positions = self.names().zip(&self.targets);
        let positions = positions.map(|(name, it)| format!("{name} {}", it.position.state_word()));
        lines.into_iter().chain(positions).map(|line| line + "\n").collect()
    }

    fn namesake(&self) -> &Path {
        let csv = self.args.csv.as_deref();
        let of_one = csv.filter(|path| !path.to_string_lossy().contains(NAME));
        of_one.unwrap_or(Path::new("timing"))
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.targets.iter().try_for_each(TimingTarget::check)?;
        Ok(Prepared::default())
    }

    /// Shows the tables as `timing` shows known rows, position by position.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let mut tables = Tables::new(io::stdout().lock(), &self.args);
        for (piece, target) in self.names().zip(&self.targets) {
            let Some(measured) = self.measured(folder, &piece, target)? else { continue };
            let mut kept = Kept::open(target, RuntimeFile::open_lockless)?;
            measured.rows().iter().for_each(|row| kept.table.insert(row.clone()));
            kept.keep()?;
            tables.show(&self.args.plan(&target.position, &Arc::default()), &mut kept)?;
        }
        Ok(())
    }
}

struct TournamentJob {
    game: SharedGame,
    plan: TournamentPlan,
    out: PathBuf,
    absent: std::collections::BTreeMap<String, String>,
    work: SharedTournament,
}

/// Shares a tournament.
pub(super) fn tournament(
    game: &SharedGame,
    args: TournamentArgs,
    order: Option<&Order>,
) -> Result<Box<dyn Job>, Failure> {
    let args = args.run.ok_or_else(|| {
        Failure::Usage("expected the file of a tournament: tasks share its games".to_owned())
    })?;
    if args.file == Path::new(STDIN) || !args.shard.is_whole() || args.jobs.is_some() {
        let fault =
            "expected a tournament from a file, without --shard and --jobs: tasks share the work";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let mut plan = TournamentPlan::read(&args.file)?;
    match order {
        Some(order) => plan.sandbox = order.level,
        None => plan.settle_level()?,
    }
    let out = args.out.unwrap_or_else(|| args.file.with_extension(""));
    if out == args.file {
        return Err(Failure::Usage("expected --out, because the file has no extension".to_owned()));
    }
    let absent = order.map(|order| order.absent.clone()).unwrap_or_default();
    let work = SharedTournament::new(game, plan.clone(), &out, &absent, contents(order))?;
    Ok(Box::new(TournamentJob { game: SharedGame::clone(game), plan, out, absent, work }))
}

impl Job for TournamentJob {
    fn workload(&self) -> &dyn Workload {
        &self.work
    }

    fn title(&self) -> String {
        format!("tournament\n{}", self.work.title())
    }

    fn namesake(&self) -> &Path {
        &self.out
    }

    fn level(&self) -> Option<SandboxLevel> {
        self.plan.sandbox
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        if self.work.has_programs() {
            // This also makes the folder for the logs of all programs.
            prepare_system(self.work.programs())?;
        }
        let absent = self.work.absent()?;
        for (name, why) in &absent {
            warn(&format_args!("{name} not played: {why}"));
        }
        Ok(Prepared { contents: self.work.contents(), absent })
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let tournament = Tournament::open_lockless(&self.game, self.plan.clone(), &self.out);
        let mut tournament = tournament?;
        tournament.take_in_work(folder, &self.absent)?;
        tournament.load()?;
        tournament.damaged().for_each(warn);
        io::stdout().flush()?;
        finish(&tournament)
    }
}

struct MatchJob {
    game: SharedGame,
    setup: MatchSetup,
    check: ContentCheck,
    is_external: bool,
}

/// Shares a match.
pub(super) fn matches(
    game: &SharedGame,
    mut args: MatchArgs,
    order: Option<&Order>,
) -> Result<Box<dyn Job>, Failure> {
    let Some(seed) = args.seed.filter(|_| args.sprt.is_none() && args.jobs.get() == 1) else {
        let fault =
            "expected match with --seed, and without --sprt and --jobs: tasks share the work";
        return Err(Failure::Usage(fault.to_owned()));
    };
    let is_external = args.a.is_external() || args.b.is_external();
    let sandbox = &mut args.programs.sandbox;
    sandbox.sandbox = match order {
        Some(order) => order.level,
        None => is_external.then(|| settle_level(sandbox.sandbox)).transpose()?,
    };
    let setup = MatchSetup::new(game, &args, seed)?;
    let check = ContentCheck::new(contents(order), setup.programs.clone());
    Ok(Box::new(MatchJob { game: SharedGame::clone(game), setup, check, is_external }))
}

impl MatchJob {
    /// Returns the pair of this index, if it is done.
    fn pair(&self, folder: &WorkFolder, index: usize) -> Result<Option<GamePair>, Failure> {
        let piece = piece_name(index, "");
        let Some(text) = folder.result(&piece)? else { return Ok(None) };
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::Run(anyhow!("{}: {why}", folder.result_file(&piece).display()))
        };
        let texts: [String; 2] = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        let [one, other] = texts.map(|text| {
            let record = GameRecord::parse(&text).map_err(|fault| wrong(&fault))?;
            record.check_from(&self.setup.conditions.start).map_err(|fault| wrong(&fault))
        });
        Ok(Some(GamePair { index, games: [one?, other?] }))
    }
}

impl Workload for MatchJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok((0..self.setup.args.pairs()).map(|index| piece_name(index, "")).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let MatchSetup { args, conditions, .. } = &self.setup;
        for spec in [&args.a, &args.b] {
            self.check.check(&*self.game, spec, args.depth.map(u32::from))?;
        }
        let failed = |why: &dyn ToString| PieceError::Failed(why.to_string());
        let index = piece.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let index = index.ok_or_else(|| failed(&"there is no such pair"))?;
        let opening = conditions.openings.get(index);
        let opening = opening.ok_or_else(|| failed(&"there is no such pair"))?;
        let seat = |entrant: Entrant, chance| {
            self.setup.player(entrant, chance, &format!("{piece}-{entrant:?}.log"), stop)
        };
        let pair = play_pair(conditions, &seat, stop, &Gate::default(), index, opening);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let pair = pair.map_err(|error| failed(&error))?;
        let mut texts = Vec::new();
        for (played, seats) in pair.games.iter().zip(Entrant::SEATS) {
            let record = GameRecord::of(played, self.setup.records(seats));
            texts.push(record.to_sealed_text().map_err(|error| failed(&error))?);
        }
        serde_json::to_vec(&texts).map(Some).map_err(|error| failed(&error))
    }
}

impl Job for MatchJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let MatchSetup { args, conditions, .. } = &self.setup;
        let lines = [
            "match".to_owned(),
            format!("{} {}", self.game.name(), self.game.rules()),
            format!("A {}", args.a),
            format!("B {}", args.b),
            format!("{} pairs, openings of {} plies", args.pairs(), args.plies.0),
            format!("seed {}", conditions.seed),
            format!(
                "at most {} plies, {:?} for a move, {:?} more",
                args.ply_cap, args.time_limit, args.margin
            ),
            format!(
                "table of {} MiB, {:?}, depth {:?}",
                args.table,
                args.book,
                args.depth.map(u32::from)
            ),
            format!("{:?}", self.setup.programs),
        ];
        lines.map(|line| line + "\n").concat()
    }

    fn namesake(&self) -> &Path {
        Path::new("match")
    }

    fn level(&self) -> Option<SandboxLevel> {
        self.setup.args.programs.sandbox.sandbox.filter(|_| self.is_external)
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.setup.prepare()?;
        let players = [&self.setup.args.a, &self.setup.args.b].into_iter();
        let contents = players.filter_map(|spec| Some((spec.to_string(), program_content(spec)?)));
        Ok(Prepared { contents: contents.collect(), ..Prepared::default() })
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let mut pairs = Vec::new();
        for index in 0..self.setup.args.pairs() {
            pairs.extend(self.pair(folder, index)?);
        }
        self.setup.show(&pairs)
    }
}
