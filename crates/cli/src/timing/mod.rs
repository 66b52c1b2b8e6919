//! `timing`: the runtime tables of some positions; and `calibrate`, the depths that fit a time.

use std::io::{self, Write};

use plyground_arena::timing::{RuntimeError, RuntimeFile, RuntimePlan, tabulate};
use plyground_host::SharedGame;

use self::sheet::{Printer, Progress, RuntimeSheet};
use super::effort::Layout;
use super::failure::{Failure, listen};

pub use args::TimingArgs;
pub use calibrate::CalibrateArgs;
pub(crate) use sheet::{Kept, NAME, TimingTarget};

mod args;
pub(crate) mod calibrate;
mod sheet;

pub(super) fn run(game: &SharedGame, args: &TimingArgs) -> Result<(), Failure> {
    let targets = TimingTarget::all(&**game, args)?;
    let stop = listen()?;
    // All of them first: nothing is measured if the last is refused.
    let open = |target| Kept::open(target, RuntimeFile::open);
    let mut kept: Vec<Kept> = targets.iter().map(open).collect::<Result<_, _>>()?;
    let mut tables = Tables::new(io::stdout().lock(), args);
    for (target, kept) in targets.iter().zip(&mut kept) {
        let shown = tables.show(&args.plan(&target.position, &stop), kept);
        shown.map_err(|error| match (error, &args.csv) {
            (RuntimeError::Stopped { depth }, Some(_)) => {
                Failure::Stopped(format!("the same command goes on with depth {depth}"))
            }
            (error, _) => error.into(),
        })?;
    }
    Ok(())
}

/// Tables that are shown one after the other.
pub(crate) struct Tables<W> {
    out: W,
    layout: Layout,
    is_next: bool,
}

impl<W: Write> Tables<W> {
    /// None so far.
    pub(crate) fn new(out: W, args: &TimingArgs) -> Tables<W> {
        Tables { out, layout: Layout::of_stdout(args.csv.is_some()), is_next: false }
    }

    /// Shows the next one. Rows that are kept are not measured again, and others are kept.
    pub(crate) fn show(&mut self, plan: &RuntimePlan, kept: &mut Kept) -> Result<(), RuntimeError> {
        let known = kept.table.clone();
        let (out, layout, is_next) = (&mut self.out, self.layout, self.is_next);
        self.is_next = true;
        let printer = Printer { out, layout, game: plan.position.game(), is_next };
        let mut sheet = RuntimeSheet { printer, progress: Progress::new(plan.search), kept };
        sheet.printer.header(plan)?;
        let end = tabulate(plan, &known, &mut sheet)?;
        // A run that found all rows in the file has drawn nothing yet.
        sheet.kept.draw()?;
        sheet.progress.bar.finish_and_clear();
        sheet.printer.footer(plan, &end)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use clap::Parser;
    use plyground::search::Options;
    use plyground_arena::timing::{Depths, Runs, RuntimeTable, SearchKind};
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

    /// Returns a plan for a position with four plies left, of which only the last shows that the
    /// game is a draw.
    fn plan(args: &TimingArgs) -> RuntimePlan {
        let mut position = toy().start();
        for mv in ["5", "1", "2", "8", "4"] {
            position.play_text(mv).expect("a legal move");
        }
        args.plan(&position, &Arc::default())
    }

    fn output(layout: Layout, words: &[&str]) -> Result<String, RuntimeError> {
        let mut out = Vec::new();
        let args = args(words).expect("arguments");
        let plan = plan(&args);
        let (csv, plot) = (args.csv.clone(), args.plot.clone());
        let position = plan.position.clone();
        let target = TimingTarget { name: "toy".to_owned(), position, csv, plot };
        let mut kept = Kept::open(&target, RuntimeFile::open)?;
        Tables { out: &mut out, layout, is_next: false }.show(&plan, &mut kept)?;
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
        assert_eq!(given.files, [Path::new("x.txt")]);
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
