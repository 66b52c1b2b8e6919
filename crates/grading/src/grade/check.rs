//! The checks of a game, as data, and the search for keys that cannot apply to the game, before positions are
//! drawn.

use std::time::Duration;

use plyground::Game;
use plyground_durable::quantities::duration_text;
use plyground_host::HostedGame;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Value;

use self::CheckKind::{
    AcceptsLegal, BeatsRandom, CountsDepth, Faultless, FileFormat, Interactive, LineEnds,
    PrintsScore, ReadsFiles, RefusesIllegal, Sees, StopsWhenOver, Time, WritesNothingWhenOver,
};

/// One requirement of an assignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The name, which is unique among the checks.
    pub name: String,
    /// The number of points that the check is worth.
    pub points: f64,
    /// The readers who may see the result.
    #[serde(default)]
    pub visibility: Visibility,
    /// If true, students see the moves that were expected of their players.
    #[serde(default)]
    pub expected: bool,
    /// The names of other checks. This check earns nothing unless one of these earns half of its points.
    #[serde(default, deserialize_with = "names")]
    pub needs: Vec<String>,
    /// The description of the requirement, for people.
    pub asks: String,
    /// The reason for the requirement.
    pub why: String,
    /// The sentence of the assignment that states the requirement.
    pub sentence: String,
    /// The positions in which the check is always made. Each is given by the moves that lead to it,
    /// separated by blanks.
    #[serde(default)]
    pub positions: Vec<String>,
    /// The rules by which further positions are drawn.
    #[serde(default, deserialize_with = "rules")]
    pub draw: Vec<DrawRule>,
    /// The kind of check.
    pub kind: CheckKind,
    /// The keys that the kind has of its own.
    #[serde(flatten)]
    pub keys: KindKeys,
}

fn one_or_several<T: DeserializeOwned>(from: Value) -> Result<Vec<T>, toml::de::Error> {
    match from {
        several @ Value::Array(_) => Vec::deserialize(several),
        one => T::deserialize(one).map(|one| vec![one]),
    }
}

/// Reads the name of a check, or a list of names.
fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let expected = "expected the name of a check, or a list of names";
    one_or_several(Value::deserialize(from)?).map_err(|_| D::Error::custom(expected))
}

fn rules<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<DrawRule>, D::Error> {
    one_or_several(Value::deserialize(from)?).map_err(D::Error::custom)
}

impl Check {
    /// Returns true if the game is over in all positions of the check.
    pub(super) fn is_about_ends(&self) -> bool {
        self.kind.row().situation == Situation::Ends
    }

    pub(super) fn is_about_last_plies(&self) -> bool {
        self.kind.row().needs_limit()
    }
}

/// A rule for drawing positions: random games are played, and the positions that fit are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrawRule {
    /// The number of positions.
    pub count: usize,
    /// The least and the greatest number of random moves that lead to a position. In a check about
    /// positions in which the game is over, games are played to the end, and in a check about the last
    /// plies, until a few are left.
    #[serde(default)]
    pub after: [u32; 2],
    /// The least number of legal moves.
    #[serde(default)]
    pub moves: usize,
    /// The greatest number of right moves, in a check that has right moves.
    pub right: Option<usize>,
    /// If true, a search with one ply less than the check misses the right moves. This search
    /// evaluates by the score of the board, or by the engine's evaluation in a game without points.
    /// With [`gap`](DrawRule::gap), the condition is instead that a search with two plies less has
    /// another best move.
    #[serde(default)]
    pub needed: bool,
    /// If true, half of the positions, evenly for both sides, take one ply more, and the player is
    /// told a depth of one more: a player may see only at even depths, or only at odd depths.
    #[serde(default)]
    pub further: bool,
    /// The least number of points by which all other moves are worse than the right moves, within
    /// the plies of the check. Without it, the right moves are those with the best prospect of
    /// winning.
    pub gap: Option<u32>,
    /// The least number of points by which the other moves are also worse at the end of the game,
    /// with best play. This key protects players whose evaluation foresees more than points.
    #[serde(default)]
    pub final_gap: u32,
    /// The least number of points of each side. If given, the sides must have different numbers of
    /// points.
    pub points: Option<i32>,
    /// The greatest difference between the points of the two sides.
    pub lead: Option<u32>,
}

