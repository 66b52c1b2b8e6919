//! Checks by games against random moves.

use std::time::Duration;

use plyground::{Game, Side};
use plyground_host::Fault;
use plyground_host::player::{Player, Random};
use plyground_host::referee::{Conduct, Interrupted, PLY_CAP, Silent, play};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::examined_game::{ExaminedGame, RandomGames};
use super::luck::{luck, share_above_luck};
use super::results::{Finding, LeaderboardLine};
use super::session::{NO_TIME, Session};
use super::verdict::{CheckVerdict, Shares};

impl Session<'_> {
    /// Games against random moves, half of them with either side.
    fn games(&mut self, depth: u32, count: u32) -> &[ExaminedGame] {
        let place = self.games.iter().position(|games| games.depth == depth);
        let place = place.unwrap_or_else(|| {
            self.games.push(RandomGames { depth, played: Vec::new() });
            self.games.len() - 1
        });
        while self.games[place].played.len() < count as usize && !self.alarm.is_over() {
            let number = self.games[place].played.len() as u64;
            match self.play(depth, number) {
                Ok(game) if !self.alarm.is_over() => self.games[place].played.push(game),
                Ok(_) => {}
                Err(Interrupted::System { why }) => {
                    self.heed(Fault::System { why });
                    break;
                }
                // No opening is illegal that there is not, and nobody observes.
                Err(Interrupted::Observer(_) | Interrupted::Opening { .. }) => break,
            }
        }
        let played = &self.games[place].played;
        &played[..played.len().min(count as usize)]
    }

    fn play(&self, depth: u32, number: u64) -> Result<ExaminedGame, Interrupted> {
        let mut rng = StdRng::seed_from_u64(self.grader.seed ^ number);
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
        let missing = (count as usize).saturating_sub(shares.all);
        (0..missing)
            .for_each(|_| shares.add(Err(Finding::of_no_position(NO_TIME.to_owned()).boxed())));
        shares.verdict()
    }

    pub(super) fn beats_random(&mut self, depth: u32, count: u32, share: f64) -> CheckVerdict {
        let games = self.games(depth, count);
        let won = games.iter().filter(|played| played.is_won()).count();
        let needed = (share * f64::from(count)).ceil() as usize;
        // Who plays at random wins every other game.
        let chances = vec![0.5; count as usize];
        let points = share_above_luck(won, &chances, needed);
        let nothing = luck(&chances, needed);
        let summary = format!(
            "{won} of {count} games won, {needed} needed for all points, more than {nothing} for any"
        );
        Shares::default().with(points, summary)
    }

    /// The games won against random moves, and the CPU time of a move, over all games.
    pub(super) fn leaderboard(&self) -> Vec<LeaderboardLine> {
        let games = || self.games.iter().flat_map(|games| &games.played);
        let (mut cpu, mut moves) = (Duration::ZERO, 0_u32);
        for ExaminedGame { side, game, .. } in games() {
            let first = usize::from(game.start.side_to_move() != *side);
            for played in game.moves.iter().skip(first).step_by(2) {
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
