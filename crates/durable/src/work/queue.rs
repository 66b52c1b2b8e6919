//! What a process does next.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::time::Duration;

use crate::fnv1a;

use super::WorkError;
use super::folder::{Published, WorkFolder};
use super::heartbeat::{TaskName, Watch};
use super::{PieceError, Workload};

/// A process gives a piece up that has failed so often since the process began.
const MOST_FAILURES: usize = 3;

/// A process gives a piece up whose holders have died so often since the process began: it may be the
/// piece that kills them.
const MOST_DEATHS: u32 = 6;

/// So many holders are watched at a time: many wait at the end, and each watches others.
const MOST_WATCHED: usize = 16;

/// Who waits looks again after this time, and then after twice as long each time.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// A process that has met others so often looks anew who has what.
const MOST_MEETINGS: u32 = 12;

/// What there is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextPiece {
    /// This piece, claimed by this process as its holder of this generation.
    Piece {
        /// Its name.
        name: String,
        /// The generation of the claim, from 1.
        generation: u32,
    },
    /// Others have all that is left. Some of them may die, so look again after this time.
    Wait(Duration),
    /// Nothing: everything is done, or has failed too often.
    Nothing,
}

/// What a process does next, of the pieces in a [`WorkFolder`].
///
/// Times are those since any moment of the process, which others need not know.
#[derive(Debug)]
pub struct WorkQueue {
    folder: WorkFolder,
    task: TaskName,
    watch: Watch,
    patience: Duration,
    /// How often in turn there was nothing to do but to wait.
    waits: u32,
    /// Who has a claim does not change.
    holders: HashMap<(String, u32), String>,
    /// Pieces that nobody had claimed when that was last looked at, the next one last.
    open: Vec<String>,
    /// Pieces that this process is doing.
    in_work: HashSet<String>,
    /// What had been before this process began does not count against a piece.
    before: Before,
    /// How often it was looked who has what.
    looks: u64,
    /// How often it met others since.
    meetings: u32,
    /// What could not be done, with the generations of its claims that failed.
    failed: HashSet<(String, u32)>,
    /// How many pieces are known, and how many of them are done.
    known: [usize; 2],
}

#[derive(Debug, Default)]
struct Before {
    failed: HashSet<(String, u32)>,
    generations: HashMap<String, u32>,
}