/// The readers who may see the result of a check. The names are those of Gradescope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// The students who handed the submission in, at once.
    #[default]
    Visible,
    /// The same students, after the due date.
    AfterDueDate,
    /// The same students, after the grades are published.
    AfterPublished,
    /// Only the instructor.
    Hidden,
}

/// The test that shows whether the player meets a requirement. It is made in every position of the
/// check. A `depth` replaces the placeholder `{depth}` in the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// The player makes one of the best moves, as seen by a search of `plies` plies. The points
    /// begin above the number of right moves that luck alone gives.
    Sees,
    /// The player finds the best moves when it is told to look `plies` plies ahead, and it neither
    /// needs one ply more nor succeeds with one ply less. Each side to move is worth half. All
    /// other checks correct the depth by the miscount that is found here, so a miscount costs the
    /// points of this check only.
    CountsDepth,
    /// The player loses no game by a fault: all its moves are legal and in time.
    Faultless,
    /// The player wins its games against random moves. Games are played until the points are
    /// certain.
    BeatsRandom,
    /// The player moves within the time limit, measured in CPU time or wall time, whichever is
    /// less. Each position is worth the same part of the points.
    Time,
    /// The player reads files with the line ends of the assignment's own files. If it fails and
    /// reads files with LF instead, all other checks use LF.
    ReadsFiles,
    /// The file that the player writes is the file that it read with one move made. Its line ends
    /// do not matter.
    FileFormat,
    /// The file that the player writes has the line ends of the assignment's own files, or of the
    /// file that the player read.
    LineEnds,
    /// The player prints the points of both sides before the move and again after it.
    PrintsScore,
    /// The player prints the points of both sides and exits, after two empty lines of input at most. If it
    /// writes a file, the file has the position that the player read.
    StopsWhenOver,
    /// The player writes no file.
    WritesNothingWhenOver,
    /// In its mode against a person, the program plays the last plies of a game, with either side
    /// to move first, asks again after a bad move, and saves the positions after its own moves and
    /// after those of the person.
    Interactive,
    /// The player accepts legal moves, both as its own and as its opponent's.
    AcceptsLegal,
    /// The player refuses illegal moves, both as its own and as its opponent's.
    RefusesIllegal,
}

/// The keys that only checks of some kinds have; [`KINDS`] says which.
///
/// The key of a kept grade includes a hash of the JSON of the checks. If a new field is always written, every
/// submission is graded again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KindKeys {
    /// The depth that the player is told to search; without it, the player chooses its own.
    pub depth: Option<u32>,
    /// The number of plies that a search needs to see the right moves.
    pub plies: Option<u32>,
    /// The number of right moves that earns all points; without it, the number of positions.
    pub enough: Option<usize>,
    /// The greatest number of games. The player has each side in half of them.
    pub games: Option<u32>,
    /// The part of the games won, from 0 to 1, above which the points begin.
    pub from: f64,
    /// The part of the games won that earns all points.
    pub share: f64,
    /// The time limit.
    #[serde(with = "duration_text")]
    pub limit: Option<Duration>,
    /// The moves to try in the positions in which they are illegal, or the lines that a person types
    /// again and again until the game is over.
    pub moves: Vec<String>,
}

/// The players for which a check is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Players {
    /// All players.
    All,
    /// Programs that exchange files.
    FileExchange,
    /// Programs that exchange files, and have a mode to play against a person.
    Interactive,
    /// Players that judge moves.
    Judges,
}

/// The situations in which a check is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Situation {
    /// Positions in which a move can be made.
    Positions,
    /// Positions with [`LAST_PLIES`] left.
    LastPlies,
    /// Positions in which the game is over.
    Ends,
    /// Whole games.
    Games,
    /// Whole games, and any number of positions.
    GamesAndPositions,
}

/// The least and the greatest number of plies that are left in a check about the last plies: both sides
/// move, and all lines to the end are few.
pub(super) const LAST_PLIES: [u32; 2] = [2, 4];

