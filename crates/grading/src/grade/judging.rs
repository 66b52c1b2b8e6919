//! Checks of the moves that a player judges: the player must accept the legal ones and refuse the illegal ones.

use std::collections::{BTreeMap, BTreeSet};

use plyground::{Game, Side};
use plyground_host::player::Player;
use plyground_host::{HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::seq::{IteratorRandom, SliceRandom};

use super::draw::{Task, chance_of};
use super::moves::Missing;
use super::results::{Finding, Outcome};
use super::session::Session;
use super::verdict::{CheckVerdict, Shares};

/// Asks a player to judge moves, without starting its program for each move.
///
/// Starting a program takes longer than all questions, so a player that has answered correctly is
/// asked again. Earlier questions may have confused the player, for example through a board that all
/// players of the program share, so a new player confirms each wrong answer. This works for illegal
/// moves only: a confused player that accepts everything is right about legal moves. And a player that
/// tells a question from the first of its process may refuse the last move whatever it is, so the questions
/// that earn points go to [new players](Judge::renew), and a player that refuses a legal move, but not as a new one, is
/// not asked again.
struct Judge<'a> {
    start: HostedPosition,
    side: Side,
    seat: Box<dyn Fn() -> Box<dyn Player> + 'a>,
    player: Option<Box<dyn Player>>,
    /// If true, every question goes to a new player.
    is_wary: bool,
    /// If true, a player that was asked again has refused a legal move.
    is_deceived: bool,
}

/// The player's opinion of a move, beside the rules.
struct Opinion {
    agrees: bool,
    is_legal: bool,
}

impl<'a> Judge<'a> {
    /// Creates a judge that asks players from `seat`. They play `side` in games from `start`.
    pub(super) fn new(
        start: HostedPosition,
        side: Side,
        seat: impl Fn() -> Box<dyn Player> + 'a,
    ) -> Judge<'a> {
        let seat = Box::new(seat);
        Judge { start, side, seat, player: None, is_wary: false, is_deceived: false }
    }

    /// Lets a new player answer the next question.
    fn renew(&mut self) {
        self.player = None;
    }

    /// Returns true if the player accepts the last of these moves, which are made in turn.
    ///
    /// # Errors
    ///
    /// Returns the fault by which the player lost when it was told one of the moves.
    fn opinion(&mut self, moves: &[MoveText]) -> Result<bool, Missing> {
        if let Some(truth) = self.ask_again(moves) {
            return Ok(truth);
        }
        let mut player = (self.seat)();
        // The opinions of the other moves belong to other questions.
        let begins = player.lost().is_none();
        let mut opinions = self.tell(&mut *player, moves);
        let is_early = begins && opinions.len() < moves.len();
        match self.player.insert(player).lost() {
            None => Ok(opinions.pop().is_none_or(|last| last.agrees)),
            Some(fault) => Err(Missing { fault: fault.clone(), is_early }),
        }
    }

    /// Asks the current player for its opinion of the last move. Returns `None` unless the player
    /// is right about every move. A player that by now refuses everything fails this test, because
    /// it also refuses the legal moves before the last move.
    fn ask_again(&mut self, moves: &[MoveText]) -> Option<bool> {
        let mut player = self.player.take()?;
        let is_able = player.lost().is_none() && player.allows_take_back();
        if self.is_wary || moves.len() == 1 || !is_able {
            return None;
        }
        player.taken_back(&self.start);
        let opinions = self.tell(&mut *player, moves);
        let is_wrong = |opinion: &Opinion| opinion.agrees != opinion.is_legal;
        if player.lost().is_some() {
            return None;
        }
        if let Some(wrong) = opinions.iter().position(is_wrong) {
            self.is_deceived |= wrong + 1 == moves.len() && opinions[wrong].is_legal;
            return None;
        }
        self.player = Some(player);
        opinions.last().map(|last| last.agrees)
    }

    /// Tells a player of moves, as long as it is not lost. The last may be illegal.
    fn tell(&self, player: &mut dyn Player, moves: &[MoveText]) -> Vec<Opinion> {
        let mut position = self.start.clone();
        let tell = |&mv: &MoveText| {
            if player.lost().is_some() {
                return None;
            }
            let agrees = if position.side_to_move() == self.side {
                player.force_move(&position, mv)
            } else {
                player.opponent_move(&position, mv)
            };
            Some(Opinion { agrees, is_legal: position.play(mv).is_ok() })
        };
        moves.iter().map_while(tell).collect()
    }
}

