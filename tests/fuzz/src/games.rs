//! The games that are fuzzed.

use std::sync::LazyLock;

use network::Rules;
use othello::Othello;
use plyground_host::toy::toy;
use plyground_host::{SharedGame, host};

/// Every game, by several rules.
pub(crate) static GAMES: LazyLock<Vec<SharedGame>> = LazyLock::new(|| {
    let maxconnect4 = ["7x6", "4x4", "8x8", "5x7"]
        .map(|size| maxconnect4::game().with_rules(size).expect("a size of the board"));
    let network = Rules::BOTH.map(network::game);
    let othello = [8, 4, 6].map(|size| host(Othello(size)));
    maxconnect4.into_iter().chain(network).chain(othello).chain([toy()]).collect()
});