/// The properties of a kind of check.
#[derive(Debug)]
pub(super) struct KindRow {
    kind: CheckKind,
    /// The name in a file.
    pub(super) name: &'static str,
    /// The keys that a check of this kind must have besides the keys of every check.
    pub(super) required: &'static [&'static str],
    /// The keys that a check of this kind may have.
    pub(super) optional: &'static [&'static str],
    pub(super) players: Players,
    situation: Situation,
    /// If true, only games with points have such checks.
    pub(super) needs_points: bool,
    /// If true, the result depends on the way in which the player counts plies, so a check of this kind that is
    /// worth points keeps the probe `counts-depth`.
    pub(super) asks_for_search: bool,
    /// If true, the check determines how other checks treat the player. Such a check is made even if it is worth
    /// nothing, if one of the others may be wanted.
    pub(super) is_probe: bool,
    /// The place in the order of the checks, the least number first. A slow player thus earns the
    /// points of checks without a search before its time is over, and the points of single moves
    /// before it plays whole games. Probes come before the checks that depend on them. The games
    /// that must be won come last, because a player that is blind as one side is judged only by its
    /// games as the other side.
    pub(super) rank: u8,
}

impl KindRow {
    /// Returns true if only games with a limit on their length have such checks.
    pub(super) fn needs_limit(&self) -> bool {
        self.situation == Situation::LastPlies
    }
}

/// Returns the row of a kind with these keys for all players, in positions in which moves can be made.
const fn row(kind: CheckKind, name: &'static str, required: &'static [&'static str]) -> KindRow {
    KindRow {
        kind,
        name,
        required,
        optional: &[],
        players: Players::All,
        situation: Situation::Positions,
        needs_points: false,
        asks_for_search: false,
        is_probe: false,
        rank: 2,
    }
}

/// Returns the row of a kind for programs that exchange files.
const fn of_files(kind: CheckKind, name: &'static str) -> KindRow {
    KindRow { players: Players::FileExchange, ..row(kind, name, &["depth"]) }
}

/// Returns the row of a kind for players that judge moves.
const fn of_judges(
    kind: CheckKind,
    name: &'static str,
    required: &'static [&'static str],
) -> KindRow {
    KindRow { players: Players::Judges, rank: 0, ..row(kind, name, required) }
}

const ENDS: Situation = Situation::Ends;

/// All kinds, in the order of the manual. This is the only list: the reader of files, its messages and the test
/// of the manual follow it.
pub(super) const KINDS: &[KindRow] = &[
    KindRow {
        optional: &["enough"],
        asks_for_search: true,
        ..row(Sees, "sees", &["depth", "plies"])
    },
    KindRow { is_probe: true, rank: 1, ..row(CountsDepth, "counts-depth", &["plies"]) },
    KindRow {
        situation: Situation::GamesAndPositions,
        rank: 3,
        ..row(Faultless, "faultless", &["depth", "games"])
    },
    KindRow {
        situation: Situation::Games,
        asks_for_search: true,
        rank: 4,
        ..row(BeatsRandom, "beats-random", &["depth", "games", "from", "share"])
    },
    KindRow { optional: &["depth"], asks_for_search: true, ..row(Time, "time", &["limit"]) },
    KindRow { is_probe: true, rank: 0, ..of_files(ReadsFiles, "reads-files") },
    KindRow { is_probe: true, rank: 1, ..of_files(FileFormat, "file-format") },
    of_files(LineEnds, "line-ends"),
    KindRow {
        is_probe: true,
        needs_points: true,
        rank: 1,
        ..of_files(PrintsScore, "prints-score")
    },
    KindRow { situation: ENDS, needs_points: true, ..of_files(StopsWhenOver, "stops-when-over") },
    KindRow { situation: ENDS, ..of_files(WritesNothingWhenOver, "writes-nothing-when-over") },
    KindRow {
        required: &["depth", "moves"],
        players: Players::Interactive,
        situation: Situation::LastPlies,
        ..of_files(Interactive, "interactive")
    },
    of_judges(AcceptsLegal, "accepts-legal", &[]),
    // Refusing is a merit only in a role in which legal moves are accepted.
    KindRow { rank: 1, ..of_judges(RefusesIllegal, "refuses-illegal", &["moves"]) },
];

impl CheckKind {
    /// Returns the row of the kind. The rows have the order of the kinds.
    pub(super) fn row(self) -> &'static KindRow {
        const { assert_order() };
        &KINDS[self as usize]
    }
}

/// Refuses, at compile time, a row that is not in the place of its kind.
const fn assert_order() {
    let mut index = 0;
    while index < KINDS.len() {
        assert!(KINDS[index].kind as usize == index);
        index += 1;
    }
}

