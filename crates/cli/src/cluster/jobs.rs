//! Books, solutions, runtime tables, tournaments and matches as work of many tasks.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use plyground::Game;
use plyground::book::Coverage;
use plyground::perfect::plies_to_end;
use plyground_arena::book::{BookRequest, SharedBook};
use plyground_arena::contents::{ContentCheck, program_content};
use plyground_arena::matches::{Entrant, GamePair, play_pair};
use plyground_arena::programs::settle_level;
use plyground_arena::second_try::Gate;
use plyground_arena::timing::{RuntimeError, RuntimeRow, RuntimeTable, tabulate};
use plyground_arena::tournament::{SharedTournament, Tournament, TournamentPlan};
use plyground_durable::fnv1a;
use plyground_durable::input::STDIN;
use plyground_durable::lock::Locking;
use plyground_durable::output::write_whole;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};
use plyground_host::SharedGame;
use plyground_host::record::GameRecord;

use super::job::{Job, Order, Prepared, contents};
use crate::analyze::{SolveArgs, show};
use crate::args::load_or_start;
use crate::book::{BookBuildArgs, request};
use crate::failure::{Failure, refuse, warn};
use crate::matches::{MatchArgs, MatchSetup};
use crate::programs::prepare_system;
use crate::timing::{Kept, NAME, Tables, TimingArgs, TimingTarget};
use crate::tournament::{TournamentArgs, finish};

