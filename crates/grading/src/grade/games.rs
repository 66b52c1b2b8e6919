//! Games of a player against random moves: the check of their results, and their review, with what the player
//! lost and the mistakes to learn from.

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
use plyground_host::{EngineOptions, Fault, HostedPosition, SharedGame, Text};
use rand::RngExt;

use super::draw::chance_of;
use super::results::{Finding, LeaderboardLine, PlayReview};
use super::session::{ExaminedGame, NO_TIME, RandomGames, Session};
use super::verdict::{CheckVerdict, Shares, interval, number};

/// The games against random moves after which the points may be certain.
const FEWEST_GAMES: u32 = 10;

/// The part of the points that may be uncertain.
const UNCERTAIN: f64 = 0.3;

impl Session<'_> {
    /// Plays games against random moves until there are `count`. The player has each side in half
    /// of them.
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
                    self.games[place].played.push(game);
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
        let played = &self.games[place].played;
        &played[..played.len().min(count as usize)]
    }

    fn play(&self, depth: u32, number: u64) -> Result<ExaminedGame, Interrupted> {
        let purpose = format!("game {number}");
        let mut rng = chance_of(self.grader.seed, &*self.grader.game, &purpose);
        let side = Side::BOTH[(number % 2) as usize];
        let mut player = self.seat(Some(self.told(depth)), rng.random());
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

    pub(super) fn faultless(&mut self, depth: u32, count: u32) -> CheckVerdict {
        let mut shares = Shares::default();
        for played in self.games(depth, count) {
            shares.add(played.fault().map_or(Ok(()), |fault| {
                let stderr = played.stderr.clone();
                let finding = Finding::at(&played.game.position, fault.to_string());
                Err(Finding { stderr, ..finding }.boxed())
            }));
        }
        let missing = (count as usize).saturating_sub(shares.all());
        let why = self.why_unasked(shares.all()).unwrap_or(NO_TIME);
        (0..missing).for_each(|_| shares.add(Err(Finding::of_no_position(why.to_owned()).boxed())));
        shares.verdict()
    }

    /// Plays until the points are certain: until the interval of chances that fits the games
    /// changes the points little.
    pub(super) fn beats_random(
        &mut self,
        depth: u32,
        most: u32,
        from: f64,
        share: f64,
    ) -> CheckVerdict {
        // A player that is blind as one side can earn only the half of the other side.
        let bright = self.blind.map(Side::other);
        let part = if bright.is_some() { 0.5 } else { 1.0 };
        let points = |chance: f64| part * ((chance - from) / (share - from)).clamp(0.0, 1.0);
        let counted =
            |games: u32| if bright.is_some() { games.div_ceil(2) } else { games } as usize;
        let mut wanted = FEWEST_GAMES.min(most);
        let (won, count) = loop {
            let all = self.games(depth, wanted);
            let is_whole = all.len() >= wanted as usize;
            let games = all.iter().filter(|played| bright.is_none_or(|side| played.side == side));
            let (mut won, mut count) = (0, 0);
            games.for_each(|played| (won, count) = (won + usize::from(played.is_won()), count + 1));
            let [low, high] = interval(won, count);
            let is_certain = points(high) - points(low) <= UNCERTAIN;
            if is_certain || wanted >= most || !is_whole {
                break (won, count.max(counted(FEWEST_GAMES.min(most))));
            }
            wanted = (wanted + 2).min(most);
        };
        let percent = |part: f64| (part * 100.0).round();
        let side = bright.map(|side| format!(" as player {}, for half the points", number(side)));
        let side = side.unwrap_or_default();
        let summary = format!(
            "{won} of {count} games won{side}; points begin above {} %, all from {} %",
            percent(from),
            percent(share)
        );
        Shares::default().with(points(won as f64 / count.max(1) as f64), summary)
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

/// The memory for the transposition table, in MiB.
const TABLE: usize = 16;

/// The effort, less than that of `review`: a class has many games.
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
    let search = Options { table_mib: TABLE, ..Options::default() };
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
    let mut mistakes: Vec<(&GameReview, &ReviewedMove)> = reviews.iter().flat_map(own).collect();
    // What any search sees teaches most.
    mistakes.sort_by_key(|(_, made)| {
        (made.seen_from_depth.unwrap_or(u32::MAX), std::cmp::Reverse(made.loss))
    });
    let mistakes = mistakes.into_iter().take(MOST_MISTAKES);
    let mistakes = mistakes.filter_map(|(review, made)| finding(game, review, made)).collect();
    Some(PlayReview { summary: summary.lines(), mistakes })
}

fn players(side: Side) -> [PlayerRecord; 2] {
    let player = |name: &str| PlayerRecord { name: name.to_owned(), player: String::new() };
    let mut players = [player(OWN), player(OTHER)];
    if side == Side::Second {
        players.reverse();
    }
    players
}

/// Returns the mistakes of the player in a game.
fn own(review: &GameReview) -> Vec<(&GameReview, &ReviewedMove)> {
    let mistakes = review.moves.iter().filter(|made| made.kind.is_some());
    let own = mistakes.filter(|made| review.name(made.side) == OWN);
    own.map(|made| (review, made)).collect()
}

fn finding(game: &SharedGame, review: &GameReview, made: &ReviewedMove) -> Option<Finding> {
    let position = before(game, review, made)?;
    Some(Finding {
        state: position.state_word(),
        board: position.text(Text::Board),
        said: mistake_lines(review, made).join("\n"),
        ..Finding::default()
    })
}

/// Returns the position before a move.
fn before(game: &SharedGame, review: &GameReview, made: &ReviewedMove) -> Option<HostedPosition> {
    let mut position = game.parse_state(&StateText::new(review.start.clone())).ok()?;
    for earlier in review.moves.iter().take(made.ply - 1) {
        position.play_text(&earlier.mv).ok()?;
    }
    Some(position)
}
