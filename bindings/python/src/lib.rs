//! The native part of the Python package `plyground`: games behind text, as in [`plyground_host`], with
//! searches that release the interpreter.
//!
//! `python/plyground` has the parts that are better written in Python: drawings, iterators and environments.
//!
//! This file reads the arguments of Python functions: numbers, with errors that name the argument and its range; and
//! arrays of numpy to fill, which are new or come from the caller.

#![cfg(feature = "extension-module")]

mod batch;
mod dataset;
mod duel;
mod engine;
mod game;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use numpy::prelude::*;
use numpy::{Element, PyArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// The native part of the package `plyground`.
#[pymodule]
mod _plyground {
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch::{Batch, random_positions};
    #[pymodule_export]
    use super::dataset::LabelStream;
    #[pymodule_export]
    use super::duel::{play_game, play_pairs, read_record, review_record, summarize_reviews};
    #[pymodule_export]
    use super::engine::{Analysis, AnalyzedMove, Choice, Engine, Value};
    #[pymodule_export]
    use super::game::{Game, Position, expect_game, expect_start, game, position};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        if plyground_sandbox::is_inside() {
            let why =
                "plyground does not run in its own sandboxes: a submission must play by itself";
            return Err(PyImportError::new_err(why));
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__build__", games::instructions())?;
        module.add("GAMES", super::game::names())
    }
}

/// The greatest number of threads or jobs.
const MOST_THREADS: u64 = 1024;

/// Returns a `ValueError`.
pub(crate) fn wrong(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Returns true if a value is a whole number of Python or numpy.
pub(crate) fn is_whole(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>() || value.extract::<i64>().is_ok()
}

/// Returns the kind of a value for messages: `the number 4`, `None`, or the name of its type.
pub(crate) fn kind_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if is_whole(value) {
        return Ok(format!("the number {value}"));
    }
    match value.is_none() {
        true => Ok("None".to_owned()),
        false => Ok(value.get_type().name()?.to_string()),
    }
}

/// Returns the whole number of the argument `name`, which must be in `range`.
pub(crate) fn whole(
    name: &str,
    value: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<u64> {
    let expected = || format!("expected {name} from {} to {}", range.start(), range.end());
    match value.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Ok(number) => Err(wrong(format_args!("{}, found {number}", expected()))),
        // The number is negative, or has more than 64 bits.
        Err(_) if is_whole(value) => Err(wrong(format_args!("{}, found {value}", expected()))),
        Err(_) => {
            let found = value.get_type().name()?;
            Err(PyTypeError::new_err(format!("{}, a whole number; found {found}", expected())))
        }
    }
}

/// Returns the number of threads of the argument `name`.
pub(crate) fn threads(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(name, value, 1..=MOST_THREADS)? as usize)
}

/// Returns the seed.
pub(crate) fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("seed", value, 0..=u64::MAX)
}

/// Returns the time of the argument `seconds`.
pub(crate) fn duration(seconds: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let expected = "expected seconds as a number, 0 or more";
    let Ok(number) = seconds.extract::<f64>() else {
        let found = seconds.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{expected}; found {found}")));
    };
    Duration::try_from_secs_f64(number)
        .map_err(|_| wrong(format_args!("{expected}, found {number}")))
}

/// A number of a board: a byte, which is 0 or 1.
pub(crate) trait Bit: Element + Copy + Default + PartialEq + Send + 'static {}

impl Bit for u8 {}

impl Bit for i8 {}

/// Returns an array of this shape, filled by `write`: the array `out` if given, otherwise a new array.
///
/// Raises `ValueError` if `out` has another shape, cannot be written to or is not contiguous, and `TypeError`
/// if it has numbers of another type.
pub(crate) fn fill<'py, T: Bit>(
    py: Python<'py>,
    out: Option<Bound<'py, PyAny>>,
    shape: &[usize],
    write: impl FnOnce(&mut [T]),
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else {
        let array = PyArrayDyn::<T>::zeros(py, shape, false);
        write_to(&array, shape, write)?;
        return Ok(array.into_any());
    };
    if let Ok(array) = out.cast::<PyArrayDyn<T>>() {
        write_to(array, shape, write)?;
    } else if let Ok(array) = out.cast::<PyArrayDyn<f32>>() {
        convert(array, shape, write, f32::from)?;
    } else if let Ok(array) = out.cast::<PyArrayDyn<bool>>() {
        convert(array, shape, write, |bit| bit != 0)?;
    } else if let Ok(array) = out.cast::<PyArrayDyn<u8>>() {
        convert(array, shape, write, |bit| bit)?;
    } else if let Ok(array) = out.cast::<PyArrayDyn<i8>>() {
        convert(array, shape, write, |bit| bit as i8)?;
    } else {
        let why = "expected out as an array of numpy, of uint8, int8, bool or float32";
        return Err(PyTypeError::new_err(why));
    }
    Ok(out)
}

/// Lets `write` fill an array.
fn write_to<T: Element + Copy, R>(
    array: &Bound<'_, PyArrayDyn<T>>,
    shape: &[usize],
    write: impl FnOnce(&mut [T]) -> R,
) -> PyResult<R> {
    if array.shape() != shape {
        let why = format!("expected out of the shape {shape:?}, found {:?}", array.shape());
        return Err(PyValueError::new_err(why));
    }
    let refused = |why| PyValueError::new_err(format!("expected out to be {why}"));
    if !array.is_c_contiguous() {
        return Err(refused("contiguous, row by row"));
    }
    let mut array = array.try_readwrite().map_err(|_| refused("writable"))?;
    let cells = array.as_slice_mut().map_err(|_| refused("contiguous, row by row"))?;
    Ok(write(cells))
}

fn convert<T: Bit, U: Element + Copy>(
    array: &Bound<'_, PyArrayDyn<U>>,
    shape: &[usize],
    write: impl FnOnce(&mut [T]),
    from: impl Fn(u8) -> U,
) -> PyResult<()> {
    let mut bits = vec![T::default(); shape.iter().product()];
    write(&mut bits);
    write_to(array, shape, |cells| {
        let is_set = |bit: &T| u8::from(*bit != T::default());
        cells.iter_mut().zip(&bits).for_each(|(cell, bit)| *cell = from(is_set(bit)));
    })
}
