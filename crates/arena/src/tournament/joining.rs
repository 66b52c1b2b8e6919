//! Players that join a tournament when games are played already.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use thiserror::Error;

use super::growth::{begun, joins, name, players};
use super::plan::{PLAN, TournamentFormat, TournamentPlan};
use super::store::GameStore;

impl TournamentPlan {
    /// Fits the plan to a folder with games of it, if there are any. Players that joined later come
    /// last, wherever the file or the class has them, except in a knockout, whose meetings depend on
    /// the order. In a Swiss tournament, a late player joins in the first pairing that has not begun,
    /// unless the file names a pairing.
    ///
    /// # Errors
    ///
    /// Returns an error for a player that comes after the last pairing.
    pub fn continue_from(&mut self, folder: &Path) -> Result<(), TooLate> {
        let text = fs::read(folder.join(PLAN)).unwrap_or_default();
        // Opening the folder refuses it if it has no such plan.
        let found: Map<String, Value> = serde_json::from_slice(&text).unwrap_or_default();
        let played = GameStore::unopened(folder).numbers().unwrap_or_default();
        if played.is_empty() || self.format == TournamentFormat::Knockout {
            return Ok(());
        }
        let known: BTreeMap<&str, (usize, u32)> =
            (0..).zip(players(&found)).map(|(place, it)| (name(it), (place, joins(it)))).collect();
        if let TournamentFormat::Swiss { pairings } = self.format {
            let next = begun(&found, &played) + 1;
            for player in self.players.iter_mut().filter(|player| player.joins == 1) {
                player.joins = known.get(&*player.name).map_or(next, |(_, joins)| *joins);
                if player.joins > pairings {
                    return Err(TooLate { name: player.name.clone(), pairings: player.joins });
                }
            }
        }
        self.sort_players(|player| known.get(player).map_or(known.len(), |(place, _)| *place));
        Ok(())
    }

    fn sort_players(&mut self, place: impl Fn(&str) -> usize) {
        let challenger = match self.format {
            TournamentFormat::Gauntlet { challenger } => {
                Some(self.players[challenger].name.clone())
            }
            _ => None,
        };
        self.players.sort_by_key(|player| place(&player.name));
        let is_challenger = |name: &String| challenger.as_ref() == Some(name);
        if let Some(challenger) = self.players.iter().position(|it| is_challenger(&it.name)) {
            self.format = TournamentFormat::Gauntlet { challenger };
        }
    }
}

/// The error for a player that comes after the last pairing of a Swiss tournament.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` comes after the last pairing: expected `pairings` of at least {pairings}")]
pub struct TooLate {
    /// The name of the player.
    pub name: String,
    /// The least number of pairings that include the player.
    pub pairings: u32,
}
