//! Patterns in the mistakes of a program, which point at the kind of its bug.
//!
//! Two kinds of evidence are used. A *near question* is a position in which the rules alone tell some moves
//! from others within one or two plies; a program that finds no more of the answers than chance does not look
//! there. A *slip* is a mistake that is also a wrong answer to a near question: a program that looks ahead at
//! all seldom makes one.

use plyground::Side;
use serde::{Deserialize, Serialize};
use statrs::distribution::{DiscreteCDF, Hypergeometric};

use super::game::{Choice, GameReview, NearQuestion};

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Its kind.
    pub kind: PatternKind,
    /// The pattern in words, with the numbers that it follows from.
    pub text: String,
}

/// The kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternKind {
    /// The slips are those of one side.
    OneSide,
    /// The slips come near the end of a game.
    NearTheEnd,
    /// The slips come before the end of a game.
    BeforeTheEnd,
    /// The move is always the first or the last of all, if no gain or loss is near.
    AlwaysTheSame,
    /// The moves are no better than random ones.
    Random,
    /// The moves are worse than random ones.
    ForTheOpponent,
    /// The player does not take the gain of its next move.
    OwnMoveUnseen,
    /// The replies of the opponent are not seen.
    ReplyUnseen,
    /// Some move is never made.
    NeverPlayed,
    /// Games are lost by faults.
    Faults,
    /// The program looks no further than some depth.
    Horizon,
}

/// The depth of the near questions.
const NEAR: u32 = 2;

/// The greatest probability with which chance alone makes a pattern.
const LIKELY_CHANCE: f64 = 0.001;

/// The greatest share of the rate of slips elsewhere in that of a pattern; and the greatest with which they are
/// said to come only there.
const ELSEWHERE: f64 = 0.5;
const ONLY: f64 = 0.25;

/// The fewest questions, and the fewest slips, that tell something.
const FEWEST: usize = 10;
const FEWEST_SLIPS: usize = 2;

/// The number of last plies that are tried as the end of a game.
const ENDS: [usize; 6] = [4, 6, 8, 10, 12, 16];

/// Returns the patterns in the moves that a program chose, and in the games that it lost by a fault.
pub(super) fn patterns(choices: &[Choice<'_>], faults: &[(&GameReview, Side)]) -> Vec<Pattern> {
    let mut found = Vec::new();
    found.extend(of_faults(faults));
    let side = one_side(choices);
    let own: Vec<Choice<'_>> = match &side {
        Some((side, _)) => choices.iter().filter(|it| it.made.side == *side).copied().collect(),
        None => choices.to_vec(),
    };
    let scope = match &side {
        Some((side, _)) => format!("as player {}, ", side.index() + 1),
        None => String::new(),
    };
    found.extend(side.map(|(_, pattern)| pattern));
    let part = End::slips_in(&own, &scope);
    let inside: Vec<Choice<'_>> = match &part {
        Some((part, _)) => own.iter().filter(|it| part.has(it)).copied().collect(),
        None => own.clone(),
    };
    found.extend(part.map(|(_, pattern)| pattern));
    let habit = always_the_same(&own, &scope).or_else(|| never_played(&own, &scope));
    // A habit explains wrong answers, and these a near horizon.
    let blindness = if habit.is_some() { None } else { near(&inside, &scope) };
    found.extend(habit);
    found.extend(blindness);
    let is_explained = found.iter().any(|pattern| pattern.kind != PatternKind::Faults);
    found.extend(horizon(&own).filter(|_| !is_explained));
    found
}

/// Returns the number of plies of the game after the move.
fn left(choice: &Choice<'_>) -> usize {
    choice.game.moves.len().saturating_sub(choice.made.ply)
}

/// Returns true if the move is a slip.
fn is_slip(choice: &Choice<'_>) -> bool {
    choice.made.kind.is_some() && !choice.made.near_two.hit
}

/// Returns true if the rules tell some moves from others within two plies.
fn is_near(choice: &Choice<'_>) -> bool {
    choice.made.near_two.best < choice.made.choices
}

/// Wrong answers to near questions.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    /// The number of questions.
    of: usize,
    /// The number of wrong answers.
    misses: usize,
    /// The number of those that are mistakes.
    slips: usize,
}

