//! A second proof of what a trace says: the alpha-beta of the textbooks, and the intervals that the trace
//! proves for the value of every position that was searched.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use plyground::trace::{Entered, Found, Observer, Order, Source, Statement, Window};
use plyground::{Bounds, Evaluator, Score, SearchHints, Side};

/// A position that a search comes to, or a move that it cuts off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<M> {
    /// The number of plies from the root.
    pub ply: u32,
    /// The move that leads there; `None` at the root.
    pub mv: Option<M>,
    /// If true, the position is searched.
    pub is_searched: bool,
}

/// Steps are handed over by so many, and so many times before the reader has to catch up.
const BATCH: usize = 10_000;
const BATCHES: usize = 4;

/// A search under way.
struct Textbook<'a, G: SearchHints, E> {
    evaluator: &'a E,
    order: Order,
    /// The side that moves at the root.
    first: Side,
    batch: Vec<Step<G::Move>>,
    sender: SyncSender<Vec<Step<G::Move>>>,
}

/// Searches in a thread of its own. What comes out is every step, in order: a tree of any size can be
/// compared with another, and neither is kept.
pub fn steps<'scope, 'env, G, E>(
    scope: &'scope Scope<'scope, 'env>,
    position: &'env G,
    evaluator: &'env E,
    (depth, order): (u32, Order),
) -> impl Iterator<Item = Step<G::Move>>
where
    G: SearchHints + Sync,
    E: Evaluator<G> + Sync,
{
    let (sender, receiver): (_, Receiver<Vec<_>>) = sync_channel(BATCHES);
    scope.spawn(move || {
        let first = position.side_to_move();
        let mut search = Textbook { evaluator, order, first, batch: Vec::new(), sender };
        search.batch.push(Step { ply: 0, mv: None, is_searched: true });
        search.value(position, (depth, 0), (Score::MIN.get(), Score::MAX.get()));
        search.hand_over();
    });
    receiver.into_iter().flatten()
}