/// Returns a position with two lines of moves from the start, whose last moves are illegal only because they are made
/// again. In the first, the opponent repeats a move of the player; in the second, its own.
fn repetitions(task: &Task) -> Option<(&Task, Vec<MoveText>, Vec<MoveText>)> {
    let position = &task.position;
    let is_legal = |position: &HostedPosition, mv| position.check_legal(mv).is_ok();
    position.legal_moves().find_map(|mv| {
        let after = position.after(mv);
        // The opponent could make the move if the player had made another.
        let is_for_both =
            || position.legal_moves().any(|other| is_legal(&position.after(other), mv));
        let reply = after.legal_moves().find_map(|reply| {
            let next = after.after(reply);
            let third = next.legal_moves().next()?;
            (!is_legal(&next.after(third), reply)).then_some([reply, third])
        });
        let [reply, third] = reply.filter(|_| !is_legal(&after, mv) && is_for_both())?;
        let line = |more: &[MoveText]| [&task.moves[..], more].concat();
        Some((task, line(&[mv, mv]), line(&[mv, reply, third, reply])))
    })
}

/// The side whose moves a player judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The player's own moves.
    Own,
    /// The moves of its opponent.
    Opponent,
}

impl Role {
    /// Both roles, in the order of their reports.
    pub(super) const BOTH: [Role; 2] = [Role::Own, Role::Opponent];

    fn move_words(self) -> &'static str {
        match self {
            Role::Own => "an own move",
            Role::Opponent => "a move of the opponent",
        }
    }
}

/// The greatest number of legal moves of a position that the player is asked about.
const MOST_ASKED: usize = 3;

/// Returns the legal moves of a position that the player is asked about.
fn asked(task: &Task) -> Vec<MoveText> {
    let legal: Vec<MoveText> = task.position.legal_moves().collect();
    legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1)).copied().collect()
}

/// A question about a move in a position: the move, and the rule that it breaks; `None` for a legal move.
type Question = (MoveText, Option<String>);

/// Returns the questions about illegal moves in each position: the moves tried, and for each rule a move that is legal
/// in another position. The moves tried are known to everybody, so a player that refuses just these knows no rule.
/// Among them, somewhere, is a legal move, because a player may refuse everything in a position.
fn questions(tasks: &[Task], tried: &[String], rng: &mut StdRng) -> Vec<Vec<Question>> {
    let legal = tasks.iter().flat_map(|task| task.position.legal_moves());
    let mut others: Vec<MoveText> = legal.collect::<BTreeSet<_>>().into_iter().collect();
    others.shuffle(rng);
    let in_position = |task: &Task| {
        let broken = |mv| Some((mv, Some(task.position.check_legal(mv).err()?.rule())));
        let tried = tried.iter().filter_map(|text| task.position.parse_move(text));
        let mut asked: Vec<Question> = tried.filter_map(broken).collect();
        let mut rules = BTreeSet::new();
        let others = others.iter().filter_map(|&mv| broken(mv));
        asked.extend(others.filter(|(_, rule)| rules.insert(rule.clone())));
        asked.extend(task.position.legal_moves().choose(rng).map(|mv| (mv, None)));
        asked.shuffle(rng);
        asked
    };
    tasks.iter().map(in_position).collect()
}

