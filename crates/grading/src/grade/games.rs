//! The games of a player against random moves: the checks of their results, and their review with the mistakes to
//! learn from.

use std::time::Duration;

use plyground::Side;
use plyground::search::Options;
use plyground_explain::review::{
    GameReview, GameToReview, ReviewEffort, ReviewedMove, Reviewer, mistake_lines, summaries,
};
use plyground_host::player::{Player, Random};
use plyground_host::record::PlayerRecord;
use plyground_host::referee::{Conduct, Interrupted, PLY_CAP, Silent, play};
use plyground_host::state::StateText;
use plyground_host::{EngineOptions, Fault, SharedGame};
use rand::RngExt;

use super::draw::{Task, chance_of};
use super::results::{Finding, Graded, LeaderboardLine, OUT_OF_TIME, PlayReview};
use super::session::{ExaminedGame, NO_TIME, RandomGames, Session};
use super::verdict::{CheckVerdict, RARE, Shares, USUAL, interval, number};

/// The least number of games against random moves after which the points may be certain.
const FEWEST_GAMES: u32 = 10;

/// The part of the points that may be uncertain.
const UNCERTAIN: f64 = 0.3;

impl Session<'_> {
    /// Plays games against random moves until there are `count`, and tells the player this depth. The player has each
    /// side in half of them.
    fn games(&mut self, depth: u32, count: u32) -> &[ExaminedGame] {
        let place = self.games.iter().position(|games| games.depth == depth);
        let place = place.unwrap_or_else(|| {
            self.games.push(RandomGames { depth, played: Vec::new() });
            self.games.len() - 1
        });
        let played = |session: &Self| session.games[place].played.len();
        while played(self) < count as usize && self.why_unasked(played(self)).is_none() {
            let number = played(self) as u64;
            match self.play(depth, number) {
                Ok(game) if !self.allowance.is_over() => {
                    self.heed_time(game.fault());
                    let mut moves = game.game.moves.iter();
                    self.heed_move(moves.any(|played| played.by == game.side));
                    self.games[place].played.push(game);
                    self.kept = self.allowance.spent();
                }
                Ok(_) => {}
                Err(Interrupted::System { why }) => {
                    self.heed(Fault::System { why });
                    break;
                }
                // An absent opening cannot be illegal, and the game has no observer.
                Err(Interrupted::Observer(_) | Interrupted::Opening { .. }) => break,
            }
        }
        self.played(depth, count)
    }

    /// Returns the games played so far in which the player was told this depth, at most `count`.
    fn played(&self, depth: u32, count: u32) -> &[ExaminedGame] {
        let games = self.games.iter().find(|games| games.depth == depth);
        let played = games.map_or(&[][..], |games| &games.played);
        &played[..played.len().min(count as usize)]
    }

    fn play(&self, depth: u32, number: u64) -> Result<ExaminedGame, Interrupted> {
        let purpose = format!("game {number}");
        let mut rng = chance_of(self.grader.seed, &*self.grader.game, &purpose);
        let side = Side::BOTH[(number % 2) as usize];
        let mut player = self.seat(Some(depth), rng.random());
        let mut random = Random::new(rng.random());
        let players: [&mut dyn Player; 2] = match side {
            Side::First => [&mut *player, &mut random],
            Side::Second => [&mut random, &mut *player],
        };
        let wall_limit = self.grader.programs.limits.wall;
        let conduct = Conduct { wall_limit, ply_cap: PLY_CAP, opening: Vec::new() };
        let game = play(&self.grader.game.start(), players, &conduct, &mut Silent)?;
        let mut played = ExaminedGame { side, game, stderr: String::new() };
        if played.fault().is_some() {
            played.stderr = self.stderr.end();
        }
        Ok(played)
    }

    /// Plays games, in which the player is told the depth as it is, and asks the player for a legal move in each
    /// position.
    pub(super) fn faultless(&mut self, depth: u32, count: u32, tasks: &[Task]) -> CheckVerdict {
        let mut shares = Shares::default();
        self.games(depth, count);
        for played in self.played(depth, count) {
            shares.add(played.fault().map_or(Ok(()), |fault| {
                let (position, depth) = (&played.game.position, Some(depth));
                Err(self.finding_of(position, depth, fault, played.stderr.clone()).into())
            }));
        }
        let missing = (count as usize).saturating_sub(shares.all());
        let why = self.why_unasked(shares.all()).unwrap_or(NO_TIME);
        (0..missing).for_each(|_| shares.add(Err(Finding::of_no_position(why).into())));
        shares.join(self.each(tasks, |session, task| session.moves_legally(task, depth)));
        shares.verdict()
    }

    /// Checks that the player beats random moves. A player that counts plies in another way is told the depth as it is
    /// and, if that earns less than all points, the depth at which it looks as far as it should: the better counts,
    /// because the assignment names no depth for this, and a program may play well at some depths alone.
    pub(super) fn beats_random(
        &mut self,
        depth: u32,
        most: u32,
        from: f64,
        share: f64,
    ) -> CheckVerdict {
        let mut graded = self.wins(depth, most, from, share);
        let corrected = self.told(depth);
        if corrected != depth && graded.share < 1.0 {
            let again = self.wins(corrected, most, from, share);
            if again.share > graded.share {
                graded = again;
                graded.summary += &format!("; told depth {corrected}");
            }
        }
        CheckVerdict::Graded(graded)
    }

    /// Plays games until the points are certain: all chances in the interval that fits the games
    /// give nearly the same points.
    ///
    /// If the time is over before that, the points are those of the games played in pairs, one as
    /// each side, since one side may win more easily. Below the least number of games, the points are in
    /// proportion to the games.
    fn wins(&mut self, depth: u32, most: u32, from: f64, share: f64) -> Graded {
        // A player that is blind as one side can earn only the half of the other side.
        let bright = self.blind.map(Side::other);
        let part = if bright.is_some() { 0.5 } else { 1.0 };
        let points = |chance: f64| part * ((chance - from) / (share - from)).clamp(0.0, 1.0);
        let counted =
            |games: u32| if bright.is_some() { games.div_ceil(2) } else { games } as usize;
        let mut wanted = FEWEST_GAMES.min(most);
        let least = counted(wanted);
        let (won, count, end) = loop {
            let played = self.games(depth, wanted).len();
            let is_whole = played >= wanted as usize;
            let end = (!is_whole).then(|| self.why_unasked(played).unwrap_or(NO_TIME));
            let used = if end == Some(NO_TIME) { played / 2 * 2 } else { played };
            let games = self.played(depth, wanted)[..used].iter();
            let games = games.filter(|played| bright.is_none_or(|side| played.side == side));
            let (mut won, mut count) = (0, 0);
            games.for_each(|played| (won, count) = (won + usize::from(played.is_won()), count + 1));
            let [low, _] = interval(won, count, USUAL);
            // Early bad luck must not end the games that would make up for it.
            let [_, high] = interval(won, count, RARE);
            let is_certain = points(high) - points(low) <= UNCERTAIN;
            if is_certain || wanted >= most || !is_whole {
                break (won, count, end);
            }
            wanted = (wanted + 2).min(most);
        };
        let is_cut = end == Some(NO_TIME);
        if is_cut {
            self.mark(OUT_OF_TIME.to_owned());
        }
        // A player that is asked no more, since it is too slow, has lost the games that are missing.
        let all = if is_cut { count } else { count.max(least) };
        let made = (all as f64 / least as f64).min(1.0);
        let percent = |part: f64| (part * 100.0).round();
        let side = bright.map(|side| format!(" as player {}, for half the points", number(side)));
        let side = side.unwrap_or_default();
        let end = match end {
            None => String::new(),
            Some(NO_TIME) if all < least => format!(
                ", then its time was over; with fewer than {least}, the points are in proportion"
            ),
            Some(NO_TIME) => ", then its time was over".to_owned(),
            Some(_) => {
                format!(", then it was too slow to be asked again; {least} games count at least")
            }
        };
        let is_counted = |played: &&ExaminedGame| bright.is_none_or(|side| played.side == side);
        let played = self.played(depth, wanted).iter().filter(is_counted).take(count);
        // A fault at the last move, which has no choice, can leave a game won.
        let lost = played.filter(|played| !played.is_won());
        let mut faults = lost.filter_map(|played| {
            let (position, depth) = (&played.game.position, Some(depth));
            let finding = |fault| self.finding_of(position, depth, fault, played.stderr.clone());
            played.fault().map(finding)
        });
        // The check of faultless games charges for them, and tells more of them.
        let lost_by = faults.next().map(Box::new);
        let lost = match usize::from(lost_by.is_some()) + faults.count() {
            0 => String::new(),
            lost => format!(", {lost} lost by a fault"),
        };
        let summary = format!(
            "{won} of {all} games won{lost}{side}{end}; points begin above {} %, all from {} %",
            percent(from),
            percent(share)
        );
        let share = points(won as f64 / all.max(1) as f64) * made;
        let mut shares = Shares::default();
        if share < 1.0 {
            shares.add(lost_by.map_or(Ok(()), Err));
        }
        shares.without_parts().graded(share, summary)
    }

    /// Returns the part of the games won against random moves and the CPU time of a move, over all
    /// games.
    pub(super) fn leaderboard(&self) -> Vec<LeaderboardLine> {
        let games = || self.games.iter().flat_map(|games| &games.played);
        let (mut cpu, mut moves) = (Duration::ZERO, 0_u32);
        for ExaminedGame { side, game, .. } in games() {
            for played in game.moves.iter().filter(|played| played.by == *side) {
                cpu += played.cpu;
                moves += 1;
            }
        }
        let count = games().count();
        if count == 0 || moves == 0 {
            return Vec::new();
        }
        let won = games().filter(|played| played.is_won()).count();
        let share = won as f64 / count as f64;
        vec![
            LeaderboardLine {
                name: "Games won against random".to_owned(),
                value: share,
                order: None,
            },
            LeaderboardLine {
                name: "CPU seconds a move".to_owned(),
                value: cpu.as_secs_f64() / f64::from(moves),
                order: Some("asc".to_owned()),
            },
        ]
    }
}

