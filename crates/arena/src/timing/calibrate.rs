//! The measurement of a player, depth by depth.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::time::Duration;

use plyground::Game;
use plyground::clock::Instant;
use plyground_durable::quantities::seconds;
use plyground_durable::text::csv_line;
use plyground_host::player::{Answer, Player, Turn};
use plyground_host::{Ending, Fault, HostedPosition, MoveText};
use serde::Serialize;

use super::measure::{DepthTime, Depths, Runs, Times, TimingEnd, by_depth};

/// The multiple of the limit, in wall time, after which a move is given up, because the exact time
/// of so slow a move does not matter.
const PATIENCE: u32 = 10;

/// The additional wall time for the start of a program, which is slow on a busy computer.
const START_TIME: Duration = Duration::from_secs(5);

/// A plan to calibrate a player.
#[derive(Clone, Debug)]
pub struct CalibrationPlan {
    /// The position before the first move.
    pub start: HostedPosition,
    /// The moves that lead to the positions to measure; at least one position.
    pub games: Vec<Vec<MoveText>>,
    /// The depths to measure.
    pub depths: Depths,
    /// The CPU time that a move may take.
    pub limit: Duration,
    /// The number of measurements of each position.
    pub runs: NonZeroU32,
}

/// Measures one depth after the other until a move takes longer than the limit, and passes every
/// row to `on_row`. `seat` creates the player for a depth and returns its name.
pub fn calibrate<'p, E>(
    plan: &CalibrationPlan,
    mut seat: impl FnMut(u32) -> Result<(String, Box<dyn Player + 'p>), E>,
    mut on_row: impl FnMut(CalibrationRow) -> Result<(), E>,
) -> Result<TimingEnd, E> {
    by_depth(plan.depths, plan.limit, plan.start.plies_left(), |depth| {
        let row = match measure_row(plan, depth, &mut seat) {
            Ok(row) => row,
            Err(Unmeasured::Player(end)) => return Ok(ControlFlow::Break(end)),
            Err(Unmeasured::Seat(error)) => return Err(error),
        };
        let cpu = row.cpu_max;
        on_row(row)?;
        Ok(ControlFlow::Continue(DepthTime { cpu, is_solved: false }))
    })
}

/// The reason why a depth has no row.
enum Unmeasured<E> {
    /// The player's behavior ends the table.
    Player(TimingEnd),
    /// The player could not be created.
    Seat(E),
}

fn measure_row<'p, E>(
    plan: &CalibrationPlan,
    depth: u32,
    mut seat: impl FnMut(u32) -> Result<(String, Box<dyn Player + 'p>), E>,
) -> Result<CalibrationRow, Unmeasured<E>> {
    let (mut title, mut slowest, mut times) = (String::new(), None, Vec::new());
    for moves in &plan.games {
        let runs = Runs::Fixed(plan.runs).measure(|_| {
            let (name, mut player) = seat(depth).map_err(Unmeasured::Seat)?;
            title = name;
            measure(plan, moves, &mut *player).map_err(|fault| {
                Unmeasured::Player(if fault.is_late() {
                    TimingEnd::OverLimit(depth)
                } else {
                    TimingEnd::Fault { depth, moves: text(moves), fault }
                })
            })
        })?;
        let time = runs.median();
        // The last of equal times wins.
        slowest = slowest.max(Some((time, times.len())));
        times.push(time);
    }
    let Some((_, slowest)) = slowest else { return Err(Unmeasured::Player(TimingEnd::Range)) };
    let times = Times::new(times);
    Ok(CalibrationRow {
        game: plan.start.game().name().to_owned(),
        player: title,
        depth,
        positions: times.count(),
        runs: plan.runs.get(),
        cpu_min: times.min(),
        cpu_median: times.median(),
        cpu_max: times.max(),
        slowest: text(&plan.games[slowest]),
    })
}

