//! The output of `match`, on the screen and in files.

use std::collections::BTreeMap;
use std::io;

use plyground::Side;
use plyground_arena::matches::{Entrant, GameCounts, GamePair, MatchTally, half_points};
use plyground_arena::statistics::{EloModel, Interval, Pentanomial, Sprt, SprtState, signed};
use plyground_durable::text::csv_text;
use plyground_host::referee::{PlayedGame, PlayedMove};
use plyground_host::{FaultCounts, Text};
use plyground_sandbox::SandboxLevel;
use serde::Serialize;

use crate::failure::Failure;
use crate::tournament::played_again;

const PERCENT: f64 = 100.0;

/// The result of a match, whole or so far.
pub(super) struct MatchReport {
    pub(super) game: &'static str,
    /// A and B.
    pub(super) players: [String; 2],
    pub(super) opening_plies: u32,
    pub(super) seed: u64,
    pub(super) sprt: Option<Sprt>,
    /// The level of the sandboxes of external programs, if there are any.
    pub(super) sandbox: Option<SandboxLevel>,
    /// The pairs of an earlier run.
    pub(super) before: Pentanomial,
    pub(super) tally: MatchTally,
    pub(super) rows: PairRows,
    /// The first faults of A and B, a line each.
    pub(super) first_faults: [Option<String>; 2],
}

impl MatchReport {
    /// Adds a pair.
    pub(super) fn add(&mut self, pair: &GamePair) {
        self.tally.add(pair);
        self.rows.add(pair);
        for ((number, game), seats) in (1..).zip(&pair.games).zip(Entrant::SEATS) {
            let Some((by, fault)) = game.ending.reason.fault() else { continue };
            let (by, pair) = (seats[by.index()], pair.index + 1);
            self.first_faults[by.index()].get_or_insert_with(|| {
                format!("First fault of {by:?}, in game {number} of pair {pair}: {fault}\n")
            });
        }
    }

    /// Returns a few words for the progress line.
    pub(super) fn brief(&self) -> String {
        let GameCounts { won, drawn, lost } = self.tally.games();
        let elo = self.pairs().elo().map(|elo| elo.mean).unwrap_or_default();
        let ratio = self.ratio().map(|ratio| format!(", LLR {ratio:+.2}")).unwrap_or_default();
        format!("+{won} ={drawn} -{lost}, Elo {}{ratio}", signed(elo))
    }

    /// Returns `true` if the test has accepted one of its differences.
    pub(super) fn is_decided(&self) -> bool {
        self.sprt.is_some_and(|test| self.accepted(test).is_some())
    }

    /// Returns all pairs, including those of an earlier run.
    fn pairs(&self) -> Pentanomial {
        self.tally.pairs.plus(&self.before)
    }

    /// Returns the logarithm of the likelihood ratio of the test, if there is one.
    fn ratio(&self) -> Option<f64> {
        self.sprt.map(|test| test.log_likelihood_ratio(&self.pairs()))
    }

    /// Returns the result as text for people; empty before the first pair.
    pub(super) fn to_text(&self) -> String {
        let (games, mut text) = (self.tally.games(), String::new());
        if games.total() > 0 {
            let heading = format!("{} games", games.total());
            text += &format!("\n{heading:<11}  won  drawn   lost   A's score\n");
            for (title, games) in ["A first", "B first"].into_iter().zip(self.tally.by_side) {
                text += &format!("{title}{}\n", row(&games));
            }
            text += &format!("both   {}\n", row(&games));
        }
        if self.pairs().pairs() > 0 {
            let [lost, behind, even, ahead, won] = self.pairs().counts;
            let earlier = match self.before.pairs() {
                0 => String::new(),
                pairs => format!(", with {pairs} of an earlier run"),
            };
            text += &format!("\nPairs by A's points{earlier}: ");
            text += &format!("0: {lost}, 0.5: {behind}, 1: {even}, 1.5: {ahead}, 2: {won}\n");
        }
        text + &self.inferences() + &self.incidents()
    }