/// The most mistakes that are kept.
const MOST_MISTAKES: usize = 5;

const REVIEW_TABLE: usize = 16;

/// The effort, which is less than that of the command `review` because a class has many games.
const EFFORT: ReviewEffort =
    ReviewEffort { solve: 10_000_000, proof: 500, estimate: 2_000, sight: 50_000, line: 20_000 };

/// The effort for a game whose rules are a program.
const SLOW: ReviewEffort = ReviewEffort { solve: 5_000, ..ReviewEffort::SLOW };

/// The names of the players in these games.
const OWN: &str = "the program";
const OTHER: &str = "random";

/// Reviews games of a player. Returns `None` without any game.
pub(super) fn review(game: &SharedGame, games: &[&ExaminedGame]) -> Option<PlayReview> {
    if games.is_empty() {
        return None;
    }
    let search = Options { table_mib: REVIEW_TABLE, ..Options::default() };
    let book = game.book().ok().flatten();
    let mut engine = game.engine(EngineOptions { search, book, ..EngineOptions::default() });
    let effort = if game.is_slow() { SLOW } else { EFFORT };
    let mut reviewer = Reviewer { effort, ..Reviewer::new(&mut *engine) };
    let mut reviews = Vec::new();
    for played in games {
        let game = GameToReview::of(&played.game, players(played.side));
        reviews.extend(reviewer.review(&game, &mut |_, _| ()).ok().flatten());
    }
    let summary = summaries(&reviews, Some(OWN)).pop()?;
    let mistakes = reviews.iter().flat_map(|review| {
        let is_own = |made: &&ReviewedMove| made.kind.is_some() && review.name(made.side) == OWN;
        review.moves.iter().filter(is_own).map(move |made| (review, made))
    });
    let mut mistakes: Vec<(&GameReview, &ReviewedMove)> = mistakes.collect();
    // Mistakes that a shallow search sees teach most, so they come first.
    mistakes.sort_by_key(|(_, made)| {
        (made.seen_from_depth.unwrap_or(u32::MAX), std::cmp::Reverse(made.loss))
    });
    let mistakes = mistakes.into_iter().take(MOST_MISTAKES);
    let mistakes = mistakes.filter_map(|(review, made)| finding(game, review, made)).collect();
    Some(PlayReview { summary: summary.lines(), mistakes })
}