/// A key of a check, and the reason why the key cannot apply.
type Unfit = (&'static str, String);

/// Returns the first key that cannot apply to the game, with the reason, if there is such a key.
pub(super) fn unfit_key(game: &dyn HostedGame, check: &Check) -> Option<Unfit> {
    unfit_number(game, check).or_else(|| unfit_kind(game, check)).or_else(|| {
        let fault = check.draw.iter().find_map(|rule| unfit_rule(game, check, rule))?;
        Some(("draw", fault))
    })
}

fn unfit_number(game: &dyn HostedGame, check: &Check) -> Option<Unfit> {
    if !check.points.is_finite() || check.points < 0.0 {
        return Some(("points", "expected points, 0 or more".to_owned()));
    }
    let keys = &check.keys;
    let greatest = game.max_depth();
    for (key, number) in [("depth", keys.depth), ("plies", keys.plies)] {
        if number.is_some_and(|number| !(1..=greatest).contains(&number)) {
            return Some((key, format!("expected `{key}` from 1 to {greatest}")));
        }
    }
    if keys.games == Some(0) {
        return Some(("games", "expected `games` of at least 1".to_owned()));
    }
    if check.kind == CheckKind::BeatsRandom
        && !(0.0 <= keys.from && keys.from < keys.share && keys.share <= 1.0)
    {
        return Some(("share", "expected a `share` above `from`, both from 0 to 1".to_owned()));
    }
    None
}

fn unfit_kind(game: &dyn HostedGame, check: &Check) -> Option<Unfit> {
    let row = check.kind.row();
    let kind = row.name;
    let of_kind = |fault: String| Some(("kind", format!("a check of kind `{kind}` {fault}")));
    if row.needs_points && game.start().points().is_none() {
        return of_kind(format!("needs a game with points, and {} has none", game.name()));
    }
    if row.needs_limit() && game.start().plies_left().is_none() {
        return of_kind(format!(
            "needs a game whose rules set a limit on its length, and {} has none",
            game.name()
        ));
    }
    if row.required.contains(&"moves") && check.keys.moves.is_empty() {
        return Some(("moves", "expected at least one move".to_owned()));
    }
    let is_placed = !check.positions.is_empty() || !check.draw.is_empty();
    match (row.situation, is_placed) {
        (Situation::GamesAndPositions, _) | (Situation::Games, false) => None,
        (Situation::Games, true) => {
            let key = if check.draw.is_empty() { "positions" } else { "draw" };
            let fault = format!("a check of kind `{kind}` plays whole games: it has no `{key}`");
            Some((key, fault))
        }
        (_, true) => None,
        (_, false) => of_kind("needs `positions` or `draw`".to_owned()),
    }
}

fn unfit_rule(game: &dyn HostedGame, check: &Check, rule: &DrawRule) -> Option<String> {
    let (start, name) = (game.start(), game.name());
    if rule.count == 0 {
        return Some("expected `count` of at least 1".to_owned());
    }
    let is_about_scores = [
        ("points", rule.points.is_some()),
        ("lead", rule.lead.is_some()),
        ("gap", rule.gap.is_some()),
        ("final-gap", rule.final_gap > 0),
    ];
    let used = is_about_scores.iter().find(|(_, is_used)| *is_used);
    if let Some((key, _)) = used.filter(|_| start.points().is_none()) {
        return Some(format!("`{key}` needs a game with points, and {name} has none"));
    }
    let is_about_right_moves = [
        ("right", rule.right.is_some()),
        ("gap", rule.gap.is_some()),
        ("final-gap", rule.final_gap > 0),
        ("needed", rule.needed),
        ("further", rule.further),
    ];
    let used = is_about_right_moves.iter().find(|(_, is_used)| *is_used);
    if let Some((key, _)) = used.filter(|_| check.keys.plies.is_none()) {
        return Some(format!("`{key}` is only for the kinds `sees` and `counts-depth`"));
    }
    if rule.final_gap > 0 && rule.gap.is_none() {
        return Some("`final-gap` needs `gap`".to_owned());
    }
    if rule.gap.is_some() && !game.is_solvable() {
        return Some(format!(
            "`gap` needs a game that a search can follow to its end, and the rules of {name} do not \
            say that it ends soon"
        ));
    }
    let [least, most] = rule.after;
    // In the last position the game is over.
    let last = start.plies_left().map(|plies| plies.saturating_sub(1));
    let is_late = !check.is_about_ends() && last.is_some_and(|last| least > last);
    if least > most || is_late {
        let upper = last.map_or_else(String::new, |last| format!(" of at most {last}"));
        return Some(format!("expected `after` with two numbers{upper}, the lesser first"));
    }
    None
}
