//! Measures a player depth by depth.

use std::num::NonZeroU32;
use std::time::Duration;

use super::row::Row;
use crate::game::Game;
use crate::player::{Fault, Player, Turn};
use crate::referee::Ending;
use crate::timing::Depths;

/// A move may take this many times the limit by the clock on the wall before it is given up: much
/// over the limit is over the limit.
const PATIENCE: u32 = 10;

/// And so much longer: programs take time to start, on a busy computer even more.
const START_TIME: Duration = Duration::from_secs(5);

/// How to calibrate a player.
#[derive(Clone, Debug)]
pub struct Plan<G: Game> {
    /// The position before the first move.
    pub start: G,
    /// The moves that lead to the positions to measure in; at least one.
    pub games: Vec<Vec<G::Move>>,
    /// The depths to measure.
    pub depths: Depths,
    /// The CPU time that a move may take.
    pub limit: Duration,
    /// How often each position is measured.
    pub runs: NonZeroU32,
}

/// Why a calibration ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A move took longer at this depth.
    OverLimit {
        /// The depth.
        depth: u32,
    },
    /// The player lost by a fault at this depth.
    Fault {
        /// The depth.
        depth: u32,
        /// The moves that lead to the position.
        moves: String,
        /// What it did.
        fault: Fault,
    },
    /// This depth reaches the last ply of every position: greater ones show nothing new.
    Settled {
        /// The depth.
        depth: u32,
    },
    /// No more depths were asked for.
    Range,
}

/// Measures one depth after the other until a move takes longer than the limit, and hands every
/// row to `on_row`. `seat` makes the player for a depth and says what it is called.
///
/// # Errors
///
/// Those of `seat` and `on_row`.
pub fn calibrate<'p, G: Game, E>(
    plan: &Plan<G>,
    mut seat: impl FnMut(u32) -> Result<(String, Box<dyn Player<G> + 'p>), E>,
    mut on_row: impl FnMut(Row) -> Result<(), E>,
) -> Result<End, E> {
    for depth in plan.depths.range() {
        let (mut times, mut title) = (Vec::new(), String::new());
        for moves in &plan.games {
            let mut runs = Vec::new();
            for _ in 0..plan.runs.get() {
                let (name, mut player) = seat(depth)?;
                title = name;
                match measure(plan, moves, &mut *player) {
                    Ok(time) => runs.push(time),
                    Err(Fault::WallLimit { .. } | Fault::CpuLimit { .. }) => {
                        return Ok(End::OverLimit { depth });
                    }
                    Err(fault) => {
                        return Ok(End::Fault { depth, moves: text::<G>(moves), fault });
                    }
                }
            }
            runs.sort_unstable();
            times.push((runs[runs.len() / 2], moves));
        }
        times.sort_by_key(|&(time, _)| time);
        let (Some(fastest), Some(slowest)) = (times.first(), times.last()) else {
            return Ok(End::Range);
        };
        let is_over = slowest.0 > plan.limit;
        on_row(Row {
            game: G::NAME.to_owned(),
            player: title,
            depth,
            positions: times.len(),
            runs: plan.runs.get(),
            cpu_min: fastest.0,
            cpu_median: times[times.len() / 2].0,
            cpu_max: slowest.0,
            slowest: text::<G>(slowest.1),
        })?;
        if is_over {
            return Ok(End::OverLimit { depth });
        }
        if plan.start.plies_left().is_some_and(|left| depth >= left) {
            return Ok(End::Settled { depth });
        }
    }
    Ok(End::Range)
}

fn text<G: Game>(moves: &[G::Move]) -> String {
    moves.iter().map(G::Move::to_string).collect::<Vec<_>>().join(" ")
}

/// The CPU time of one move after these.
fn measure<G: Game>(
    plan: &Plan<G>,
    moves: &[G::Move],
    player: &mut dyn Player<G>,
) -> Result<Duration, Fault> {
    let position = set_up(&plan.start, moves, player);
    let patience = plan.limit.saturating_mul(PATIENCE).saturating_add(START_TIME);
    let before = player.cpu_time();
    let answer = player.choose_move(&Turn::new(&position, Some(patience)));
    let time = player.cpu_time().saturating_sub(before);
    player.game_over(&Ending::ply_cap(u32::try_from(moves.len()).unwrap_or(u32::MAX)));
    answer?.legal_move(&position).map(|_| time)
}