fn players(side: Side) -> [PlayerRecord; 2] {
    let mut players =
        [OWN, OTHER].map(|name| PlayerRecord { name: name.to_owned(), player: String::new() });
    if side == Side::Second {
        players.reverse();
    }
    players
}

/// Returns the finding about a mistake, in the position before the move.
fn finding(game: &SharedGame, review: &GameReview, made: &ReviewedMove) -> Option<Finding> {
    let mut position = game.parse_state(&StateText::new(review.start.clone())).ok()?;
    for earlier in review.moves.iter().take(made.ply - 1) {
        position.play_text(&earlier.mv).ok()?;
    }
    Some(Finding::at(&position, mistake_lines(review, made).join("\n")))
}

#[cfg(test)]
mod tests {
    use plyground::Game;
    use plyground_host::referee::PlayedGame;
    use plyground_host::toy::toy;
    use plyground_host::{Ending, HostedPosition, Reason};
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::grade::Examinee;
    use crate::grade::session::tests::grader;

    fn examined(side: Side, position: HostedPosition, ending: Ending) -> ExaminedGame {
        let (start, moves, cpu) = (toy().start(), Vec::new(), [Duration::ZERO; 2]);
        let game = PlayedGame { start, moves, position, ending, cpu, again: None };
        ExaminedGame { side, game, stderr: String::new() }
    }

