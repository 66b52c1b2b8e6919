//! The functions by which the worker of the page and the engine call each other. All texts are UTF-8.
//!
//! A question and its answers are texts, which a few functions with numbers can pass. So there are no
//! generated bindings, which need a generator of the same version.

use std::panic;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use getrandom::Error;
use plyground::clock::set_clock;

use crate::page::Page;

// The functions that the worker supplies.
#[link(wasm_import_module = "worker")]
unsafe extern "C" {
    /// Returns the milliseconds since a fixed moment.
    safe fn now() -> f64;

    /// Fills memory with unpredictable bytes.
    fn fill(start: *mut u8, length: usize);

    /// Takes an answer.
    fn tell(start: *const u8, length: usize);

    /// Takes the message of a panic of the engine.
    fn fault(start: *const u8, length: usize);
}

static PAGE: LazyLock<Result<Page, String>> = LazyLock::new(Page::new);

/// The memory into which the worker writes its question.
static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Prepares for questions. The worker must call this once, before all other functions.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    set_clock(|| Duration::from_secs_f64((now() / 1e3).max(0.0)));
    panic::set_hook(Box::new(|what| {
        let text = what.to_string();
        // SAFETY: the text lives until the worker has taken it.
        unsafe { fault(text.as_ptr(), text.len()) };
    }));
    LazyLock::force(&PAGE);
}

/// Makes room for a question of `length` bytes, which the worker may write until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    let mut question = QUESTION.lock().unwrap_or_else(PoisonError::into_inner);
    question.clear();
    question.resize(length, 0);
    question.as_mut_ptr()
}

/// Answers the question, and returns after the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() {
    let question = std::mem::take(&mut *QUESTION.lock().unwrap_or_else(PoisonError::into_inner));
    let question = String::from_utf8_lossy(&question);
    // SAFETY: the text lives until the worker has taken it.
    let mut told = |text: &str| unsafe { tell(text.as_ptr(), text.len()) };
    match &*PAGE {
        Ok(page) => page.answer(&question, &mut told),
        Err(why) => told(&serde_json::json!({ "error": why }).to_string()),
    }
}

/// The source of random bytes that getrandom calls on a target without a system.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(start: *mut u8, length: usize) -> Result<(), Error> {
    // SAFETY: the caller owns this memory, and the worker fills it before anything reads it.
    unsafe { fill(start, length) };
    Ok(())
}
