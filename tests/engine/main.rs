//! The engine: searches against plain minimax, proofs, exact play, and the contract of games, which every
//! game and its evaluator keep.

mod claims;
mod extra_turns;
mod forced;
mod intervals;
mod perfect;
mod proof;
mod search;
mod trace;
mod values;

use maxconnect4::{Column, OpenQuads, Position, Size};
use network::{ChipEval, Move, Rules, Square};
use plyground::testing::{
    Breach, Checked, Coins, Digraph, HashNoise, Sample, TicTacToe, check_contract, random_position,
};
use plyground::{Flat, Game};

const SEED: u64 = 20_240_229;

/// Returns the number of different keys that the games are tested on: more where the time does not
/// matter.
fn keys() -> usize {
    if std::env::var_os("PLYGROUND_NIGHTLY").is_some() { 1_000_000 } else { 100_000 }
}

/// Looks at games on this board from the start, and from a position about half way.
fn maxconnect4(columns: u8, rows: u8) -> Result<Checked, Breach> {
    let empty = Position::empty(Size::new(columns, rows).expect("a size"));
    let half = random_position(&empty, u32::from(columns) * u32::from(rows) / 2, SEED);
    let sample = Sample::new([empty, half], SEED)
        .with_moves((0..Size::MOST).map(Column::from_index))
        .with_playouts(100)
        .with_keys(10_000);
    check_contract(&sample, &OpenQuads)
}

#[test]
#[ignore = "long"]
fn maxconnect4_on_every_board() -> Result<(), Breach> {
    for columns in Size::LEAST..=Size::MOST {
        for rows in Size::LEAST..=Size::MOST {
            let coverage = maxconnect4(columns, rows)?;
            assert!(coverage.solved > 1_000, "{columns} by {rows}: {coverage:?}");
            assert_eq!(coverage.moves, usize::from(Size::MOST));
        }
    }
    Ok(())
}

#[test]
fn maxconnect4_with_many_keys() -> Result<(), Breach> {
    let sample = Sample::new([Position::standard()], SEED)
        .with_moves((0..Size::MOST).map(Column::from_index))
        .with_keys(keys());
    let coverage = check_contract(&sample, &OpenQuads)?;
    assert!(coverage.keys >= keys(), "{coverage:?}");
    assert_eq!(coverage.positions, 200 * 43);
    Ok(())
}

#[test]
#[ignore = "long"]
fn network_by_both_rules() -> Result<(), Breach> {
    let steps = |from| Square::all().map(move |to| Move::Step { from, to });
    for rules in [Rules::Berkeley, Rules::Usf] {
        let start = network::Position::new(rules);
        let sample = Sample::new([start], SEED)
            .with_moves(Square::all().map(Move::Add).chain(Square::all().flat_map(steps)))
            .with_playouts(20)
            .with_keys(keys());
        let coverage = check_contract(&sample, &ChipEval)?;
        assert!(coverage.keys >= keys(), "{coverage:?}");
        assert_eq!(coverage.moves, 64 + 64 * 64);
        assert!(coverage.forced > 50, "{coverage:?}");
    }
    Ok(())
}

#[test]
fn tic_tac_toe() -> Result<(), Breach> {
    let sample = Sample::new([TicTacToe::default()], SEED);
    let coverage = check_contract(&sample, &HashNoise { seed: 1, amplitude: 500 })?;
    // Of the 5,478 positions, nearly all are met.
    assert!(coverage.keys > 5_000, "{coverage:?}");
    assert_eq!(coverage.moves, 9);
    Ok(())
}

#[test]
fn digraphs() -> Result<(), Breach> {
    for (seed, nodes) in (0..20).zip([3, 10, 50, 200, Digraph::MOST_NODES].into_iter().cycle()) {
        let start = Digraph::new(seed, nodes, 4);
        if start.outcome().is_none() {
            let sample = Sample::new([start], SEED);
            check_contract(&sample, &HashNoise { seed, amplitude: 500 })?;
        }
    }
    Ok(())
}

#[test]
fn coins() -> Result<(), Breach> {
    let rows = (0..100).map(|seed| Coins::new(seed, (seed % 17) as u8));
    let coverage = check_contract(&Sample::new(rows, SEED), &Flat)?;
    assert!(coverage.solved > 10_000, "{coverage:?}");
    Ok(())
}
