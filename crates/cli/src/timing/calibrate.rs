//! `calibrate`: the greatest depth at which a program moves within a limit.

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use plyground_arena::programs::check_given_moves;
use plyground_arena::seat::{PlayerSetup, PlayerTemplate, check_unattended, make_player};
use plyground_arena::timing::{
    CALIBRATION_COLUMNS, CalibrationPlan, CalibrationRow, DepthPlot, Depths, TimingEnd, calibrate,
    sample_games,
};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::{parse_duration, whole_number};
use plyground_host::player::{Player, PlayerSpec};
use plyground_host::referee::Interrupted;
use plyground_host::{EngineOptions, Fault, SharedGame, any_seed};

use crate::effort::{Layout, short, svg_path};
use crate::failure::Failure;
use crate::programs::{ProgramArgs, prepare};

/// More positions than this are a slip of the fingers.
const MOST_POSITIONS: u32 = 10_000;

/// The arguments of `calibrate`.
#[derive(Clone, Debug, Args)]
pub struct CalibrateArgs {
    /// The player, with {depth} in place of the number of moves that it looks ahead, as in
    /// machine:depth={depth} or 'file:java -cp ann maxconnect4 one-move {in} {out} {depth}'; line:
    /// and java: players are told without it
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

pub(crate) fn run(game: &SharedGame, args: &CalibrateArgs) -> Result<(), Failure> {
    check(game, args)?;
    let programs = args.programs.options();
    let start = game.start();
    let seed = args.seed.unwrap_or_else(any_seed);
    let mut games = vec![Vec::new()];
    games.extend(sample_games(&start, args.positions as usize, seed));
    // A range without an end is one of the depths that the game has.
    let depths = args.depths.unwrap_or(Depths::ALL).up_to(game.max_depth());
    let plan = CalibrationPlan { start, games, depths, limit: args.limit, runs: args.runs };
    let layout = Layout::of_stdout(args.csv.is_some());
    let mut sheet = CalibrationSheet { args, rows: Vec::new(), layout };
    sheet.begin(game.name(), seed)?;
    let seat = |depth| {
        let spec = args.player.at(Some(depth))?;
        let setup = PlayerSetup {
            engine: EngineOptions { without_prepared: true, ..EngineOptions::default() },
            policy: programs.policy(None, None, "calibrate.log"),
            lenient: programs.lenient,
            depth: Some(depth),
            ..PlayerSetup::default()
        };
        let player: Box<dyn Player> = make_player(game, &spec, setup);
        Ok((spec.to_string(), player))
    };
    let end = calibrate(&plan, seat, |row| sheet.add(row))?;
    sheet.finish(&end)
}

/// Refuses what makes no sense, before anything is measured.
fn check(game: &SharedGame, args: &CalibrateArgs) -> Result<(), Failure> {
    let first = args.player.at(Some(1))?;
    let is_told = match &first {
        PlayerSpec::Line(_) => true,
        PlayerSpec::Java(_) => game.java_is_told_all(),
        _ => false,
    };
    if !is_told && !args.player.has_depth() {
        let fault = "expected a player with {depth} in it, for the number of moves to look ahead";
        return Err(Failure::Usage(fault.to_owned()));
    }
    check_unattended(&**game, &first)?;
    if args.positions > 0 {
        check_given_moves(&**game, &[&first], "leave out `--positions`")?;
    }
    prepare(&**game, &args.programs.options(), &[&first], Some(1))?;
    args.csv.iter().chain(&args.plot).try_for_each(|path| Ok(check_writable(path)?))
}

/// Everywhere that a row goes.
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
            Layout::Csv => writeln!(out, "{}", CALIBRATION_COLUMNS.join(","))?,
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
            let lines = [CALIBRATION_COLUMNS.join(",") + "\n"].into_iter().chain(rows);
            write_whole(path, lines.collect::<String>())?;
        }
        if let Some(path) = &self.args.plot {
            let plot = DepthPlot::of_calibration(&self.rows, &self.args.player.to_string());
            write_whole(path, plot.to_svg()?)?;
        }
        Ok(())
    }

    /// Says what the greatest depth is.
    fn finish(&self, end: &TimingEnd) -> Result<(), Failure> {
        let limit = humantime::format_duration(self.args.limit);
        let within = self.rows.iter().rfind(|row| row.cpu_max <= self.args.limit);
        let mut text = match within {
            Some(row) => format!("depth {} is the greatest that was within {limit}", row.depth),
            None => format!("no depth was within {limit}"),
        };
        text += &match end {
            TimingEnd::OverLimit { depth } => format!("; depth {depth} was not"),
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
