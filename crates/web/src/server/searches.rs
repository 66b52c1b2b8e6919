//! The running searches: one for each client, which the server knows by a given name, and a limited number in all; and
//! turns at the processors, if there are more searches than processors.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use plyground::search::{Checkpoint, SearchContext};
use plyground_host::any_seed;
use plyground_host::rules::take_fault;
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::sleep;

use crate::lock;
use crate::server::site::{ClientAddress, Refusal};

/// The running searches.
#[derive(Debug)]
pub(crate) struct Searches {
    most: usize,
    most_by_address: usize,
    number: AtomicU64,
    by_client: Mutex<HashMap<String, Running>>,
}

#[derive(Debug)]
struct Running {
    number: u64,
    ticket: Ticket,
}

/// The ticket with which a search asks for its turns.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    /// The address of the client. Addresses take turns, however many searches each has.
    address: ClientAddress,
    /// The flag that ends the search.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Ticket {
    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Searches {
    /// Creates a limit of `most` searches at a time, and of `most_by_address` searches for clients at one address.
    pub(crate) fn new(most: usize, most_by_address: usize) -> Arc<Searches> {
        let (number, by_client) = (AtomicU64::new(0), Mutex::default());
        Arc::new(Searches { most, most_by_address, number, by_client })
    }

    /// Returns the greatest number of searches at a time.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Returns true if there is at most one search.
    pub(crate) fn is_alone(&self) -> bool {
        lock(&self.by_client).len() <= 1
    }

    /// Begins a search of a client, and ends the earlier search of the client, if there is one.
    pub(crate) fn begin(
        self: &Arc<Searches>,
        client: &str,
        address: ClientAddress,
    ) -> Result<Permit, Refusal> {
        let mut by_client = lock(&self.by_client);
        if let Some(earlier) = by_client.remove(client) {
            earlier.ticket.end();
        }
        let busy = |others: usize, place: &str| {
            let why = format!("{others} others{place} are searching; try again later");
            Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why))
        };
        if by_client.len() >= self.most {
            return busy(self.most, "");
        }
        let from_here =
            by_client.values().filter(|running| running.ticket.address == address).count();
        if from_here >= self.most_by_address {
            return busy(self.most_by_address, address.place());
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let ticket = Ticket { address, stop: Arc::default() };
        by_client.insert(client.to_owned(), Running { number, ticket: ticket.clone() });
        let (searches, client) = (Arc::clone(self), client.to_owned());
        Ok(Permit { searches, client, number, ticket, timer: None })
    }

    /// Ends all searches.
    pub(crate) fn stop_all(&self) {
        lock(&self.by_client).values().for_each(|running| running.ticket.end());
    }
}

/// The permit of one search. Dropping it ends the search.
#[derive(Debug)]
pub(crate) struct Permit {
    searches: Arc<Searches>,
    client: String,
    number: u64,
    /// The ticket of the search.
    pub(crate) ticket: Ticket,
    /// The task that ends the search at its limit.
    timer: Option<AbortHandle>,
}

impl Permit {
    /// Ends the search after this time, even if the client does not read the results, and then runs `more`, unless the
    /// permit is dropped first.
    pub(crate) fn limit(
        &mut self,
        time: Duration,
        more: impl Future<Output = ()> + Send + 'static,
    ) {
        let ticket = self.ticket.clone();
        let timer = tokio::spawn(async move {
            sleep(time).await;
            ticket.end();
            more.await;
        });
        self.timer = Some(timer.abort_handle());
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.ticket.end();
        self.timer.iter().for_each(AbortHandle::abort);
        let mut by_client = lock(&self.searches.by_client);
        if by_client.get(&self.client).is_some_and(|running| running.number == self.number) {
            by_client.remove(&self.client);
        }
    }
}

/// The names of clients; each name has one search at a time. A name is a number that cannot be guessed and a keyed
/// hash of the number, so that this server recognizes its own names without a list.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The key, which differs in every run.
    key: RandomState,
}

