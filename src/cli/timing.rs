//! `timing`: the runtime table of one position.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use cpu_time::ProcessTime;
use indicatif::{ProgressBar, ProgressState};

use super::args::mebibytes_parser;
use super::failure::Failure;
use super::format::{grouped, short};
use super::interrupt::listen;
use super::position::load_or_start;
use super::program::Program;
use super::progress;
use crate::duration::parse_duration;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::output::{check_folder, write_whole};
use crate::score::Score;
use crate::search::Options;
use crate::timing::{
    self, COLUMNS, Depths, End, Error, Observer, Plan, Row, Runs, SearchKind, Subject, Table,
    TableFile, tabulate,
};
use crate::whole_number::whole_number;

/// The arguments of `timing`.
#[derive(Args, Clone, Debug)]
pub struct TimingArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// End after the first depth that takes longer, such as 60s, 1m 30s or 500ms
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub max_cpu: Duration,

    /// Depths to measure, both ends included: A..B, A.., ..B or N [default: 1..]
    #[arg(long, value_name = "A..B")]
    pub depths: Option<Depths>,

    /// Measurements of each depth, of which minimum, median and maximum are reported
    /// [default: 3, but 1 where the first takes over 10 s]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = whole_number(NonZeroU32::MIN..=NonZeroU32::MAX))]
    pub runs: Option<NonZeroU32>,

    /// The search to measure
    #[arg(long, value_name = "SEARCH", default_value_t = SearchKind::AlphaBeta)]
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

/// A name that ends in `.svg`, so that a slip does not replace another file by a picture.
pub(super) fn svg_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_svg = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    is_svg.then_some(path).ok_or_else(|| "expected a file name that ends in .svg".to_owned())
}

impl TimingArgs {
    fn plan(&self, stop: Arc<AtomicBool>) -> Plan {
        Plan {
            search: self.search,
            table_mib: self.table,
            depths: self.depths.unwrap_or(Depths::ALL),
            max_cpu: self.max_cpu,
            runs: self.runs.map_or(Runs::Auto, Runs::Fixed),
            stop,
        }
    }
}

pub(super) fn run<P: Program>(program: &P, args: &TimingArgs) -> Result<(), Failure> {
    let position = load_or_start(program, args.file.as_deref())?;
    let text = program.format_state(&position).replace('\n', "/");
    let is_for_people = io::stdout().is_terminal() || args.csv.is_some();
    let layout = if is_for_people { Layout::Aligned } else { Layout::Csv };
    let subject = Subject { position: &position, text: &text };
    let interrupted = listen()?;
    let out = io::stdout().lock();
    run_to(out, layout, args, &subject, interrupted, || program.evaluator()).map_err(
        |error| match (error, &args.csv) {
            (Error::Stopped { depth }, Some(_)) => {
                Failure::Stopped(format!("the same command goes on with depth {depth}"))
            }
            (error, _) => error.into(),
        },
    )
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Output(error) => Failure::from(error),
            Error::Write(error) => Failure::Write(error),
            Error::Stopped { depth } => Failure::Stopped(format!("depth {depth} is not measured")),
            Error::Plot(_) => Failure::Run(error.into()),
            Error::GameOver
            | Error::Unreadable { .. }
            | Error::NotATable { .. }
            | Error::OtherPosition { .. }
            | Error::NotAFile { .. } => Failure::Usage(error.to_string()),
        }
    }
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// For a person.
    Aligned,
    /// For a program.
    Csv,
}

fn run_to<G: Game, E: Evaluator<G>>(
    out: impl Write,
    layout: Layout,
    args: &TimingArgs,
    subject: &Subject<'_, G>,
    stop: Arc<AtomicBool>,
    evaluator: impl Fn() -> E,
) -> Result<(), Error> {
    if subject.position.outcome().is_some() {
        return Err(Error::GameOver);
    }
    if let Some(path) = &args.plot {
        check_folder(path)?;
    }
    let plan = args.plan(stop);
    let (file, table) = match &args.csv {
        Some(path) => TableFile::open(path, G::NAME, subject.text).map(|(f, t)| (Some(f), t))?,
        None => (None, Table::default()),
    };
    let known = table.clone();
    let printer = Printer { out, layout };
    let progress = Progress::new(&plan);
    let mut sheet = Sheet { printer, progress, file, plot: args.plot.as_deref(), table };
    sheet.printer.header(&plan, G::NAME, subject.text)?;
    let end = tabulate(&plan, subject, &known, evaluator, &mut sheet)?;
    // A run that found all rows in the file has drawn nothing yet.
    sheet.draw()?;
    sheet.progress.finish();
    sheet.printer.footer(&plan, end)
}

/// Everywhere that a row goes.
struct Sheet<'a, W> {
    printer: Printer<W>,
    progress: Progress,
    file: Option<TableFile>,
    plot: Option<&'a Path>,
    /// All rows so far, those in the file included.
    table: Table,
}

impl<W> Sheet<'_, W> {
    fn draw(&self) -> Result<(), Error> {
        let Some(path) = self.plot else { return Ok(()) };
        Ok(write_whole(path, &timing::plot(&self.table)?)?)
    }
}

impl<W: Write> Observer for Sheet<'_, W> {
    fn begin(&mut self, depth: u32, run: u32) {
        self.progress.begin(depth, run);
    }

    fn row(&mut self, row: &Row, is_new: bool) -> Result<(), Error> {
        if is_new {
            match &self.file {
                Some(file) => self.table = file.record(row)?,
                None => self.table.insert(row.clone()),
            }
            self.draw()?;
        }
        let Sheet { printer, progress, .. } = self;
        progress.suspend(|| printer.row(row))
    }
}

const MILLION: f64 = 1e6;