    /// Returns Elo, margins and the sequential test, a line each.
    fn inferences(&self) -> String {
        let (pairs, mut text) = (self.pairs(), String::new());
        if let Some(score) = pairs.score() {
            let percent = |share: f64| format!("{:.1}", share * PERCENT);
            text += &format!("Score of A: {} % ({})\n", percent(score.mean), score.ends(percent));
        }
        if let Some(elo) = pairs.elo() {
            text += &format!("Elo of A against B: {} ({})\n", signed(elo.mean), elo.ends(signed));
        }
        if let Some(elo) = pairs.normalized_elo() {
            text += &format!("Normalized Elo: {} ({})\n", signed(elo.mean), elo.ends(signed));
        }
        if let Some(superiority) = pairs.superiority() {
            text += &format!("Likelihood that A is the stronger: {:.1} %\n", superiority * PERCENT);
        }
        if let Some(mean) = self.tally.margins.mean() {
            let (negative, pairs) = (self.tally.margins.negative, self.tally.margins.pairs);
            let points = |points: f64| format!("{points:+.2}");
            let ends = self.tally.margins.interval();
            let ends = ends.map(|it| format!(" ({})", it.ends(points))).unwrap_or_default();
            text += &format!("Margin of A in a pair: {} points{ends}, ", points(mean));
            text += &format!("negative in {negative} of {pairs}\n");
        }
        if let (Some(test), Some(ratio)) = (self.sprt, self.ratio()) {
            let ([lower, upper], accepted) = (test.bounds(), self.accepted(test));
            let verdict = accepted.map_or("undecided".to_owned(), |elo| format!("{elo} accepted"));
            let model = if test.model == EloModel::Normalized { "normalized " } else { "" };
            text += &format!("Sequential test of {model}Elo {} against {}: ", test.elo0, test.elo1);
            text += &format!("LLR {ratio:+.2} ({lower:.2} to {upper:+.2}), {verdict}\n");
        }
        text
    }

    /// Returns the faults, the first of each player, and the number of games that were played again, a line each.
    fn incidents(&self) -> String {
        let mut text = String::new();
        let forfeits = self.tally.forfeits();
        if forfeits > 0 {
            let named = ["A", "B"].into_iter().zip(&self.tally.faults);
            let faults: Vec<_> = named
                .filter(|(_, faults)| !faults.is_empty())
                .map(|(name, faults)| format!("{name}: {faults}"))
                .collect();
            let games = if forfeits == 1 { "game" } else { "games" };
            text += &format!("Lost by a fault: {forfeits} {games} ({})\n", faults.join("; "));
            text.extend(self.first_faults.iter().flatten().map(String::as_str));
        }
        if self.tally.again > 0 {
            text += &format!("{}\n", played_again(self.tally.again));
        }
        text
    }

    /// Returns the difference that the test has accepted.
    fn accepted(&self, test: Sprt) -> Option<f64> {
        match test.state(&self.pairs()) {
            SprtState::Lower => Some(test.elo0),
            SprtState::Upper => Some(test.elo1),
            SprtState::Undecided => None,
        }
    }