impl Rate {
    fn new<'a>(choices: impl Iterator<Item = &'a Choice<'a>>) -> Rate {
        let mut rate = Rate::default();
        for choice in choices.filter(|it| is_near(it)) {
            rate.of += 1;
            rate.misses += usize::from(!choice.made.near_two.hit);
            rate.slips += usize::from(is_slip(choice));
        }
        rate
    }

    /// Returns the share of the questions that led to slips.
    fn share(self) -> f64 {
        self.slips as f64 / self.of.max(1) as f64
    }

    /// Returns true if wrong answers belong here, and not elsewhere.
    fn stands_out(self, elsewhere: Rate) -> bool {
        elsewhere.of >= FEWEST
            && self.slips >= FEWEST_SLIPS
            && elsewhere.share() <= ELSEWHERE * self.share()
            && self.chance(elsewhere) <= LIKELY_CHANCE
    }

    /// Returns the probability that so many of all wrong answers, or of all slips, are here by chance,
    /// whichever is greater. A sound program may have reasons of its own for a wrong answer, and more of
    /// them as one side; few of these are slips.
    fn chance(self, elsewhere: Rate) -> f64 {
        let among = |own: usize, others: usize| chance([own, others], [self.of, elsewhere.of]);
        among(self.misses, elsewhere.misses).max(among(self.slips, elsewhere.slips))
    }
}

/// Returns the probability that at least so many of all cases are among the first of these by chance (R. A.
/// Fisher's exact test).
fn chance(cases: [usize; 2], of: [usize; 2]) -> f64 {
    let [all, all_cases] = [of, cases].map(|numbers| numbers.iter().sum::<usize>() as u64);
    if cases[0] == 0 {
        return 1.0;
    }
    let drawn = Hypergeometric::new(all, all_cases, of[0] as u64);
    drawn.map_or(1.0, |drawn| drawn.sf(cases[0] as u64 - 1))
}

fn of_faults(faults: &[(&GameReview, Side)]) -> Option<Pattern> {
    let (game, _) = faults.first()?;
    let reason = game.reason.clone().unwrap_or_default();
    let sides = Side::BOTH.map(|side| faults.iter().filter(|(_, own)| *own == side).count());
    let only = match sides {
        [_, 0] if faults.len() > 2 => ", as player 1 only",
        [0, _] if faults.len() > 2 => ", as player 2 only",
        _ => "",
    };
    let count = faults.len();
    let text = format!("loses {count} games by a fault{only}; the first: {reason}");
    Some(Pattern { kind: PatternKind::Faults, text })
}