impl WorkQueue {
    /// Begins to work under this name. Who shows nothing for the time of `patience` is dead.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn new(
        folder: &WorkFolder,
        task: &TaskName,
        patience: Duration,
    ) -> Result<WorkQueue, WorkError> {
        let before = Before { failed: folder.failed()?, generations: folder.claims().all()? };
        Ok(WorkQueue {
            folder: folder.clone(),
            task: task.clone(),
            watch: Watch::new(patience),
            patience,
            waits: 0,
            holders: HashMap::new(),
            open: Vec::new(),
            in_work: HashSet::new(),
            failed: before.failed.clone(),
            before,
            looks: 0,
            meetings: 0,
            known: [0; 2],
        })
    }

    /// The next piece to do, which is claimed from now on.
    ///
    /// # Errors
    ///
    /// When the folder cannot be used.
    pub fn next(
        &mut self,
        workload: &(impl Workload + ?Sized),
        now: Duration,
    ) -> Result<NextPiece, WorkError> {
        if workload.results_end_others() {
            self.open.clear();
        }
        loop {
            while let Some(name) = self.open.pop() {
                if self.folder.is_done(&name) {
                    continue;
                }
                if self.folder.claims().take(&name, 1, self.task.as_str())? {
                    return Ok(self.begin(name, 1));
                }
                // Somebody is at work where this process is: it goes somewhere else. After a few times what
                // it knows is too old.
                self.meetings += 1;
                if self.meetings >= MOST_MEETINGS {
                    self.open.clear();
                } else {
                    let open = mem::take(&mut self.open);
                    self.open = self.in_own_order(open);
                }
            }
            let (missing, claims) = self.look(workload)?;
            if missing.is_empty() {
                return Ok(NextPiece::Nothing);
            }
            let open = missing.iter().filter(|name| !claims.contains_key(*name));
            self.open = self.in_own_order(open.cloned().collect());
            if self.open.is_empty()
                && let Some(next) = self.take_over(missing, &claims, now)?
            {
                return Ok(next);
            }
        }
    }

    /// The pieces that are not done, and the last generation of the claims.
    fn look(
        &mut self,
        workload: &(impl Workload + ?Sized),
    ) -> Result<(Vec<String>, HashMap<String, u32>), WorkError> {
        self.looks += 1;
        self.meetings = 0;
        // In this order: what is claimed after the look at the results is seen to be claimed.
        let done = self.folder.done()?;
        let claims = self.folder.claims().all()?;
        let pieces = workload.pieces(&self.folder)?;
        self.known[0] = pieces.len();
        let missing: Vec<String> = pieces.into_iter().filter(|name| !done.contains(name)).collect();
        self.known[1] = self.known[0] - missing.len();
        Ok((missing, claims))
    }

    /// The pieces, from a place on that is different for every task and every time, so that tasks meet
    /// seldom; neighbors stay neighbors.
    fn in_own_order(&self, mut pieces: Vec<String>) -> Vec<String> {
        if !pieces.is_empty() {
            let times = (self.looks, self.meetings);
            let place = fnv1a(format!("{} {times:?}", self.task).as_bytes());
            let place = place as usize % pieces.len();
            pieces.rotate_left(place);
        }
        pieces
    }

    /// A piece whose holder does it no more; `None` if `missing` is out of date.
    fn take_over(
        &mut self,
        mut missing: Vec<String>,
        claims: &HashMap<String, u32>,
        now: Duration,
    ) -> Result<Option<NextPiece>, WorkError> {
        self.failed = self.folder.failed()?;
        // Always in the same order, so that the same holders are watched for a while.
        missing.sort_by_key(|name| fnv1a(format!("{} {name}", self.task).as_bytes()));
        let mut watched = 0;
        for name in missing {
            let generation = claims.get(&name).copied().unwrap_or_default();
            let is_own = self.in_work.contains(&name);
            if is_own || !self.has_let_go(&name, generation, now) {
                watched += 1;
            } else if self.folder.is_done(&name) {
                // Its holder did it, and ended, after this process had looked at the results.
                return Ok(None);
            } else if self.is_given_up(&name, generation) {
                // It stays undone.
            } else if self.folder.claims().take(&name, generation + 1, self.task.as_str())? {
                return Ok(Some(self.begin(name, generation + 1)));
            } else {
                watched += 1;
            }
            if watched >= MOST_WATCHED {
                break;
            }
        }
        Ok(Some(if watched == 0 { NextPiece::Nothing } else { self.wait() }))
    }

    fn wait(&mut self) -> NextPiece {
        let longest = self.patience / 3;
        let wait = FIRST_WAIT.saturating_mul(1 << self.waits.min(10)).min(longest);
        self.waits += 1;
        NextPiece::Wait(wait)
    }

    /// Whether the holder of a claim does the piece no more.
    fn has_let_go(&mut self, piece: &str, generation: u32, now: Duration) -> bool {
        let claim = (piece.to_owned(), generation);
        if self.failed.contains(&claim) {
            return true;
        }
        let holder = match self.holders.get(&claim) {
            Some(holder) => holder.clone(),
            None => self.folder.claims().holder(piece, generation),
        };
        if holder == self.task.as_str() {
            // Its result was there once, and was damaged.
            return true;
        }
        if holder.is_empty() {
            // The process died between two steps, or is between them.
            let nobody = self.folder.task_file(".nobody");
            return self.watch.is_dead(&format!("{piece}.{generation}"), &nobody, now);
        }
        let is_dead = self.watch.is_dead(&holder, &self.folder.task_file(&holder), now);
        self.holders.insert(claim, holder);
        is_dead
    }

    fn is_given_up(&self, piece: &str, generation: u32) -> bool {
        let new = |&(name, _): &&(String, u32)| name == piece;
        let failures = self.failed.difference(&self.before.failed).filter(new).count();
        let before = self.before.generations.get(piece).copied().unwrap_or_default();
        failures >= MOST_FAILURES || generation - before.min(generation) >= MOST_DEATHS
    }

    fn begin(&mut self, name: String, generation: u32) -> NextPiece {
        self.in_work.insert(name.clone());
        self.waits = 0;
        NextPiece::Piece { name, generation }
    }

    /// Takes in what has become of a piece: its result, or why there is none; nothing if it was stopped.
    /// Whether the result is the first.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written.
    pub fn end(
        &mut self,
        name: &str,
        generation: u32,
        outcome: &Result<Option<Vec<u8>>, PieceError>,
    ) -> Result<Option<Published>, WorkError> {
        let published = match outcome {
            Ok(Some(result)) => Some(self.folder.publish(name, result)?),
            Ok(None) => None,
            // That says nothing of the piece.
            Err(PieceError::Unfit(_)) => None,
            Err(why) => {
                let machine = TaskName::machine(self.task.as_str());
                self.folder.fail(name, generation, &format!("{machine}: {why}"))?;
                None
            }
        };
        self.in_work.remove(name);
        if published == Some(Published::First) {
            self.known[1] += 1;
        }
        Ok(published)
    }

    /// How many pieces were done, and how many there are, as far as this process knows.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.known[1], self.known[0])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::super::heartbeat::Heartbeat;
    use super::*;

    type Failure = Box<dyn std::error::Error>;

    /// One piece, which its holder does, and ends, just after somebody has looked at the results.
    struct DoneMeanwhile {
        holder: Mutex<Heartbeat>,
        looks: AtomicUsize,
    }

    impl Workload for DoneMeanwhile {
        fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError> {
            if self.looks.fetch_add(1, Ordering::Relaxed) == 0 {
                folder.publish("a", b"done")?;
                self.holder.lock().expect("nobody panics").end();
            }
            Ok(vec!["a".to_owned()])
        }

        fn work(
            &self,
            _: usize,
            _: &str,
            _: &Arc<AtomicBool>,
        ) -> Result<Option<Vec<u8>>, PieceError> {
            unreachable!("the queue does nothing")
        }
    }

    #[test]
    fn piece_done_by_one_that_ended_is_not_done_again() -> Result<(), Failure> {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "one\n")?;
        let [first, second] = ["first", "second"].map(|machine| TaskName::new(machine, None));
        let holder = Mutex::new(folder.enter(&first)?);
        assert!(folder.claims().take("a", 1, first.as_str())?);
        let workload = DoneMeanwhile { holder, looks: AtomicUsize::new(0) };
        let mut queue = WorkQueue::new(&folder, &second, Duration::from_secs(3600))?;
        assert_eq!(queue.next(&workload, Duration::ZERO)?, NextPiece::Nothing);
        assert_eq!((workload.looks.into_inner(), queue.progress()), (2, (1, 1)));
        Ok(())
    }
}