impl<G: SearchHints, E: Evaluator<G>> Textbook<'_, G, E> {
    /// Returns the value for the side that moves first, which maximizes; the other minimizes. `None` if the
    /// reader has gone.
    fn value(
        &mut self,
        position: &G,
        (depth, ply): (u32, u32),
        (mut alpha, mut beta): (i32, i32),
    ) -> Option<i32> {
        let maximizes = position.side_to_move() == self.first;
        let sign = if maximizes { 1 } else { -1 };
        if let Some(value) = leaf(position, self.evaluator, depth, ply) {
            return Some((sign * value).clamp(alpha, beta));
        }
        let mut is_cut = false;
        for (mv, next) in self.moves(position, ply) {
            self.tell(Step { ply: ply + 1, mv: Some(mv), is_searched: !is_cut })?;
            if is_cut {
                continue;
            }
            let value = self.value(&next, (depth - 1, ply + 1), (alpha, beta))?;
            if maximizes {
                alpha = alpha.max(value)
            } else {
                beta = beta.min(value)
            }
            is_cut = alpha >= beta;
        }
        let found = if maximizes { alpha } else { beta };
        // The limits of the game hold whatever was found.
        let limits = if depth < 2 { position.bounds() } else { position.closest_bounds() };
        let limits = [limits.lower, limits.upper].map(|limit| sign * limit.get());
        Some(found.clamp(limits[0].min(limits[1]), limits[0].max(limits[1])))
    }

    /// The moves in order: the best is the one after which the opponent is worst off at a glance.
    fn moves(&self, position: &G, ply: u32) -> Vec<(G::Move, G)> {
        let moves = position.legal_moves().map(|mv| (mv, position.after(mv)));
        let mut moves: Vec<_> = moves.collect();
        let sign = match self.order {
            Order::Natural => return moves,
            Order::Good => 1,
            Order::Bad => -1,
        };
        moves.sort_by_cached_key(|(_, next)| {
            let is_own = next.side_to_move() == position.side_to_move();
            let sign = if is_own { -sign } else { sign };
            sign * at_once(next, self.evaluator, ply + 1)
        });
        moves
    }

    fn tell(&mut self, step: Step<G::Move>) -> Option<()> {
        self.batch.push(step);
        if self.batch.len() < BATCH { Some(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> Option<()> {
        self.sender.send(std::mem::take(&mut self.batch)).ok()
    }
}

/// The value of a position from which no move is searched, as the side to move sees it.
fn leaf<G: SearchHints, E: Evaluator<G>>(
    position: &G,
    evaluator: &E,
    depth: u32,
    ply: u32,
) -> Option<i32> {
    (depth == 0 || position.outcome().is_some()).then(|| at_once(position, evaluator, ply))
}

/// Returns the value of a position without a search, as the side to move sees it.
fn at_once<G: SearchHints, E: Evaluator<G>>(position: &G, evaluator: &E, ply: u32) -> i32 {
    let value = match position.outcome() {
        Some(outcome) => outcome.score::<G>(position.side_to_move(), ply),
        None => {
            let value = Score::estimate(evaluator.evaluate(position).get());
            position.bounds().clamp(value)
        }
    };
    value.get()
}

/// Looks on at a search, and finds fault with it.
///
/// By the definition of minimax, the value of a position is that of its best move, moved into the
/// limits of the game. So intervals for the values after its moves give one for its own, where a move
/// that was cut off may be worth anything. From the leaves on, every interval holds the value of
/// minimax, by induction and without a window in sight; and what a node says has to follow from it.
/// Of a search without a table, nothing is kept but the way to a node: its tree may have any size.
pub struct Intervals<'a, G: SearchHints, E, S> {
    evaluator: &'a E,
    depth: u32,
    open: Vec<Open<G::Move>>,
    /// With a table: the key, the ply and the interval of every position entered.
    known: Option<Vec<(u64, u32, Bounds)>>,
    /// The steps that the search should take.
    expected: S,
    most: u64,
    /// Positions entered.
    pub entered: u64,
    /// Moves cut off.
    pub cut: u64,
    /// The interval of the root, when it has been left.
    pub root: Option<Bounds>,
    /// The first fault.
    pub fault: Option<String>,
}

/// A position that has been entered and not left.
struct Open<M> {
    number: u64,
    ply: u32,
    side: Side,
    window: Window,
    /// The moves that were searched, then those that were cut off.
    moves: Vec<M>,
    cut: usize,
    /// The interval of the best of the moves that were searched.
    best: Bounds,
}

impl<'a, G, E, S> Intervals<'a, G, E, S>
where
    G: SearchHints,
    E: Evaluator<G>,
    S: Iterator<Item = Step<G::Move>>,
{
    /// Looks on at a search to `depth`, until it has entered `most` positions.
    pub fn new(
        (evaluator, depth): (&'a E, u32),
        table: bool,
        expected: S,
        most: u64,
    ) -> Intervals<'a, G, E, S> {
        Intervals {
            evaluator,
            depth,
            open: Vec::new(),
            known: table.then(Vec::new),
            expected,
            most,
            entered: 0,
            cut: 0,
            root: None,
            fault: None,
        }
    }

    /// Returns `true` if the steps that were expected end here.
    pub fn is_at_end(&mut self) -> bool {
        self.expected.next().is_none()
    }

    fn expect(&mut self, step: Step<G::Move>) {
        // With a table the search does less than textbooks have it do.
        if self.known.is_some() {
            return;
        }
        let expected = self.expected.next();
        if expected != Some(step) {
            self.find(format!("{step:?}, expected {expected:?}"));
        }
    }

    /// Keeps the first fault.
    fn find(&mut self, fault: String) {
        let way: Vec<_> = self.open.iter().filter_map(|open| open.moves.last()).collect();
        self.fault.get_or_insert(format!("after {way:?}: {fault}"));
    }

    /// The interval of a position that is left.
    fn interval(
        &self,
        position: &G,
        open: &Open<G::Move>,
        source: Source,
    ) -> Result<Bounds, String> {
        let depth = self.depth - open.ply;
        let limits = if depth < 2 { position.bounds() } else { position.closest_bounds() };
        match (source, position.outcome()) {
            (Source::Outcome, Some(outcome)) => {
                Ok(Bounds::only(outcome.score::<G>(position.side_to_move(), open.ply)))
            }
            (Source::Evaluation, None) if depth == 0 => {
                let value = Score::estimate(self.evaluator.evaluate(position).get());
                Ok(Bounds::only(limits.clamp(value)))
            }
            (Source::Table(number), None) if depth > 0 && number < open.number => {
                let known = self.known.as_ref().ok_or("there is no table")?;
                let (key, ply, interval) = known[number as usize];
                let is_it = (key, ply) == (position.key(), open.ply);
                is_it.then_some(interval).ok_or(format!("{number} is another position"))
            }
            (Source::Moves, None) if depth > 0 => {
                let legal: Vec<_> = position.legal_moves().collect();
                let is_whole = legal == open.moves
                    || legal.len() == open.moves.len()
                        && legal.iter().all(|mv| open.moves.contains(mv));
                if !is_whole {
                    return Err(format!("{:?} are not all moves", open.moves));
                }
                let upper = if open.cut > 0 { Score::MAX } else { open.best.upper };
                Ok(Bounds { lower: limits.clamp(open.best.lower), upper: limits.clamp(upper) })
            }
            (source, outcome) => Err(format!("{source:?}, outcome {outcome:?}, depth {depth}")),
        }
    }

    /// Returns an error that says what is wrong with what a node says, if anything is.
    fn check(
        &self,
        open: &Open<G::Move>,
        found: &Found<G::Move>,
        value: Bounds,
    ) -> Result<(), String> {
        let Found { score, statement, best, cut, .. } = *found;
        let follows = match statement {
            Statement::Exact => value == Bounds::only(score),
            Statement::AtLeast => value.lower >= score,
            Statement::AtMost => value.upper <= score,
        };
        // A bound is one that the window allows.
        let is_enough = statement.answers(score, open.window);
        let has_best = best.is_none_or(|best| open.moves.contains(&best));
        if follows && is_enough && has_best && cut == open.cut {
            return Ok(());
        }
        Err(format!("{found:?} where the value is in {value:?}, asked {:?}", open.window))
    }
}

impl<G, E, S> Observer<G> for Intervals<'_, G, E, S>
where
    G: SearchHints,
    E: Evaluator<G>,
    S: Iterator<Item = Step<G::Move>>,
{
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool {
        let Entered { from, position, ply, window } = *entered;
        let mv = from.map(|(_, mv)| mv);
        if let (Some(parent), Some(mv)) = (self.open.last_mut(), mv) {
            parent.moves.push(mv);
        }
        self.expect(Step { ply, mv, is_searched: true });
        if let Some(known) = &mut self.known {
            known.push((position.key(), ply, Bounds::NONE));
        }
        let best = Bounds::only(Score::MIN);
        let (number, side) = (self.entered, position.side_to_move());
        let open = Open { number, ply, side, window, moves: Vec::new(), cut: 0, best };
        self.open.push(open);
        self.entered += 1;
        self.entered <= self.most && self.fault.is_none()
    }

    fn cut(&mut self, _: &G, moves: &[(G::Move, G)]) {
        self.cut += moves.len() as u64;
        let ply = self.open.len() as u32;
        for &(mv, _) in moves {
            self.expect(Step { ply, mv: Some(mv), is_searched: false });
        }
        let parent = self.open.last_mut().expect("a position");
        parent.moves.extend(moves.iter().map(|&(mv, _)| mv));
        parent.cut = moves.len();
    }

    fn leave(&mut self, position: &G, found: &Found<G::Move>) {
        let open = self.open.pop().expect("a position");
        let value = self.interval(position, &open, found.source);
        let checked = value.and_then(|value| self.check(&open, found, value).map(|()| value));
        let value = checked.unwrap_or_else(|fault| {
            self.find(fault);
            Bounds::NONE
        });
        if let Some(known) = &mut self.known {
            known[open.number as usize].2 = value;
        }
        match self.open.last_mut() {
            Some(Open { best, side, .. }) => {
                let value_above = if *side == open.side { value } else { value.flip() };
                best.lower = best.lower.max(value_above.lower);
                best.upper = best.upper.max(value_above.upper);
            }
            None => self.root = Some(value),
        }
    }
}
