//! The arguments of `timing`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use plyground::search::Options;
use plyground_arena::timing::{Depths, Runs, RuntimePlan, SearchKind};
use plyground_durable::{parse_duration, whole_number};
use plyground_host::HostedPosition;

use crate::args::mebibytes_parser;
use crate::effort::svg_path;

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

    /// Keep the table in this file, and resume from it; of several FILEs, {name} stands for the name
    /// of each
    ///
    /// The file is rewritten after every row. Rows that it already has for this search, with as
    /// many runs or more, are not measured again; give the same --table as before, for the file
    /// does not tell. It can hold both searches, but only one position: a file of anything else
    /// is refused and left alone.
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,

    /// Draw the times against the depths into this file, with all searches of the CSV file
    ///
    /// Like the CSV file it is rewritten after every row, and {name} stands for the name of a FILE.
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
    /// Returns the plan of what to measure in this position.
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
