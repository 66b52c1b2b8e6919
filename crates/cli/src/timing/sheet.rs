//! The arguments of `timing`, and the outputs of the rows of a table: the screen and files.

use std::io::Write;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cpu_time::ProcessTime;
use indicatif::{ProgressBar, ProgressState};
use plyground::search::Options;
use plyground_arena::timing::{
    Depths, RUNTIME_COLUMNS, Runs, RuntimeError, RuntimeFile, RuntimePlan, RuntimeRow,
    RuntimeTable, SearchKind, TimingEnd, tabulate,
};
use plyground_durable::input::STDIN;
use plyground_durable::lock::Locking;
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::{grouped, parse_duration, whole_number};
use plyground_host::{HostedGame, HostedPosition};

use crate::args::{load_or_start, mebibytes_parser};
use crate::effort::{Layout, short, svg_path};
use crate::failure::{Failure, refuse, warn};
use crate::progress;

/// The arguments of `timing`.
#[derive(Args, Clone, Debug)]
pub struct TimingArgs {
    /// The state files with the positions, one after the other, or - for standard input; without it, the
    /// start of a game
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Stop after the first depth that takes longer, as in 60s, 1m 30s or 500ms
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub max_cpu: Duration,

    /// Depths to measure, both ends included: A..B, A.., ..B or N [default: 1..]
    #[arg(long, value_name = "A..B")]
    pub depths: Option<Depths>,

    /// The number of measurements of each depth; minimum, median and maximum are reported
    /// [default: 3, but 1 where the first takes over 10 s]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = whole_number(NonZeroU32::MIN..=NonZeroU32::MAX))]
    pub runs: Option<NonZeroU32>,

    /// The search to measure
    #[arg(long, value_name = "SEARCH", default_value_t = SearchKind::AlphaBeta)]
    #[arg(value_parser = search_parser())]
    pub search: SearchKind,

    /// Memory for the transposition table of alphabeta, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Options::default().table_mib)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Keep the table in this file, and resume from it; with several FILEs, {name} is the name of
    /// each
    ///
    /// The file is rewritten after every row. Rows that it already has for this search, with as
    /// many runs or more, are not measured again; give the same --table as before, because the file
    /// does not record it. It can hold both searches, but only one position: any other file is
    /// refused and left alone.
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,

    /// Draw the times against the depths into this file, with all searches of the CSV file
    ///
    /// Like the CSV file, it is rewritten after every row, and {name} is the name of a FILE.
    #[arg(long, value_name = "OUT.svg", value_parser = svg_path)]
    pub plot: Option<PathBuf>,
}

fn search_parser() -> impl TypedValueParser<Value = SearchKind> {
    let value =
        |kind: SearchKind, help: &'static str| PossibleValue::new(kind.to_string()).help(help);
    let values = [
        value(SearchKind::Minimax, "Plain minimax, without any pruning"),
        value(SearchKind::AlphaBeta, "Alpha-beta with all its techniques"),
    ];
    PossibleValuesParser::new(values).try_map(|text| text.parse::<SearchKind>())
}

impl TimingArgs {
    /// Returns the plan of the measurements in this position.
    pub(crate) fn plan(&self, position: &HostedPosition, stop: &Arc<AtomicBool>) -> RuntimePlan {
        RuntimePlan {
            position: position.clone(),
            search: self.search,
            table_mib: self.table,
            depths: self.depths.unwrap_or(Depths::ALL),
            max_cpu: self.max_cpu,
            runs: self.runs.map_or(Runs::Auto, Runs::Fixed),
            stop: Arc::clone(stop),
        }
    }
}

const MILLION: f64 = 1e6;

/// Tables that are shown one after the other, row by row. An aligned row fits a terminal of 80
/// columns.
pub(crate) struct Tables<W> {
    pub(super) out: W,
    pub(super) layout: Layout,
    /// If true, another table was printed before.
    pub(super) is_next: bool,
}

impl<W: Write> Tables<W> {
    /// Creates the output of tables, without a table so far.
    pub(crate) fn new(out: W, args: &TimingArgs) -> Tables<W> {
        Tables { out, layout: Layout::of_stdout(args.csv.is_some()), is_next: false }
    }

