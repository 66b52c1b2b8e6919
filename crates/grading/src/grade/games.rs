//! Checks by games against random moves, and the judgment of the games.

use std::time::Duration;

use plyground::{Game, Side};
use plyground_host::player::{Player, Random};
use plyground_host::referee::{Conduct, Interrupted, PLY_CAP, PlayedGame, Silent, play};
use plyground_host::{Fault, HostedPosition, MoveText, Reason};
use rand::RngExt;

use super::draw::chance_of;
use super::results::{Finding, LeaderboardLine};
use super::session::{NO_TIME, Session};
use super::sight::interval;
use super::sight::number;
use super::verdict::{CheckVerdict, Shares};

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
                Ok(game) if !self.alarm.is_over() => {
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

/// The games that a player has played against random moves at one depth.
pub(super) struct RandomGames {
    pub(super) depth: u32,
    pub(super) played: Vec<ExaminedGame>,
}

/// A game that a player has played against random moves.
pub(super) struct ExaminedGame {
    /// The player's side.
    pub(super) side: Side,
    pub(super) game: PlayedGame,
    /// The end of the program's standard error, if the player lost by a fault.
    pub(super) stderr: String,
}

impl ExaminedGame {
    pub(super) fn is_won(&self) -> bool {
        self.game.ending.winner == Some(self.side)
    }

    /// Returns the fault by which the player lost, if it lost by one.
    pub(super) fn fault(&self) -> Option<&Fault> {
        match &self.game.ending.reason {
            Reason::Forfeit { by, fault } if *by == self.side => Some(fault),
            _ => None,
        }
    }
}

/// Asks a player to judge moves, without starting its program for each move.
///
/// Starting a program takes longer than all questions, so a player that has answered rightly is
/// asked again. Earlier questions may have confused it, for example through a board that all players
/// of the program share, so a new player replaces it before any answer counts as wrong. This works
/// for illegal moves only: an old player that accepts everything is right about legal moves.
pub(super) struct Judge<'a> {
    start: HostedPosition,
    side: Side,
    seat: Box<dyn Fn() -> Box<dyn Player> + 'a>,
    player: Option<Box<dyn Player>>,
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
        Judge { start, side, seat: Box::new(seat), player: None }
    }

    /// Returns true if the player accepts the last of these moves, which are made in turn.
    ///
    /// # Errors
    ///
    /// Returns the fault by which the player lost when it heard of one of the moves.
    pub(super) fn opinion(&mut self, moves: &[MoveText]) -> Result<bool, Fault> {
        if let Some(truth) = self.ask_again(moves) {
            return Ok(truth);
        }
        let mut player = (self.seat)();
        // The opinions of the other moves belong to other questions.
        let agrees = self.tell(&mut *player, moves).pop().is_none_or(|last| last.agrees);
        match self.player.insert(player).lost() {
            None => Ok(agrees),
            Some(fault) => Err(fault.clone()),
        }
    }

    /// Asks the current player for its opinion of the last move. Returns `None` unless the player
    /// is right about every move. If it refused everything by now, it would refuse the legal moves
    /// before an illegal one, too.
    fn ask_again(&mut self, moves: &[MoveText]) -> Option<bool> {
        let mut player = self.player.take()?;
        if moves.len() == 1 || player.lost().is_some() || !player.allows_take_back() {
            return None;
        }
        player.taken_back(&self.start);
        let opinions = self.tell(&mut *player, moves);
        let is_right = opinions.iter().all(|opinion| opinion.agrees == opinion.is_legal);
        if !is_right || player.lost().is_some() {
            return None;
        }
        self.player = Some(player);
        opinions.last().map(|last| last.agrees)
    }

    /// Tells a player of moves. The last may be illegal.
    fn tell(&self, player: &mut dyn Player, moves: &[MoveText]) -> Vec<Opinion> {
        let mut position = self.start.clone();
        let tell = |&mv: &MoveText| {
            let agrees = if position.side_to_move() == self.side {
                player.force_move(&position, mv)
            } else {
                player.opponent_move(&position, mv)
            };
            Opinion { agrees, is_legal: position.play(mv).is_ok() }
        };
        moves.iter().map(tell).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use plyground_host::player::{Answer, Turn};
    use plyground_host::toy::toy;

    use super::*;

    /// The opinion that a player states of a move, by whether it has refused one before and whether
    /// the move is legal.
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
    /// and the number of players that were asked.
    fn opinions(habit: Habit) -> ([bool; 4], u32) {
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
        drop(judge);
        (opinions, seats.get())
    }

    const RIGHT: [bool; 4] = [false, false, false, true];

    #[test]
    fn one_player_is_asked_as_long_as_it_is_right() {
        assert_eq!(opinions(|_, _, is_legal| is_legal), (RIGHT, 1));
    }

    #[test]
    fn player_that_takes_everything_once_it_has_refused_is_asked_as_a_new_one() {
        assert_eq!(opinions(|_, has_refused, is_legal| has_refused || is_legal), (RIGHT, 3));
    }

    #[test]
    fn player_that_refuses_everything_once_it_has_refused_is_asked_as_a_new_one() {
        assert_eq!(opinions(|_, has_refused, is_legal| !has_refused && is_legal), (RIGHT, 4));
    }

    /// A player that refuses everything would be right about the illegal move 2.
    #[test]
    fn refusing_everything_hides_no_fault() {
        let habit: Habit = |mv, has_refused, is_legal| !has_refused && (is_legal || mv == "2");
        assert_eq!(opinions(habit).0, [false, true, false, true]);
    }
}
