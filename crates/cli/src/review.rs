//! Recorded games: `review`, with the value of every move and of the best one, and summaries of their players;
//! and `replay`, step by step.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use plyground::search::Options;
use plyground::{Game, Side};
use plyground_durable::input::STDIN;
use plyground_durable::journal::{Journal, OpenedJournal};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::work::run_in_threads;
use plyground_durable::{fnv1a, whole_number};
use plyground_explain::review::{
    GameReview, GameToReview, ReviewEffort, Reviewer, game_text, moves_csv, records, review_page,
    summaries, summary_text,
};
use plyground_host::player::{Console, Input};
use plyground_host::record::{GameRecord, PlayerRecord, RecordError};
use plyground_host::referee::PlayedGame;
use plyground_host::{EngineOptions, HostedEngine, HostedGame, SharedGame, Text};
use serde_json::json;

use super::args::{BookChoice, BookPath, NoBook, TextFile, mebibytes_parser};
use super::failure::{Failure, listen, refuse, warn};
use super::play::{moved, result_line};
use super::progress;

/// The template of the progress line.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} games  {eta_precise} left";

/// The extension of records in a folder.
const EXTENSION: &str = "jsonl";

const RECORD: TextFile<'_> =
    TextFile { expected: "recorded games", what: "the games", most: 256 * 1024 * 1024 };

/// The arguments of `review`.
#[derive(Clone, Debug, Args)]
pub struct ReviewArgs {
    /// The games: files of records, and folders with such files, as of a tournament, a match with
    /// --record or grades; - for standard input
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,

    /// Show only the moves of this player, and only its games
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,

    /// Print a line of JSON for each game, with `loss` null where it is not known exactly; with
    /// several games, also a last line with the summaries of the players
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Write a table with a line for every move; - for standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write a page with the summaries and all mistakes for a browser, as one self-contained file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Keep the reviews in this file, too, and reuse the reviews in it, so that a stopped run goes
    /// on there
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// The number of games to review at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    pub jobs: NonZeroUsize,

    /// The most positions to visit for the exact value of a position: 50000000, or 20000 if the rules are a
    /// program
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub nodes: Option<u64>,

    /// Memory for the transposition table of each job, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Options::default().table_mib)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// The book with exact values
    #[command(flatten)]
    pub book: BookChoice,
}

/// A game to be reviewed, and its source.
struct Source {
    file: String,
    /// The hash of the text of the record.
    hash: u64,
    game: GameToReview,
}

/// The means of reviewing games.
struct Means {
    effort: ReviewEffort,
    table_mib: usize,
    book: BookChoice,
    jobs: NonZeroUsize,
}

pub(super) fn run(game: &SharedGame, args: &ReviewArgs) -> Result<(), Failure> {
    let outputs = [&args.csv, &args.html, &args.journal];
    outputs.into_iter().flatten().try_for_each(|path| check_writable(path))?;
    let mut sources = Vec::new();
    for path in &args.records {
        let before = sources.len();
        gather(&**game, path, &mut sources)?;
        if sources.len() == before {
            let path = path.display();
            return refuse(format!(
                "{path}: expected a recorded game, or files *.{EXTENSION} with some, found none"
            ));
        }
    }
    let sources = of_player(sources, args.player.as_deref())?;
    let usual = ReviewEffort::of(&**game);
    let means = Means {
        effort: ReviewEffort { solve: args.nodes.unwrap_or(usual.solve), ..usual },
        table_mib: args.table,
        book: args.book.clone(),
        jobs: args.jobs,
    };
    let stop = listen()?;
    let reviews = review_all(game, &sources, &means, args.journal.as_deref(), &stop)?;
    write(game, args, &reviews)
}

/// The file in the folder of a tournament that keeps its reviews.
const JOURNAL: &str = "review.journal";

