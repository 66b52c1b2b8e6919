//! The places where the rows of a table are shown.

use std::io::Write;

use cpu_time::ProcessTime;
use indicatif::{ProgressBar, ProgressState};
use plyground_arena::timing::{
    RUNTIME_COLUMNS, RuntimeError, RuntimeObserver, RuntimePlan, RuntimeRow, SearchKind, TimingEnd,
};
use plyground_host::SharedGame;

use super::target::Kept;
use crate::format::{Layout, grouped, short};
use crate::progress;

/// Everywhere that a row goes.
pub(super) struct RuntimeSheet<'a, W> {
    pub(super) printer: Printer<W>,
    pub(super) progress: Progress,
    pub(super) kept: &'a mut Kept,
}

impl<W: Write> RuntimeObserver for RuntimeSheet<'_, W> {
    fn begin(&mut self, depth: u32, run: u32) {
        self.progress.begin(depth, run);
    }

    fn row(&mut self, row: &RuntimeRow, is_new: bool) -> Result<(), RuntimeError> {
        if is_new {
            self.kept.table.insert(row.clone());
            self.kept.keep()?;
            self.kept.draw()?;
        }
        let RuntimeSheet { printer, progress, .. } = self;
        progress.bar.suspend(|| printer.row(row))
    }
}

const MILLION: f64 = 1e6;

/// Prints the table row by row. An aligned row fits a terminal of 80 columns.
pub(super) struct Printer<W> {
    pub(super) out: W,
    pub(super) layout: Layout,
    pub(super) game: SharedGame,
    /// If true, there is a table before it.
    pub(super) is_next: bool,
}

impl<W: Write> Printer<W> {
    pub(super) fn header(&mut self, plan: &RuntimePlan) -> Result<(), RuntimeError> {
        match self.layout {
            Layout::Csv if self.is_next => {}
            Layout::Csv => writeln!(self.out, "{}", RUNTIME_COLUMNS.join(","))?,
            Layout::Aligned => {
                if self.is_next {
                    writeln!(self.out)?;
                }
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

    pub(super) fn footer(
        &mut self,
        plan: &RuntimePlan,
        end: &TimingEnd,
    ) -> Result<(), RuntimeError> {
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
pub(super) struct Progress {
    pub(super) bar: ProgressBar,
    search: SearchKind,
}

impl Progress {
    /// Shows nothing unless standard error is a terminal.
    pub(super) fn new(search: SearchKind) -> Progress {
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