    /// Shows the next table. Kept rows are not measured again, and new rows are kept.
    pub(crate) fn show(&mut self, plan: &RuntimePlan, kept: &mut Kept) -> Result<(), RuntimeError> {
        self.header(plan)?;
        self.is_next = true;
        let (known, game) = (kept.table.clone(), plan.position.game());
        // The line is hidden unless standard error is a terminal.
        let bar = progress::spinner(progress::style("{spinner}"));
        let on_begin = |depth, run| begin(&bar, plan.search, depth, run);
        let end = tabulate(plan, &known, on_begin, |row, is_new| {
            if is_new {
                kept.table.insert(row.clone());
                kept.keep()?;
                kept.draw()?;
            }
            bar.suspend(|| self.row(&*game, row))
        })?;
        // A run that found all rows in the file has drawn nothing yet.
        kept.draw()?;
        bar.finish_and_clear();
        self.footer(plan, &end)
    }

    fn header(&mut self, plan: &RuntimePlan) -> Result<(), RuntimeError> {
        match self.layout {
            Layout::Csv if self.is_next => {}
            Layout::Csv => writeln!(self.out, "{RUNTIME_COLUMNS}")?,
            Layout::Aligned => {
                if self.is_next {
                    writeln!(self.out)?;
                }
                let table = match plan.search {
                    SearchKind::Minimax => String::new(),
                    SearchKind::AlphaBeta => format!(", table of {} MiB", plan.table_mib),
                };
                let position = &plan.position;
                writeln!(self.out, "{} {}", position.game().name(), position.state_word())?;
                let unit = "Mn/s: million nodes a second";
                writeln!(self.out, "CPU time of one move, {}{table}; {unit}", plan.search)?;
                writeln!(
                    self.out,
                    "\n{:>5} {:>4} {:>13} {:>7} {:>7} {:>7} {:>6} {:>5} {:>10} proven",
                    "depth", "runs", "nodes", "min", "median", "max", "Mn/s", "move", "score"
                )?;
            }
        }
        Ok(self.out.flush()?)
    }

    fn row(&mut self, game: &dyn HostedGame, row: &RuntimeRow) -> Result<(), RuntimeError> {
        match self.layout {
            Layout::Csv => write!(self.out, "{}", row.to_csv())?,
            Layout::Aligned => writeln!(
                self.out,
                "{:>5} {:>4} {:>13} {:>7} {:>7} {:>7} {:>6.2} {:>5} {:>10} {}",
                row.depth,
                row.runs,
                grouped(row.nodes),
                short(row.cpu_min),
                short(row.cpu_median),
                short(row.cpu_max),
                row.nodes_per_second as f64 / MILLION,
                row.best_move,
                game.show(row.value()),
                if row.proven { "yes" } else { "no" }
            )?,
        }
        Ok(self.out.flush()?)
    }

    fn footer(&mut self, plan: &RuntimePlan, end: &TimingEnd) -> Result<(), RuntimeError> {
        if self.layout == Layout::Csv {
            return Ok(());
        }
        let limit = humantime::format_duration(plan.max_cpu);
        match end {
            TimingEnd::OverLimit(depth) => {
                writeln!(self.out, "\ndepth {depth} is the first over {limit}")?;
            }
            TimingEnd::Solved(depth) => {
                writeln!(self.out, "\ndepth {depth} finds the result of best play")?;
            }
            TimingEnd::Range | TimingEnd::Fault { .. } => {}
        }
        Ok(())
    }
}

/// Shows the current measurement on the line `bar` of the terminal.
fn begin(bar: &ProgressBar, search: SearchKind, depth: u32, run: u32) {
    if bar.is_hidden() {
        return;
    }
    let start = ProcessTime::now();
    let cpu = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        // A failure to write only affects the progress line.
        let _ = write!(out, "{:.1} s", start.elapsed().as_secs_f64());
    };
    bar.set_style(progress::style("{spinner} {msg}: {cpu} CPU").with_key("cpu", cpu));
    let run = if run == 1 { String::new() } else { format!(", run {run}") };
    bar.set_message(format!("{search}, depth {depth}{run}"));
}

/// The placeholder for the name of a state file in the names of its tables.
pub(crate) const NAME: &str = "{name}";

/// The name of the start of a game, which comes from no file.
const START: &str = "start";

/// A position to time.
#[derive(Debug)]
pub(crate) struct TimingTarget {
    /// The name of the file with the position, without the folder and the extension.
    pub(crate) name: String,
    /// The position, which is not the end of a game.
    pub(crate) position: HostedPosition,
    /// The file that keeps the table.
    pub(crate) csv: Option<PathBuf>,
    /// The file into which the table is drawn.
    pub(crate) plot: Option<PathBuf>,
}

