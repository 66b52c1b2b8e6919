//! A book that many processes build together: each share of its positions is a piece of work.

use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plyground::book::{Book, Coverage, Entry, Plan, Shard};
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};
use plyground_host::HostedPosition;

use super::build::{BookRequest, build_book};

/// The number of pieces in a stage of the work, each a share of the positions. There are many more
/// pieces than tasks, so that one piece with hard positions does not delay the whole work.
const PIECES: u64 = 256;

/// A book whose positions are solved in pieces: `1-017` is the 17th share of the first stage.
///
/// A book of every position has one stage, since its positions are known from the start. The
/// positions of a repertoire depend on the best moves in earlier positions, so each stage builds on
/// the earlier stages.
#[derive(Debug)]
pub struct SharedBook {
    request: BookRequest,
    /// The known entries before each stage, for the stages whose positions are known.
    before: Mutex<Vec<Option<Arc<Book>>>>,
}

impl SharedBook {
    /// Creates the book of this request. One thread with a table of its own solves each piece, so
    /// that the result does not depend on the process.
    pub fn new(request: BookRequest) -> SharedBook {
        let jobs = NonZeroUsize::MIN;
        let first = request.base.clone().map(Arc::new);
        let request = BookRequest { jobs, shard: Shard::WHOLE, partial: false, ..request };
        SharedBook { request, before: Mutex::new(vec![first]) }
    }

    /// Returns the whole book, if all pieces are solved.
    ///
    /// # Errors
    ///
    /// Returns an error if a result cannot be read, or contradicts another.
    pub fn book(&self, folder: &WorkFolder) -> Result<Option<Book>, WorkError> {
        let pieces = self.pieces(folder)?;
        let done = folder.done()?;
        if pieces.iter().any(|piece| !done.contains(piece)) {
            return Ok(None);
        }
        let last = self.lock().len();
        let Some(book) = self.with_stage(folder, last)? else { return Ok(None) };
        let packed = book.packed(&self.request.start);
        packed.map(Some).map_err(|error| folder.wrong_result(&pieces[0], &error))
    }

    /// Returns the known entries after a stage, if the stage is done.
    fn with_stage(&self, folder: &WorkFolder, stage: usize) -> Result<Option<Book>, WorkError> {
        let before = self.lock().get(stage - 1).cloned().flatten();
        let mut book = before.map(|book| Book::clone(&book));
        for piece in names(stage) {
            let Some(bytes) = folder.result(&piece)? else { return Ok(None) };
            let found =
                Book::from_bytes(bytes).map_err(|error| folder.wrong_result(&piece, &error))?;
            book = Some(match book {
                None => found,
                Some(book) => {
                    book.merge(&found).map_err(|error| folder.wrong_result(&piece, &error))?
                }
            });
        }
        Ok(book)
    }

    /// Returns true if a position to solve is missing in the book.
    fn has_more(&self, book: &Book) -> bool {
        let BookRequest { start, plies, coverage, .. } = &self.request;
        let known: HashMap<u64, Entry> = book.entries().map(|entry| (entry.key(), entry)).collect();
        let mut plan: Plan<HostedPosition> = Plan::new(start, *plies, *coverage, Shard::WHOLE);
        plan.next(&known).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Arc<Book>>>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the names of the pieces of a stage, from 1.
fn names(stage: usize) -> impl Iterator<Item = String> {
    (1..=PIECES).map(move |number| format!("{stage}-{number:03}"))
}

impl Workload for SharedBook {
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError> {
        if self.request.coverage == Coverage::Repertoire {
            let done = folder.done()?;
            loop {
                let stage = self.lock().len();
                if names(stage).any(|piece| !done.contains(&piece)) {
                    break;
                }
                match self.with_stage(folder, stage)? {
                    Some(book) if self.has_more(&book) => {
                        let mut before = self.lock();
                        if before.len() == stage {
                            before.push(Some(Arc::new(book)));
                        }
                    }
                    _ => break,
                }
            }
        }
        let stages = self.lock().len();
        Ok((1..=stages).flat_map(names).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let failed = |why: &dyn ToString| PieceError::Failed(why.to_string());
        let numbers = piece.split_once('-');
        let numbers = numbers.and_then(|(stage, number)| {
            let number: u64 = number.parse().ok()?;
            Some((
                stage.parse::<usize>().ok()?,
                format!("{number}/{PIECES}").parse::<Shard>().ok()?,
            ))
        });
        let (stage, shard) = numbers.ok_or_else(|| failed(&"there is no such share"))?;
        let before = self.lock().get(stage.wrapping_sub(1)).cloned();
        let before = before.ok_or_else(|| failed(&"the shares before it are not known"))?;
        let base = before.map(|book| Book::clone(&book));
        let request = BookRequest { shard, base, ..self.request.clone() };
        // The piece is built on a local disk, because only whole pieces are shared.
        let place = tempfile::tempdir().map_err(|error| failed(&error.kind()))?;
        let out = place.path().join("piece.book");
        build_book(&request, &out, stop, |_| ()).map_err(|error| failed(&error))?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        fs::read(&out).map(Some).map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use plyground_durable::work::{TaskName, WorkOptions, work_through};
    use plyground_host::toy::toy;

    use super::*;

    type Failure = Box<dyn std::error::Error>;

    fn request(coverage: Coverage) -> BookRequest {
        let plies = if coverage == Coverage::Repertoire { 5 } else { 2 };
        BookRequest::new(toy().start(), plies, coverage)
    }

    fn shared(coverage: Coverage, processes: usize) -> Result<Vec<u8>, Failure> {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "a book\n")?;
        std::thread::scope(|scope| {
            let work = || {
                let book = SharedBook::new(request(coverage));
                let options = WorkOptions {
                    task: TaskName::new("here", None),
                    jobs: NonZeroUsize::MIN,
                    patience: std::time::Duration::from_secs(3600),
                };
                work_through(&folder, &book, &options, &Arc::default(), |_| ())
            };
            let all: Vec<_> = (0..processes).map(|_| scope.spawn(work)).collect();
            all.into_iter().try_for_each(|one| one.join().expect("no panic").map(drop))
        })?;
        let book = SharedBook::new(request(coverage));
        let whole = book.book(&folder)?.ok_or("a whole book")?;
        Ok(whole.as_bytes().to_vec())
    }

    #[test]
    #[ignore = "long"]
    fn shared_books_are_those_of_one_process() -> Result<(), Failure> {
        for coverage in [Coverage::Every, Coverage::Values, Coverage::Repertoire] {
            let one = shared(coverage, 1)?;
            assert_eq!(shared(coverage, 3)?, one);
            let place = tempfile::tempdir()?;
            let out = place.path().join("out.book");
            build_book(&request(coverage), &out, &Arc::default(), |_| ())?;
            let [one, plain] = [Book::from_bytes(one)?, Book::from_bytes(fs::read(&out)?)?];
            let start = toy().start();
            let [one, plain] = [one.for_start(&start)?, plain.for_start(&start)?];
            assert!(one.value(&start).is_some() && one.value(&start) == plain.value(&start));
            if coverage != Coverage::Repertoire {
                assert_eq!(one.count(), plain.count());
            }
        }
        Ok(())
    }
}