fn text(moves: &[MoveText]) -> String {
    moves.iter().map(MoveText::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns the CPU time of one move after these moves.
fn measure(
    plan: &CalibrationPlan,
    moves: &[MoveText],
    player: &mut dyn Player,
) -> Result<Duration, Fault> {
    let patience = plan.limit.saturating_mul(PATIENCE).saturating_add(START_TIME);
    let asked = TimedAnswer::ask(&plan.start, moves, player, Some(patience));
    asked.answer?.legal_move(&asked.position).map(|_| asked.cpu)
}

/// A player's answer in a position after some moves, with the time that it took.
///
/// The time counts from the start of the player on, without it. The time in which a player takes in moves that it is
/// told belongs to its next turn, so it cannot think there for nothing.
#[derive(Clone, Debug)]
pub struct TimedAnswer {
    /// The position in which the player is to move.
    pub position: HostedPosition,
    /// The answer, or the fault in its place.
    pub answer: Result<Answer, Fault>,
    /// The CPU time.
    pub cpu: Duration,
    /// The wall-clock time.
    pub wall: Duration,
    /// If true, the player was lost when it was told the moves, before it was asked.
    pub is_early: bool,
}

impl TimedAnswer {
    /// Tells a player, which plays no game yet, the moves that lead to a position in which it is to move, asks it for
    /// its move, and ends the game.
    pub fn ask(
        start: &HostedPosition,
        moves: &[MoveText],
        player: &mut dyn Player,
        limit: Option<Duration>,
    ) -> TimedAnswer {
        let end = moves.iter().fold(start.clone(), |position, &mv| position.after(mv));
        let mut position = start.clone();
        player.begin(start, end.side_to_move());
        let begins = player.lost().is_none();
        let (cpu_before, began) = (player.cpu_time(), Instant::now());
        for &mv in moves {
            // The player's judgment of the moves does not matter here.
            if position.side_to_move() == end.side_to_move() {
                player.force_move(&position, mv);
            } else {
                player.opponent_move(&position, mv);
            }
            position.play_unchecked(mv);
        }
        let is_early = begins && player.lost().is_some();
        let answer = player.choose_move(&Turn::new(&position, limit));
        let (cpu, wall) = (player.cpu_time().saturating_sub(cpu_before), began.elapsed());
        player.game_over(&Ending::ply_cap(u32::try_from(moves.len()).unwrap_or(u32::MAX)));
        TimedAnswer { position, answer, cpu, wall, is_early }
    }
}

/// The columns of the CSV, in order.
pub const CALIBRATION_COLUMNS: &str = "game,player,depth,positions,runs,cpu_seconds_min,\
    cpu_seconds_median,cpu_seconds_max,slowest";

/// The cost of a move at one depth, over all positions. The fields are the columns of the CSV.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CalibrationRow {
    /// The name of the game.
    pub game: String,
    /// The player, with the depth filled in.
    pub player: String,
    /// The number of plies that the player looked ahead.
    pub depth: u32,
    /// The number of positions that were measured.
    pub positions: usize,
    /// The number of measurements of each position, whose median counts.
    pub runs: u32,
    /// The CPU time of the fastest position.
    #[serde(rename = "cpu_seconds_min", with = "seconds")]
    pub cpu_min: Duration,
    /// The median over the positions; the mean of the middle two, if their number is even.
    #[serde(rename = "cpu_seconds_median", with = "seconds")]
    pub cpu_median: Duration,
    /// The CPU time of the slowest position.
    #[serde(rename = "cpu_seconds_max", with = "seconds")]
    pub cpu_max: Duration,
    /// The moves that lead to the slowest position, separated by blanks; empty for the start.
    pub slowest: String,
}

impl CalibrationRow {
    /// Returns the row as one line of CSV, with its line end.
    pub fn to_csv(&self) -> String {
        csv_line(self)
    }
}

#[cfg(test)]
mod tests {
    use plyground::Side;
    use plyground_host::player::{Answer, EnginePlayer};
    use plyground_host::toy::toy;
    use plyground_host::{EngineOptions, Strength};

    use super::*;

    /// A player that reports a millisecond of CPU time for each ply that it looks ahead.
    struct Clockwork {
        depth: u32,
        moves: u32,
    }

    impl Player for Clockwork {
        fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
            self.moves += 1;
            let mv = turn.position.legal_moves().next().ok_or(Fault::NoMove)?;
            Ok(Answer::Move(mv.into()))
        }

        fn cpu_time(&self) -> Duration {
            Duration::from_millis(u64::from(self.depth * self.moves))
        }
    }

    fn plan(depths: &str, millis: u64) -> CalibrationPlan {
        let start = toy().start();
        CalibrationPlan {
            games: vec![Vec::new(), start.legal_moves().take(1).collect()],
            start,
            depths: depths.parse().expect("depths"),
            limit: Duration::from_millis(millis),
            runs: NonZeroU32::MIN,
        }
    }

    fn run(plan: &CalibrationPlan) -> (TimingEnd, Vec<CalibrationRow>) {
        let mut rows = Vec::new();
        let seat = |depth| {
            let player: Box<dyn Player> = Box::new(Clockwork { depth, moves: 0 });
            Ok::<_, ()>((format!("clockwork {depth}"), player))
        };
        let end = calibrate(plan, seat, |row| {
            rows.push(row);
            Ok(())
        });
        (end.expect("nothing goes wrong"), rows)
    }

    #[test]
    fn first_depth_over_the_limit_is_the_last() {
        let (end, rows) = run(&plan("1..", 4));
        assert_eq!(end, TimingEnd::OverLimit(5));
        let depths: Vec<_> = rows.iter().map(|row| row.depth).collect();
        assert_eq!(depths, [1, 2, 3, 4, 5]);
        let last = &rows[4];
        assert_eq!((last.cpu_max, last.positions, last.runs), (Duration::from_millis(5), 2, 1));
        assert_eq!((last.player.as_str(), last.slowest.as_str()), ("clockwork 5", "1"));
    }

    #[test]
    fn greater_depths_than_the_game_has_plies_are_not_measured() {
        let (end, rows) = run(&plan("3..", 1_000));
        assert_eq!((end, rows.len()), (TimingEnd::Solved(9), 7));
        assert_eq!(run(&plan("2..3", 1_000)).0, TimingEnd::Range);
    }

    #[test]
    fn fault_is_reported_with_its_position() {
        let mut plan = plan("1..", 1_000);
        // The game is over, so an engine finds no move.
        plan.games = vec!["1 4 2 5 3".split(' ').map(|mv| mv.parse().expect("a move")).collect()];
        let seat = |depth| {
            let engine = toy().engine(EngineOptions::default());
            let player: Box<dyn Player> =
                Box::new(EnginePlayer::new(engine, Strength::Depth(depth)));
            Ok::<_, ()>((String::new(), player))
        };
        let end = calibrate(&plan, seat, |_| Ok(()));
        let moves = "1 4 2 5 3".to_owned();
        assert_eq!(end, Ok(TimingEnd::Fault { depth: 1, moves, fault: Fault::NoMove }));
    }

    /// A player that reports a second for its start, ten milliseconds for each move that it is told, and one for its
    /// answer.
    #[derive(Default)]
    struct Early(u64);

    impl Player for Early {
        fn begin(&mut self, _: &HostedPosition, _: Side) {
            self.0 += 1000;
        }

        fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
            self.0 += 1;
            let mv = turn.position.legal_moves().next().ok_or(Fault::NoMove)?;
            Ok(Answer::Move(mv.into()))
        }

        fn opponent_move(&mut self, _: &HostedPosition, _: MoveText) -> bool {
            self.0 += 10;
            true
        }

        fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            self.opponent_move(before, mv)
        }

        fn cpu_time(&self) -> Duration {
            Duration::from_millis(self.0)
        }
    }

    #[test]
    fn time_counts_from_the_first_move_that_is_told() {
        let start = toy().start();
        for (moves, millis) in [("", 1), ("1", 11), ("1 4", 21), ("1 4 2", 31)] {
            let moves: Vec<MoveText> =
                moves.split_whitespace().map(|mv| mv.parse().expect("a move")).collect();
            let asked = TimedAnswer::ask(&start, &moves, &mut Early::default(), None);
            assert_eq!((asked.cpu.as_millis(), asked.is_early), (millis, false), "{moves:?}");
        }
    }

    #[test]
    fn columns_are_those_of_the_row() {
        let row = CalibrationRow {
            game: "toy".to_owned(),
            player: "machine:depth=3".to_owned(),
            depth: 3,
            positions: 2,
            runs: 1,
            cpu_min: Duration::from_millis(1),
            cpu_median: Duration::from_millis(2),
            cpu_max: Duration::from_millis(3),
            slowest: "1 2".to_owned(),
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(&row).expect("a row");
        let text = String::from_utf8(writer.into_inner().expect("memory")).expect("text");
        let line = "toy,machine:depth=3,3,2,1,0.001000000,0.002000000,0.003000000,1 2\n";
        assert_eq!(row.to_csv(), line);
        assert_eq!(text, format!("{CALIBRATION_COLUMNS}\n{line}"));
    }
}
