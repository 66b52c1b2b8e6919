//! The move of an engine player or a random player, and the engines that searches share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plyground::clock::Instant;
use plyground::perfect::plies_to_end;
use plyground::search::Options;
use plyground::{Game, Value};
use plyground_host::player::{Player, PlayerSpec, Random, Turn, UnknownPlayer};
use plyground_host::{
    Constraints, DEFAULT_TIME, EngineOptions, HostedEngine, MoveText, SharedGame, Strength,
    any_seed,
};
use serde::{Deserialize, Serialize};

use crate::lock;
use crate::questions::games::{GameLine, Refused, ReplayedGame, ServedGame};
use crate::questions::view::{MoveView, ScoreView};

/// The page's request for a move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceQuery {
    /// The name that the server has given to the client; empty without a server. A client has one search at a
    /// time.
    #[serde(default)]
    pub client: String,
    /// The game, in whose last position the player is to move.
    pub game: GameLine,
    /// The player to move, as in [`PlayerSpec`].
    pub player: String,
}

/// The move that a player has chosen.
#[derive(Debug, Serialize)]
pub struct ChoiceView {
    #[serde(flatten)]
    mv: MoveView,
    /// The value of the move as the engine sees it, if the player is an engine and the page shows values.
    score: Option<ScoreView>,
    /// The source of the move, if the page shows values: `book`, `depth 7`.
    source: Option<String>,
}

/// The kinds of players that the page may name.
const KINDS: [&str; 3] = ["human", "random", "machine"];

/// The player to move, and its time limit.
#[derive(Clone, Copy, Debug)]
pub struct Chooser {
    /// The strength; `None` for a player that chooses at random.
    strength: Option<Strength>,
    /// The time that the choice may take.
    pub time: Duration,
    /// The time at which the limit began to run.
    started: Instant,
}

impl Chooser {
    /// Returns the player of this name, which may take at most `limit` for the last position of a game.
    pub fn new(name: &str, replayed: &ReplayedGame, limit: Duration) -> Result<Chooser, Refused> {
        // Other kinds are programs. A page must neither start programs nor learn which programs exist.
        if !name.split(':').next().is_some_and(|kind| KINDS.contains(&kind)) {
            return Err(Refused::new("only this program's own machines play here"));
        }
        let spec: PlayerSpec =
            name.parse().map_err(|unknown: UnknownPlayer| Refused::new(unknown.to_string()))?;
        let strength = match spec {
            PlayerSpec::Machine(strength) => strength,
            PlayerSpec::Random => {
                return Ok(Chooser { strength: None, time: limit, started: Instant::now() });
            }
            // The check above leaves only the kind `human`.
            _ => return Err(Refused::new("a person chooses their own moves")),
        };
        let most = replayed.position.game().max_depth();
        let (strength, time) = match strength {
            Strength::Depth(depth) if depth > most => {
                let why = format!("expected a depth from 1 to {most}, found {depth}");
                return Err(Refused::new(why));
            }
            Strength::Depth(_) => (strength, limit),
            Strength::Default => (Strength::Time(DEFAULT_TIME.min(limit)), DEFAULT_TIME),
            Strength::Time(time) => (Strength::Time(time.min(limit)), time),
            Strength::Perfect { time, ties } => {
                plies_to_end(&replayed.position)
                    .map_err(|unlimited| Refused::new(unlimited.to_string()))?;
                let time = time.unwrap_or(limit).min(limit);
                (Strength::Perfect { time: Some(time), ties }, time)
            }
        };
        let (time, started) = (time.min(limit), Instant::now());
        Ok(Chooser { strength: Some(strength), time, started })
    }

    /// Returns true if the player makes the best possible move.
    pub fn is_perfect(&self) -> bool {
        matches!(self.strength, Some(Strength::Perfect { .. }))
    }

