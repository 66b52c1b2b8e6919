//! Patterns in the mistakes of a program, which point at the kind of its bug.
//!
//! There are two kinds of evidence. A *near question* is a position in which the rules alone show within one or two
//! plies that some moves are better than others; a program whose answers are no better than chance does not look that
//! far. A *slip* is a mistake that is also a wrong answer to a near question: a program that looks ahead seldom makes
//! a slip.

use plyground::Side;
use serde::{Deserialize, Serialize};
use statrs::distribution::{DiscreteCDF, Hypergeometric};

use super::game::{Choice, GameReview, NearQuestion};

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The kind of the pattern.
    pub kind: PatternKind,
    /// The pattern in words, with the numbers that prove it.
    pub text: String,
}

/// The kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternKind {
    /// The slips come as one side.
    OneSide,
    /// The slips come near the end of a game.
    NearTheEnd,
    /// The slips come before the end of a game.
    BeforeTheEnd,
    /// The move is always the first or the last legal move, if no gain or loss is near.
    AlwaysTheSame,
    /// The moves are no better than random ones.
    Random,
    /// The moves are worse than random ones.
    ForTheOpponent,
    /// The player does not take the gain of its next move.
    OwnMoveUnseen,
    /// The player does not see the replies of the opponent.
    ReplyUnseen,
    /// The player never makes a certain move.
    NeverPlayed,
    /// Games are lost by faults.
    Faults,
    /// The player looks no further than a certain depth.
    Horizon,
}

/// The depth of the near questions.
const NEAR: u32 = 2;

/// The greatest probability of a pattern by chance.
const LIKELY_CHANCE: f64 = 0.001;

/// The greatest ratio of the rate of slips elsewhere to the rate in a pattern, and the greatest ratio for which the
/// text of the pattern says "only".
const ELSEWHERE: f64 = 0.5;
const ONLY: f64 = 0.25;

/// The fewest questions, and the fewest slips, for a pattern.
const FEWEST: usize = 10;
const FEWEST_SLIPS: usize = 2;

/// The numbers of last plies that are tried as the end of a game.
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
    // A habit explains wrong answers, and wrong answers explain a near horizon.
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

/// Returns true if the rules show within two plies that some moves are better than others.
fn is_near(choice: &Choice<'_>) -> bool {
    choice.made.near_two.best < choice.made.choices
}

/// The rate of wrong answers to near questions.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    /// The number of questions.
    of: usize,
    /// The number of wrong answers.
    misses: usize,
    /// The number of wrong answers that are mistakes.
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

    /// Returns true if the slips come mainly from this part of the questions, and not from `elsewhere`.
    fn stands_out(self, elsewhere: Rate) -> bool {
        elsewhere.of >= FEWEST
            && self.slips >= FEWEST_SLIPS
            && elsewhere.share() <= ELSEWHERE * self.share()
            && self.chance(elsewhere) <= LIKELY_CHANCE
    }

    /// Returns the probability that chance puts so many of the wrong answers, or so many of the slips, into this part;
    /// the greater of the two. Slips count too, because a sound program may have good reasons for wrong answers, and
    /// more often as one side, but few of these answers are slips.
    fn chance(self, elsewhere: Rate) -> f64 {
        let among = |own: usize, others: usize| chance([own, others], [self.of, elsewhere.of]);
        among(self.misses, elsewhere.misses).max(among(self.slips, elsewhere.slips))
    }
}

/// Returns the probability that at least `cases[0]` of all cases fall by chance into the first of two groups, whose
/// sizes are `of` (R. A. Fisher's exact test).
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
    let games = if count == 1 { "game" } else { "games" };
    let text = format!("loses {count} {games} by a fault{only}; the first: {reason}");
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
    /// The number of last plies.
    plies: usize,
    /// If true, the value stands for the plies before the last ones.
    before: bool,
}

impl End {
    fn has(self, choice: &Choice<'_>) -> bool {
        (left(choice) < self.plies) != self.before
    }

    /// Returns the rates of wrong answers in this part and elsewhere.
    fn rates(self, choices: &[Choice<'_>]) -> [Rate; 2] {
        [true, false].map(|inside| Rate::new(choices.iter().filter(|it| self.has(it) == inside)))
    }

    /// Returns the part of games to which the slips belong, if there is one.
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

/// The share of first or of last legal moves that counts as a habit.
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

/// The greatest number of different moves: in a game with more, even a sound program never makes some of the moves.
const MOST_MOVES: usize = 12;
/// The fewest choices per different move for a conclusion about a move that is never made.
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

/// Limits in standard deviations from chance. Below the first, answers count as random; below the second, as answers
/// for the opponent. All right answers must be above chance by more than the third, or nothing can be concluded.
const BETTER_THAN_CHANCE: f64 = 2.0;
const WORSE_THAN_CHANCE: f64 = -2.5;
const CLEAR: f64 = 3.0;

/// The answers to near questions, compared with random answers.
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

    /// Returns the distance of the hits above chance, in standard deviations.
    fn above_chance(self) -> f64 {
        (self.hits as f64 - self.by_chance) / self.variance.sqrt().max(0.5)
    }

    /// Returns true if the answers are no better than chance, and if there are enough answers for this conclusion.
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

/// Returns the pattern in the answers to near questions.
fn near(choices: &[Choice<'_>], scope: &str) -> Option<Pattern> {
    let ask = |is: &dyn Fn(&Choice<'_>) -> bool, of: &dyn Fn(&Choice<'_>) -> NearQuestion| {
        let asked = choices.iter().filter(|it| is(it));
        Answers::new(asked.map(|it| (of(it), it.made.choices)))
    };
    let gains = |it: &Choice<'_>| it.made.near_one.best < it.made.choices;
    // A player that looks two plies ahead may rightly leave the gain of one.
    let is_left = |it: &Choice<'_>| is_near(it) && it.made.near_two.hit && !it.made.near_one.hit;
    let one = ask(&|it| gains(it) && !is_left(it), &|it| it.made.near_one);
    let two = ask(&|it| is_near(it) && !gains(it), &|it| it.made.near_two);
    let all = ask(&is_near, &|it| it.made.near_two);
    let (kind, text) = if all.asked >= FEWEST && all.above_chance() < WORSE_THAN_CHANCE {
        let text = "as if it played for its opponent: of the best moves within two plies,";
        (PatternKind::ForTheOpponent, format!("{text} {}", all.words()))
    } else if all.is_chance() && !one.is_known() && !two.is_known() {
        let text = "as if at random: of the best moves within two plies,";
        (PatternKind::Random, format!("{text} {}", all.words()))
    } else if one.is_chance() {
        let text = "does not take the gain of its next move:";
        (PatternKind::OwnMoveUnseen, format!("{text} {}", one.words()))
    } else if two.is_chance() {
        let text = "does not see the opponent's reply:";
        (PatternKind::ReplyUnseen, format!("{text} {}", two.words()))
    } else {
        return None;
    };
    Some(Pattern { kind, text: format!("{scope}{text}") })
}

/// The share of mistakes that may be within the horizon.
const WITHIN_HORIZON: f64 = 0.1;

/// Returns the pattern of the depth to which a program without slips seems to look.
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
