//! The rules keep the contract of games, and the game has its known value.

use mygame::{Move, MyGame, Position};
use plyground::Flat;
use plyground::testing::{Breach, Sample, check_contract};
use plyground_host::{EngineOptions, host};

#[test]
fn rules_keep_the_contract() -> Result<(), Breach> {
    let sample = Sample::new([Position::default()], 1).with_moves((0..9).map(Move));
    check_contract(&sample, &Flat)?;
    Ok(())
}

#[test]
fn best_play_is_a_draw() {
    let game = host(MyGame);
    let mut engine = game.engine(EngineOptions::default());
    let best = engine.solve_best(&game.start(), plyground::Limits::default());
    let value = best.expect("a limited game").expect("a move").value;
    assert_eq!((value.is_exact(), value.score().get()), (true, 0));
}
