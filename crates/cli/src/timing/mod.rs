//! `timing`: the runtime tables of some positions; and `calibrate`: the greatest depth at which a program
//! moves within a limit.

mod sheet;

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use plyground_arena::programs::check_given_moves;
use plyground_arena::seat::{PlayerSetup, PlayerTemplate, check_unattended, make_player};
use plyground_arena::timing::{
    CALIBRATION_COLUMNS, CalibrationPlan, CalibrationRow, DepthPlot, Depths, RuntimeError,
    TimingEnd, calibrate, sample_games,
};
use plyground_durable::lock::Locking;
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::{parse_duration, whole_number};
use plyground_host::external::KnownLineEnds;
use plyground_host::player::{Player, PlayerSpec};
use plyground_host::referee::Interrupted;
use plyground_host::{EngineOptions, Fault, SharedGame, any_seed};

use crate::effort::{Layout, short, svg_path};
use crate::failure::{Failure, listen, refuse, warn};
use crate::programs::{ProgramArgs, prepare};

pub use sheet::TimingArgs;
pub(crate) use sheet::{Kept, NAME, Tables, TimingTarget};

pub(super) fn run(game: &SharedGame, args: &TimingArgs) -> Result<(), Failure> {
    let targets = TimingTarget::all(&**game, args)?;
    let stop = listen()?;
    // All files are opened first, so that nothing is measured if one is refused.
    let open = |target| Kept::open(target, Locking::Always);
    let mut kept: Vec<Kept> = targets.iter().map(open).collect::<Result<_, _>>()?;
    let mut tables = Tables::new(io::stdout().lock(), args);
    for (target, kept) in targets.iter().zip(&mut kept) {
        let shown = tables.show(&args.plan(&target.position, &stop), kept);
        shown.map_err(|error| match (error, &args.csv) {
            (RuntimeError::Stopped(depth), Some(_)) => {
                Failure::Stopped(format!("the same command goes on with depth {depth}"))
            }
            (error, _) => error.into(),
        })?;
    }
    Ok(())
}

/// The most positions. A greater number is taken for a typing error.
const MOST_POSITIONS: u32 = 10_000;

/// The arguments of `calibrate`.
#[derive(Clone, Debug, Args)]
pub struct CalibrateArgs {
    /// The player, with {depth} in place of the number of moves that it looks ahead, as in
    /// machine:depth={depth} or 'file:java -cp ann maxconnect4 one-move {in} {out} {depth}'; line:
    /// and java: players need no {depth}
    #[arg(long, value_name = "PLAYER")]
    pub player: PlayerTemplate,

    /// The CPU time that a move may take
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    pub limit: Duration,

    /// Depths to try, both ends included: A..B, A.., ..B or N [default: 1..]
    #[arg(long, value_name = "A..B")]
    pub depths: Option<Depths>,

    /// Measure in this many random positions besides the start, because moves take longer in the
    /// middle of a game
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = whole_number(0..=MOST_POSITIONS))]
    pub positions: u32,

    /// The seed of the positions; without it, a new one each time
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of measurements of each position; their median counts
    #[arg(long, value_name = "N", default_value = "3")]
    #[arg(value_parser = whole_number(NonZeroU32::MIN..=NonZeroU32::MAX))]
    pub runs: NonZeroU32,

    /// Write the table into this file, rewritten after every row
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,

    /// Draw the times against the depths into this file
    #[arg(long, value_name = "OUT.svg", value_parser = svg_path)]
    pub plot: Option<PathBuf>,

    /// The options of other people's programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

pub(super) fn run_calibration(game: &SharedGame, args: &CalibrateArgs) -> Result<(), Failure> {
    check(game, args)?;
    let programs = args.programs.options();
    let start = game.start();
    let seed = args.seed.unwrap_or_else(any_seed);
    let mut games = vec![Vec::new()];
    games.extend(sample_games(&start, args.positions as usize, seed));
    // A range without an end ends at the greatest depth of the game.
    let depths = args.depths.unwrap_or(Depths::ALL).up_to(game.max_depth());
    let plan = CalibrationPlan { start, games, depths, limit: args.limit, runs: args.runs };
    let layout = Layout::of_stdout(args.csv.is_some());
    let mut sheet = CalibrationSheet { args, rows: Vec::new(), layout };
    sheet.begin(game.name(), seed)?;
    let line_ends = KnownLineEnds::default();
    let seat = |depth| {
        let spec = args.player.at(Some(depth))?;
        let setup = PlayerSetup {
            engine: EngineOptions { without_prepared: true, ..EngineOptions::default() },
            policy: programs.policy(None, None, "calibrate.log"),
            lenient: programs.lenient,
            line_ends: line_ends.clone(),
            depth: Some(depth),
            ..PlayerSetup::default()
        };
        let player: Box<dyn Player> = make_player(game, &spec, setup);
        Ok((spec.to_string(), player))
    };
    let end = calibrate(&plan, seat, |row| sheet.add(row))?;
    line_ends.warning(&args.player.to_string()).iter().for_each(warn);
    sheet.finish(&end)
}