    /// Returns the rest of `time` after the search has waited for its turn.
    fn left(&self, time: Duration) -> Duration {
        time.saturating_sub(self.started.elapsed())
    }
}

/// The means of an engine player.
pub struct Thinking {
    /// The engine.
    pub leased: LeasedEngine,
    /// The limits on the choice besides the strength.
    pub constraints: Constraints,
}

/// Returns the choice in the last position of a game; `None` if the game is over. Calls `begin` before an
/// engine player searches. With `has_values`, the choice has a source, and a value if the player is an
/// engine.
pub fn choose(
    replayed: &ReplayedGame,
    chooser: Chooser,
    has_values: bool,
    begin: impl FnOnce(&SharedGame) -> Thinking,
) -> Option<ChoiceView> {
    let position = &replayed.position;
    if replayed.is_over_at(replayed.past.len()) {
        return None;
    }
    let view = |mv: MoveText, value: Option<Value>, source: String| {
        let score = |value| ScoreView::new(&*position.game(), position.side_to_move(), value);
        ChoiceView {
            mv: MoveView::new(position, mv),
            score: value.filter(|_| has_values).map(score),
            source: Some(source).filter(|_| has_values),
        }
    };
    let Some(strength) = chooser.strength else {
        let answer = Random::new(any_seed()).choose_move(&Turn::new(position, None)).ok()?;
        return Some(view(answer.legal_move(position).ok()?, None, "chance".to_owned()));
    };
    let Thinking { mut leased, constraints } = begin(&position.game());
    let strength = match strength {
        Strength::Time(time) => Strength::Time(chooser.left(time)),
        Strength::Perfect { time, ties } => {
            Strength::Perfect { time: time.map(|time| chooser.left(time)), ties }
        }
        Strength::Default | Strength::Depth(_) => strength,
    };
    // `Chooser::new` has already checked that perfect play is possible.
    let chosen = leased.engine.choose(position, strength, &constraints).ok().flatten()?;
    Some(view(chosen.mv, Some(chosen.value), chosen.source.to_string()))
}

/// The size of a table in MiB if all shared tables are in use.
const SMALL_TABLE_MIB: usize = 1;

/// A limited number of engines, each with a table for the searches of one game under one set of rules, because under
/// different rules, equal keys need not mean equal positions.
#[derive(Debug)]
pub struct Engines {
    most: usize,
    table_mib: usize,
    /// The engines, the last used at the end.
    shared: Mutex<Vec<SharedEngine>>,
}

struct SharedEngine {
    game: &'static str,
    rules: String,
    engine: Box<dyn HostedEngine>,
    /// The users of the table: every search that uses it has a clone of this.
    users: Arc<()>,
}

/// An engine for one search.
pub struct LeasedEngine {
    /// The engine.
    pub engine: Box<dyn HostedEngine>,
    /// Keeps the shared table from being replaced.
    _user: Option<Arc<()>>,
}

impl Engines {
    /// Creates a pool of at most `most` engines, whose tables have `table_mib` MiB together.
    pub fn new(most: usize, table_mib: usize) -> Engines {
        Engines { most, table_mib: table_mib / most.max(1), shared: Mutex::default() }
    }

    /// Returns an engine for `game`, which is `served` under any of its rules. The engine has a small table
    /// of its own if all shared tables are in use.
    pub fn lease(&self, served: &ServedGame, game: &SharedGame) -> LeasedEngine {
        let (name, rules) = (game.name(), game.rules());
        let mut shared = lock(&self.shared);
        let same = shared.iter().position(|one| one.game == name && one.rules == rules);
        let free = || shared.iter().position(|one| Arc::strong_count(&one.users) == 1);
        let found = match same {
            Some(index) => shared.remove(index),
            None => {
                if shared.len() >= self.most {
                    let Some(index) = free() else {
                        let engine = new_engine(served, game, SMALL_TABLE_MIB);
                        return LeasedEngine { engine, _user: None };
                    };
                    shared.remove(index);
                }
                let engine = new_engine(served, game, self.table_mib);
                SharedEngine { game: name, rules, engine, users: Arc::new(()) }
            }
        };
        let leased =
            LeasedEngine { engine: found.engine.sharing(), _user: Some(Arc::clone(&found.users)) };
        shared.push(found);
        leased
    }
}

