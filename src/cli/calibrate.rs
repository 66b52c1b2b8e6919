//! `calibrate`: the greatest depth at which a program moves within a limit.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::book_choice::BookChoice;
use super::failure::Failure;
use super::format::short;
use super::opponents::{DEPTH, check, spec_at};
use super::program::Program;
use super::programs::{ProgramArgs, check_given_moves};
use super::seats::{Equipment, any_seed, computer};
use super::timing::svg_path;
use crate::calibrate::{self, End, Plan, Row};
use crate::duration::parse_duration;
use crate::game::Game;
use crate::output::{check_folder, write_whole};
use crate::player::{Fault, PlayerSpec};
use crate::referee::Interrupted;
use crate::search::Options;
use crate::timing::{Curve, Depths, Picture, plot_curves};
use crate::whole_number::whole_number;

/// More positions than this are a slip of the fingers.
const MOST_POSITIONS: u32 = 10_000;

/// The arguments of `calibrate`.
#[derive(Clone, Debug, Args)]
pub struct CalibrateArgs {
    /// The player, with {depth} for the number of moves that it looks ahead, as in
    /// machine:depth={depth} or 'file:java -cp ann maxconnect4 one-move {in} {out} {depth}'; line:
    /// and java: players are told without it
    #[arg(long, value_name = "PLAYER")]
    pub player: String,

    /// The CPU time that a move may take
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    pub limit: Duration,

    /// Depths to try, both ends included: A..B, A.., ..B or N [default: 1..]
    #[arg(long, value_name = "A..B")]
    pub depths: Option<Depths>,

    /// Measure in so many positions of random middle games besides the start, where moves may
    /// take longer
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = whole_number(0..=MOST_POSITIONS))]
    pub positions: u32,

    /// Draw the positions by this number instead of any
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// Measurements of each position, of which the median counts
    #[arg(long, value_name = "N", default_value = "3")]
    #[arg(value_parser = whole_number(NonZeroU32::MIN..=NonZeroU32::MAX))]
    pub runs: NonZeroU32,

    /// Write the table into this file, rewritten after every row
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,

    /// Draw the times against the depths into this file
    #[arg(long, value_name = "OUT.svg", value_parser = svg_path)]
    pub plot: Option<PathBuf>,

    /// How to treat other people's programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

pub(super) fn run<P: Program>(program: &P, args: &CalibrateArgs) -> Result<(), Failure> {
    let first = spec_at(&args.player, Some(1))?;
    let is_told = match &first {
        PlayerSpec::Line(_) => true,
        PlayerSpec::Java(_) => program.java_is_told_all(),
        _ => false,
    };
    if !is_told && !args.player.contains(DEPTH) {
        let fault = "expected a player with {depth} in it, for the number of moves to look ahead";
        return Err(Failure::Usage(fault.to_owned()));
    }
    check(program, &first)?;
    if args.positions > 0 {
        check_given_moves(program, &[&first], "leave out `--positions`")?;
    }
    args.programs.prepare(program, &[&first], Some(1))?;
    for path in args.csv.iter().chain(&args.plot) {
        check_folder(path)?;
    }
    let start = program.start();
    let seed = args.seed.unwrap_or_else(any_seed);
    let mut games = vec![Vec::new()];
    games.extend(calibrate::sample(&start, args.positions as usize, seed));
    let book = BookChoice { book: None, no_book: true }.open(program, &start)?;
    let depths = args.depths.unwrap_or(Depths::ALL);
    let plan = Plan { start, games, depths, limit: args.limit, runs: args.runs };
    let mut sheet = Sheet::new::<P>(args, seed)?;
    let seat = |depth| {
        let spec = spec_at(&args.player, Some(depth))?;
        let options = Options::default();
        let treatment = args.programs.treatment(None, None, "calibrate.log");
        let (stop, depth) = (None, Some(depth));
        let (own_book, quiet) = (false, true);
        let equipment = Equipment { options, book: &book, own_book, quiet, stop, treatment, depth };
        Ok((spec.to_string(), computer(program, &spec, equipment, 0)))
    };
    // A range without an end is one of the depths that the game has.
    let plan = Plan { depths: plan.depths.up_to(P::MAX_DEPTH), ..plan };
    let end = calibrate::calibrate(&plan, seat, |row| sheet.add(row))?;
    sheet.finish(&end)
}

