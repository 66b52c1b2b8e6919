//! A search step by step, as text, a page, a graph or data; and questions about searches.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use plyground::search::SearchContext;
use plyground::trace::{Order, TraceOptions};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::{excerpt, grouped, whole_number};
use plyground_explain::practice::{Practice, page, sheet, text};
use plyground_explain::review::GameReview;
use plyground_explain::{Comparison, html, text};
use plyground_host::{ExplainRequest, HostedGame, any_seed};

use super::args::{Depth, TextFile, load_or_start};
use super::failure::{Failure, print, refuse};

/// The number of nodes that each form shows unless the command line says otherwise.
const TEXT_NODES: u64 = 200;
const DOT_NODES: u64 = 500;
const DATA_NODES: u64 = 1_000_000;

/// The most positions that a search visits: a larger tree is too large to look at. The searches of
/// the comparison have the same limit.
const MOST_VISITED: u64 = 20_000_000;

/// The most nodes to show. More would fill the memory of a browser.
const MOST_NODES: u64 = 5_000_000;

/// The arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// The state file with the position, or - for standard input; without it, the start of a game.
    /// A text that names no file is the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The number of moves to look ahead
    #[arg(long, value_name = "N", default_value = "4")]
    pub depth: Depth,

    /// Search without pruning, by minimax
    #[arg(long)]
    pub minimax: bool,

    /// The order in which to try moves: good and bad go by the evaluation of the position after
    /// each
    #[arg(long, value_name = "ORDER", default_value = "natural", value_parser = order_parser())]
    pub order: Order,

    /// Look up positions that were searched before in a transposition table
    #[arg(long)]
    pub with_table: bool,

    /// Show at most this many nodes: as many whole plies as fit, one at least [default: 200 as
    /// text, 500 for --dot, 1000000 for --html and --json]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=MOST_NODES))]
    pub nodes: Option<u64>,

    /// Write a page with the tree for a browser, as one self-contained file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dot", "json"])]
    pub html: Option<PathBuf>,

    /// Write the tree for Graphviz; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub dot: Option<PathBuf>,

    /// Write the tree as one line of JSON; - for standard output. Scores are in hundredths of a
    /// point, as the side to move at the root sees them
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

fn order_parser() -> impl TypedValueParser<Value = Order> {
    let value = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    let values = PossibleValuesParser::new([
        value("good", "The most promising first"),
        value("bad", "The least promising first"),
        value("natural", "As the game generates them"),
    ]);
    values.map(|name| match name.as_str() {
        "good" => Order::Good,
        "bad" => Order::Bad,
        _ => Order::Natural,
    })
}

impl ExplainArgs {
    fn request(&self) -> ExplainRequest {
        let usual = match (&self.dot, self.html.is_some() || self.json.is_some()) {
            (Some(_), _) => DOT_NODES,
            (None, true) => DATA_NODES,
            (None, false) => TEXT_NODES,
        };
        let options = TraceOptions {
            depth: self.depth.0,
            prunes: !self.minimax,
            order: self.order,
            table: self.with_table,
        };
        let most_nodes = self.nodes.unwrap_or(usual);
        let context = SearchContext::default();
        ExplainRequest { options, most_nodes, most_visited: MOST_VISITED, context }
    }

    fn output(&self) -> Option<&PathBuf> {
        self.html.as_ref().or(self.dot.as_ref()).or(self.json.as_ref())
    }
}

pub(super) fn explain(game: &dyn HostedGame, args: &ExplainArgs) -> Result<(), Failure> {
    let position = load_or_start(game, args.file.as_deref())?;
    if position.is_over() {
        return refuse("the game is over: there is nothing to search");
    }
    if let Some(path) = args.output() {
        check_writable(path)?;
    }
    let request = args.request();
    let Some(explanation) = position.explain(&request) else {
        let least = if args.depth.0 > 1 { "a smaller --depth" } else { "another position" };
        let most = grouped(MOST_VISITED);
        return refuse(format!("the search looks at more than {most} positions; use {least}"));
    };
    let comparison = Comparison::new(&position, args.depth.0, &request.context, MOST_VISITED);
    let failed = |error: io::Error| Failure::Run(error.into());
    let contents = match args {
        ExplainArgs { html: Some(_), .. } => {
            html::page(&explanation, comparison).map_err(failed)?
        }
        ExplainArgs { dot: Some(_), .. } => html::dot(&explanation),
        ExplainArgs { json: Some(_), .. } => {
            let json = text::json(&explanation, &comparison).map_err(io::Error::from);
            format!("{}\n", json.map_err(failed)?)
        }
        _ => return print(text::text(&explanation, &comparison)),
    };
    match args.output() {
        Some(path) => Ok(write_whole(path, contents)?),
        None => Ok(()),
    }
}