/// Prints the table row by row. An aligned row fits a terminal of 80 columns.
struct Printer<W> {
    out: W,
    layout: Layout,
}

impl<W: Write> Printer<W> {
    fn header(&mut self, plan: &Plan, game: &str, position: &str) -> Result<(), Error> {
        match self.layout {
            Layout::Csv => writeln!(self.out, "{}", COLUMNS.join(","))?,
            Layout::Aligned => {
                let table = match plan.search {
                    SearchKind::Minimax => String::new(),
                    SearchKind::AlphaBeta => format!(", table of {} MiB", plan.table_mib),
                };
                writeln!(self.out, "{game} {position}")?;
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

    fn row(&mut self, row: &Row) -> Result<(), Error> {
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
                Score::from_raw(row.score).to_string(),
                if row.proven { "yes" } else { "no" }
            )?,
        }
        Ok(self.out.flush()?)
    }

    fn footer(&mut self, plan: &Plan, end: End) -> Result<(), Error> {
        if self.layout == Layout::Csv {
            return Ok(());
        }
        let limit = humantime::format_duration(plan.max_cpu);
        match end {
            End::OverLimit { depth } => {
                writeln!(self.out, "\ndepth {depth} is the first over {limit}")?;
            }
            End::Settled { depth } => {
                writeln!(self.out, "\ndepth {depth} finds the result of best play")?;
            }
            End::Range => {}
        }
        Ok(())
    }
}

/// One line on the terminal that tells what is being measured.
struct Progress {
    bar: ProgressBar,
    plan: Plan,
}

impl Progress {
    /// Shows nothing unless standard error is a terminal.
    fn new(plan: &Plan) -> Progress {
        let bar = progress::spinner(progress::style("{spinner}"));
        Progress { bar, plan: plan.clone() }
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
        self.bar.set_message(format!("{}, depth {depth}{run}", self.plan.search));
    }

    fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;
    use crate::eval::Flat;
    use crate::timing::toy::Countdown;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        timing: TimingArgs,
    }

    fn args(words: &[&str]) -> Result<TimingArgs, clap::Error> {
        let words = std::iter::once("timing").chain(words.iter().copied());
        Command::try_parse_from(words).map(|command| command.timing)
    }

    fn output(layout: Layout, words: &[&str]) -> Result<String, Error> {
        let mut out = Vec::new();
        let subject = Subject { position: &Countdown::new(3), text: "3 left" };
        let stop = Arc::default();
        run_to(&mut out, layout, &args(words).unwrap(), &subject, stop, || Flat)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn arguments() {
        let plan = args(&[]).unwrap().plan(Arc::default());
        assert_eq!(plan.search, SearchKind::AlphaBeta);
        assert_eq!((plan.depths, plan.runs), (Depths::ALL, Runs::Auto));
        assert_eq!(plan.max_cpu, Duration::from_secs(60));
        assert_eq!(plan.table_mib, crate::search::Options::default().table_mib);
        let words = ["x.txt", "--search", "minimax", "--depths", "2..5", "--max-cpu", "500ms"];
        let given = args(&words).unwrap();
        assert_eq!(given.file.as_deref(), Some(Path::new("x.txt")));
        let plan = given.plan(Arc::default());
        assert_eq!((plan.search, plan.depths.range()), (SearchKind::Minimax, 2..=5));
        assert_eq!(plan.max_cpu, Duration::from_millis(500));
        for bad in
            [["--runs", "0"], ["--depths", "5..2"], ["--max-cpu", "soon"], ["--plot", "t.csv"]]
        {
            assert!(args(&bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn csv_for_programs() {
        let text = output(Layout::Csv, &["--runs", "2"]).unwrap();
        let table = Table::from_csv(text.as_bytes()).unwrap();
        assert_eq!(table.rows().len(), 3);
        assert!(table.rows().iter().all(|row| row.runs == 2 && row.position == "3 left"));
    }

    #[test]
    fn columns_for_people() {
        let text = output(Layout::Aligned, &["--runs", "2", "--search", "minimax"]).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let unit = "Mn/s: million nodes a second";
        assert_eq!(lines[0], "countdown 3 left");
        assert_eq!(lines[1], format!("CPU time of one move, minimax; {unit}"));
        assert!(lines[3].starts_with("depth runs"));
        assert!(lines[6].starts_with("    3    2"), "{text}");
        assert_eq!(lines[8], "depth 3 finds the result of best play");
    }

    #[test]
    fn files_are_kept_and_resumed_from() {
        let folder = tempfile::tempdir().unwrap();
        let [csv, svg] = ["t.csv", "t.svg"].map(|name| folder.path().join(name));
        let [csv_word, svg_word] = [&csv, &svg].map(|path| path.to_str().unwrap());
        let words = ["--csv", csv_word, "--plot", svg_word, "--depths", "1..2"];
        output(Layout::Aligned, &words).unwrap();
        let two = fs::read_to_string(&csv).unwrap();
        assert_eq!(two.lines().count(), 3);
        assert_eq!(fs::read_to_string(&svg).unwrap().matches("<circle").count(), 2);

        output(Layout::Aligned, &["--csv", csv_word, "--plot", svg_word]).unwrap();
        assert!(fs::read_to_string(&csv).unwrap().starts_with(&two), "measured rows stay");
        output(Layout::Csv, &["--csv", csv_word, "--plot", svg_word, "--search", "minimax"])
            .unwrap();
        assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 7);
        assert_eq!(fs::read_to_string(&svg).unwrap().matches("<circle").count(), 6);

        fs::write(&csv, "my notes\n").unwrap();
        assert!(matches!(output(Layout::Csv, &words), Err(Error::NotATable { .. })));
        assert_eq!(fs::read_to_string(&csv).unwrap(), "my notes\n");
    }
}
