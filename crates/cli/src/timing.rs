//! `timing`: the runtime table of one position.

use std::io::{self, Write};
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
    DepthPlot, Depths, RUNTIME_COLUMNS, Runs, RuntimeError, RuntimeFile, RuntimeObserver,
    RuntimePlan, RuntimeRow, RuntimeTable, SearchKind, TimingEnd, tabulate,
};
use plyground_cage::{parse_duration, whole_number};
use plyground_host::output::{check_writable, write_whole};
use plyground_host::{HostedPosition, SharedGame};

use super::args::{DEPTHS, mebibytes_parser};
use super::failure::Failure;
use super::format::{Layout, grouped, short, svg_path};
use super::interrupt::listen;
use super::position::load_or_start;
use super::progress;
use super::warning::warn;

/// The arguments of `timing`.
#[derive(Args, Clone, Debug)]
pub struct TimingArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Stop after the first depth that takes longer, as in 60s, 1m 30s or 500ms
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub max_cpu: Duration,

    /// Depths to measure, both ends included: A..B, A.., ..B or N [default: 1..]
    #[arg(long, id = DEPTHS, value_name = "A..B")]
    pub depths: Option<Depths>,

    /// Measurements of each depth, of which minimum, median and maximum are reported
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

    /// Keep the table in this file, and resume from it
    ///
    /// The file is rewritten after every row. Rows that it already has for this search, with as
    /// many runs or more, are not measured again; give the same --table as before, for the file
    /// does not tell. It can hold both searches, but only one position: a file of anything else
    /// is refused and left alone.
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,

    /// Draw the times against the depths into this file, with all searches of the CSV file
    ///
    /// Like the CSV file it is rewritten after every row.
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
    fn plan(&self, position: HostedPosition, stop: Arc<AtomicBool>) -> RuntimePlan {
        RuntimePlan {
            position,
            search: self.search,
            table_mib: self.table,
            depths: self.depths.unwrap_or(Depths::ALL),
            max_cpu: self.max_cpu,
            runs: self.runs.map_or(Runs::Auto, Runs::Fixed),
            stop,
        }
    }
}

pub(super) fn run(game: &SharedGame, args: &TimingArgs) -> Result<(), Failure> {
    let position = load_or_start(&**game, args.file.as_deref())?;
    let layout = Layout::of_stdout(args.csv.is_some());
    let plan = args.plan(position, listen()?);
    let out = io::stdout().lock();
    run_to(out, layout, args, &plan).map_err(|error| match (error, &args.csv) {
        (RuntimeError::Stopped { depth }, Some(_)) => {
            Failure::Stopped(format!("the same command goes on with depth {depth}"))
        }
        (error, _) => error.into(),
    })
}

fn run_to(
    out: impl Write,
    layout: Layout,
    args: &TimingArgs,
    plan: &RuntimePlan,
) -> Result<(), RuntimeError> {
    if plan.position.is_over() {
        return Err(RuntimeError::GameOver);
    }
    if let Some(path) = &args.plot {
        check_writable(path)?;
    }
    let (mut file, mut table) = (None, RuntimeTable::default());
    if let Some(path) = &args.csv {
        let (game, position) = (plan.position.game(), plan.position.state_word());
        let opened = RuntimeFile::open(path, game.name(), &position)?;
        opened.loss.iter().for_each(warn);
        (file, table) = (Some(opened.file), opened.table);
    }
    let known = table.clone();
    let printer = Printer { out, layout, game: plan.position.game() };
    let progress = Progress::new(plan.search);
    let mut sheet = RuntimeSheet { printer, progress, file, plot: args.plot.as_deref(), table };
    sheet.printer.header(plan)?;
    let end = tabulate(plan, &known, &mut sheet)?;
    // A run that found all rows in the file has drawn nothing yet.
    sheet.draw()?;
    sheet.progress.bar.finish_and_clear();
    sheet.printer.footer(plan, &end)
}