    /// Returns the result and all pairs as one line of JSON.
    pub(super) fn to_json(&self) -> Result<String, Failure> {
        let GameCounts { won, drawn, lost } = self.tally.games();
        let ([a, b], pairs) = (&self.players, self.pairs());
        let result = MatchJson {
            game: self.game,
            a,
            b,
            seed: self.seed,
            opening_plies: self.opening_plies,
            sandbox: self.sandbox,
            games: self.tally.games().total(),
            won,
            drawn,
            lost,
            pairs_by_points: self.tally.pairs.counts,
            pairs_before: (self.before.pairs() > 0).then_some(self.before.counts),
            score: pairs.score(),
            elo: pairs.elo(),
            normalized_elo: pairs.normalized_elo(),
            superiority: pairs.superiority(),
            margin: self.tally.margins.mean().map(|mean| {
                let unknown = Interval { mean, lower: f64::NAN, upper: f64::NAN };
                self.tally.margins.interval().unwrap_or(unknown)
            }),
            negative_pairs: self.tally.margins.mean().map(|_| self.tally.margins.negative),
            forfeits: self.tally.forfeits(),
            faults: ["a", "b"].into_iter().zip(&self.tally.faults).collect(),
            again: self.tally.again,
            sprt: self.sprt.map(|test| TestJson {
                elo0: test.elo0,
                elo1: test.elo1,
                llr: self.ratio().unwrap_or_default(),
                lower: test.bounds()[0],
                upper: test.bounds()[1],
                alpha: test.alpha,
                beta: test.beta,
                model: test.model.name(),
                accepted: self.accepted(test),
            }),
            pairs: &self.rows.0,
        };
        Ok(serde_json::to_string(&result).map_err(io::Error::from)?)
    }
}

/// Returns the counts of games, and the mean score.
fn row(games: &GameCounts) -> String {
    let GameCounts { won, drawn, lost } = games;
    let score = games.points() / games.total().max(1) as f64 * PERCENT;
    format!(" {won:>7}{drawn:>7}{lost:>7}{score:>9.1} %")
}

/// The line of JSON. Numbers that are infinite or not known are `null`.
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
    /// The same counts of an earlier run, if there was one. The score, Elo and the test include its
    /// pairs.
    pairs_before: Option<[u64; 5]>,
    score: Option<Interval>,
    elo: Option<Interval>,
    normalized_elo: Option<Interval>,
    /// The probability that a match between equals ends with less than this score.
    superiority: Option<f64>,
    margin: Option<Interval>,
    negative_pairs: Option<u64>,
    forfeits: u64,
    /// The games that each player has lost by a fault, by the kind.
    faults: BTreeMap<&'static str, &'a FaultCounts>,
    again: u64,
    sprt: Option<TestJson>,
    pairs: &'a [PairRow],
}

#[derive(Serialize)]
struct TestJson {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: &'static str,
    llr: f64,
    /// The ratios at which the test ends.
    lower: f64,
    upper: f64,
    accepted: Option<f64>,
}

/// The pairs of a match, a row each.
#[derive(Default)]
pub(super) struct PairRows(Vec<PairRow>);

/// A pair. The first of two values is for the game in which A moves first.
#[derive(Clone, Debug, Serialize)]
struct PairRow {
    pair: usize,
    opening: String,
    /// A's points.
    points: [f64; 2],
    /// A's points minus B's in each game, if the game has points.
    margins: [Option<i32>; 2],
    plies: [usize; 2],
    /// The reason for the end of each game, with the player at fault if there is one.
    endings: [String; 2],
    /// The reason why each game was played again alone, if it was.
    again: [Option<String>; 2],
}

/// The names of the columns of [`PairRows::to_csv`].
const COLUMNS: &str = "pair,opening,points1,points2,margin1,margin2,plies1,plies2,ending1,\
    ending2,again1,again2";

impl PairRows {
    fn add(&mut self, pair: &GamePair) {
        let [one, other] = &pair.games;
        let opening = one.moves.iter().take_while(|played| played.forced);
        let opening: Vec<_> = opening.map(|PlayedMove { mv, .. }| mv.to_string()).collect();
        self.0.push(PairRow {
            pair: pair.index + 1,
            opening: opening.join(" "),
            points: pair.results().map(|result| f64::from(half_points(result)) / 2.0),
            margins: pair.margins(),
            plies: [one, other].map(|game| game.moves.len()),
            endings: [ending(one, Entrant::SEATS[0]), ending(other, Entrant::SEATS[1])],
            again: [one, other].map(|game| game.again.clone()),
        });
    }

