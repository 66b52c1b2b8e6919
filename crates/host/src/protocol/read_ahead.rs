//! Lines read ahead of the engine that answers them.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::player::{Input, LineSource, Lines};

/// The most lines that are read ahead.
const MOST_LINES: usize = 1000;

/// The time that a player still has when its move is no longer wanted, which is enough for the moves of a
/// conversation that comes from a file.
const GRACE: Duration = Duration::from_millis(25);

/// If true, the line ends the conversation.
pub(super) fn is_quit(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("quit")
}

/// The lines of a reader, in their order.
#[derive(Debug, Default)]
pub(super) struct ReadAhead {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// The flag that is raised while the player thinks and its move is no longer wanted.
    stop: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<String>,
    /// The end of the input, which follows all lines.
    end: Option<io::Result<()>>,
    is_thinking: bool,
}

impl Queue {
    /// If true, the move that the player thinks about is no longer wanted: `quit` or the end comes before
    /// another `go`.
    fn is_over(&self) -> bool {
        let first_words = self.lines.iter().map(|line| line.split_ascii_whitespace().next());
        let next = first_words.flatten().find(|word| matches!(*word, "go" | "quit"));
        next.map_or(self.end.is_some(), |word| word == "quit")
    }
}

impl ReadAhead {
    /// Reads `input` on a thread of its own.
    pub(super) fn of(input: impl BufRead + Send + 'static) -> Arc<ReadAhead> {
        let heard = Arc::new(ReadAhead::default());
        let reading = Arc::clone(&heard);
        thread::spawn(move || reading.read(Lines::new(input)));
        heard
    }

    fn read(&self, mut input: Lines<impl BufRead>) {
        loop {
            let read = input.next_line(None);
            let mut queue = self.lock();
            while queue.lines.len() == MOST_LINES {
                queue = self.wait(queue);
            }
            let is_last = match read {
                Ok(Input::Line(line)) => {
                    let is_last = is_quit(&line);
                    queue.lines.push_back(line);
                    is_last
                }
                Ok(Input::End | Input::TimedOut) => {
                    queue.end = Some(Ok(()));
                    true
                }
                Err(error) => {
                    queue.end = Some(Err(error));
                    true
                }
            };
            self.changed.notify_all();
            if !is_last {
                continue;
            }
            // Lines before the last one may still ask for moves.
            while !(queue.is_thinking && queue.is_over()) {
                queue = self.wait(queue);
            }
            drop(queue);
            thread::sleep(GRACE);
            // Once the conversation is over, it stays so.
            self.stop.store(true, Ordering::Relaxed);
            return;
        }
    }

    /// Returns the next line.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read.
    pub(super) fn next_line(&self) -> io::Result<Input> {
        let mut queue = self.lock();
        loop {
            if let Some(line) = queue.lines.pop_front() {
                self.changed.notify_all();
                return Ok(Input::Line(line));
            }
            if let Some(end) = queue.end.take() {
                // After an error, the input has ended.
                queue.end = Some(Ok(()));
                return end.map(|()| Input::End);
            }
            queue = self.wait(queue);
        }
    }

    /// Returns the flag that makes the player move at once.
    pub(super) fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Lets the player think, and raises the flag soon after its move is no longer wanted.
    pub(super) fn while_thinking<A>(&self, think: impl FnOnce() -> A) -> A {
        let mut queue = self.lock();
        queue.is_thinking = true;
        drop(queue);
        self.changed.notify_all();
        let answer = think();
        self.lock().is_thinking = false;
        answer
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A thread that panics leaves nothing here half done.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'q>(&self, queue: MutexGuard<'q, Queue>) -> MutexGuard<'q, Queue> {
        self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner)
    }
}
