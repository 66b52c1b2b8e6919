//! The two participants of a game or a match, and the players that they play with.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::play::PlayArgs;
use super::program::Program;
use crate::game::Game;
use crate::player::{Console, Dialogue, Human, Machine, Player, PlayerSpec, Random, Strength};
use crate::search::Options;

/// Somebody who takes part in a game or a match.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    /// What plays.
    pub(super) spec: PlayerSpec,
    /// What it is called, if anything but what it is.
    pub(super) name: Option<String>,
}

impl Participant {
    /// The two participants that the arguments name.
    pub(super) fn both(args: &PlayArgs) -> [Participant; 2] {
        let spec = |spec| match (spec, args.depth) {
            (PlayerSpec::Machine(Strength::Default), Some(depth)) => {
                PlayerSpec::Machine(Strength::Depth(depth))
            }
            _ => spec,
        };
        [(args.player1, &args.name1), (args.player2, &args.name2)]
            .map(|(player, name)| Participant { spec: spec(player), name: name.clone() })
    }

    /// The name, or else the kind of player.
    pub(super) fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.spec.to_string())
    }

    /// The name and the kind of player.
    pub(super) fn full_title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({})", self.spec),
            None => self.spec.to_string(),
        }
    }

    /// A player for one game. `chance` seeds a random player, `variety` a machine's choice among
    /// equal moves.
    pub(super) fn sit_down<'a, P: Program>(
        &self,
        program: &'a P,
        console: &Console,
        chance: u64,
        variety: Option<u64>,
    ) -> Box<dyn Player<P::Game> + 'a>
    where
        P::Evaluator: 'a,
        P::Game: 'a,
    {
        match self.spec {
            PlayerSpec::Human => {
                let dialogue = Screen { program, adviser: None };
                Box::new(Human::new(console.clone(), Box::new(dialogue)))
            }
            spec => {
                let options = Options { seed: variety, ..Options::default() };
                computer(program, spec, options, chance, None)
            }
        }
    }
}

/// A player for one game that needs nobody; a human is replaced by a random player. `chance` seeds
/// a random player, `options` are a machine's, and a machine moves at once when `stop` is raised.
pub(super) fn computer<'a, P: Program>(
    program: &'a P,
    spec: PlayerSpec,
    options: Options,
    chance: u64,
    stop: Option<Arc<AtomicBool>>,
) -> Box<dyn Player<P::Game> + 'a>
where
    P::Evaluator: 'a,
    P::Game: 'a,
{
    match spec {
        PlayerSpec::Human | PlayerSpec::Random => Box::new(Random::new(chance)),
        PlayerSpec::Machine(strength) => {
            let machine = Machine::new(program.evaluator(), strength, options);
            match stop {
                Some(stop) => Box::new(machine.with_stop(stop)),
                None => Box::new(machine),
            }
        }
    }
}

/// What a game's program says to a human.
struct Screen<'a, P: Program> {
    program: &'a P,
    /// Whom to ask for a hint, once somebody has.
    adviser: Option<Machine<P::Evaluator>>,
}

impl<P: Program> Dialogue<P::Game> for Screen<'_, P> {
    fn prompt(&self, position: &P::Game) -> String {
        format!("{}: ", self.program.prompt(position))
    }

    fn read_move(&self, _: &P::Game, text: &str) -> Result<<P::Game as Game>::Move, String> {
        text.parse().map_err(|_| {
            let found = match text {
                "" => "nothing".to_owned(),
                _ => format!("`{}`", text.escape_debug()),
            };
            format!("expected {}, or `help`, found {found}", P::MOVE)
        })
    }

    fn help(&self) -> String {
        format!("Type {} to move.", P::MOVE)
    }

    fn hint(&mut self, position: &P::Game) -> Option<String> {
        let adviser = self.adviser.get_or_insert_with(|| {
            Machine::new(self.program.evaluator(), Strength::Default, Options::default())
        });
        let report = adviser.think(position, None)?;
        Some(format!("{}  ({}, depth {})", report.best_move(), report.score(), report.depth))
    }
}

/// A number that is different in every run.
pub(super) fn any_seed() -> u64 {
    // The standard library seeds its hash maps with numbers from the system.
    RandomState::new().build_hasher().finish()
}
