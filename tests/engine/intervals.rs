//! The intervals that a trace proves for the value of every position that was searched.

use plyground::trace::{Entered, Found, Observer, Source, Statement, Window};
use plyground::{Bounds, Evaluator, Score, SearchHints, Side};

use crate::textbook::Step;

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
