//! Work in pieces, and the queue that chooses the next piece of a process.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::time::Duration;

use super::TaskName;
use super::folder::{PieceError, Published, WorkError, WorkFolder};
use super::heartbeat::Watch;
use crate::fnv1a;

/// The number of failures after which a process gives a piece up, counted from the start of the process.
const MOST_FAILURES: usize = 3;

/// The number of dead holders after which a process gives a piece up, counted from the start of the process:
/// the piece may be the cause of the deaths.
const MOST_DEATHS: u32 = 6;

/// The most holders that a process watches at a time. The limit is low because many processes wait at the end
/// of the work, and each process watches different holders.
const MOST_WATCHED: usize = 16;

/// The length of the first wait of a process. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The number of meetings with other processes after which a process reads the claims again.
const MOST_MEETINGS: u32 = 12;

/// Work in pieces.
pub trait Workload: Sync {
    /// Returns the names of all pieces known so far, including finished pieces. The names may depend on the
    /// results so far.
    ///
    /// # Errors
    ///
    /// Returns an error if a result that others depend on cannot be used.
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError>;

    /// Returns true if a result can make other pieces unnecessary, so that the queue must list all pieces
    /// again before each piece.
    fn results_end_others(&self) -> bool {
        false
    }

    /// Does a piece in the thread of this number and returns its result, or `None` if it was stopped. A piece
    /// has the same result, except for times, on every computer.
    ///
    /// # Errors
    ///
    /// Returns the reason why the piece cannot be done.
    fn work(
        &self,
        thread: usize,
        piece: &str,
        stop: &std::sync::Arc<std::sync::atomic::AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError>;
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextPiece {
    /// This piece, claimed by this process as its holder of this generation.
    Piece {
        /// The name of the piece.
        name: String,
        /// The generation of the claim, from 1.
        generation: u32,
    },
    /// Other processes have the remaining pieces. Look again after this time, because some of the processes
    /// may die.
    Wait(Duration),
    /// Everything is done, or has failed too often.
    Nothing,
}

/// The queue of a process, which chooses the next of the pieces in a [`WorkFolder`].
///
/// Times are on the process's own clock, whose zero does not matter.
#[derive(Debug)]
pub struct WorkQueue {
    folder: WorkFolder,
    task: TaskName,
    watch: Watch,
    patience: Duration,
    /// The number of waits in a row.
    waits: u32,
    /// The holders of claims that are known; the holder of a claim does not change.
    holders: HashMap<(String, u32), String>,
    /// The pieces without a claim at the last look, the next one last.
    open: Vec<String>,
    /// The pieces that this process is doing.
    in_work: HashSet<String>,
    /// The failures and claims from before this process began, which do not count against a piece.
    before: Before,
    /// The number of looks at the results and claims.
    looks: u64,
    /// The number of meetings with other processes since the last look.
    meetings: u32,
    /// The pieces that failed, with the generations of the claims.
    failed: HashSet<(String, u32)>,
    /// The number of known pieces, and the number of them that are done.
    known: [usize; 2],
}

#[derive(Debug, Default)]
struct Before {
    failed: HashSet<(String, u32)>,
    generations: HashMap<String, u32>,
}

impl WorkQueue {
    /// Begins to work under this name. A task without a sign of life for the time `patience` is dead.
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

    /// Claims and returns the next piece to do.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be used.
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
                // Another process works on neighboring pieces, so this process continues elsewhere. After a
                // few meetings the list of open pieces is too old.
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

    /// Returns the pieces that are not done, and the last generation of each claim.
    fn look(
        &mut self,
        workload: &(impl Workload + ?Sized),
    ) -> Result<(Vec<String>, HashMap<String, u32>), WorkError> {
        self.looks += 1;
        self.meetings = 0;
        // In this order, a piece that is claimed after the results are read is seen as claimed.
        let done = self.folder.done()?;
        let claims = self.folder.claims().all()?;
        let pieces = workload.pieces(&self.folder)?;
        self.known[0] = pieces.len();
        let missing: Vec<String> = pieces.into_iter().filter(|name| !done.contains(name)).collect();
        self.known[1] = self.known[0] - missing.len();
        Ok((missing, claims))
    }

    /// Returns the pieces rotated to a start that differs for every task and every time, so that tasks seldom
    /// meet. Neighbors stay neighbors.
    fn in_own_order(&self, mut pieces: Vec<String>) -> Vec<String> {
        if !pieces.is_empty() {
            let times = (self.looks, self.meetings);
            let place = fnv1a(format!("{} {times:?}", self.task).as_bytes());
            let place = place as usize % pieces.len();
            pieces.rotate_left(place);
        }
        pieces
    }

    /// Takes over a piece whose holder no longer does it. Returns `None` if `missing` is out of date.
    fn take_over(
        &mut self,
        mut missing: Vec<String>,
        claims: &HashMap<String, u32>,
        now: Duration,
    ) -> Result<Option<NextPiece>, WorkError> {
        self.failed = self.folder.failed()?;
        // The order is always the same, so that the same holders are watched for a while.
        missing.sort_by_key(|name| fnv1a(format!("{} {name}", self.task).as_bytes()));
        let mut watched = 0;
        for name in missing {
            let generation = claims.get(&name).copied().unwrap_or_default();
            let is_own = self.in_work.contains(&name);
            if is_own || !self.has_let_go(&name, generation, now) {
                watched += 1;
            } else if self.folder.is_done(&name) {
                // The holder did the piece and ended after this process had read the results.
                return Ok(None);
            } else if self.is_given_up(&name, generation) {
                // The piece stays undone.
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

    /// Returns true if the holder of a claim no longer does the piece.
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
            // This process did the piece before, but the result was damaged.
            return true;
        }
        if holder.is_empty() {
            // The holder died between creating the claim and writing its name, or is about to write it.
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

    /// Records the outcome of a piece: its result, the reason for its failure, or nothing if it was stopped.
    /// Returns `None` if there is no result.
    pub fn end(
        &mut self,
        name: &str,
        generation: u32,
        outcome: &Result<Option<Vec<u8>>, PieceError>,
    ) -> Result<Option<Published>, WorkError> {
        let published = match outcome {
            Ok(Some(result)) => Some(self.folder.publish(name, result)?),
            Ok(None) => None,
            // The failure is the computer's, not the piece's.
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

    /// Returns the number of pieces done and the number of all pieces, as far as this process knows.
    pub fn progress(&self) -> (usize, usize) {
        (self.known[1], self.known[0])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::work::heartbeat::Heartbeat;

    type Failure = Box<dyn std::error::Error>;

    /// Work of one piece, whose holder finishes it and ends just after another process looks at the results.
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
