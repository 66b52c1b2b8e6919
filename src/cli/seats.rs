//! The two participants of a game or a match, and the players that they play with.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::book_choice::say;
use super::play::PlayArgs;
use super::program::Program;
use super::programs::ProgramTexts;
use crate::book::Book;
use crate::external::{FilePlayer, LinePlayer, Treatment};
use crate::game::Game;
use crate::perfect::{Choice, Perfect};
use crate::player::{
    Absent, Console, Dialogue, Human, Machine, PerfectPlayer, Player, PlayerSpec, Random, Strength,
};
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
        let spec = |spec: &PlayerSpec| match (spec, args.depth) {
            (PlayerSpec::Machine(Strength::Default), Some(depth)) => {
                PlayerSpec::Machine(Strength::Depth(depth))
            }
            _ => spec.clone(),
        };
        [(&args.player1, &args.name1), (&args.player2, &args.name2)]
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

    /// A player for one game. `chance` seeds a random player, `options` are those of a machine.
    pub(super) fn sit_down<'a, P: Program>(
        &self,
        program: &'a P,
        table: &Table<'_>,
        chance: u64,
        options: Options,
    ) -> Box<dyn Player<P::Game> + 'a>
    where
        P::Evaluator: 'a,
        P::Game: 'a,
    {
        match &self.spec {
            PlayerSpec::Human => {
                let dialogue = Screen { program, adviser: None };
                Box::new(Human::new(table.console.clone(), Box::new(dialogue)))
            }
            spec => {
                let Table { book, own_book, quiet, depth, .. } = *table;
                let treatment = table.treatment.clone();
                let stop = None;
                let equipment =
                    Equipment { options, book, own_book, quiet, stop, treatment, depth };
                computer(program, spec, equipment, chance)
            }
        }
    }
}

/// A player for one game that needs nobody; a human is replaced by a random player, which `chance`
/// seeds.
pub(super) fn computer<'a, P: Program>(
    program: &'a P,
    spec: &PlayerSpec,
    equipment: Equipment<'_>,
    chance: u64,
) -> Box<dyn Player<P::Game> + 'a>
where
    P::Evaluator: 'a,
    P::Game: 'a,
{
    let Equipment { options, book, own_book, quiet, stop, treatment, depth } = equipment;
    match spec {
        PlayerSpec::Human | PlayerSpec::Random => Box::new(Random::new(chance)),
        PlayerSpec::Machine(strength) => {
            let machine = machine(program, *strength, options, own_book);
            Box::new(machine.with_book(book.clone()).with_stop(stop))
        }
        PlayerSpec::Perfect { time, ties } => {
            let table_mib = options.table_mib;
            let perfect = Perfect::new(program.evaluator(), options, book.clone());
            let perfect =
                perfect.with_ties(*ties).with_tactics(program.tactics(own_book), table_mib);
            let listener = move |choice: &Choice<_>| {
                if !quiet {
                    say(program, "perfect", choice);
                }
            };
            Box::new(PerfectPlayer::new(perfect, *time, listener))
        }
        PlayerSpec::File(command) => {
            let texts = ProgramTexts(program);
            Box::new(FilePlayer::new(command.words(depth), texts, treatment))
        }
        PlayerSpec::Line(command) => {
            let texts = ProgramTexts(program);
            Box::new(LinePlayer::new(command.words(depth), depth, texts, treatment))
        }
        PlayerSpec::Java(java) => {
            let texts = ProgramTexts(program);
            match program.java_command(java, depth, &treatment.limits) {
                Ok(words) => {
                    let player = LinePlayer::new(words, depth, texts, treatment);
                    let is_told_all = program.java_is_told_all();
                    Box::new(if is_told_all { player } else { player.without_take_back() })
                }
                Err(why) => Box::new(Absent::new(why)),
            }
        }
    }
}

/// A machine that knows the game's tactics.
pub(super) fn machine<P: Program>(
    program: &P,
    strength: Strength,
    options: Options,
    own_book: bool,
) -> Machine<P::Evaluator, P::Tactics> {
    let table_mib = options.table_mib;
    let machine = Machine::new(program.evaluator(), strength, options);
    machine.with_tactics(program.tactics(own_book), table_mib)
}

/// What a machine is given.
#[derive(Clone, Debug)]
pub(super) struct Equipment<'a> {
    /// How it searches.
    pub(super) options: Options,
    /// What it goes by where it looks to the end of the game.
    pub(super) book: &'a Option<Book>,
    /// Whether it may use the answers that come with its tactics.
    pub(super) own_book: bool,
    /// Whether a perfect player keeps to itself where its moves are from.
    pub(super) quiet: bool,
    /// Makes it move at once, unless it is perfect.
    pub(super) stop: Option<Arc<AtomicBool>>,
    /// How a program of somebody else is treated.
    pub(super) treatment: Treatment,
    /// How many plies such a program is told to look ahead.
    pub(super) depth: Option<u32>,
}

/// What the players of a game find where they sit down.
#[derive(Clone, Debug)]
pub(super) struct Table<'a> {
    /// Where humans type.
    pub(super) console: &'a Console,
    /// What exact machines go by.
    pub(super) book: &'a Option<Book>,
    /// Whether machines may use the answers that come with their tactics.
    pub(super) own_book: bool,
    /// Whether perfect players keep to themselves where their moves are from.
    pub(super) quiet: bool,
    /// How a program of somebody else is treated.
    pub(super) treatment: Treatment,
    /// How many plies such a program is told to look ahead.
    pub(super) depth: Option<u32>,
}

/// What a game's program says to a human.
struct Screen<'a, P: Program> {
    program: &'a P,
    /// Whom to ask for a hint, once somebody has.
    adviser: Option<Machine<P::Evaluator, P::Tactics>>,
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
            machine(self.program, Strength::Default, Options::default(), true)
        });
        let report = adviser.think(position, None)?;
        Some(format!("{}  ({}, depth {})", report.best_move(), report.score(), report.depth))
    }
}

/// A number that is different in every run.
pub(crate) fn any_seed() -> u64 {
    // The standard library seeds its hash maps with numbers from the system.
    RandomState::new().build_hasher().finish()
}
