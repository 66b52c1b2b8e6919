//! What `match` prints and writes.

use std::io;

use plyground_arena::matches::{
    Entrant, EntrantResult, GameCounts, GamePair, Interval, MatchTally, Sprt, SprtState, signed,
};
use plyground_host::csv_text::csv_text;
use plyground_host::referee::PlayedMove;
use plyground_host::{Ending, Reason};
use plyground_sandbox::SandboxLevel;
use serde::Serialize;

use super::failure::Failure;

const PERCENT: f64 = 100.0;

/// The result of a match, whole or so far.
pub(super) struct MatchReport<'a> {
    pub(super) game: &'static str,
    /// A and B.
    pub(super) players: [String; 2],
    pub(super) sprt: Option<Sprt>,
    /// The level of the sandboxes of external programs, if there are any.
    pub(super) sandbox: Option<SandboxLevel>,
    pub(super) tally: &'a MatchTally,
}

impl MatchReport<'_> {
    /// A few words for the progress line.
    pub(super) fn brief(&self) -> String {
        let GameCounts { won, drawn, lost } = self.tally.games();
        let elo = self.tally.pairs.elo().map(|elo| elo.mean).unwrap_or_default();
        let ratio = self.ratio().map(|ratio| format!(", LLR {ratio:+.2}")).unwrap_or_default();
        format!("+{won} ={drawn} -{lost}, Elo {}{ratio}", signed(elo))
    }

    /// The logarithm of the likelihood ratio of the test, if there is one.
    fn ratio(&self) -> Option<f64> {
        self.sprt.map(|test| test.log_likelihood_ratio(&self.tally.pairs))
    }

    /// The result for people; nothing before the first pair.
    pub(super) fn to_text(&self) -> String {
        let games = self.tally.games();
        if games.total() == 0 {
            return String::new();
        }
        let heading = format!("{} games", games.total());
        let mut text = format!("\n{heading:<11}  won  drawn   lost   A's score\n");
        for (title, games) in ["A first", "B first"].into_iter().zip(self.tally.by_side) {
            text += &format!("{title}{}\n", row(&games));
        }
        let error = self.tally.pairs.score().map_or(0.0, |score| score.error() * PERCENT);
        text += &format!("both   {}", row(&games));
        text += &if self.varies() { format!(" ± {error:.1}\n") } else { "\n".to_owned() };
        let [lost, behind, even, ahead, won] = self.tally.pairs.counts;
        text += &format!("\nPairs by A's points: 0: {lost}, 0.5: {behind}, 1: {even}, ");
        text += &format!("1.5: {ahead}, 2: {won}\n");
        text + &self.inferences()
    }

    /// Elo, margins, faults and the sequential test, a line each.
    fn inferences(&self) -> String {
        let mut text = String::new();
        if let Some(elo) = self.tally.pairs.elo() {
            text += &format!("Elo of A against B: {}", signed(elo.mean));
            text += &match self.varies() {
                true => format!(" (95 %: {} to {})\n", signed(elo.lower), signed(elo.upper)),
                false => " (all pairs ended alike: no error bars)\n".to_owned(),
            };
        }
        if let Some(mean) = self.tally.margins.mean() {
            let (negative, pairs) = (self.tally.margins.negative, self.tally.margins.pairs);
            text += &format!("Margin of A in a pair: {:+.2} ± {:.2} ", mean.mean, mean.error());
            text += &format!("points, negative in {negative} of {pairs}\n");
        }
        if self.tally.forfeits > 0 {
            text += &format!("Lost by a fault: {} games\n", self.tally.forfeits);
        }
        if let (Some(test), Some(ratio)) = (self.sprt, self.ratio()) {
            let (bound, verdict) = (Sprt::bound(), self.verdict(test));
            text += &format!("Sequential test of Elo {} against {}: ", test.elo0(), test.elo1());
            text += &format!("LLR {ratio:+.2} of ±{bound:.2}, {verdict}\n");
        }
        text
    }

    fn verdict(&self, test: Sprt) -> String {
        match test.state(&self.tally.pairs) {
            SprtState::Lower => format!("{} accepted", test.elo0()),
            SprtState::Upper => format!("{} accepted", test.elo1()),
            SprtState::Undecided => "undecided".to_owned(),
        }
    }

    fn varies(&self) -> bool {
        self.tally.pairs.varies()
    }

    /// The result and all pairs as one line of JSON.
    pub(super) fn to_json(
        &self,
        plies: u32,
        seed: u64,
        rows: &PairRows,
    ) -> Result<String, Failure> {
        let GameCounts { won, drawn, lost } = self.tally.games();
        let [a, b] = &self.players;
        let result = MatchJson {
            game: self.game,
            a,
            b,
            seed,
            opening_plies: plies,
            sandbox: self.sandbox,
            games: self.tally.games().total(),
            won,
            drawn,
            lost,
            pairs_by_points: self.tally.pairs.counts,
            score: self.tally.pairs.score().map(IntervalJson::of),
            elo: self.tally.pairs.elo().map(IntervalJson::of),
            margin: self.tally.margins.mean().map(IntervalJson::of),
            negative_pairs: self.tally.margins.mean().map(|_| self.tally.margins.negative),
            forfeits: self.tally.forfeits,
            sprt: self.sprt.map(|test| TestJson {
                elo0: test.elo0(),
                elo1: test.elo1(),
                llr: self.ratio().unwrap_or_default(),
                bound: Sprt::bound(),
                accepted: match test.state(&self.tally.pairs) {
                    SprtState::Lower => Some(test.elo0()),
                    SprtState::Upper => Some(test.elo1()),
                    SprtState::Undecided => None,
                },
            }),
            pairs: &rows.0,
        };
        Ok(serde_json::to_string(&result).map_err(io::Error::from)?)
    }
}