/// Tells a player the moves of a game after which it is to move, and returns the position.
pub(crate) fn set_up<G: Game>(start: &G, moves: &[G::Move], player: &mut dyn Player<G>) -> G {
    let end = moves.iter().fold(start.clone(), |position, &mv| position.after(mv));
    let mut position = start.clone();
    for &mv in moves {
        // What the player thinks of the moves is asked elsewhere.
        if position.side_to_move() == end.side_to_move() {
            player.force_move(&position, mv);
        } else {
            player.opponent_move(&position, mv);
        }
        position.play_unchecked(mv);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Flat;
    use crate::player::{Answer, Machine, Strength};
    use crate::search::Options;
    use crate::testing::TicTacToe;

    /// A player that says that it has used a millisecond per ply that it looks ahead.
    struct Clockwork {
        depth: u32,
        moves: u32,
    }

    impl Player<TicTacToe> for Clockwork {
        fn choose_move(
            &mut self,
            turn: &Turn<'_, TicTacToe>,
        ) -> Result<Answer<<TicTacToe as Game>::Move>, Fault> {
            self.moves += 1;
            let mv = turn.position.legal_moves().next().ok_or(Fault::NoMove)?;
            Ok(Answer::Move(mv.into()))
        }

        fn cpu_time(&self) -> Duration {
            Duration::from_millis(u64::from(self.depth * self.moves))
        }
    }

    fn plan(depths: &str, millis: u64) -> Plan<TicTacToe> {
        let start = TicTacToe::default();
        let games = vec![Vec::new(), start.legal_moves().take(1).collect()];
        Plan {
            start,
            games,
            depths: depths.parse().expect("depths"),
            limit: Duration::from_millis(millis),
            runs: NonZeroU32::MIN,
        }
    }

    fn run(plan: &Plan<TicTacToe>) -> (End, Vec<Row>) {
        let mut rows = Vec::new();
        let seat = |depth| {
            let player: Box<dyn Player<TicTacToe>> = Box::new(Clockwork { depth, moves: 0 });
            Ok::<_, ()>((format!("clockwork {depth}"), player))
        };
        let end = calibrate(plan, seat, |row| {
            rows.push(row);
            Ok(())
        });
        (end.expect("nothing goes wrong"), rows)
    }

    #[test]
    fn the_first_depth_over_the_limit_is_the_last() {
        let (end, rows) = run(&plan("1..", 4));
        assert_eq!(end, End::OverLimit { depth: 5 });
        let depths: Vec<_> = rows.iter().map(|row| row.depth).collect();
        assert_eq!(depths, [1, 2, 3, 4, 5]);
        assert_eq!((rows[4].cpu_max, rows[4].positions), (Duration::from_millis(5), 2));
    }

    #[test]
    fn greater_depths_than_the_game_has_plies_are_not_measured() {
        let (end, rows) = run(&plan("3..", 1_000));
        let last = TicTacToe::default().plies_left();
        assert_eq!(Some(rows[rows.len() - 1].depth), last.or(Some(200)));
        assert!(matches!(end, End::Settled { .. } | End::Range));
        assert_eq!(run(&plan("2..3", 1_000)).0, End::Range);
    }

    #[test]
    fn a_fault_is_reported_with_its_position() {
        let mut plan = plan("1..", 1_000);
        // A game that is over: a machine finds no move.
        plan.games = vec!["1 4 2 5 3".split(' ').map(|mv| mv.parse().expect("a move")).collect()];
        let seat = |depth| {
            let options = Options { table_mib: 0, ..Options::default() };
            let machine = Machine::new(Flat, Strength::Depth(depth), options);
            let player: Box<dyn Player<TicTacToe>> = Box::new(machine);
            Ok::<_, ()>((String::new(), player))
        };
        let end = calibrate(&plan, seat, |_| Ok(()));
        let moves = "1 4 2 5 3".to_owned();
        assert_eq!(end, Ok(End::Fault { depth: 1, moves, fault: Fault::NoMove }));
    }
}