impl TimingTarget {
    /// Returns all positions that the arguments name, each with files of its own.
    pub(crate) fn all(game: &dyn HostedGame, args: &TimingArgs) -> Result<Vec<Self>, Failure> {
        let [] = args.files[..] else {
            check_names(args)?;
            let target = |file: &PathBuf| TimingTarget::of(game, args, Some(file));
            let targets: Vec<_> = args.files.iter().map(target).collect::<Result<_, _>>()?;
            return check_distinct(&args.files, &targets).map(|()| targets);
        };
        Ok(vec![TimingTarget::of(game, args, None)?])
    }

    fn of(game: &dyn HostedGame, args: &TimingArgs, file: Option<&Path>) -> Result<Self, Failure> {
        let position = load_or_start(game, file)?;
        if position.is_over() {
            return Err(match file {
                Some(file) if args.files.len() > 1 => {
                    Failure::of_file(file, RuntimeError::GameOver)
                }
                _ => RuntimeError::GameOver.into(),
            });
        }
        let name = file.map_or(START.into(), |file| {
            file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
        });
        let named = |template: &PathBuf| match template.to_str() {
            Some(text) => text.replace(NAME, &name).into(),
            None => template.clone(),
        };
        let [csv, plot] = [&args.csv, &args.plot].map(|path| path.as_ref().map(named));
        Ok(TimingTarget { name, position, csv, plot })
    }

    /// Returns an error if a file cannot be used, before any measurement.
    pub(crate) fn check(&self) -> Result<(), RuntimeError> {
        if let Some(path) = &self.csv {
            RuntimeFile::check(path, self.position.game().name(), &self.position.state_word())?;
        }
        Ok(self.plot.as_deref().map_or(Ok(()), check_writable)?)
    }
}

/// Checks that each of several files has a table of its own.
fn check_names(args: &TimingArgs) -> Result<(), Failure> {
    if args.files.len() < 2 {
        return Ok(());
    }
    if args.files.iter().any(|file| file.as_os_str() == STDIN) {
        return refuse("-: expected a file, because there are several");
    }
    for (option, path) in [("--csv", &args.csv), ("--plot", &args.plot)] {
        let is_named = |path: &PathBuf| path.to_string_lossy().contains(NAME);
        if let Some(path) = path.as_ref().filter(|path| !is_named(path)) {
            return refuse(format!(
                "{option}: expected {NAME} in the name, because each of several files has its own \
                 table, found {}",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Returns an error if two files have the same name and would share a table.
fn check_distinct(files: &[PathBuf], targets: &[TimingTarget]) -> Result<(), Failure> {
    for (index, target) in targets.iter().enumerate() {
        let twin = targets[..index].iter().position(|other| other.name == target.name);
        if let Some(twin) = twin {
            return refuse(format!(
                "{}: expected files of different names, but {} has the same",
                files[index].display(),
                files[twin].display()
            ));
        }
    }
    Ok(())
}

/// The files that keep the rows of a position.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    file: Option<RuntimeFile>,
    plot: Option<PathBuf>,
    /// All rows so far, including those in the file.
    pub(crate) table: RuntimeTable,
}

impl Kept {
    /// Opens the files of a position.
    pub(crate) fn open(target: &TimingTarget, locking: Locking) -> Result<Kept, RuntimeError> {
        if let Some(path) = &target.plot {
            check_writable(path)?;
        }
        let (mut file, mut table) = (None, RuntimeTable::default());
        if let Some(path) = &target.csv {
            let (game, position) = (target.position.game(), target.position.state_word());
            let opened = RuntimeFile::open(path, game.name(), &position, locking)?;
            opened.loss.iter().for_each(warn);
            (file, table) = (Some(opened.file), opened.table);
        }
        Ok(Kept { file, plot: target.plot.clone(), table })
    }

    /// Writes all rows into the file that keeps them.
    pub(crate) fn keep(&self) -> Result<(), RuntimeError> {
        Ok(self.file.as_ref().map_or(Ok(()), |file| file.write(&self.table))?)
    }

    /// Draws all rows.
    pub(crate) fn draw(&self) -> Result<(), RuntimeError> {
        let Some(path) = &self.plot else { return Ok(()) };
        let plot = plyground_arena::timing::DepthPlot::of_table(&self.table);
        Ok(write_whole(path, plot.to_svg()?)?)
    }
}