fn one_side(choices: &[Choice<'_>]) -> Option<(Side, Pattern)> {
    let rate = |side: Side| Rate::new(choices.iter().filter(|it| it.made.side == side));
    let side = Side::BOTH.into_iter().find(|&side| rate(side).stands_out(rate(side.other())))?;
    let (own, other) = (rate(side), rate(side.other()));
    let only = if other.share() <= ONLY * own.share() { "only" } else { "mostly" };
    let text = format!(
        "slips as player {} {only}: {} of {} times that something was near, and {} of {} as player {}",
        side.index() + 1,
        own.slips,
        own.of,
        other.slips,
        other.of,
        side.other().index() + 1
    );
    Some((side, Pattern { kind: PatternKind::OneSide, text }))
}

/// The last plies of games, or all plies before them.
#[derive(Clone, Copy, Debug)]
struct End {
    /// The number of the last plies.
    plies: usize,
    /// If true, the plies before them are meant.
    before: bool,
}

impl End {
    fn has(self, choice: &Choice<'_>) -> bool {
        (left(choice) < self.plies) != self.before
    }

    /// Returns wrong answers here, and elsewhere.
    fn rates(self, choices: &[Choice<'_>]) -> [Rate; 2] {
        [true, false].map(|inside| Rate::new(choices.iter().filter(|it| self.has(it) == inside)))
    }

    /// Returns the part of games that the slips belong to, if they belong to one.
    fn slips_in(choices: &[Choice<'_>], scope: &str) -> Option<(End, Pattern)> {
        let ends =
            ENDS.into_iter().flat_map(|plies| [false, true].map(|before| End { plies, before }));
        let ends = ends.map(|end| (end, end.rates(choices)));
        let standing_out = ends.filter(|(_, [here, elsewhere])| here.stands_out(*elsewhere));
        let chance = |[here, elsewhere]: [Rate; 2]| here.chance(elsewhere);
        let (end, rates) =
            standing_out.min_by(|(_, one), (_, other)| chance(*one).total_cmp(&chance(*other)))?;
        Some((end, end.pattern(rates, scope)))
    }

    fn pattern(self, [here, elsewhere]: [Rate; 2], scope: &str) -> Pattern {
        let (kind, when, else_when) = match self.before {
            false => (PatternKind::NearTheEnd, "in", "before"),
            true => (PatternKind::BeforeTheEnd, "before", "in them"),
        };
        let text = format!(
            "{scope}slips {when} the last {} plies: {} of {} times that something was near, and {} of {} {else_when}",
            self.plies, here.slips, here.of, elsewhere.slips, elsewhere.of
        );
        Pattern { kind, text }
    }
}

/// The share of moves that makes a habit.
const HABIT: f64 = 0.9;

fn always_the_same(choices: &[Choice<'_>], scope: &str) -> Option<Pattern> {
    let quiet: Vec<_> = choices.iter().filter(|it| !is_near(it) && it.made.choices > 2).collect();
    let is_first = |it: &Choice<'_>| it.made.index == 0;
    let is_last = |it: &Choice<'_>| it.made.index + 1 == it.made.choices;
    if quiet.len() < FEWEST {
        return None;
    }
    let share = |is: &dyn Fn(&Choice<'_>) -> bool| {
        quiet.iter().filter(|it| is(it)).count() as f64 / quiet.len() as f64
    };
    let (name, is): (&str, &dyn Fn(&Choice<'_>) -> bool) = match (share(&is_first), share(&is_last))
    {
        (first, _) if first >= HABIT => ("first", &is_first),
        (_, last) if last >= HABIT => ("last", &is_last),
        _ => return None,
    };
    let count = quiet.iter().filter(|it| is(it)).count();
    let mut moves: Vec<&str> =
        quiet.iter().filter(|it| is(it)).map(|it| it.made.mv.as_str()).collect();
    moves.sort_unstable();
    let usual = moves.chunk_by(|one, other| one == other).max_by_key(|same| same.len());
    let usual = usual.and_then(|same| same.first()).copied().unwrap_or_default();
    let text = format!(
        "{scope}always the {name} legal move, mostly {usual}, when nothing is near: {count} of {} times",
        quiet.len()
    );
    Some(Pattern { kind: PatternKind::AlwaysTheSame, text })
}

/// A game with more different moves than these has some that are never made.
const MOST_MOVES: usize = 12;
/// The fewest choices for each different move that tell of one that is never made.
const CHOICES_OF_EACH: usize = 7;

fn never_played(choices: &[Choice<'_>], scope: &str) -> Option<Pattern> {
    let sorted = |moves: Vec<&str>| {
        let mut moves: Vec<String> = moves.into_iter().map(str::to_owned).collect();
        moves.sort_unstable();
        moves.dedup();
        moves
    };
    let games = choices.iter().flat_map(|it| &it.game.moves);
    let all = sorted(games.flat_map(|it| [it.mv.as_str(), it.best.as_str()]).collect());
    let made = sorted(choices.iter().map(|it| it.made.mv.as_str()).collect());
    if all.len() > MOST_MOVES || choices.len() < CHOICES_OF_EACH * all.len() {
        return None;
    }
    let missed = |mv: &String| {
        choices.iter().filter(|it| it.made.is_mistake() && it.made.best == *mv).count()
    };
    let never: Vec<&String> =
        all.iter().filter(|mv| !made.contains(mv) && missed(mv) > 0).collect();
    let named = never.iter().map(|mv| mv.as_str()).collect::<Vec<_>>().join(" and ");
    let best: usize = never.iter().map(|mv| missed(mv)).sum();
    let text = format!(
        "{scope}never plays {named}, in {} choices; that was the best move {best} times",
        choices.len()
    );
    (!never.is_empty()).then_some(Pattern { kind: PatternKind::NeverPlayed, text })
}

/// The standard deviations from chance of a program that does not look, of one that looks for the wrong side,
/// and between chance and right answers throughout.
const BETTER_THAN_CHANCE: f64 = 2.0;
const WORSE_THAN_CHANCE: f64 = -2.5;
const CLEAR: f64 = 3.0;

/// The answers to near questions, beside those that chance finds.
#[derive(Clone, Copy, Debug, Default)]
struct Answers {
    asked: usize,
    hits: usize,
    by_chance: f64,
    variance: f64,
}

impl Answers {
    fn new(questions: impl Iterator<Item = (NearQuestion, usize)>) -> Answers {
        let mut answers = Answers::default();
        for (NearQuestion { best, hit }, choices) in questions {
            let chance = best as f64 / choices as f64;
            answers.asked += 1;
            answers.hits += usize::from(hit);
            answers.by_chance += chance;
            answers.variance += chance * (1.0 - chance);
        }
        answers
    }

    /// Returns how many standard deviations the hits are above those of chance.
    fn above_chance(self) -> f64 {
        (self.hits as f64 - self.by_chance) / self.variance.sqrt().max(0.5)
    }

    /// Returns true if the answers are no better than chance, and there are enough of them.
    fn is_chance(self) -> bool {
        let misses = self.asked as f64 - self.by_chance;
        let is_clear = misses > CLEAR * self.variance.sqrt();
        self.asked >= FEWEST && self.above_chance() < BETTER_THAN_CHANCE && is_clear
    }

    /// Returns true if the answers are better than chance.
    fn is_known(self) -> bool {
        self.above_chance() >= BETTER_THAN_CHANCE
    }

    fn words(self) -> String {
        let Answers { asked, hits, by_chance, .. } = self;
        format!("{hits} of {asked} found, and {by_chance:.0} by chance")
    }
}

/// Returns what the near questions say.
fn near(choices: &[Choice<'_>], scope: &str) -> Option<Pattern> {
    let ask = |is: &dyn Fn(&Choice<'_>) -> bool, of: &dyn Fn(&Choice<'_>) -> NearQuestion| {
        let asked = choices.iter().filter(|it| is(it));
        Answers::new(asked.map(|it| (of(it), it.made.choices)))
    };
    let gains = |it: &Choice<'_>| it.made.near_one.best < it.made.choices;
    let one = ask(&gains, &|it| it.made.near_one);
    let two = ask(&|it| is_near(it) && !gains(it), &|it| it.made.near_two);
    let all = ask(&is_near, &|it| it.made.near_two);
    let (kind, text) = if all.asked >= FEWEST && all.above_chance() < WORSE_THAN_CHANCE {
        let text = "as if it played for its opponent: of the best moves within two plies,";
        (PatternKind::ForTheOpponent, format!("{text} {}", all.words()))
    } else if all.is_chance() && !one.is_known() && !two.is_known() {
        let text = "as if at random: of the best moves within two plies,";
        (PatternKind::Random, format!("{text} {}", all.words()))
    } else if one.is_chance() {
        let text = "does not take what its next move gains:";
        (PatternKind::OwnMoveUnseen, format!("{text} {}", one.words()))
    } else if two.is_chance() {
        let text = "does not see the opponent's reply:";
        (PatternKind::ReplyUnseen, format!("{text} {}", two.words()))
    } else {
        return None;
    };
    Some(Pattern { kind, text: format!("{scope}{text}") })
}

/// The share of mistakes that may lie within the horizon.
const WITHIN_HORIZON: f64 = 0.1;

/// Returns the depth that a program without slips seems to look.
fn horizon(choices: &[Choice<'_>]) -> Option<Pattern> {
    let mut seen: Vec<u32> = choices.iter().filter_map(|it| it.made.seen_from_depth).collect();
    seen.sort_unstable();
    if seen.len() < FEWEST {
        return None;
    }
    let depth = seen[(WITHIN_HORIZON * seen.len() as f64) as usize];
    let below = seen.iter().filter(|&&other| other < depth).count();
    let text = format!(
        "sees about {} plies: of {} mistakes that a search sees, {below} are seen at less than depth {depth}",
        depth - 1,
        seen.len()
    );
    (depth > NEAR).then_some(Pattern { kind: PatternKind::Horizon, text })
}