/// The length in hexadecimal digits of the number and of the hash in a name.
const NUMBER: usize = 32;
const HASH: usize = 16;

impl Names {
    /// Returns a new name.
    pub(crate) fn give(&self) -> String {
        let number = format!("{:016x}{:016x}", any_seed(), any_seed());
        let hash = self.key.hash_one(&number);
        format!("{number}{hash:016x}")
    }

    /// Returns true if this server has given out the name.
    pub(crate) fn has_given(&self, name: &str) -> bool {
        let parts = name.split_at_checked(NUMBER).filter(|(_, hash)| hash.len() == HASH);
        parts.is_some_and(|(number, hash)| {
            u64::from_str_radix(hash, 16) == Ok(self.key.hash_one(number))
        })
    }
}

/// The greatest number of tasks of [`off_thread`] at a time, besides the searches.
pub(crate) const MOST: usize = 16;

/// Runs work in a thread of its own, so that the calling thread can serve other connections.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has failed");
    spawn_blocking(move || by_rules(work)?).await.map_err(failed)?
}

/// Runs work in this thread.
///
/// # Errors
///
/// Returns a refusal if the rules program of the game has failed during the work, because the result may be wrong.
pub(crate) fn by_rules<T>(work: impl FnOnce() -> T) -> Result<T, Refusal> {
    let _ = take_fault();
    let done = work();
    match take_fault() {
        Some(fault) => Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, fault.to_string())),
        None => Ok(done),
    }
}

/// The time that a search runs while other searches wait. The time is short enough that two hundred searches on two
/// processors all have a turn within a second, and long enough to outweigh the cost of a switch.
const SLICE: Duration = Duration::from_millis(5);

/// The number of addresses at which all last turns are forgotten.
const MOST_ADDRESSES: usize = 1_000;

/// The turns of searches, of which a limited number run at a time. The other searches wait, and a running search makes
/// way after [`SLICE`], alternately for an urgent and a patient search: that of the address whose last turn of this
/// kind is the longest ago. So many searches of one address take no time from those of another, and other threads, such
/// as the threads of the server, always find a processor soon.
#[derive(Debug)]
pub(crate) struct Turns {
    most: NonZeroUsize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// The waiting searches, by [`Urgency`].
    waiting: [VecDeque<Arc<Waiter>>; 2],
    /// If true, the last turn went to an urgent search.
    was_urgent: bool,
    /// The number of turns so far.
    turn: u64,
    /// The number of the last turn of each address, by [`Urgency`], as far as they are known.
    last: [HashMap<ClientAddress, u64>; 2],
}

/// A thread that waits for its turn.
#[derive(Debug)]
struct Waiter {
    ticket: Ticket,
    thread: Thread,
    called: AtomicBool,
}

/// The urgency of a search: urgent searches have every second turn at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A client waits for the end of the search.
    Urgent,
    /// A client uses intermediate results, and can wait for the next one.
    Patient,
}

impl Turns {
    /// Creates turns for at most `most` searches at a time.
    pub(crate) fn new(most: NonZeroUsize) -> Arc<Turns> {
        Arc::new(Turns { most, state: Mutex::default() })
    }

    /// Returns the greatest number of searches at a time.
    pub(crate) fn most(&self) -> NonZeroUsize {
        self.most
    }

    /// Waits for the first turn of a search, and returns the context that makes the search wait for the others. The
    /// first turn is urgent even for a patient search, so that every client soon has a result.
    pub(crate) fn begin(self: &Arc<Turns>, urgency: Urgency, ticket: &Ticket) -> SearchContext {
        let turn = Arc::new(self.first(urgency, ticket));
        SearchContext { checkpoint: Some(turn), ..Arc::clone(&ticket.stop).into() }
    }

    fn first(self: &Arc<Turns>, urgency: Urgency, ticket: &Ticket) -> SearchTurn {
        let mut state = lock(&self.state);
        if state.running < self.most.get() {
            state.running += 1;
            state.note(Urgency::Urgent, ticket);
        } else {
            let waiter = state.queue(Urgency::Urgent, ticket);
            drop(state);
            waiter.wait();
        }
        let (turns, end) = (Arc::clone(self), Mutex::new(Instant::now() + SLICE));
        SearchTurn { turns, urgency, ticket: ticket.clone(), end }
    }
}

