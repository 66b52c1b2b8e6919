//! Other people's programs as players on the page.
//!
//! The operator of the server names the programs; a page can only request one of them by its name. A game of a client
//! has a seat for each program that plays, and every seat has a process of its own (`seat.rs`). This module keeps the
//! seats: it limits their number, and ends the seats of abandoned games and of absent clients.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use plyground::Game;
use plyground_arena::programs::ProgramOptions;
use plyground_host::HostedGame;
use plyground_host::player::PlayerSpec;

use crate::lock;
use crate::questions::{ProgramName, ReplayedGame};
use crate::server::site::{ClientAddress, Refusal};

pub(crate) use seat::{Seat, SeatView, TurnView, WantedProgram};

mod seat;

/// A program that can play on the page.
#[derive(Clone, Debug)]
pub struct ServedProgram {
    /// The name of the program on the page.
    pub name: String,
    /// The program itself, which the page does not learn.
    pub spec: PlayerSpec,
    /// The names of the games that the program can play.
    pub games: Vec<String>,
}

/// The programs that can play on the page, and their limits.
#[derive(Clone, Debug, Default)]
pub struct ServedPrograms {
    /// The programs, each with a different name.
    pub programs: Vec<ServedProgram>,
    /// The options for running the programs.
    pub held: ProgramOptions,
    /// The greatest number of games that each program plays at a time. Half of the games may be for clients at one
    /// address.
    pub games: usize,
    /// The longest silence of a client before its programs are ended.
    pub absence: Duration,
}

/// The longest time without a request before a program is ended. The program is started again when its game goes on.
const LONGEST_IDLE: Duration = Duration::from_secs(30 * 60);

/// The number of kept games with ended programs, so that the page can show the output of the programs.
const MOST_ENDED: usize = 64;

/// The games that clients play with programs.
pub(crate) struct ProgramGames {
    served: ServedPrograms,
    /// The number of seats created so far.
    number: AtomicU64,
    by_client: Mutex<HashMap<String, ProgramGame>>,
}

/// The game of a client.
struct ProgramGame {
    address: ClientAddress,
    /// The time of the last message from the client.
    heard: Instant,
    /// The seats of the two sides.
    seats: [Option<Arc<Seat>>; 2],
}

impl ProgramGames {
    pub(crate) fn new(served: ServedPrograms) -> ProgramGames {
        ProgramGames { served, number: AtomicU64::new(0), by_client: Mutex::default() }
    }

    /// Returns the greatest number of processes at a time.
    pub(crate) fn most(&self) -> usize {
        2 * self.served.games * self.served.programs.len()
    }

    /// Returns the programs that can play a game.
    pub(crate) fn names(&self, game: &dyn HostedGame) -> Vec<ProgramName> {
        let offered = self.served.programs.iter().filter(|program| program.is_for(game.name()));
        let name = |program: &ServedProgram| ProgramName {
            name: program.name.clone(),
            needs_depth: program.spec.command().is_some_and(|command| command.needs_depth()),
        };
        offered.map(name).collect()
    }

    /// Returns the options for running the programs.
    pub(crate) fn held(&self) -> &ProgramOptions {
        &self.served.held
    }