/// Shares the build of a book.
pub(super) fn book(game: &SharedGame, args: BookBuildArgs) -> Result<Job, Failure> {
    if !args.shard.is_whole() || args.partial || args.jobs.get() > 1 {
        return refuse(
            "expected book build without --shard, --partial and --jobs: tasks share the work",
        );
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
    let book = Arc::new(SharedBook::new(request));
    let (workload, out) = (Arc::clone(&book), args.out.clone());
    let merge = move |folder: &WorkFolder| {
        // A part of a book would be taken for the whole.
        let Some(book) = book.book(folder)? else { return Ok(()) };
        write_whole(&out, book.as_bytes())?;
        writeln!(io::stdout(), "{} positions in {}", book.count()?, out.display())?;
        Ok(())
    };
    Ok(Job { measures_time: false, ..Job::new(lines, &args.out, workload, merge) })
}

/// The plies of the shared book: so deep, there are many more positions than tasks.
const PLIES: u32 = 4;

/// Shares the solution of a position.
pub(super) fn solve(game: &SharedGame, args: SolveArgs) -> Result<Job, Failure> {
    if args.threads.get() > 1 || args.file.as_ref().is_some_and(|file| file.as_os_str() == STDIN) {
        return refuse("expected solve of a file, without --threads: tasks share the work");
    }
    let position = load_or_start(&**game, args.file.as_deref())?;
    let left = plies_to_end(&position)?;
    let request = BookRequest::new(position.clone(), PLIES.min(left), Coverage::Every);
    let request = BookRequest { table_mib: args.table.mib, ..request };
    let book = Arc::new(SharedBook::new(request));
    let lines = [
        "solve".to_owned(),
        format!("{} {}", game.name(), game.rules()),
        position.state_word(),
        format!("table of {} MiB", args.table.mib),
    ];
    let namesake = args.file.clone().unwrap_or_else(|| "solve".into());
    let (workload, game) = (Arc::clone(&book), SharedGame::clone(game));
    let merge = move |folder: &WorkFolder| {
        // With only a part of the book, this process would search nearly as long as without it.
        let Some(book) = book.book(folder)? else { return Ok(()) };
        show(&*game, &args, &position, Some(book), Arc::default())
    };
    Ok(Job { measures_time: false, ..Job::new(lines, &namesake, workload, merge) })
}

/// Positions to time. A position is one piece with all its depths, because the times of the depths
/// decide the last depth.
struct TimingJob {
    args: TimingArgs,
    targets: Vec<TimingTarget>,
}

/// Shares the measuring of positions.
pub(super) fn timing(game: &SharedGame, args: TimingArgs) -> Result<Job, Failure> {
    if args.files.iter().any(|file| file.as_os_str() == STDIN) {
        return refuse("expected timing of files: tasks share the files");
    }
    let targets = TimingTarget::all(&**game, &args)?;
    let job = Arc::new(TimingJob { args, targets });
    let args = &job.args;
    let lines = [
        "timing".to_owned(),
        format!("{} {}", game.name(), game.rules()),
        format!("{}, table of {} MiB", args.search, args.table),
        format!("depths {:?}, {:?} at most", args.depths, args.max_cpu),
        format!("runs {:?}", args.runs),
    ];
    let positions = job.names().zip(&job.targets);
    let positions = positions.map(|(name, it)| format!("{name} {}", it.position.state_word()));
    let lines = lines.into_iter().chain(positions);
    let of_one = args.csv.as_deref().filter(|path| !path.to_string_lossy().contains(NAME));
    let namesake = of_one.unwrap_or(Path::new("timing"));
    let (workload, prepared, merged) = (Arc::clone(&job), Arc::clone(&job), Arc::clone(&job));
    let prepare = move || {
        prepared.targets.iter().try_for_each(TimingTarget::check)?;
        Ok(Prepared::default())
    };
    let merge = move |folder: &WorkFolder| merged.merge(folder);
    Ok(Job { prepare: Box::new(prepare), ..Job::new(lines, namesake, workload, merge) })
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

    /// Shows the tables as `timing` shows known rows, position by position.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let mut tables = Tables::new(io::stdout().lock(), &self.args);
        for (piece, target) in self.names().zip(&self.targets) {
            let Some(measured) = self.measured(folder, &piece, target)? else { continue };
            let mut kept = Kept::open(target, Locking::IfPossible)?;
            measured.rows().iter().for_each(|row| kept.table.insert(row.clone()));
            kept.keep()?;
            tables.show(&self.args.plan(&target.position, &Arc::default()), &mut kept)?;
        }
        Ok(())
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

/// Shares a tournament.
pub(super) fn tournament(
    game: &SharedGame,
    args: TournamentArgs,
    order: Option<&Order>,
) -> Result<Job, Failure> {
    let args = args.run.ok_or_else(|| {
        Failure::usage("expected the file of a tournament: tasks share its games")
    })?;
    if args.file == Path::new(STDIN) || !args.shard.is_whole() || args.jobs.is_some() {
        return refuse(
            "expected a tournament from a file, without --shard and --jobs: tasks share the work",
        );
    }
    let mut plan = TournamentPlan::read(&args.file)?;
    match order {
        Some(order) => plan.sandbox = order.level,
        None => plan.settle_level()?,
    }
    let out = args.out.unwrap_or_else(|| args.file.with_extension(""));
    if out == args.file {
        return refuse("expected --out, because the file has no extension");
    }
    let absent = order.map(|order| order.absent.clone()).unwrap_or_default();
    let work = SharedTournament::new(game, plan.clone(), &out, &absent, contents(order))?;
    let work = Arc::new(work);
    let lines = ["tournament".to_owned(), work.title().trim_end().to_owned()];
    let (level, has_programs) = (plan.sandbox, plan.has_programs());
    let (workload, prepared) = (Arc::clone(&work), work);
    let prepare = move || {
        if has_programs {
            // This also makes the folder for the logs of all programs.
            prepare_system(prepared.programs())?;
        }
        let absent = prepared.absent()?;
        for (name, why) in &absent {
            warn(&format_args!("{name} not played: {why}"));
        }
        Ok(Prepared { contents: prepared.contents(), absent })
    };
    let (game, folder_of_games) = (SharedGame::clone(game), out.clone());
    let merge = move |folder: &WorkFolder| {
        let mut tournament =
            Tournament::open(&game, plan.clone(), &folder_of_games, Locking::IfPossible)?;
        tournament.take_in_work(folder, &absent)?;
        tournament.load()?;
        tournament.damaged().for_each(warn);
        io::stdout().flush()?;
        finish(&tournament)
    };
    Ok(Job { level, prepare: Box::new(prepare), ..Job::new(lines, &out, workload, merge) })
}

struct MatchJob {
    game: SharedGame,
    setup: MatchSetup,
    check: ContentCheck,
}

/// Shares a match.
pub(super) fn matches(
    game: &SharedGame,
    mut args: MatchArgs,
    order: Option<&Order>,
) -> Result<Job, Failure> {
    let Some(seed) = args.seed.filter(|_| args.sprt.is_none() && args.jobs.get() == 1) else {
        return refuse(
            "expected match with --seed, and without --sprt and --jobs: tasks share the work",
        );
    };
    let is_external = args.a.is_external() || args.b.is_external();
    let sandbox = &mut args.programs.sandbox;
    sandbox.sandbox = match order {
        Some(order) => order.level,
        None => is_external.then(|| settle_level(sandbox.sandbox)).transpose()?,
    };
    let setup = MatchSetup::new(game, &args, seed)?;
    let check = ContentCheck::new(contents(order), setup.programs.clone());
    let level = setup.args.programs.sandbox.sandbox.filter(|_| is_external);
    let lines = {
        let MatchSetup { args, conditions, programs, .. } = &setup;
        [
            "match".to_owned(),
            format!("{} {}", game.name(), game.rules()),
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
                args.depth.map(|depth| depth.0)
            ),
            format!("{programs:?}"),
        ]
    };
    let job = Arc::new(MatchJob { game: SharedGame::clone(game), setup, check });
    let (workload, prepared) = (Arc::clone(&job), Arc::clone(&job));
    let prepare = move || {
        let MatchSetup { args, .. } = &prepared.setup;
        prepared.setup.prepare()?;
        let players = [&args.a, &args.b].into_iter();
        let contents = players.filter_map(|spec| Some((spec.to_string(), program_content(spec)?)));
        Ok(Prepared { contents: contents.collect(), ..Prepared::default() })
    };
    let merge = move |folder: &WorkFolder| {
        let mut pairs = Vec::new();
        for index in 0..job.setup.args.pairs() {
            pairs.extend(job.pair(folder, index)?);
        }
        job.setup.show(&pairs)
    };
    let job = Job::new(lines, Path::new("match"), workload, merge);
    Ok(Job { level, prepare: Box::new(prepare), ..job })
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
            self.check.check(&*self.game, spec, args.depth.map(|depth| depth.0))?;
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
            let record = GameRecord::of(played, args.records(seats));
            texts.push(record.to_sealed_text().map_err(|error| failed(&error))?);
        }
        serde_json::to_vec(&texts).map(Some).map_err(|error| failed(&error))
    }
}