impl State {
    fn queue(&mut self, urgency: Urgency, ticket: &Ticket) -> Arc<Waiter> {
        let (ticket, called) = (ticket.clone(), AtomicBool::new(false));
        let waiter = Arc::new(Waiter { ticket, thread: thread::current(), called });
        self.waiting[urgency as usize].push_back(Arc::clone(&waiter));
        waiter
    }

    /// Calls the next waiting thread. Returns false if no thread waits. After an urgent search comes a patient search,
    /// so that long urgent searches do not block the patient ones.
    fn call(&mut self) -> bool {
        use Urgency::{Patient, Urgent};
        let order = if self.was_urgent { [Patient, Urgent] } else { [Urgent, Patient] };
        let next = order.into_iter().find_map(|urgency| Some((urgency, self.next(urgency)?)));
        let Some((urgency, next)) = next else { return false };
        self.was_urgent = urgency == Urgent;
        self.note(urgency, &next.ticket);
        next.called.store(true, Ordering::Release);
        next.thread.unpark();
        true
    }

    /// Takes the search of this urgency whose address had its last turn the longest ago; the first of several. A search
    /// that has ended comes before all others, because it only gives back its thread.
    fn next(&mut self, urgency: Urgency) -> Option<Arc<Waiter>> {
        let waiting = &mut self.waiting[urgency as usize];
        let last = &self.last[urgency as usize];
        let key = |Waiter { ticket, .. }: &Waiter| {
            (!ticket.stop.load(Ordering::Relaxed), last.get(&ticket.address).copied())
        };
        let (index, _) = waiting.iter().enumerate().min_by_key(|(_, waiter)| key(waiter))?;
        waiting.remove(index)
    }

    /// Notes that the address of a search has its turn.
    fn note(&mut self, urgency: Urgency, ticket: &Ticket) {
        let last = &mut self.last[urgency as usize];
        if last.len() >= MOST_ADDRESSES {
            last.clear();
        }
        self.turn += 1;
        last.insert(ticket.address, self.turn);
    }
}

impl Waiter {
    fn wait(&self) {
        while !self.called.load(Ordering::Acquire) {
            thread::park();
        }
    }
}

/// The right of one search, with all its threads, to run. Dropping the value gives up the right.
#[derive(Debug)]
pub(crate) struct SearchTurn {
    turns: Arc<Turns>,
    urgency: Urgency,
    ticket: Ticket,
    end: Mutex<Instant>,
}

impl Checkpoint for SearchTurn {
    /// If the turn is over and other searches wait, makes way and waits for the next turn.
    fn pass(&self) {
        // The lock is held while waiting, so that the other threads of the search wait too.
        let mut end = lock(&self.end);
        if Instant::now() < *end {
            return;
        }
        let mut state = lock(&self.turns.state);
        if state.call() {
            let waiter = state.queue(self.urgency, &self.ticket);
            drop(state);
            waiter.wait();
        }
        *end = Instant::now() + SLICE;
    }
}