    /// Returns the seat of the program that is to move in the last position of a game: the existing one, or a new one.
    /// Adds the replaced seat, if any, to `left`; the caller ends the seats in `left`.
    pub(crate) fn seat(
        &self,
        (client, address): (&str, ClientAddress),
        wanted: &WantedProgram,
        replayed: &ReplayedGame,
        left: &mut Vec<Arc<Seat>>,
    ) -> Result<Arc<Seat>, Refusal> {
        let program = self.program(wanted, replayed)?;
        let side = replayed.position.side_to_move().index();
        let mut by_client = lock(&self.by_client);
        let fits = |seat: &&Arc<Seat>| {
            seat.wanted == *wanted && seat.is_alive() && seat.continues_in(replayed)
        };
        if let Some(game) = by_client.get_mut(client) {
            game.heard = Instant::now();
            if let Some(seat) = game.seats[side].as_ref().filter(fits) {
                return Ok(Arc::clone(seat));
            }
            left.extend(game.seats[side].take());
        }
        check_told(program, replayed)?;
        self.check_room(&by_client, (client, address), &program.name)?;
        if by_client.len() >= self.most() + MOST_ENDED {
            by_client.retain(|_, game| game.seats.iter().flatten().any(|seat| seat.is_alive()));
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let log = format!("{number:05}-{}-{}.log", program.name, side + 1);
        let log = self.served.held.logs.as_ref().map(|folder| folder.join(log));
        let seat = Arc::new(Seat::new(wanted.clone(), program.spec.clone(), replayed, log));
        let new = || ProgramGame { address, heard: Instant::now(), seats: [None, None] };
        let game = by_client.entry(client.to_owned()).or_insert_with(new);
        game.seats[side] = Some(Arc::clone(&seat));
        Ok(seat)
    }

    /// Notes that a client is present and plays this game with these programs, and returns the seats of the game.
    /// Moves the seats that are no longer part of the game to `left`; the caller ends these seats.
    pub(crate) fn hear(
        &self,
        client: &str,
        wanted: &[Option<WantedProgram>; 2],
        replayed: &ReplayedGame,
        left: &mut Vec<Arc<Seat>>,
    ) -> [Option<Arc<Seat>>; 2] {
        let mut by_client = lock(&self.by_client);
        let Some(game) = by_client.get_mut(client) else { return [None, None] };
        game.heard = Instant::now();
        for (seat, wanted) in game.seats.iter_mut().zip(wanted) {
            let is_left = |seat: &mut Arc<Seat>| {
                Some(&seat.wanted) != wanted.as_ref() || !seat.is_in_line_with(replayed)
            };
            left.extend(seat.take_if(is_left));
        }
        let seats = game.seats.clone();
        if seats.iter().all(Option::is_none) {
            by_client.remove(client);
        }
        seats
    }

    /// Returns the seats of clients that are gone, and the seats that have been idle for [`LONGEST_IDLE`]; the caller
    /// ends the seats.
    pub(crate) fn take_idle(&self) -> Vec<Arc<Seat>> {
        let mut left = Vec::new();
        lock(&self.by_client).retain(|_, game| {
            let seats = || game.seats.iter().flatten();
            if seats().any(|seat| seat.is_thinking()) {
                // A client that waits for a move sends no messages, but is not absent: if the client leaves, the
                // request ends and stops the program.
                game.heard = Instant::now();
            } else if game.heard.elapsed() > self.served.absence {
                left.extend(seats().cloned());
                return false;
            }
            left.extend(seats().filter(|s| s.is_alive() && s.idle() > LONGEST_IDLE).cloned());
            true
        });
        left
    }

    /// Ends all programs, and waits for their exit.
    pub(crate) fn end_all(&self) {
        let games = std::mem::take(&mut *lock(&self.by_client));
        let seats: Vec<_> = games.into_values().flat_map(|game| game.seats).flatten().collect();
        seats.iter().for_each(|seat| seat.stop());
        seats.iter().for_each(|seat| seat.end());
    }

    fn program(
        &self,
        wanted: &WantedProgram,
        replayed: &ReplayedGame,
    ) -> Result<&ServedProgram, Refusal> {
        let game = replayed.position.game();
        let mut offered = self.served.programs.iter();
        let program =
            offered.find(|program| program.name == wanted.name && program.is_for(game.name()));
        let program =
            program.ok_or_else(|| Refusal::input("this server has no such player here"))?;
        let most = game.max_depth();
        match wanted.depth {
            Some(depth) if depth > most => {
                Err(Refusal::input(format!("expected a depth from 1 to {most}, found {depth}")))
            }
            None if program.spec.command().is_some_and(|command| command.needs_depth()) => {
                Err(Refusal::input(format!("{} needs a depth to look ahead", wanted.name)))
            }
            _ => Ok(program),
        }
    }

    /// Returns a refusal if the program already plays the greatest number of games of other clients.
    fn check_room(
        &self,
        by_client: &HashMap<String, ProgramGame>,
        (client, address): (&str, ClientAddress),
        name: &str,
    ) -> Result<(), Refusal> {
        let plays = |game: &&ProgramGame| {
            game.seats.iter().flatten().any(|seat| seat.wanted.name == name && seat.is_alive())
        };
        let others = by_client.iter().filter(|(other, _)| *other != client);
        let others: Vec<_> = others.map(|(_, game)| game).filter(plays).collect();
        let busy = |most: usize, place: &str| {
            let why = format!(
                "{name} plays {most} other games{place}, and no more at a time; try again later"
            );
            Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why))
        };
        if others.len() >= self.served.games {
            return busy(self.served.games, "");
        }
        let by_address = self.served.games.div_ceil(2);
        if others.iter().filter(|game| game.address == address).count() >= by_address {
            return busy(by_address, address.place());
        }
        Ok(())
    }
}

impl ServedProgram {
    fn is_for(&self, game: &str) -> bool {
        self.games.iter().any(|name| name == game)
    }
}

/// Returns a refusal if the program is a Java class that would take over a game with earlier moves of its side, under
/// rules by which the class cannot be told of these moves.
fn check_told(program: &ServedProgram, replayed: &ReplayedGame) -> Result<(), Refusal> {
    let side = replayed.position.side_to_move();
    let is_java = matches!(program.spec, PlayerSpec::Java(_));
    let has_moved = replayed.past.iter().any(|(before, _)| before.side_to_move() == side);
    if is_java && has_moved && !replayed.position.game().java_is_told_all() {
        let why = format!(
            "under these rules {} cannot be told of moves that it did not choose: begin a new game",
            program.name
        );
        return Err(Refusal::input(why));
    }
    Ok(())
}
