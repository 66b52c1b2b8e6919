//! The adapter that turns a typed game into the objects of the boundary: the only code above the engine that
//! is compiled for every game.

mod analyst;
mod engine;
mod position;
mod typed;

use std::sync::Arc;

use plyground::book::{Book, BookError};
use plyground::perfect::plies_to_end;
use plyground::proof::Tactics;
use plyground::{Game, Outcome, Score, Side, Value};
use plyground_sandbox::SandboxPolicy;

use self::typed::{Hosted, TypedEngine, typed};
use crate::engine::EngineOptions;
use crate::external::{JavaProgram, NotReady, ProgramCommand};
use crate::game::{HostedEngine, HostedGame, HostedPosition, SharedGame};
use crate::move_text::MoveText;
use crate::page::Layout;
use crate::program::{Program, StarterKit, Variants};
use crate::state::{StateText, TextError};

pub use self::engine::DEFAULT_TIME;

/// Returns the game of a program, behind text.
pub fn host<P: Program>(program: P) -> SharedGame {
    Arc::new(Hosted(Arc::new(program)))
}

/// Returns a typed position of the game of `program`, behind text.
pub fn host_position<P: Program>(program: &P, position: P::Game) -> HostedPosition {
    Hosted(Arc::new(program.clone())).position(position)
}

impl<P: Program> HostedGame for Hosted<P> {
    fn name(&self) -> &'static str {
        P::Game::NAME
    }

    fn about(&self) -> String {
        self.0.about()
    }

    fn title(&self) -> String {
        self.0.title()
    }

    fn max_depth(&self) -> u32 {
        self.0.max_depth()
    }

    fn move_hint(&self) -> String {
        self.0.move_hint()
    }

    fn bench(&self) -> Vec<(String, u32)> {
        self.0.bench()
    }

    fn rules(&self) -> String {
        self.0.rules()
    }

    fn rule_sets(&self) -> Vec<String> {
        self.0.rule_sets()
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        self.0.with_rules(rules).map(host)
    }

    fn variants(&self) -> Option<Variants> {
        self.0.variants()
    }

    fn start(&self) -> HostedPosition {
        self.position(self.0.start())
    }

    fn parse_state(&self, text: &StateText) -> Result<HostedPosition, TextError> {
        self.0.parse_state(text).map(|position| self.position(position))
    }

    fn engine(&self, options: EngineOptions) -> Box<dyn HostedEngine> {
        Box::new(TypedEngine::new(self.clone(), options))
    }

    fn book(&self) -> Result<Option<Book>, BookError> {
        self.0.book()
    }

    fn is_solvable(&self) -> bool {
        plies_to_end(&self.0.start()).is_ok()
    }

    fn has_tactics(&self) -> bool {
        let (tactics, start) = (self.0.tactics(true), self.0.start());
        Side::BOTH.iter().any(|&side| tactics.horizon(&start, side) > 0)
    }

    fn side_name(&self, side: Side) -> String {
        self.0.side_name(side)
    }

    fn score(&self, outcome: Outcome, side: Side, ply: u32) -> Score {
        outcome.score::<P::Game>(side, ply)
    }

    fn value(&self, score: Score) -> i32 {
        self.0.value(score)
    }

    fn point(&self) -> i32 {
        P::Game::POINT
    }

    fn round_up(&self, score: Score) -> Score {
        score.round_up(P::Game::POINT)
    }

    fn show(&self, value: Value) -> String {
        value.display(P::Game::POINT).to_string()
    }

    fn tie_break_opening(&self) -> Vec<MoveText> {
        self.0.tie_break_opening().iter().map(MoveText::of).collect()
    }

    fn checks(&self) -> &'static str {
        self.0.checks()
    }

    fn starters(&self) -> &'static [StarterKit] {
        self.0.starters()
    }

    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        policy: &SandboxPolicy,
    ) -> Result<ProgramCommand, NotReady> {
        self.0.java_command(java, depth, policy)
    }

    fn java_is_told_all(&self) -> bool {
        self.0.java_is_told_all()
    }

    fn layout(&self) -> Option<Layout> {
        self.0.layout()
    }

    fn move_names(&self, mv: MoveText) -> Vec<String> {
        typed::<P>(mv).map_or_else(|| vec![mv.to_string()], |mv| self.0.names(mv))
    }

    fn read_move(&self, text: &str) -> Option<MoveText> {
        self.0.read_move(text).map(|mv| MoveText::of(&mv))
    }
}
