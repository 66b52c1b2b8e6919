//! Arguments of Python, whose errors name them and their range.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// The greatest number of threads or jobs.
const MOST_THREADS: u64 = 1024;

/// Returns a `ValueError`.
pub fn wrong(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Returns the whole number of the argument `name`, which must be in `range`.
pub fn whole(name: &str, value: &Bound<'_, PyAny>, range: RangeInclusive<u64>) -> PyResult<u64> {
    let expected = || format!("expected {name} from {} to {}", range.start(), range.end());
    match value.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Ok(number) => Err(wrong(format_args!("{}, found {number}", expected()))),
        // A negative number, or one of more than 64 bits.
        Err(_) if value.extract::<i64>().is_ok() || value.is_instance_of::<PyInt>() => {
            Err(wrong(format_args!("{}, found {value}", expected())))
        }
        Err(_) => {
            let found = value.get_type().name()?;
            Err(PyTypeError::new_err(format!("{}, a whole number; found {found}", expected())))
        }
    }
}

/// Returns the number of threads of the argument `name`.
pub fn threads(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(name, value, 1..=MOST_THREADS)? as usize)
}

/// Returns the seed.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("seed", value, 0..=u64::MAX)
}

/// Returns the time of the argument `seconds`.
pub fn duration(seconds: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let expected = "expected seconds as a number, 0 or more";
    let Ok(number) = seconds.extract::<f64>() else {
        let found = seconds.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{expected}; found {found}")));
    };
    Duration::try_from_secs_f64(number)
        .map_err(|_| wrong(format_args!("{expected}, found {number}")))
}