/// The most questions. A greater number is taken for a typing error.
const MOST_QUESTIONS: u32 = 200;

/// The arguments of `practice`.
#[derive(Clone, Debug, Args)]
pub struct PracticeArgs {
    /// Draw the questions from this seed; without it, from a new seed in every run
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of questions to draw
    #[arg(long, value_name = "N", default_value_t = 6)]
    #[arg(value_parser = whole_number(1..=MOST_QUESTIONS))]
    pub questions: u32,

    /// Ask about the mistakes in these games in place of random positions: a file that `review --json` wrote,
    /// or - for standard input
    #[arg(long, value_name = "REVIEW")]
    pub from: Option<PathBuf>,

    /// Ask about the mistakes of this player alone
    #[arg(long, value_name = "NAME", requires = "from")]
    pub player: Option<String>,

    /// Write a page that takes answers and shows which are right, as one self-contained file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write a sheet to print from a browser, with the solutions on separate pages
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    pub sheet: Option<PathBuf>,

    /// Leave the solutions out of the sheet or the text
    #[arg(long, conflicts_with = "html")]
    pub no_solutions: bool,
}

pub(super) fn practice(game: &dyn HostedGame, args: &PracticeArgs) -> Result<(), Failure> {
    let output = args.html.as_ref().or(args.sheet.as_ref());
    if let Some(path) = output {
        check_writable(path)?;
    }
    let seed = args.seed.unwrap_or_else(any_seed);
    let practice = match &args.from {
        Some(path) => drills(game, path, args, seed)?,
        None => Practice::draw(game, seed, args.questions),
    };
    if args.from.is_none() && practice.questions.len() < args.questions as usize {
        let (found, name) = (practice.questions.len(), game.name());
        let why = format!("{found} questions were found, {} asked for: {name} ", args.questions);
        return Err(Failure::Run(anyhow::anyhow!("{why}has too few positions for them")));
    }
    let solutions = !args.no_solutions;
    let contents = match (&args.html, &args.sheet) {
        (Some(_), _) => page(&practice).map_err(anyhow::Error::new).map_err(Failure::Run)?,
        (None, Some(_)) => sheet(&practice, solutions),
        (None, None) => text(&practice, solutions),
    };
    match output {
        Some(path) => Ok(write_whole(path, contents)?),
        None => print(contents),
    }
}

const REVIEW: TextFile<'_> = TextFile {
    expected: "the output of review --json",
    what: "the review",
    most: 1024 * 1024 * 1024,
};

/// Returns questions about the mistakes in the reviews of a file.
fn drills(
    game: &dyn HostedGame,
    path: &Path,
    args: &PracticeArgs,
    seed: u64,
) -> Result<Practice, Failure> {
    let refused = |why: String| Failure::usage(format!("{}:{why}", path.display()));
    let mut reviews = Vec::new();
    for (number, line) in (1..).zip(REVIEW.read(path)?.lines()) {
        let value: serde_json::Value = serde_json::from_str(line)
            .map_err(|_| refused(format!("{number}: expected the output of review --json")))?;
        if value["line"] == "game" {
            let review = serde_json::from_value::<GameReview>(value);
            reviews.push(review.map_err(|error| refused(format!("{number}: {error}")))?);
        }
    }
    if let Some(other) = reviews.iter().find(|review| review.game != game.name()) {
        let (expected, found) = (game.name(), excerpt(&other.game));
        let why = format!("1: expected reviews of {expected}, found one of {found}");
        return Err(refused(why));
    }
    let player = args.player.as_deref();
    let practice = Practice::from_reviews(game, &reviews, player, (seed, args.questions));
    if practice.questions.is_empty() {
        let why = "no mistake in these games makes a question whose answer is certain";
        return Err(Failure::of_file(path, why));
    }
    Ok(practice)
}