/// Everywhere that a row goes.
struct Sheet<'a> {
    args: &'a CalibrateArgs,
    rows: Vec<Row>,
    /// Whether rows are shown in columns, not as CSV.
    is_for_people: bool,
}

impl<'a> Sheet<'a> {
    fn new<P: Program>(args: &'a CalibrateArgs, seed: u64) -> io::Result<Sheet<'a>> {
        let is_for_people = io::stdout().is_terminal() || args.csv.is_some();
        let mut out = io::stdout().lock();
        if is_for_people {
            let positions = match args.positions {
                0 => "from the start".to_owned(),
                n => format!("from the start and {n} positions drawn by seed {seed}"),
            };
            writeln!(out, "{} {}", P::Game::NAME, args.player)?;
            writeln!(out, "CPU time of one move, {positions}\n")?;
            writeln!(
                out,
                "{:>5} {:>9} {:>7} {:>7} {:>7}",
                "depth", "positions", "min", "median", "max"
            )?;
        } else {
            writeln!(out, "{}", calibrate::COLUMNS.join(","))?;
        }
        out.flush()?;
        Ok(Sheet { args, rows: Vec::new(), is_for_people })
    }

    fn add(&mut self, row: Row) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.is_for_people {
            writeln!(
                out,
                "{:>5} {:>9} {:>7} {:>7} {:>7}",
                row.depth,
                row.positions,
                short(row.cpu_min),
                short(row.cpu_median),
                short(row.cpu_max)
            )?;
        } else {
            let text = calibrate::csv(std::slice::from_ref(&row));
            write!(
                out,
                "{}",
                text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>()
            )?;
        }
        out.flush()?;
        self.rows.push(row);
        if let Some(path) = &self.args.csv {
            write_whole(path, calibrate::csv(&self.rows))?;
        }
        if let Some(path) = &self.args.plot {
            write_whole(path, plot_curves(&self.picture())?)?;
        }
        Ok(())
    }

    fn picture(&self) -> Picture {
        let curve = |name: &str, time: fn(&Row) -> Duration| Curve {
            name: name.to_owned(),
            points: self.rows.iter().map(|row| (row.depth, time(row))).collect(),
        };
        let mut curves = vec![curve("median", |row| row.cpu_median)];
        if self.args.positions > 0 {
            curves.insert(0, curve("slowest", |row| row.cpu_max));
        }
        let game = self.rows.first().map(|row| row.game.clone()).unwrap_or_default();
        let title = format!("{game}: CPU time of choosing one move");
        Picture { title, note: self.args.player.clone(), curves }
    }

    /// Says what the greatest depth is.
    fn finish(&self, end: &End) -> Result<(), Failure> {
        let limit = humantime::format_duration(self.args.limit);
        let within = self.rows.iter().rfind(|row| row.cpu_max <= self.args.limit);
        let mut text = match within {
            Some(row) => format!("depth {} is the greatest that was within {limit}", row.depth),
            None => format!("no depth was within {limit}"),
        };
        text += &match end {
            End::OverLimit { depth } => format!("; depth {depth} was not"),
            End::Fault { depth, moves, fault } if moves.is_empty() => {
                format!("; depth {depth}: {fault}, at the start")
            }
            End::Fault { depth, moves, fault } => {
                format!("; depth {depth}: {fault}, after {moves}")
            }
            End::Settled { .. } => ", to the end of the game".to_owned(),
            End::Range => String::new(),
        };
        if self.is_for_people {
            let mut out = io::stdout().lock();
            writeln!(out, "\n{text}")?;
            out.flush()?;
        } else {
            // Standard output is for the program that reads the rows.
            let _ = writeln!(io::stderr(), "{text}");
        }
        match end {
            End::Fault { fault: Fault::System { why }, .. } => {
                Err(Interrupted::System { why: why.clone() }.into())
            }
            End::Fault { fault, .. } => {
                Err(Failure::Run(anyhow::anyhow!("the player lost by a fault: {fault}")))
            }
            _ => Ok(()),
        }
    }
}
