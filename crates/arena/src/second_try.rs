//! Repetition of work, alone, after a failure of the computer.
//!
//! A lost supervisor, a full disk or a busy computer costs no player anything: the game or check is
//! repeated while no other game or check runs. If the repetition fails, the game or check is left
//! out, and named at the end of the run, so that one program that causes such failures does not
//! affect the results of others.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use plyground_host::referee::Interrupted;

/// A gate that lets many pieces of work through at a time, or one alone.
#[derive(Debug, Default)]
pub struct Gate(RwLock<()>);

impl Gate {
    /// Does a piece of work, and repeats it alone if the system could not run a program. `work`
    /// receives the reason the second time.
    ///
    /// # Errors
    ///
    /// Returns the error of `work`, or of its repetition.
    pub fn through<T>(
        &self,
        mut work: impl FnMut(Option<&str>) -> Result<T, Interrupted>,
    ) -> Result<T, Interrupted> {
        let first = {
            let _others = self.0.read().unwrap_or_else(PoisonError::into_inner);
            work(None)
        };
        match first {
            Err(Interrupted::System { why }) => {
                let _alone = self.0.write().unwrap_or_else(PoisonError::into_inner);
                work(Some(&why))
            }
            done => done,
        }
    }
}

/// The pieces of work that were left out because the system failed at each twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedTwice {
    /// The name of each piece, and the reason for its second failure.
    pieces: Vec<(String, String)>,
}

impl FailedTwice {
    /// The number of pieces that a message names.
    const NAMED: usize = 3;

    /// Adds a piece of work.
    pub fn add(&mut self, piece: String, why: String) {
        self.pieces.push((piece, why));
    }

    /// Returns the number of left-out pieces.
    pub fn count(&self) -> usize {
        self.pieces.len()
    }

    /// Returns the reason why a piece was left out, if it was.
    pub fn why(&self, piece: &str) -> Option<&str> {
        let found = self.pieces.iter().find(|(name, _)| name == piece);
        found.map(|(_, why)| why.as_str())
    }

    /// Returns the left-out pieces as an error, if there are any.
    ///
    /// # Errors
    ///
    /// Returns an error if a piece of work was left out.
    pub fn check(self) -> Result<(), FailedTwice> {
        if self.pieces.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for FailedTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("left out, because this system could not run them: ")?;
        // Threads finish the pieces in any order.
        let mut pieces: Vec<_> = self.pieces.iter().collect();
        pieces.sort();
        for (index, (piece, why)) in pieces.iter().take(Self::NAMED).enumerate() {
            let between = if index > 0 { "; " } else { "" };
            write!(f, "{between}{piece}: {why}")?;
        }
        if let more @ 1.. = pieces.len().saturating_sub(Self::NAMED) {
            write!(f, "; and {more} more")?;
        }
        f.write_str("; the rest is done, and the same command tries again")
    }
}

impl std::error::Error for FailedTwice {}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn busy() -> Interrupted {
        Interrupted::System { why: "busy".to_owned() }
    }

    #[test]
    fn failure_of_the_computer_is_tried_once_more() {
        for (fails, tries, is_done) in [(0, 1, true), (1, 2, true), (2, 2, false)] {
            let count = Cell::new(0);
            let done = Gate::default().through(|why| {
                count.set(count.get() + 1);
                assert_eq!(why, (count.get() > 1).then_some("busy"));
                if count.get() <= fails { Err(busy()) } else { Ok(()) }
            });
            assert_eq!((count.get(), done.is_ok()), (tries, is_done));
        }
    }

    #[test]
    fn what_was_left_out_is_named() {
        assert!(FailedTwice::default().check().is_ok());
        let mut failed = FailedTwice::default();
        for piece in ["d", "b", "a", "c", "e"] {
            failed.add(piece.to_owned(), "busy".to_owned());
        }
        assert_eq!((failed.count(), failed.why("e"), failed.why("f")), (5, Some("busy"), None));
        let text = failed.check().map_err(|failed| failed.to_string());
        let expected = "left out, because this system could not run them: a: busy; b: busy; c: busy; \
                        and 2 more; the rest is done, and the same command tries again";
        assert_eq!(text, Err(expected.to_owned()));
    }

    #[test]
    fn second_time_is_alone() {
        let (gate, running) = (Gate::default(), AtomicU32::new(0));
        thread::scope(|scope| {
            for number in 0..8 {
                let (gate, running) = (&gate, &running);
                scope.spawn(move || {
                    gate.through(|why| {
                        let others = running.fetch_add(1, Ordering::SeqCst);
                        thread::sleep(Duration::from_millis(5));
                        assert!(why.is_none() || others == 0);
                        running.fetch_sub(1, Ordering::SeqCst);
                        if why.is_none() && number % 2 == 0 { Err(busy()) } else { Ok(()) }
                    })
                });
            }
        });
    }
}
