use std::sync::atomic::AtomicUsize;

use super::*;

/// Numbers to be squared.
struct Squares {
    count: usize,
    /// A piece that fails so often.
    bad: Option<(usize, usize)>,
    tried: AtomicUsize,
}

impl Squares {
    fn new(count: usize) -> Squares {
        Squares { count, bad: None, tried: AtomicUsize::new(0) }
    }
}

impl Workload for Squares {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok((0..self.count).map(|number| number.to_string()).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        _: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let number: usize = piece.parse().map_err(|_| PieceError::Failed("no number".into()))?;
        if let Some((bad, times)) = self.bad
            && bad == number
            && self.tried.fetch_add(1, Ordering::Relaxed) < times
        {
            return Err(PieceError::Failed("bad luck".into()));
        }
        Ok(Some((number * number).to_string().into_bytes()))
    }
}

fn options(jobs: usize) -> WorkOptions {
    WorkOptions {
        task: TaskName::new("here", None),
        jobs: NonZeroUsize::new(jobs).expect("a job"),
        patience: Duration::from_secs(3600),
    }
}

fn work(folder: &WorkFolder, squares: &Squares, jobs: usize) -> Result<WorkReport, WorkError> {
    work_through(folder, squares, &options(jobs), &Arc::default(), |_| ())
}

fn check(folder: &WorkFolder, count: usize) -> Result<(), WorkError> {
    assert_eq!(folder.done()?.len(), count);
    for number in 0..count {
        let result = folder.result(&number.to_string())?.unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&result), (number * number).to_string());
    }
    Ok(())
}

#[test]
fn several_processes_do_every_piece_once() -> Result<(), Box<dyn std::error::Error>> {
    let place = tempfile::tempdir()?;
    let folder = WorkFolder::open(place.path(), "squares\n")?;
    let squares = Squares::new(200);
    let reports: Vec<_> = thread::scope(|scope| {
        let (folder, squares) = (&folder, &squares);
        let jobs = [1, 2, 3].map(|jobs| scope.spawn(move || work(folder, squares, jobs)));
        jobs.into_iter().map(|job| job.join().expect("no panic")).collect()
    });
    let reports = reports.into_iter().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(reports.iter().map(|report| report.done).sum::<usize>(), 200);
    assert!(reports.iter().all(|report| report.doubled == 0 && report.failed == 0));
    check(&folder, 200)?;
    assert_eq!(work(&folder, &squares, 2)?, WorkReport::default(), "nothing is left");
    Ok(())
}

#[test]
fn piece_that_fails_is_tried_again_and_then_given_up() -> Result<(), Box<dyn std::error::Error>> {
    let place = tempfile::tempdir()?;
    let folder = WorkFolder::open(place.path(), "squares\n")?;
    let squares = |times| Squares { bad: Some((3, times)), ..Squares::new(9) };
    let report = work(&folder, &squares(usize::MAX), 2)?;
    assert_eq!((report.done, report.failed), (8, 3));
    let status = super::super::WorkStatus::read(&folder, &squares(0), Duration::ZERO)?;
    assert_eq!((status.done, status.failed.len(), status.open), (8, 1, 0));
    assert_eq!(status.failed[0].why, "here: bad luck");
    // Another run begins anew.
    let report = work(&folder, &squares(2), 1)?;
    assert_eq!((report.done, report.failed), (1, 2));
    Ok(check(&folder, 9)?)
}

#[test]
fn unfit_machine_does_nothing() -> Result<(), Box<dyn std::error::Error>> {
    struct Unfit;
    impl Workload for Unfit {
        fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
            Ok(vec!["a".to_owned()])
        }

        fn work(
            &self,
            _: usize,
            _: &str,
            _: &Arc<AtomicBool>,
        ) -> Result<Option<Vec<u8>>, PieceError> {
            Err(PieceError::Unfit("no python3".to_owned()))
        }
    }
    let place = tempfile::tempdir()?;
    let folder = WorkFolder::open(place.path(), "nothing\n")?;
    let result = work_through(&folder, &Unfit, &options(1), &Arc::default(), |_| ());
    assert_eq!(result.map_err(|error| error.to_string()), Err("no python3".to_owned()));
    assert!(!folder.is_done("a"));
    Ok(())
}

#[test]
fn one_at_a_time_does_it() -> Result<(), Box<dyn std::error::Error>> {
    let place = tempfile::tempdir()?;
    let folder = WorkFolder::open(place.path(), "nothing\n")?;
    let (at_it, most, times) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let merge = || {
        one_at_a_time(&folder, "merge", &options(1), &AtomicBool::new(false), || {
            most.fetch_max(at_it.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            times.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            at_it.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, WorkError>(())
        })
    };
    thread::scope(|scope| {
        let all = [0; 4].map(|_| scope.spawn(merge));
        let merges = all.map(|one| one.join().expect("no panic"));
        assert!(merges.iter().all(|merge| matches!(merge, Ok(Some(())))));
    });
    assert_eq!((most.into_inner(), times.into_inner()), (1, 4));
    Ok(())
}
