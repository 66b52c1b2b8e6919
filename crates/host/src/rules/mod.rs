//! Games whose rules are a program of any language.
//!
//! A [`RulesProgram`] is started once, and answers questions of a line protocol about positions, their moves and the
//! positions after the moves. The manual describes the protocol on its page about rules programs. The program decides
//! the texts of its positions, and [`host`](crate::host) makes a game of the program like of any other rules.
//!
//! The program is the user's own code and trusted: it runs without a sandbox. All its answers are checked, so that a
//! mistake in the program is named where it happens and costs no player a game.
//!
//! * `process` talks to the program in lines and remembers its answers, `message` reads them.
//! * `program` asks the questions and checks the answers, `game` has the positions, the texts and the kit.

mod game;
mod message;
mod process;
mod program;

use std::sync::Arc;

use plyground::testing::{Breach, Sample, check_contract};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use self::game::RulesScore;
use self::message::Facts;
use self::process::{Expansion, Process, contradiction};
use crate::adapter::GameAdapter;

pub use game::{RulesMove, RulesPosition};
pub use message::VERSION;
pub use process::RulesFault;
pub use program::{GiveUp, RulesProgram, take_fault};

/// The most plies of a game in a check, because a game need not end.
const MOST_PLIES: usize = 200;

/// The number of keys that are compared.
const KEYS: usize = 2_000;

/// The coverage of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The games played.
    pub games: usize,
    /// The games that came to an end.
    pub ended: usize,
    /// The positions that were asked for twice.
    pub positions: usize,
    /// The positions whose keys were compared with each other.
    pub keys: usize,
}

impl RulesProgram {
    /// Plays games at random, and tests that the program answers the same every time, reads its own
    /// positions, and keeps the contract of [`Game`](plyground::Game).
    pub fn check(&self, games: usize, seed: u64) -> Result<Checked, RulesFault> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut checked = Checked { games, ..Checked::default() };
        let (mut turns, mut longest) = ([0, 0], 0);
        for _ in 0..games {
            let mut process = self.process();
            let mut facts = Arc::clone(&self.0.description.start);
            for ply in 0..MOST_PLIES {
                checked.positions += 1;
                longest = longest.max(ply);
                let expansion = self.twice(&mut process, &facts)?;
                let index = rng.random_range(0..expansion.steps.len().max(1));
                let Some(step) = expansion.steps.get(index) else {
                    checked.ended += 1;
                    break;
                };
                turns[facts.side.index()] += 1;
                facts = Arc::clone(&step.after);
            }
        }
        if longest > 1 && turns.contains(&0) {
            let side = if turns[0] > 0 { "first" } else { "second" };
            let why =
                format!("says that the {side} side is to move in every position of all games");
            return Err(self.process().fault(why));
        }
        let sample = Sample::new([GameAdapter::start(self)], seed);
        let sample = sample.with_playouts(games.div_ceil(4)).with_keys(KEYS);
        let kept = check_contract(&sample, &RulesScore);
        checked.keys = kept.map_err(|breach| self.process().fault(in_one_line(&breach)))?.keys;
        Ok(checked)
    }

    /// Returns the moves of a position, after a test that the program gives the same position and moves when asked
    /// again.
    fn twice(
        &self,
        process: &mut Process,
        facts: &Arc<Facts>,
    ) -> Result<Arc<Expansion>, RulesFault> {
        match self.ask_to_read(process, &facts.text)? {
            Ok(read) if *read == **facts => {}
            Ok(read) => return Err(process.fault(contradiction(facts, &read))),
            Err(why) => {
                let why = format!("does not read its own position {}: {why}", facts.text);
                return Err(process.fault(why));
            }
        }
        let asked = [Arc::clone(facts), Arc::clone(facts)];
        let mut found = self.expand(process, &asked)?;
        match found[0].first_difference(&found[1]) {
            Some((was, is)) => {
                let text = &facts.text;
                let why = format!("contradicts itself about {text}: move {was}, and then {is}");
                Err(process.fault(why))
            }
            None => Ok(found.swap_remove(0)),
        }
    }
}

fn in_one_line(breach: &Breach) -> String {
    let Breach { rule, position, found, .. } = breach;
    let text = format!("breaks the contract, rule {rule:?}: {found}, in the position {position}");
    text.replace('\n', "/")
}

impl Expansion {
    /// Returns the first moves, with their positions, in which two answers differ.
    fn first_difference(&self, other: &Expansion) -> Option<(String, String)> {
        let most = self.steps.len().max(other.steps.len());
        let index = (0..most).find(|&at| self.steps.get(at) != other.steps.get(at))?;
        let [was, is] = [self, other].map(|expansion| {
            let step = expansion.steps.get(index);
            step.map_or("none".to_owned(), |step| {
                format!("{} to {} {}", step.mv, step.after.text, step.after.words())
            })
        });
        Some((was, is))
    }
}
