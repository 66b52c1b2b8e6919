//! The engines of the searches, and the transposition tables that they share.

use std::sync::{Arc, Mutex, PoisonError};

use plyground::search::Options;
use plyground_host::{EngineOptions, HostedEngine, SharedGame};

use crate::games::ServedGame;

/// The size of a table in MiB if all shared tables are in use.
const SMALL_TABLE_MIB: usize = 1;

/// A limited number of engines, each with a table for the searches of one game under one set of rules: equal
/// keys need not mean equal positions if the rules differ.
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
    #[must_use]
    pub fn new(most: usize, table_mib: usize) -> Engines {
        Engines { most, table_mib: table_mib / most.max(1), shared: Mutex::default() }
    }

    /// Returns an engine for `game`, which is `served` under any of its rules. The engine has a small table
    /// of its own if all shared tables are in use.
    #[must_use]
    pub fn lease(&self, served: &ServedGame, game: &SharedGame) -> LeasedEngine {
        let (name, rules) = (game.name(), game.rules());
        // A thread that panics leaves nothing half done here.
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
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
    // The book holds positions under the rules that it was made for.
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
    use crate::testing::served;

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