fn new_engine(served: &ServedGame, game: &SharedGame, table_mib: usize) -> Box<dyn HostedEngine> {
    // The book is only for the rules under which it was made.
    let book = if game.rules() == served.game.rules() { served.book.clone() } else { None };
    let search = Options { table_mib, ..Options::default() };
    game.engine(EngineOptions { search, book, ..EngineOptions::default() })
}

impl std::fmt::Debug for SharedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SharedEngine { game, rules, .. } = self;
        f.debug_struct("SharedEngine").field("game", game).field("rules", rules).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::testing::{replayed, served};

    fn chosen(player: &str, moves: &[&str]) -> Option<ChoiceView> {
        let replayed = replayed(moves);
        let chooser = Chooser::new(player, &replayed, Duration::from_secs(1)).expect("a player");
        choose(&replayed, chooser, true, |game| Thinking {
            leased: Engines::new(1, 1).lease(&served(), game),
            constraints: Constraints::default(),
        })
    }

    #[test]
    fn machine_of_any_kind_moves() {
        for (player, source) in [
            ("random", "chance"),
            ("machine", "depth "),
            ("machine:depth=2", "depth 2"),
            ("machine:time=50ms", "depth "),
            ("machine:perfect", "exact search"),
        ] {
            let choice = chosen(player, &["1"]).expect("a move");
            assert!(
                choice.source.as_ref().is_some_and(|text| text.starts_with(source)),
                "{choice:?}"
            );
            let json = serde_json::to_value(&choice).expect("JSON");
            assert!(json["move"] == "0" || json["move"] == "2", "{json}");
            assert_eq!(json["score"].is_null(), player == "random");
        }
    }

    #[test]
    fn machine_passes_when_it_must() {
        let choice = chosen("machine:depth=3", &["0", "2", "1"]).expect("a move");
        let json = serde_json::to_value(choice).expect("JSON");
        assert_eq!(
            (&json["move"], &json["pass"], &json["to"]),
            (&"-".into(), &true.into(), &().into())
        );
    }

    #[test]
    fn nobody_moves_after_the_end() {
        assert!(chosen("machine", &["0", "2", "1", "-", "3"]).is_none());
    }

    #[test]
    fn other_players_are_refused() {
        let replayed = replayed(&[]);
        for player in ["human", "file:/bin/true", "line:/bin/true", "nobody", "machine:depth=99"] {
            assert!(Chooser::new(player, &replayed, Duration::from_secs(1)).is_err(), "{player}");
        }
    }

    fn rules(engines: &Engines) -> Vec<String> {
        let shared = engines.shared.lock().expect("no thread has panicked");
        shared.iter().map(|one| one.rules.clone()).collect()
    }

    #[test]
    fn table_in_use_is_not_replaced() {
        let (engines, served) = (Engines::new(1, 2), served());
        let other = served.game.with_rules("short").expect("rules");
        let first = engines.lease(&served, &served.game);
        assert_eq!(rules(&engines), ["standard"]);
        let without = engines.lease(&served, &other);
        assert_eq!(rules(&engines), ["standard"]);
        assert!(without._user.is_none());
        drop(first);
        let _second = engines.lease(&served, &other);
        assert_eq!(rules(&engines), ["short"]);
    }

    #[test]
    fn equal_rules_share_an_engine() {
        let (engines, served) = (Engines::new(2, 2), served());
        let _leases = [(); 3].map(|()| engines.lease(&served, &served.game));
        assert_eq!(rules(&engines), ["standard"]);
    }
}
