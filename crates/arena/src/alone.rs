//! Work that is done again, alone, when the computer was to blame that it failed.
//!
//! A lost supervisor, a full disk or a computer that is too busy costs no player anything: the game or
//! check is repeated while no other runs. If it fails again, the run stops.

use std::sync::{PoisonError, RwLock};

use plyground_host::referee::Interrupted;

/// A gate through which many pieces of work go at a time, or one alone.
#[derive(Debug, Default)]
pub struct Gate(RwLock<()>);

impl Gate {
    /// Does a piece of work, and once more alone if the system could not run a program. `work` is told
    /// the reason for the second time.
    ///
    /// # Errors
    ///
    /// Returns the error of `work`, in the second case that of the second time.
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