/// Everywhere that a row goes.
struct RuntimeSheet<'a, W> {
    printer: Printer<W>,
    progress: Progress,
    file: Option<RuntimeFile>,
    plot: Option<&'a Path>,
    /// All rows so far, those in the file included.
    table: RuntimeTable,
}

impl<W> RuntimeSheet<'_, W> {
    fn draw(&self) -> Result<(), RuntimeError> {
        let Some(path) = self.plot else { return Ok(()) };
        Ok(write_whole(path, DepthPlot::of_table(&self.table).to_svg()?)?)
    }
}

impl<W: Write> RuntimeObserver for RuntimeSheet<'_, W> {
    fn begin(&mut self, depth: u32, run: u32) {
        self.progress.begin(depth, run);
    }

    fn row(&mut self, row: &RuntimeRow, is_new: bool) -> Result<(), RuntimeError> {
        if is_new {
            self.table.insert(row.clone());
            if let Some(file) = &self.file {
                file.write(&self.table)?;
            }
            self.draw()?;
        }
        let RuntimeSheet { printer, progress, .. } = self;
        progress.bar.suspend(|| printer.row(row))
    }
}

const MILLION: f64 = 1e6;

/// Prints the table row by row. An aligned row fits a terminal of 80 columns.
struct Printer<W> {
    out: W,
    layout: Layout,
    game: SharedGame,
}

