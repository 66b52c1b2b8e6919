//! The error for a tournament, and the check of players that join when games are played already.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use plyground::book::BookError;
use plyground_durable::FileError;
use plyground_durable::work::{NoThread, WorkError};
use plyground_host::referee::Interrupted;
use serde_json::{Map, Value};
use thiserror::Error;

use super::growth::{begun, joins, name, players};
use super::plan::{OpeningFault, PLAN, TournamentFormat, TournamentPlan};
use super::store::{GameStore, StoreError};
use crate::alone::FailedTwice;
use crate::programs::UntoldMoves;
use crate::seat::UnfitPlayer;
use crate::submissions::AmongSubmissions;

/// The error for a tournament that cannot be played or stored, as one line.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The folder for the games is among the submissions.
    #[error(transparent)]
    AmongSubmissions(#[from] AmongSubmissions),
    /// The plan does not fit the game.
    #[error("{}: {why}", .path.display())]
    Plan {
        /// The file of the plan.
        path: PathBuf,
        /// The fault of the plan.
        why: Box<TournamentError>,
    },
    /// The game does not have this player.
    #[error("{}{why}", label(name, why))]
    Player {
        /// The name of the player.
        name: String,
        /// The reason.
        why: UnfitPlayer,
    },
    /// A player comes too late.
    #[error(transparent)]
    TooLate(#[from] TooLate),
    /// The openings cannot be drawn or played.
    #[error(transparent)]
    Opening(#[from] OpeningFault),
    /// A player cannot be told of the openings.
    #[error(transparent)]
    UntoldMoves(#[from] UntoldMoves),
    /// The game's own book is damaged.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The games cannot be stored, or the stored games cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No game has two players that can be started.
    #[error("no game can be played: {name}: {why}")]
    NoGame {
        /// The name of a player that cannot be started.
        name: String,
        /// The reason.
        why: String,
    },
    /// The OS lacks something that a player's program needs to start.
    #[error("{0}")]
    NotReady(String),
    /// A game was interrupted, without a fault of its players.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Some games were left out, without a fault of their players. All other games that can be
    /// played are played.
    #[error(transparent)]
    FailedTwice(#[from] FailedTwice),
    /// The results of other processes cannot be used.
    #[error(transparent)]
    Shared(#[from] Box<WorkError>),
    /// The OS has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

/// Returns the name of a player as the beginning of an error that does not name it.
fn label(name: &str, why: &UnfitPlayer) -> String {
    let label = format!("{name}: ");
    if why.to_string().starts_with(&label) { String::new() } else { label }
}

impl From<FileError> for TournamentError {
    fn from(error: FileError) -> TournamentError {
        TournamentError::Store(error.into())
    }
}

impl TournamentError {
    /// Returns true if the plan, the players or the files are at fault, and not the run.
    pub fn is_bad_input(&self) -> bool {
        match self {
            TournamentError::NotReady(_)
            | TournamentError::NoThread(_)
            | TournamentError::FailedTwice(_)
            | TournamentError::Shared(_) => false,
            TournamentError::Plan { why, .. } => why.is_bad_input(),
            TournamentError::Interrupted(why) => matches!(why, Interrupted::Opening { .. }),
            TournamentError::Store(why) => {
                !matches!(why, StoreError::Write(_) | StoreError::Lock(_))
            }
            _ => true,
        }
    }
}

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
