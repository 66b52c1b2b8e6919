//! Many positions at once, for training and for statistics.

use plyground::Game as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::game::Game;
use crate::position::write_planes;

/// More positions than this do not belong into one array.
const MOST: usize = 100_000_000;

/// So many positions of random games, one after the other, from the start of each to its last
/// move. Returns the planes, the sides to move and the plies that were played, each as bytes; the
/// plies are 16-bit numbers in the byte order of the machine.
#[pyfunction]
pub fn random_batch<'py>(
    py: Python<'py>,
    game: &Bound<'_, Game>,
    count: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    if count > MOST {
        let why = format!("expected at most {MOST} positions, found {count}");
        return Err(PyValueError::new_err(why));
    }
    let game = game.get();
    let layout = game.layout()?;
    let start = game.shared.start();
    let (planes, sides, plies) = py.detach(|| {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut planes = Vec::with_capacity(count * 2 * layout.rows * layout.columns);
        let (mut sides, mut plies) = (Vec::with_capacity(count), Vec::with_capacity(2 * count));
        let (mut position, mut ply) = (start.clone(), 0_u16);
        for _ in 0..count {
            write_planes(&position, &layout, &mut planes);
            sides.push(u8::from(position.side_to_move() == plyground::Side::Second));
            plies.extend(ply.to_ne_bytes());
            let moves: Vec<_> = position.legal_moves().collect();
            position.play_unchecked(moves[rng.random_range(0..moves.len())]);
            ply += 1;
            if position.is_over() {
                (position, ply) = (start.clone(), 0);
            }
        }
        (planes, sides, plies)
    });
    Ok((PyBytes::new(py, &planes), PyBytes::new(py, &sides), PyBytes::new(py, &plies)))
}