impl<W: Write> Printer<W> {
    fn header(&mut self, plan: &RuntimePlan) -> Result<(), RuntimeError> {
        match self.layout {
            Layout::Csv => writeln!(self.out, "{}", RUNTIME_COLUMNS.join(","))?,
            Layout::Aligned => {
                let table = match plan.search {
                    SearchKind::Minimax => String::new(),
                    SearchKind::AlphaBeta => format!(", table of {} MiB", plan.table_mib),
                };
                writeln!(self.out, "{} {}", self.game.name(), plan.position.state_word())?;
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

    fn row(&mut self, row: &RuntimeRow) -> Result<(), RuntimeError> {
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
                self.game.show(row.value()),
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
            TimingEnd::OverLimit { depth } => {
                writeln!(self.out, "\ndepth {depth} is the first over {limit}")?;
            }
            TimingEnd::Solved { depth } => {
                writeln!(self.out, "\ndepth {depth} finds the result of best play")?;
            }
            TimingEnd::Range | TimingEnd::Fault { .. } => {}
        }
        Ok(())
    }
}

/// One line on the terminal that tells what is being measured.
struct Progress {
    bar: ProgressBar,
    search: SearchKind,
}

impl Progress {
    /// Shows nothing unless standard error is a terminal.
    fn new(search: SearchKind) -> Progress {
        Progress { bar: progress::spinner(progress::style("{spinner}")), search }
    }

    fn begin(&self, depth: u32, run: u32) {
        if self.bar.is_hidden() {
            return;
        }
        let start = ProcessTime::now();
        let cpu = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A progress line that cannot be drawn is not worth an error.
            let _ = write!(out, "{:.1} s", start.elapsed().as_secs_f64());
        };
        self.bar.set_style(progress::style("{spinner} {msg}: {cpu} CPU").with_key("cpu", cpu));
        let run = if run == 1 { String::new() } else { format!(", run {run}") };
        self.bar.set_message(format!("{}, depth {depth}{run}", self.search));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;
    use plyground_host::toy::toy;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        timing: TimingArgs,
    }

    fn args(words: &[&str]) -> Result<TimingArgs, clap::Error> {
        let words = std::iter::once("timing").chain(words.iter().copied());
        Command::try_parse_from(words).map(|command| command.timing)
    }

    /// A plan for a position with four plies left, of which only the last shows that nobody wins.
    fn plan(args: &TimingArgs) -> RuntimePlan {
        let mut position = toy().start();
        for mv in ["5", "1", "2", "8", "4"] {
            position.play_text(mv).expect("a legal move");
        }
        args.plan(position, Arc::default())
    }

    fn output(layout: Layout, words: &[&str]) -> Result<String, RuntimeError> {
        let mut out = Vec::new();
        let args = args(words).expect("arguments");
        run_to(&mut out, layout, &args, &plan(&args))?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn arguments_make_a_plan() -> Result<(), clap::Error> {
        let without = plan(&args(&[])?);
        assert_eq!(without.search, SearchKind::AlphaBeta);
        assert_eq!((without.depths, without.runs), (Depths::ALL, Runs::Auto));
        assert_eq!(without.max_cpu, Duration::from_secs(60));
        assert_eq!(without.table_mib, Options::default().table_mib);
        let words = ["x.txt", "--search", "minimax", "--depths", "2..5", "--max-cpu", "500ms"];
        let given = args(&words)?;
        assert_eq!(given.file.as_deref(), Some(Path::new("x.txt")));
        let plan = plan(&given);
        assert_eq!((plan.search, plan.depths.range()), (SearchKind::Minimax, 2..=5));
        assert_eq!(plan.max_cpu, Duration::from_millis(500));
        for bad in
            [["--runs", "0"], ["--depths", "5..2"], ["--max-cpu", "soon"], ["--plot", "t.csv"]]
        {
            assert!(args(&bad).is_err(), "{bad:?}");
        }
        Ok(())
    }

    #[test]
    fn csv_is_for_programs() -> Result<(), Box<dyn std::error::Error>> {
        let text = output(Layout::Csv, &["--runs", "2"])?;
        let table = RuntimeTable::from_csv(text.as_bytes())?;
        assert_eq!(table.rows().len(), 4);
        let position = plan(&args(&[])?).position.state_word();
        assert!(table.rows().iter().all(|row| row.runs == 2 && row.position == position));
        Ok(())
    }

    #[test]
    fn columns_are_for_people() -> Result<(), RuntimeError> {
        let text = output(Layout::Aligned, &["--runs", "2", "--search", "minimax"])?;
        let lines: Vec<_> = text.lines().collect();
        let unit = "Mn/s: million nodes a second";
        assert!(lines[0].starts_with(toy().name()), "{text}");
        assert_eq!(lines[1], format!("CPU time of one move, minimax; {unit}"));
        assert!(lines[3].starts_with("depth runs"), "{text}");
        assert!(lines[7].starts_with("    4    2"), "{text}");
        assert_eq!(lines[9], "depth 4 finds the result of best play");
        Ok(())
    }

    #[test]
    fn files_are_kept_and_resumed_from() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let [csv, svg] = ["t.csv", "t.svg"].map(|name| folder.path().join(name));
        let [csv_word, svg_word] = [&csv, &svg].map(|path| path.to_str().unwrap_or_default());
        let words = ["--csv", csv_word, "--plot", svg_word, "--depths", "1..2"];
        output(Layout::Aligned, &words)?;
        let two = fs::read_to_string(&csv)?;
        assert_eq!(two.lines().count(), 3);
        assert_eq!(fs::read_to_string(&svg)?.matches("<circle").count(), 2);

        output(Layout::Aligned, &["--csv", csv_word, "--plot", svg_word])?;
        assert!(fs::read_to_string(&csv)?.starts_with(&two), "measured rows stay");
        let other = ["--csv", csv_word, "--plot", svg_word, "--search", "minimax"];
        output(Layout::Csv, &other)?;
        assert_eq!(fs::read_to_string(&csv)?.lines().count(), 9);
        assert_eq!(fs::read_to_string(&svg)?.matches("<circle").count(), 8);

        fs::write(&csv, "my notes\n")?;
        assert!(matches!(output(Layout::Csv, &words), Err(RuntimeError::NotATable { .. })));
        assert_eq!(fs::read_to_string(&csv)?, "my notes\n");
        Ok(())
    }
}
