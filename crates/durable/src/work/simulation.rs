//! A cluster in simulated time: the real folder and the real queue, with tasks that die at random.
//!
//! With `PLYGROUND_NIGHTLY` the cluster has 10,000 pieces and up to 512 workers, and the measurements are
//! printed.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::heartbeat::Heartbeat;
use super::*;

type Failure = Box<dyn std::error::Error>;

/// The time without a sign of life after which a task is dead.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time after which a dead task is restarted.
const RESTART: Duration = Duration::from_secs(30);

struct Pieces(usize);

impl Workload for Pieces {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok((0..self.0).map(|number| piece_name(number, "")).collect())
    }

    fn work(&self, _: usize, _: &str, _: &Arc<AtomicBool>) -> Result<Option<Vec<u8>>, PieceError> {
        unreachable!("time is simulated")
    }
}

/// An event at a moment, in one life of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Beat,
    Begin,
    Next,
    /// The worker has done its piece.
    Finish,
    /// The worker dies before or after its result is written.
    Die {
        has_published: bool,
    },
}

struct Worker {
    life: u32,
    queue: WorkQueue,
    heartbeat: Heartbeat,
    /// The piece that the worker is doing.
    piece: Option<(String, u32)>,
}

struct Simulation<'a> {
    folder: &'a WorkFolder,
    pieces: Pieces,
    /// The time that a piece takes.
    cost: Box<dyn Fn(&str) -> Duration>,
    /// The time that each piece takes in addition.
    overhead: Duration,
    start: Duration,
    death_rate: f64,
    rng: StdRng,
    workers: Vec<Worker>,
    events: BinaryHeap<Reverse<(Duration, usize, u32, What)>>,
    /// The number of first results of each piece, which must be one.
    first: HashMap<String, usize>,
    outcome: Outcome,
}

/// The outcome of a simulation.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    /// The time when the last piece was done.
    end: Duration,
    deaths: usize,
    doubled: usize,
    /// The real time spent on claiming pieces and writing results.
    handling: Duration,
}

impl Simulation<'_> {
    fn run(mut self, workers: usize) -> Result<Outcome, Failure> {
        for number in 0..workers {
            let worker = self.born(number, 0)?;
            self.workers.push(worker);
            self.at(self.start, number, What::Next);
            self.at(PATIENCE / 6, number, What::Beat);
        }
        while let Some(Reverse((now, number, life, what))) = self.events.pop() {
            // Events of a task that has died since are dropped.
            if self.workers[number].life == life {
                self.happen(now, number, what)?;
            }
        }
        let pieces = self.pieces.pieces(self.folder)?;
        let done: BTreeSet<String> = self.folder.done()?.into_iter().collect();
        assert_eq!(done, pieces.iter().cloned().collect(), "nothing is lost");
        assert!(pieces.iter().all(|piece| self.first.get(piece) == Some(&1)), "nothing is doubled");
        for piece in &pieces {
            assert_eq!(self.folder.result(piece)?.as_deref(), Some(piece.as_bytes()));
        }
        Ok(self.outcome)
    }

    fn born(&self, number: usize, life: u32) -> Result<Worker, WorkError> {
        let task = TaskName::new(&format!("n{number}"), Some(&life.to_string()));
        let queue = WorkQueue::new(self.folder, &task, PATIENCE)?;
        Ok(Worker { life, queue, heartbeat: self.folder.enter(&task)?, piece: None })
    }

    fn at(&mut self, time: Duration, number: usize, what: What) {
        let life = self.workers[number].life;
        self.events.push(Reverse((time, number, life, what)));
    }

    fn happen(&mut self, now: Duration, number: usize, what: What) -> Result<(), Failure> {
        match what {
            What::Beat => {
                self.workers[number].heartbeat.beat();
                self.at(now + PATIENCE / 6, number, What::Beat);
            }
            What::Begin => {
                self.at(now + self.start, number, What::Next);
                self.at(now + PATIENCE / 6, number, What::Beat);
            }
            What::Next => self.next(now, number)?,
            What::Finish => {
                self.finish(now, number)?;
                self.at(now, number, What::Next);
            }
            What::Die { has_published } => {
                if has_published {
                    self.finish(now, number)?;
                }
                self.outcome.deaths += 1;
                let life = self.workers[number].life + 1;
                self.workers[number] = self.born(number, life)?;
                self.at(now + RESTART, number, What::Begin);
            }
        }
        Ok(())
    }

    fn next(&mut self, now: Duration, number: usize) -> Result<(), Failure> {
        let begun = Instant::now();
        let next = self.workers[number].queue.next(&self.pieces, now)?;
        self.outcome.handling += begun.elapsed();
        match next {
            NextPiece::Piece { name, generation } => {
                let time = self.overhead + (self.cost)(&name);
                self.workers[number].piece = Some((name, generation));
                if self.rng.random_bool(self.death_rate) {
                    let part = time.mul_f64(self.rng.random_range(0.0..1.0));
                    let has_published = self.rng.random_bool(0.2);
                    let time = if has_published { time } else { part };
                    self.at(now + time, number, What::Die { has_published });
                } else {
                    self.at(now + time, number, What::Finish);
                }
            }
            NextPiece::Wait(time) => self.at(now + time, number, What::Next),
            // The events of the worker end here: no event has this life.
            NextPiece::Nothing => self.workers[number].life = u32::MAX,
        }
        Ok(())
    }

    fn finish(&mut self, now: Duration, number: usize) -> Result<(), Failure> {
        let worker = &mut self.workers[number];
        let (name, generation) = worker.piece.take().ok_or("no piece")?;
        let begun = Instant::now();
        let result = Ok(Some(name.clone().into_bytes()));
        let published = worker.queue.end(&name, generation, &result)?;
        self.outcome.handling += begun.elapsed();
        match published {
            Some(Published::First) => *self.first.entry(name).or_default() += 1,
            _ => self.outcome.doubled += 1,
        }
        self.outcome.end = now.max(self.outcome.end);
        Ok(())
    }
}