impl Drop for SearchTurn {
    fn drop(&mut self) {
        let mut state = lock(&self.turns.state);
        if !state.call() {
            state.running -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn address(last: u8) -> ClientAddress {
        ClientAddress::new([10, 0, 0, last].into())
    }

    #[test]
    fn client_has_one_search() {
        let searches = Searches::new(2, 2);
        let begin = |client: &str| searches.begin(client, address(1));
        let first = begin("a").expect("room");
        let second = begin("a").expect("the place of the first");
        let is_raised = |permit: &Permit| permit.ticket.stop.load(Ordering::Relaxed);
        assert!(is_raised(&first) && !is_raised(&second));
        drop(first);
        assert!(!is_raised(&second));
        let other = begin("b").expect("room");
        assert!(begin("c").is_err());
        drop(other);
        assert!(begin("c").is_ok());
        searches.stop_all();
        assert!(is_raised(&second));
    }

    #[test]
    fn one_address_leaves_room_for_others() {
        let searches = Searches::new(4, 3);
        let begin = |client: u8, last| searches.begin(&client.to_string(), address(last));
        let _ours: Vec<_> = (0..3).map(|client| begin(client, 1).expect("room")).collect();
        assert!(begin(3, 1).is_err());
        let _other = begin(4, 2).expect("room");
        assert!(begin(5, 2).is_err(), "four in all");
    }

    #[test]
    fn search_ends_at_its_limit() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(async {
            let mut permit = Searches::new(1, 1).begin("a", address(1)).expect("room");
            let (told, hears) = tokio::sync::oneshot::channel();
            permit.limit(Duration::from_millis(1), async { told.send(()).expect("a listener") });
            hears.await.expect("the end");
            assert!(permit.ticket.stop.load(Ordering::Relaxed));
        });
    }

    #[test]
    fn only_names_that_were_given_are_known() {
        let (names, others) = (Names::default(), Names::default());
        let (one, other) = (names.give(), names.give());
        assert!(one != other && names.has_given(&one) && names.has_given(&other));
        assert!(!others.has_given(&one));
        let changed = if one.starts_with('0') { "1" } else { "0" };
        let long = "ü".repeat(24);
        for name in
            ["", "a", &one[1..], &format!("{one}0"), &format!("{changed}{}", &one[1..]), &long]
        {
            assert!(!names.has_given(name), "{name}");
        }
    }

    #[test]
    fn searches_run_two_at_a_time_and_all_in_the_end() {
        let turns = Turns::new(NonZeroUsize::MIN.saturating_add(1));
        let (running, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for index in 0..16 {
                let urgency = if index % 2 == 0 { Urgency::Urgent } else { Urgency::Patient };
                let (turns, running, done) = (&turns, &running, &done);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let turn = turns.first(urgency, &ticket(index));
                        assert!(running.fetch_add(1, Ordering::SeqCst) < 2);
                        running.fetch_sub(1, Ordering::SeqCst);
                        turn.pass();
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(done.load(Ordering::SeqCst), 16);
        assert_eq!(lock(&turns.state).running, 0);
    }

    fn ticket(last: u8) -> Ticket {
        Ticket { address: address(last), stop: Arc::default() }
    }

    #[test]
    fn addresses_take_turns_however_many_searches_each_has() {
        use Urgency::{Patient, Urgent};
        let mut state = State::default();
        for from in [1, 1, 1, 1, 2, 1, 2, 3] {
            state.queue(Urgent, &ticket(from));
        }
        let mut next = |urgency| {
            let next = state.next(urgency)?;
            state.note(urgency, &next.ticket);
            Some(next.ticket.address)
        };
        let order: Vec<_> = std::iter::from_fn(|| next(Urgent)).collect();
        assert_eq!(order, [1, 2, 3, 1, 2, 1, 1, 1].map(address));
        // Urgent turns cost an address no patient ones.
        for from in [1, 4] {
            state.queue(Patient, &ticket(from));
            state.note(Urgent, &ticket(1));
        }
        let patient = state.next(Patient).map(|next| next.ticket.address);
        assert_eq!(patient, Some(address(1)));
        // A search that has ended waits no longer.
        let ended = ticket(1);
        state.queue(Urgent, &ticket(5));
        state.queue(Urgent, &ended);
        ended.end();
        assert_eq!(state.next(Urgent).map(|next| next.ticket.address), Some(address(1)));
    }

    #[test]
    fn search_that_is_alone_keeps_its_turn() {
        let turns = Turns::new(NonZeroUsize::MIN);
        let turn = turns.first(Urgency::Patient, &ticket(1));
        *lock(&turn.end) = Instant::now();
        turn.pass();
        assert_eq!(lock(&turns.state).running, 1);
        drop(turn);
        assert_eq!(lock(&turns.state).running, 0);
    }
}