    /// A program that does not write the last move of a game loses points only in the check of
    /// legal moves.
    #[test]
    fn fault_at_the_only_last_move_decides_no_game() {
        let mut seen = [false; 2];
        for seed in 0..1000 {
            let start = toy().start();
            let mut rng = StdRng::seed_from_u64(seed);
            let (moves, end) = start.after_random_moves(&mut rng, usize::MAX);
            let before = moves.iter().rev().skip(1).rev();
            let position = before.fold(start, |position, &mv| position.after(mv));
            let side = position.side_to_move();
            let is_last = position.legal_moves().count() == 1;
            let ending = Ending {
                winner: Some(side.other()),
                reason: Reason::Forfeit { by: side, fault: Fault::NoMove },
            };
            let played = examined(side, position, ending);
            let wins = end.outcome().and_then(plyground::Outcome::winner) == Some(side);
            assert_eq!(played.is_won(), is_last && wins, "{end:?}");
            seen[usize::from(played.is_won())] = true;
        }
        assert_eq!(seen, [true; 2]);
    }

    /// Returns the points, from 0 to 1, and the summary of a player whose time is over after games
    /// with these results, the first one as the first side. Without a result, no game counts.
    fn points_after(won: &[bool]) -> (f64, String) {
        let grader = grader();
        let examinee = Examinee { player: "machine".into(), log: String::new() };
        let mut session = Session::new(&grader, &examinee);
        let played = won.iter().zip(Side::BOTH.into_iter().cycle()).map(|(&is_won, side)| {
            let winner = if is_won { side } else { side.other() };
            let ending = Ending { winner: Some(winner), ..Ending::ply_cap(0) };
            examined(side, toy().start(), ending)
        });
        session.games.push(RandomGames { depth: 1, played: played.collect() });
        let CheckVerdict::Graded(graded) = session.beats_random(1, 60, 0.5, 0.9) else {
            panic!("a verdict without points")
        };
        assert_eq!(session.marks, [OUT_OF_TIME]);
        (graded.share, graded.summary)
    }

    #[test]
    fn early_end_neither_gains_nor_loses() {
        let games = [true, true, true, true, true, false, true, false, true, false, true, false];
        let (points, summary) = points_after(&games);
        assert!((points - 0.4167).abs() < 1e-3, "{points}");
        assert!(summary.starts_with("8 of 12 games won, then its time was over;"), "{summary}");
        // Another game as the first side, without one as the second, changes nothing.
        for more in [true, false] {
            assert_eq!(points_after(&[&games[..], &[more]].concat()), (points, summary.clone()));
        }
        // A few games are a part of the check.
        assert_eq!(points_after(&[true; 4]).0, 0.4);
        assert_eq!(points_after(&[]).0, 0.0);
    }
}