    /// Returns a line of names, and a line for each pair.
    pub(super) fn to_csv(&self) -> String {
        let rows = self.0.iter().map(|row| {
            let PairRow { pair, opening, points, margins, plies, endings, again } = row.clone();
            let text = [pair.to_string(), opening].into_iter();
            let margins = margins.map(|m| m.map_or_else(String::new, |margin| margin.to_string()));
            let text = text.chain(points.map(|points| points.to_string())).chain(margins);
            let text = text.chain(plies.map(|plies| plies.to_string())).chain(endings);
            text.chain(again.map(Option::unwrap_or_default)).collect()
        });
        csv_text(COLUMNS.split(','), rows)
    }
}

/// Returns the reason for the end of a game, with A and B as the names of the players.
fn ending(game: &PlayedGame, seats: [Entrant; 2]) -> String {
    let name = |side: Side| format!("{:?}", seats[side.index()]);
    game.ending.reason.words(|| game.position.text(Text::Reason), name)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use plyground_arena::matches::{MatchConditions, play_pair};
    use plyground_arena::second_try::Gate;
    use plyground_host::Fault;
    use plyground_host::player::{Answer, Player, Random, Turn};
    use plyground_host::toy::toy;

    use super::*;

    /// A player that answers with this fault.
    struct Faulty(Fault);

    impl Player for Faulty {
        fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
            Err(self.0.clone())
        }
    }

    /// Returns a pair in which the computer fails at the first player that is seated, and B crashes in both games.
    fn pair() -> GamePair {
        let conditions = MatchConditions {
            start: toy().start(),
            openings: vec![Vec::new()],
            seed: 1,
            jobs: NonZeroUsize::MIN,
            wall_limit: None,
            ply_cap: 200,
        };
        let seated = AtomicUsize::new(0);
        let seat = |entrant: Entrant, chance: u64| -> Box<dyn Player> {
            match (seated.fetch_add(1, Ordering::Relaxed), entrant) {
                (0, _) => Box::new(Faulty(Fault::System { why: "no processes left".to_owned() })),
                (_, Entrant::A) => Box::new(Random::new(chance)),
                (_, Entrant::B) => Box::new(Faulty(Fault::Died { how: "signal 11".to_owned() })),
            }
        };
        let stop = AtomicBool::new(false);
        play_pair(&conditions, &seat, &stop, &Gate::default(), 0, &[]).expect("a pair")
    }

    #[test]
    fn every_output_has_the_faults_and_the_games_played_again() {
        let mut report = MatchReport {
            game: "toy",
            players: ["a", "b"].map(str::to_owned),
            opening_plies: 0,
            seed: 1,
            sprt: None,
            sandbox: None,
            before: Pentanomial::default(),
            tally: MatchTally::default(),
            rows: PairRows::default(),
            first_faults: Default::default(),
        };
        report.add(&pair());
        let text = report.to_text();
        let faults = "\nLost by a fault: 2 games (B: crash 2)\n\
            First fault of B, in game 1 of pair 1: crash, signal 11\n";
        assert!(text.contains(faults), "{text}");
        let again = "\nPlayed again alone, because the computer failed the first time: 1 game\n";
        assert!(text.contains(again), "{text}");
        let json = report.to_json().expect("JSON");
        for part in [
            r#""forfeits":2,"faults":{"a":{},"b":{"crash":2}},"again":1"#,
            r#""endings":["B: crash, signal 11","B: crash, signal 11"]"#,
            r#""again":["no processes left",null]"#,
        ] {
            assert!(json.contains(part), "{part} in {json}");
        }
        let csv = report.rows.to_csv();
        let line = csv.lines().nth(1).unwrap_or_default();
        let end = "\"B: crash, signal 11\",\"B: crash, signal 11\",no processes left,";
        assert!(line.ends_with(end), "{csv}");
    }
}