/// Games counted, and the mean score.
fn row(games: &GameCounts) -> String {
    let GameCounts { won, drawn, lost } = games;
    let score = games.points() / games.total().max(1) as f64 * PERCENT;
    format!(" {won:>7}{drawn:>7}{lost:>7}{score:>9.1} %")
}

/// What `--json` prints. Infinite numbers are `null`.
#[derive(Serialize)]
struct MatchJson<'a> {
    game: &'a str,
    a: &'a str,
    b: &'a str,
    seed: u64,
    opening_plies: u32,
    /// The level of the sandboxes of external programs, if there are any.
    sandbox: Option<SandboxLevel>,
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    /// Pairs in which A had 0, 0.5, 1, 1.5 and 2 points.
    pairs_by_points: [u64; 5],
    score: Option<IntervalJson>,
    elo: Option<IntervalJson>,
    margin: Option<IntervalJson>,
    negative_pairs: Option<u64>,
    forfeits: u64,
    sprt: Option<TestJson>,
    pairs: &'a [PairRow],
}

/// A mean and its 95 % interval.
#[derive(Serialize)]
struct IntervalJson {
    mean: f64,
    lower: f64,
    upper: f64,
}

impl IntervalJson {
    fn of(Interval { mean, lower, upper }: Interval) -> IntervalJson {
        IntervalJson { mean, lower, upper }
    }
}

#[derive(Serialize)]
struct TestJson {
    elo0: f64,
    elo1: f64,
    llr: f64,
    bound: f64,
    accepted: Option<f64>,
}

/// The pairs of a match, a row each.
#[derive(Default)]
pub(super) struct PairRows(Vec<PairRow>);

/// A pair. The first of two is the game in which A moves first.
#[derive(Clone, Debug, Serialize)]
struct PairRow {
    pair: usize,
    opening: String,
    /// A's points.
    points: [f64; 2],
    /// A's points in both games, less B's, where the game has points.
    margins: [Option<i32>; 2],
    plies: [usize; 2],
    endings: [String; 2],
}

/// The names of the columns of [`PairRows::to_csv`].
const COLUMNS: [&str; 10] = [
    "pair", "opening", "points1", "points2", "margin1", "margin2", "plies1", "plies2", "ending1",
    "ending2",
];

impl PairRows {
    pub(super) fn add(&mut self, pair: &GamePair) {
        let [one, other] = &pair.games;
        let opening = one.moves.iter().take_while(|played| played.forced);
        let opening: Vec<_> = opening.map(|PlayedMove { mv, .. }| mv.to_string()).collect();
        self.0.push(PairRow {
            pair: pair.index + 1,
            opening: opening.join(" "),
            points: pair.results().map(points),
            margins: pair.margins(),
            plies: [one, other].map(|game| game.moves.len()),
            endings: [
                ending(&one.ending, Entrant::SEATS[0]),
                ending(&other.ending, Entrant::SEATS[1]),
            ],
        });
    }

    /// A line of names, and a line for each pair.
    pub(super) fn to_csv(&self) -> String {
        let header = COLUMNS.map(str::to_owned).to_vec();
        let rows = self.0.iter().map(|row| {
            let PairRow { pair, opening, points, margins, plies, endings } = row.clone();
            let text = [pair.to_string(), opening].into_iter();
            let margins = margins.map(|m| m.map_or_else(String::new, |margin| margin.to_string()));
            let text = text.chain(points.map(|points| points.to_string())).chain(margins);
            text.chain(plies.map(|plies| plies.to_string())).chain(endings).collect()
        });
        csv_text([header].into_iter().chain(rows))
    }
}

fn points(result: EntrantResult) -> f64 {
    f64::from(result.half_points()) / 2.0
}

/// Why a game ended: `rules`, `cap`, or who lost by a fault.
fn ending(ending: &Ending, seats: [Entrant; 2]) -> String {
    match &ending.reason {
        Reason::Rules => "rules".to_owned(),
        Reason::PlyCap { .. } => "cap".to_owned(),
        Reason::Forfeit { by, .. } => match seats[by.index()] {
            Entrant::A => "fault of A".to_owned(),
            Entrant::B => "fault of B".to_owned(),
        },
    }
}