/// Returns the time of a piece as a function of its name: from 0.25 to 1.4 times `mean`, and for a few pieces
/// eight times that.
fn varied(mean: Duration) -> Box<dyn Fn(&str) -> Duration> {
    Box::new(move |name| {
        let mut rng = StdRng::seed_from_u64(crate::fnv1a(name.as_bytes()));
        let factor = rng.random_range(0.25..1.4) * if rng.random_bool(0.03) { 8.0 } else { 1.0 };
        mean.mul_f64(factor)
    })
}

struct Costs {
    mean: Duration,
    overhead: Duration,
    start: Duration,
}

fn simulate(
    pieces: usize,
    workers: usize,
    death_rate: f64,
    costs: &Costs,
) -> Result<(Outcome, Duration), Failure> {
    // The folder is in memory, because a disk would distort the handling times.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }?;
    let folder = WorkFolder::open(place.path(), "a simulation\n")?;
    let cost = varied(costs.mean);
    let all: Duration = (0..pieces).map(|number| cost(&piece_name(number, ""))).sum();
    let simulation = Simulation {
        folder: &folder,
        pieces: Pieces(pieces),
        cost,
        overhead: costs.overhead,
        start: costs.start,
        death_rate,
        rng: StdRng::seed_from_u64(pieces as u64 ^ workers as u64),
        workers: Vec::new(),
        events: BinaryHeap::new(),
        first: HashMap::new(),
        outcome: Outcome::default(),
    };
    Ok((simulation.run(workers)?, all / u32::try_from(workers)?))
}

const COSTS: Costs = Costs {
    mean: Duration::from_secs(20),
    overhead: Duration::from_millis(5),
    start: Duration::from_secs(1),
};

#[test]
fn nothing_is_lost_or_doubled_when_tasks_die() -> Result<(), Failure> {
    let mut deaths = 0;
    for (workers, rate) in [(1, 0.2), (3, 0.05), (40, 0.3)] {
        let (outcome, ideal) = simulate(150, workers, rate, &COSTS)?;
        assert!(outcome.end >= ideal, "{outcome:?}");
        deaths += outcome.deaths;
    }
    assert!(deaths > 30, "{deaths}");
    Ok(())
}

#[test]
fn ten_thousand_pieces() -> Result<(), Failure> {
    if env::var_os("PLYGROUND_NIGHTLY").is_none() {
        return Ok(());
    }
    let number = |name: &str, usual: f64| -> Result<Duration, Failure> {
        let given = env::var(name).ok().map(|text| text.parse()).transpose()?;
        Ok(Duration::from_secs_f64(given.unwrap_or(usual)))
    };
    let costs = Costs {
        mean: number("PLYGROUND_SIMULATION_PIECE", 20.0)?,
        overhead: number("PLYGROUND_SIMULATION_OVERHEAD", 0.005)?,
        start: number("PLYGROUND_SIMULATION_START", 1.0)?,
    };
    println!("workers,death_rate,pieces,ideal_s,real_s,efficiency,deaths,doubled,handling_ms");
    for rate in [0.0, 0.05] {
        for workers in [1, 2, 8, 64, 512] {
            let (outcome, ideal) = simulate(10_000, workers, rate, &costs)?;
            let [ideal, real] = [ideal, outcome.end].map(|time| time.as_secs_f64());
            let handling = outcome.handling.as_secs_f64() * 1e3 / 10_000.0;
            println!(
                "{workers},{rate},10000,{ideal:.0},{real:.0},{:.3},{},{},{handling:.2}",
                ideal / real,
                outcome.deaths,
                outcome.doubled
            );
        }
    }
    Ok(())
}