/// Returns an error for arguments that make no sense, before any measurement.
fn check(game: &SharedGame, args: &CalibrateArgs) -> Result<(), Failure> {
    let first = args.player.at(Some(1))?;
    let is_told = match &first {
        PlayerSpec::Line(_) => true,
        PlayerSpec::Java(_) => game.java_is_told_all(),
        _ => false,
    };
    if !is_told && !args.player.has_depth() {
        return refuse("expected {depth} in the player, for the number of moves to look ahead");
    }
    check_unattended(&**game, &first)?;
    if args.positions > 0 {
        check_given_moves(&**game, &[&first], "leave out `--positions`")?;
    }
    prepare(&**game, &args.programs.options(), &[&first], Some(1))?;
    args.csv.iter().chain(&args.plot).try_for_each(|path| Ok(check_writable(path)?))
}

/// The outputs of a calibration, to which each row is added.
struct CalibrationSheet<'a> {
    args: &'a CalibrateArgs,
    rows: Vec<CalibrationRow>,
    layout: Layout,
}

impl CalibrationSheet<'_> {
    fn begin(&self, game: &str, seed: u64) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self.layout {
            Layout::Aligned => {
                let positions = match self.args.positions {
                    0 => "from the start".to_owned(),
                    n => format!("from the start and {n} positions drawn by seed {seed}"),
                };
                writeln!(out, "{game} {}", self.args.player)?;
                if self.args.player.at(Some(1)).is_ok_and(|player| player.is_external()) {
                    let level = self.args.programs.options().level();
                    writeln!(out, "In a sandbox of the level {level}")?;
                }
                writeln!(out, "CPU time of one move, {positions}\n")?;
                let [depth, min, median, max] = ["depth", "min", "median", "max"];
                writeln!(out, "{depth:>5} positions {min:>7} {median:>7} {max:>7}")?;
            }
            Layout::Csv => writeln!(out, "{CALIBRATION_COLUMNS}")?,
        }
        out.flush()
    }

    fn add(&mut self, row: CalibrationRow) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match self.layout {
            Layout::Aligned => {
                let [min, median, max] = [row.cpu_min, row.cpu_median, row.cpu_max].map(short);
                let (depth, positions) = (row.depth, row.positions);
                writeln!(out, "{depth:>5} {positions:>9} {min:>7} {median:>7} {max:>7}")?;
            }
            Layout::Csv => write!(out, "{}", row.to_csv())?,
        }
        out.flush()?;
        self.rows.push(row);
        if let Some(path) = &self.args.csv {
            let rows = self.rows.iter().map(CalibrationRow::to_csv);
            let lines = [format!("{CALIBRATION_COLUMNS}\n")].into_iter().chain(rows);
            write_whole(path, lines.collect::<String>())?;
        }
        if let Some(path) = &self.args.plot {
            let plot = DepthPlot::of_calibration(&self.rows, &self.args.player.to_string());
            write_whole(path, plot.to_svg()?)?;
        }
        Ok(())
    }

    /// Prints the greatest depth within the limit. Returns an error if the player lost by a fault.
    fn finish(&self, end: &TimingEnd) -> Result<(), Failure> {
        let limit = humantime::format_duration(self.args.limit);
        let within = self.rows.iter().rfind(|row| row.cpu_max <= self.args.limit);
        let mut text = match within {
            Some(row) => format!("depth {} is the greatest that was within {limit}", row.depth),
            None => format!("no depth was within {limit}"),
        };
        text += &match end {
            TimingEnd::OverLimit(depth) => format!("; depth {depth} was not"),
            TimingEnd::Fault { depth, moves, fault } if moves.is_empty() => {
                format!("; depth {depth}: {fault}, at the start")
            }
            TimingEnd::Fault { depth, moves, fault } => {
                format!("; depth {depth}: {fault}, after {moves}")
            }
            TimingEnd::Solved { .. } => ", to the end of the game".to_owned(),
            TimingEnd::Range => String::new(),
        };
        match self.layout {
            Layout::Aligned => writeln!(io::stdout(), "\n{text}")?,
            // Standard output is for the program that reads the rows.
            Layout::Csv => drop(writeln!(io::stderr(), "{text}")),
        }
        match end {
            TimingEnd::Fault { fault: Fault::System { why }, .. } => {
                Err(Interrupted::System { why: why.clone() }.into())
            }
            TimingEnd::Fault { fault, .. } => {
                Err(Failure::Run(anyhow!("the player lost by a fault: {fault}")))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use clap::Parser;
    use plyground::search::Options;
    use plyground_arena::timing::{Depths, Runs, RuntimePlan, SearchKind};
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
    fn columns_are_for_people() -> Result<(), RuntimeError> {
        let args = args(&["--runs", "2", "--search", "minimax"]).expect("arguments");
        let mut tables = Tables { out: Vec::new(), layout: Layout::Aligned, is_next: false };
        tables.show(&plan(&args), &mut Kept::default())?;
        let text = String::from_utf8(tables.out).expect("text");
        let lines: Vec<_> = text.lines().collect();
        let unit = "Mn/s: million nodes a second";
        assert!(lines[0].starts_with(toy().name()), "{text}");
        assert_eq!(lines[1], format!("CPU time of one move, minimax; {unit}"));
        assert!(lines[3].starts_with("depth runs"), "{text}");
        assert!(lines[7].starts_with("    4    2"), "{text}");
        assert_eq!(lines[9], "depth 4 finds the result of best play");
        Ok(())
    }
}