/// Reviews the games of a tournament, `jobs` at a time. The folder keeps every review.
pub(super) fn review_tournament(
    game: &SharedGame,
    folder: &Path,
    jobs: NonZeroUsize,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<GameReview>, Failure> {
    let mut sources = Vec::new();
    gather_folder(&**game, folder, &mut sources)?;
    let (effort, book) = (ReviewEffort::of(&**game), BookChoice::default());
    let means = Means { effort, table_mib: Options::default().table_mib, book, jobs };
    review_all(game, &sources, &means, Some(&folder.join(JOURNAL)), stop)
}

/// Writes the outputs that the arguments ask for.
fn write(game: &SharedGame, args: &ReviewArgs, reviews: &[GameReview]) -> Result<(), Failure> {
    let player = args.player.as_deref();
    let summaries = summaries(reviews, player);
    if let Some(path) = &args.html {
        write_whole(path, review_page(&**game, reviews, &summaries, player))?;
    }
    if let Some(path) = &args.csv {
        write_whole(path, moves_csv(reviews.iter(), player))?;
    }
    let mut out = io::stdout().lock();
    if args.json {
        for review in reviews {
            writeln!(out, "{}", review.to_json())?;
        }
        if reviews.len() > 1 {
            writeln!(out, "{}", json!({ "line": "programs", "programs": summaries }))?;
        }
    } else if args.html.is_none() && args.csv.is_none() {
        for review in reviews {
            writeln!(out, "{}", game_text(review, player))?;
        }
        for summary in &summaries {
            writeln!(out, "{}", summary_text(summary))?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Adds the games of a file, or of the files in a folder and those below it.
fn gather(game: &dyn HostedGame, path: &Path, sources: &mut Vec<Source>) -> Result<(), Failure> {
    if path != Path::new(STDIN) && path.is_dir() {
        return gather_folder(game, path, sources);
    }
    let text = RECORD.read(path)?;
    for (line, record) in records(&text) {
        let refused = |error: RecordError| {
            let error = RecordError::new(line + error.line, error.fault);
            Failure::usage(format!("{}:{error}", path.display()))
        };
        let parsed = GameRecord::parse_unfinished(&record).map_err(refused)?;
        let played = parsed.check(game).map_err(refused)?;
        let game = GameToReview::new(&parsed, &played);
        let file = path.display().to_string();
        sources.push(Source { file, hash: fnv1a(record.as_bytes()), game });
    }
    Ok(())
}

fn gather_folder(
    game: &dyn HostedGame,
    folder: &Path,
    sources: &mut Vec<Source>,
) -> Result<(), Failure> {
    let unreadable =
        |error: io::Error| Failure::of_file(folder, format_args!("cannot read it: {error}"));
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        entries.push((entry.path(), entry.file_type().map_err(unreadable)?));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        if kind.is_dir() {
            gather_folder(game, &path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file()
        {
            // Reading a pipe would never end.
            gather(game, &path, sources)?;
        }
    }
    Ok(())
}

/// Returns the games of the player, if one is named.
fn of_player(sources: Vec<Source>, player: Option<&str>) -> Result<Vec<Source>, Failure> {
    let Some(player) = player else { return Ok(sources) };
    let names = |source: &Source| {
        let players = source.game.players.iter().flatten();
        players.map(|it| it.name.clone()).collect::<Vec<_>>()
    };
    let mut others: Vec<String> = sources.iter().flat_map(names).collect();
    let own: Vec<Source> = sources
        .into_iter()
        .filter(|source| names(source).iter().any(|name| name == player))
        .collect();
    if own.is_empty() {
        others.sort();
        others.dedup();
        let others = others.join(", ");
        return refuse(format!(
            "expected --player with the name of a player in these games: {others}"
        ));
    }
    Ok(own)
}

/// Reviews all games, in the order of the sources. Takes known reviews from the journal.
fn review_all(
    game: &SharedGame,
    sources: &[Source],
    means: &Means,
    journal: Option<&Path>,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<GameReview>, Failure> {
    let (mut journal, known) = open(game, means, journal)?;
    let mut reviews: Vec<Option<GameReview>> = sources
        .iter()
        .map(|source| {
            let found = known.get(&source.hash).cloned();
            found.map(|review| GameReview { file: Some(source.file.clone()), ..review })
        })
        .collect();
    let open: Vec<usize> = (0..sources.len()).filter(|&index| reviews[index].is_none()).collect();
    let progress = progress::bar(sources.len() as u64, progress::style(PROGRESS));
    progress.inc((sources.len() - open.len()) as u64);
    let given = AtomicUsize::new(0);
    let next = || {
        let is_stopped = stop.load(Ordering::Relaxed);
        let index = open.get(given.fetch_add(1, Ordering::Relaxed)).copied();
        index.filter(|_| !is_stopped)
    };
    let engines: Vec<Mutex<EngineOfRules>> =
        (0..means.jobs.get()).map(|_| Mutex::default()).collect();
    let work = |job: usize, index: usize| {
        let mut engines = engines[job].lock().unwrap_or_else(PoisonError::into_inner);
        (index, review_one(&sources[index], means, &mut engines, stop))
    };
    let flag = AtomicBool::new(false);
    run_in_threads(means.jobs, &flag, next, work, |(index, review)| {
        if let Some(review) = review? {
            if let Some(journal) = &mut journal {
                journal.add(&format!("{:016x} {}", sources[index].hash, review.to_json()))?;
            }
            reviews[index] = Some(review);
            progress.inc(1);
        }
        Ok::<(), Failure>(())
    })?;
    progress.finish_and_clear();
    let kept = journal.as_ref().map(|journal| journal.path().display().to_string());
    journal.map(Journal::close).transpose()?;
    let count = reviews.iter().flatten().count();
    if count < sources.len() {
        let kept = kept.map(|path| format!(" and kept in {path}")).unwrap_or_default();
        let text = format!("{count} of {} games are reviewed{kept}", sources.len());
        return Err(Failure::Stopped(text));
    }
    Ok(reviews.into_iter().flatten().collect())
}

/// Opens the journal, if the arguments name one. Returns the reviews in it by the hashes of their records.
fn open(
    game: &SharedGame,
    means: &Means,
    path: Option<&Path>,
) -> Result<(Option<Journal>, HashMap<u64, GameReview>), Failure> {
    let Some(path) = path else { return Ok((None, HashMap::new())) };
    let ReviewEffort { solve, proof, estimate, sight, line } = means.effort;
    let book = match &means.book {
        BookChoice { book: Some(BookPath(path)), .. } => format!("book {}", path.display()),
        BookChoice { no_book: NoBook(true), .. } => "no book".to_owned(),
        BookChoice { .. } => "own book".to_owned(),
    };
    let table = means.table_mib;
    let work = format!(
        "reviews of {} {}, {solve} {proof} {estimate} {sight} {line}, table {table}, {book}",
        game.name(),
        env!("CARGO_PKG_VERSION")
    );
    let parse = |line: &str| {
        let (hash, review) = line.split_once(' ')?;
        let review = serde_json::from_str::<GameReview>(review).ok()?;
        Some((u64::from_str_radix(hash, 16).ok()?, review))
    };
    let OpenedJournal { journal, entries, loss } = Journal::open(path, &work, parse)?;
    if let Some(loss) = loss {
        warn(&loss);
    }
    Ok((Some(journal), entries.into_iter().collect()))
}

/// The engines of a job, by the names of their rules.
type EngineOfRules = HashMap<String, Box<dyn HostedEngine>>;

/// Reviews a game by the engine of its rules. Returns `None` if the review is stopped.
fn review_one(
    source: &Source,
    means: &Means,
    engines: &mut EngineOfRules,
    stop: &Arc<AtomicBool>,
) -> Result<Option<GameReview>, Failure> {
    let game = source.game.start.game();
    let engine = match engines.entry(game.rules()) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(empty) => {
            let search = Options { table_mib: means.table_mib, ..Options::default() };
            let book = means.book.open(&source.game.start)?;
            let without_prepared = means.book.no_book.0;
            empty.insert(game.engine(EngineOptions { search, book, without_prepared }))
        }
    };
    // So that a review does not depend on the games before it.
    engine.clear();
    let (effort, context) = (means.effort, Arc::clone(stop).into());
    let mut reviewer = Reviewer { effort, context, ..Reviewer::new(&mut **engine) };
    let review = reviewer.review(&source.game, &mut |_, _| ())?;
    let file = Some(source.file.clone());
    Ok(review.map(|review| GameReview { file, ..review }))
}

/// The arguments of `replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The game, as `--record` has saved it; - for standard input
    #[arg(value_name = "GAME")]
    pub game: PathBuf,
}

/// Checks the whole game before showing it. At a terminal, waits for Enter before every move;
/// elsewhere, shows the game in one go.
pub(super) fn replay(game: &dyn HostedGame, args: &ReplayArgs) -> Result<(), Failure> {
    let text = REPLAYED.read(&args.game)?;
    let refused = |error: RecordError| Failure::usage(format!("{}:{error}", args.game.display()));
    let record = GameRecord::parse(&text).map_err(refused)?;
    let played = record.check(game).map_err(refused)?;
    let screens = screens(&record, &played);
    let console = Console::standard();
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        step_through(&console, &screens)?;
    } else {
        console.show(&screens.concat())?;
    }
    Ok(())
}

/// The file of a game that is replayed.
const REPLAYED: TextFile<'_> =
    TextFile { expected: "a recorded game", what: "the game", most: 16 * 1024 * 1024 };

/// Returns the game as a series of texts: the players and the first position, every move, the result.
fn screens(record: &GameRecord, played: &PlayedGame) -> Vec<String> {
    let mut position = played.start.clone();
    let game = position.game();
    let title = |side: Side, PlayerRecord { name, player }: &PlayerRecord| {
        let name = if name == player { name.clone() } else { format!("{name} ({player})") };
        format!("{}: {name}\n", game.side_name(side))
    };
    let first = title(Side::First, &record.header.first);
    let second = title(Side::Second, &record.header.second);
    let mut screens = vec![format!("{first}{second}\n{}", position.text(Text::Drawing(None)))];
    for played in &played.moves {
        let after = position.after(played.mv);
        let milliseconds = played.wall.as_millis();
        let screen = moved(&position, played, &after);
        screens.push(format!("{screen}thought for {milliseconds} ms\n"));
        position = after;
    }
    screens.push(format!("\n{}", result_line(&position, &played.ending)));
    screens
}

const KEYS: &str = "[Enter] next, b back, e to the end, q quit: ";

fn step_through(console: &Console, screens: &[String]) -> io::Result<()> {
    let (mut shown, last) = (0, screens.len() - 1);
    console.show(&screens[shown])?;
    while shown < last {
        let Input::Line(key) = console.ask(KEYS, None)? else { return Ok(()) };
        match key.trim() {
            "" | "n" => shown += 1,
            "b" => shown = shown.saturating_sub(1),
            "e" => shown = last,
            "q" => return Ok(()),
            _ => continue,
        }
        if shown == last && last > 0 {
            console.show(&screens[last - 1])?;
        }
        console.show(&screens[shown])?;
    }
    Ok(())
}