impl Session<'_> {
    /// Asks the player about a move in a position.
    ///
    /// # Errors
    ///
    /// Returns the wrong opinion, and true if the player was lost before it was asked.
    fn judge(
        &self,
        judge: &mut Judge<'_>,
        role: Role,
        task: &Task,
        mv: MoveText,
    ) -> Result<(), (Box<Finding>, bool)> {
        let line = [&task.moves[..], &[mv]].concat();
        let truth = task.position.check_legal(mv).is_ok();
        match judge.opinion(&line) {
            Ok(opinion) if opinion == truth => Ok(()),
            opinion => {
                let is_early = matches!(opinion, Err(Missing { is_early: true, .. }));
                Err((self.wrong(task, mv, role, opinion), is_early))
            }
        }
    }

    fn judge_as(&self, role: Role, task: &Task) -> Judge<'_> {
        let mover = task.position.side_to_move();
        let side = if role == Role::Own { mover } else { mover.other() };
        Judge::new(self.grader.game.start(), side, || self.seat(None, self.grader.seed))
    }

    /// Makes a check of the player's opinions in each role. The methods of the two roles are apart in most players, so
    /// each earns half of the points.
    fn in_both_roles(
        &mut self,
        parts: &str,
        mut check: impl FnMut(&mut Self, Role) -> Shares,
    ) -> CheckVerdict {
        let [mut own, opponent] = Role::BOTH.map(|role| check(self, role));
        let share = (own.share() + opponent.share()) / 2.0;
        let [first, second] = [&own, &opponent].map(|shares| shares.count() + parts);
        let summary = if first == second {
            first
        } else {
            format!("own moves: {first}; moves of the opponent: {second}")
        };
        own.join(opponent);
        own.with(share, summary)
    }

    /// Asks the player about legal moves in each position.
    pub(super) fn accepts_legal(&mut self, tasks: &[Task]) -> CheckVerdict {
        let verdict = self.in_both_roles("", |session, role| {
            let mut accepts = false;
            let shares = session.each(tasks, |session, task| {
                // A new player judges each move, because a player that has begun to accept everything is
                // right about legal moves.
                let judge = |mv| session.judge(&mut session.judge_as(role, task), role, task, mv);
                let judged = asked(task).into_iter().map(judge);
                let mut judged = judged.inspect(|it| accepts |= it.is_ok());
                judged.find_map(Result::err).map_or(Ok(()), |(wrong, _)| Err(wrong))
            });
            // Questions for which there was no time say nothing about the player.
            let is_asked = session.why_unasked(shares.all()).is_none();
            session.accepts[role as usize] = (accepts || is_asked).then_some(accepts);
            shares
        });
        if self.accepts != [Some(false); 2] {
            self.heed_forgetting(tasks);
        }
        verdict
    }

    /// Returns true if the player accepts a legal move in this role, or if there is no time to ask for that.
    fn accepts(&self, role: Role, tasks: &[Task]) -> bool {
        let accepts = |task: &Task| {
            asked(task).into_iter().any(|mv| {
                let judged = self.judge(&mut self.judge_as(role, task), role, task, mv);
                judged.is_ok() || self.why_unasked(1).is_some()
            })
        };
        self.accepts[role as usize].unwrap_or_else(|| tasks.iter().any(accepts))
    }

    /// Finds out whether the player forgets the own moves that it is told, but keeps the moves of its opponent. It then
    /// takes a move that it was told for legal once more, as its opponent's, but none that its opponent has made.
    fn heed_forgetting(&mut self, tasks: &[Task]) {
        let Some((task, twice, again)) = tasks.iter().find_map(repetitions) else { return };
        let takes = {
            let mut own = self.judge_as(Role::Own, task);
            [twice, again].map(|moves| own.opinion(&moves).ok())
        };
        self.forgets = takes == [Some(true), Some(false)];
    }

    /// Asks the player [questions] about illegal moves in each position. Each rule that the moves break is a part of
    /// the check, so a rule that a player lacks costs no other rule. If there is only one, each position is a part. To
    /// refuse is no merit in a position in which the player refuses a legal move, too.
    pub(super) fn refuses_illegal(&mut self, tasks: &[Task], tried: &[String]) -> CheckVerdict {
        let parts = |asked: &[Vec<Question>]| -> BTreeSet<String> {
            asked.iter().flatten().filter_map(|it| it.1.clone()).collect()
        };
        // Each role, and each pass, has its own questions, because a player may remember those that an earlier one was
        // asked.
        let drawn = |role: Role, is_wary: bool| {
            let purpose = format!("illegal moves, {}, {is_wary}", role.move_words());
            let mut rng = chance_of(self.grader.seed, &*self.grader.game, &purpose);
            let mut asked = questions(tasks, tried, &mut rng);
            let has_rules = parts(&asked).len() > 1;
            for (index, moves) in asked.iter_mut().enumerate().filter(|_| !has_rules) {
                let rules = moves.iter_mut().filter_map(|it| it.1.as_mut());
                rules.for_each(|rule| *rule = format!("{index:04}"));
            }
            (asked, has_rules)
        };
        let has_rules = drawn(Role::Own, false).1;
        // If `is_wary` is true, every question goes to a new player.
        let check = |session: &Self, role: Role, is_wary: bool| {
            let mut shares = Shares::default();
            let (asked, _) = drawn(role, is_wary);
            let parts = parts(&asked);
            // A player that refuses every move is right about the illegal ones, which is no merit.
            if !session.accepts(role, tasks) {
                let said = format!("it accepts no legal move as {}", role.move_words());
                let refused = || Err(Finding::of_no_position(said.clone()).into());
                parts.iter().for_each(|_| shares.add(refused()));
                return (shares, false);
            }
            // Without an answer as long as the player was not asked.
            let unasked = parts.iter().map(|part| (part.clone(), None));
            let mut answers: BTreeMap<String, Option<Outcome>> = unasked.collect();
            let (mut questions, mut is_deceived) = (asked.iter(), false);
            let asked = session.each(tasks, |session, task| {
                let mut judge = Judge { is_wary, ..session.judge_as(role, task) };
                let mut right = BTreeSet::new();
                for (mv, part) in questions.next().into_iter().flatten() {
                    let answer = part.as_ref().map(|part| &answers[part]);
                    if matches!(answer, Some(Some(Err(_)))) {
                        continue;
                    }
                    // The first answer about a part earns its points. A legal move goes to a player that was asked
                    // before, if there is one, and to a new one, so that both must tell it from an illegal one.
                    let is_first = part.as_ref().is_some_and(|part| !right.contains(part));
                    if is_first && answer.is_some_and(Option::is_none) {
                        judge.renew();
                    }
                    let is_used = judge.player.is_some();
                    let mut judged = session.judge(&mut judge, role, task, *mv);
                    is_deceived |= judge.is_deceived;
                    if part.is_none() && is_used && judged.is_ok() {
                        judge.renew();
                        judged = session.judge(&mut judge, role, task, *mv);
                    }
                    let Err((wrong, is_early)) = judged else {
                        right.extend(part);
                        continue;
                    };
                    // An answer that was cut short says nothing about the player.
                    let is_cut_short = is_early || session.allowance.is_over();
                    match part.as_ref().filter(|_| !is_cut_short) {
                        Some(part) => answers.insert(part.clone(), Some(Err(wrong))),
                        None => return Err(wrong),
                    };
                }
                for part in right {
                    answers.entry(part.clone()).or_default().get_or_insert(Ok(()));
                }
                Ok(())
            });
            shares = asked.without_parts();
            for answer in answers.into_values() {
                match answer {
                    Some(answer) => shares.add(answer),
                    None => shares.passed.push(false),
                }
            }
            (shares, is_deceived)
        };
        self.in_both_roles(if has_rules { " rules" } else { "" }, |session, role| {
            let (shares, is_deceived) = check(session, role, false);
            if is_deceived { check(session, role, true).0 } else { shares }
        })
    }

    fn wrong(
        &self,
        task: &Task,
        mv: MoveText,
        role: Role,
        opinion: Result<bool, Missing>,
    ) -> Box<Finding> {
        let truth = match task.position.check_legal(mv) {
            Ok(()) => format!("{mv} is legal"),
            Err(illegal) => format!("{mv} is illegal ({illegal})"),
        };
        let (found, stderr) = match opinion {
            Ok(said) => {
                let said = if said { "legal" } else { "illegal" };
                (format!("it was taken for {said}"), String::new())
            }
            Err(missing @ Missing { is_early: true, .. }) => {
                return Finding { turn: String::new(), ..self.missing(task, None, missing) }.into();
            }
            Err(Missing { fault, .. }) => {
                (format!("it led to: {}", self.heed(fault)), self.stderr.end())
            }
        };
        let said = format!("{truth}; as {} {found}", role.move_words());
        Finding { stderr, ..Finding::at(&task.position, said) }.into()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use plyground_host::Fault;
    use plyground_host::player::{Answer, Turn};
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::{CheckKind, draw_checks, parse_checks};

    /// A function that returns a player's opinion of a move. The flags are true if the player has
    /// refused a move before, and if the move is legal.
    type Habit = fn(&str, bool, bool) -> bool;

    struct Habitual {
        habit: Habit,
        has_refused: bool,
    }

    impl Player for Habitual {
        fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
            Err(Fault::NoMove)
        }

        fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            let is_legal = before.check_legal(mv).is_ok();
            let agrees = (self.habit)(&mv.to_string(), self.has_refused, is_legal);
            self.has_refused |= !agrees;
            agrees
        }

        fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            self.opponent_move(before, mv)
        }

        fn allows_take_back(&self) -> bool {
            true
        }
    }

    /// Returns the opinions of a player with this habit about three illegal moves and a legal one,
    /// the number of players that were asked, and true if one of them has deceived the judge.
    fn opinions(habit: Habit) -> ([bool; 4], u32, bool) {
        let start = toy().start();
        let seats = Cell::new(0);
        let mut judge = Judge::new(start.clone(), Side::First, || {
            seats.set(seats.get() + 1);
            Box::new(Habitual { habit, has_refused: false })
        });
        let opinions = ["1", "2", "3", "4"].map(|last| {
            let moves = ["1", "2", "3", last].map(|mv| start.parse_move(mv).expect("a move"));
            judge.opinion(&moves).expect("an opinion")
        });
        let is_deceived = judge.is_deceived;
        drop(judge);
        (opinions, seats.get(), is_deceived)
    }

    const RIGHT: [bool; 4] = [false, false, false, true];

    #[test]
    fn player_is_asked_again_as_long_as_it_is_right() {
        assert_eq!(opinions(|_, _, is_legal| is_legal), (RIGHT, 1, false));
        // It takes everything, or refuses everything, once it has refused a move.
        let expected = (RIGHT, 3, false);
        assert_eq!(opinions(|_, has_refused, is_legal| has_refused || is_legal), expected);
        let expected = (RIGHT, 4, false);
        assert_eq!(opinions(|_, has_refused, is_legal| !has_refused && is_legal), expected);
        // It refuses a legal move only when it is used.
        let habit: Habit = |mv, has_refused, is_legal| is_legal && !(has_refused && mv == "4");
        assert_eq!(opinions(habit), (RIGHT, 2, true));
        // A player that refuses everything would be right about the illegal move 2.
        let habit: Habit = |mv, has_refused, is_legal| !has_refused && (is_legal || mv == "2");
        assert_eq!(opinions(habit).0, [false, true, false, true]);
    }

    /// A player that refuses the moves of the check, or everything in some positions, knows no rule.
    #[test]
    fn questions_are_not_only_the_moves_of_the_check() {
        let game = network::game(network::Rules::Berkeley);
        let checks = parse_checks(game.checks()).expect("the checks");
        let check = checks.iter().find(|check| check.kind == CheckKind::RefusesIllegal);
        let check = check.expect("a check");
        let (mut fewest, mut places) = (usize::MAX, BTreeSet::new());
        for seed in 1..=3 {
            let drawn = draw_checks(&*game, std::slice::from_ref(check), seed).expect("positions");
            let mut rng = chance_of(seed, &*game, "test");
            let asked = questions(&drawn[0].tasks, &check.keys.moves, &mut rng);
            for asked in &asked {
                let legal: Vec<usize> =
                    (0..asked.len()).filter(|&at| asked[at].1.is_none()).collect();
                assert_eq!(legal.len(), 1, "{asked:?}");
                places.extend(legal);
            }
            let rules = |is_asked: &dyn Fn(&MoveText) -> bool| -> usize {
                let asked = asked.iter().flatten().filter(|it| is_asked(&it.0));
                asked.filter_map(|it| it.1.clone()).collect::<BTreeSet<_>>().len()
            };
            let all = rules(&|_| true);
            let new = rules(&|mv| !check.keys.moves.contains(&mv.to_string()));
            assert!(new * 3 >= all * 2, "{new} of {all}");
            fewest = fewest.min(all);
        }
        assert!(fewest >= 9 && places.len() > 9, "{fewest} rules, legal at {places:?}");
    }
}
