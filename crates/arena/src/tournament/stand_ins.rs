//! A tournament of 16 stand-ins for the programs of a class, with the places that a person would
//! give.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground::book::Shard;
use plyground::{Game, Side};
use plyground_durable::lock::Locking;
use plyground_host::player::{Answer, EnginePlayer, Player, Random, Turn};
use plyground_host::{EngineOptions, Fault, HostedPosition, MoveText, SharedGame, Strength};

use super::plan::TournamentPlan;
use super::report::{ReportGame, TournamentReport};
use super::standings::ReportPlayer;
use super::tournament::Tournament;

/// The plies of a whole game and of the opening. The remaining sixteen plies can be searched in
/// full.
const PLIES: u32 = 42;
const OPENING: u32 = 26;

/// The plies that are left after the opening: a search of this depth plays perfectly.
const PERFECT: u32 = PLIES - OPENING;

/// The way in which a stand-in chooses its moves.
#[derive(Clone, Copy)]
enum Mind {
    Depth(u32),
    Random,
    /// The first legal move.
    First,
}

/// The flaw of a stand-in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    NeverMoves,
    CrashesAt(u32),
    /// The program gives up unless it plays this side.
    Only(Side),
    /// The program's move at this ply is off the board.
    IllegalAt(u32),
    TakesLegalForIllegal,
}

/// The stand-ins: name, mind, flaw, and milliseconds for a move.
const PLAYERS: [(&str, Mind, Flaw, u64); 16] = [
    // This player takes its moves from a book.
    ("perfect", Mind::Depth(PERFECT), Flaw::None, 1),
    ("perfect, slow", Mind::Depth(PERFECT), Flaw::None, 1_000),
    ("depth 6", Mind::Depth(6), Flaw::None, 6),
    ("depth 3", Mind::Depth(3), Flaw::None, 3),
    ("depth 1", Mind::Depth(1), Flaw::None, 1),
    ("random", Mind::Random, Flaw::None, 1),
    ("random, too", Mind::Random, Flaw::None, 1),
    ("leftmost", Mind::First, Flaw::None, 1),
    ("crashes, perfect", Mind::Depth(PERFECT), Flaw::CrashesAt(34), 10),
    ("crashes, depth 3", Mind::Depth(3), Flaw::CrashesAt(34), 3),
    ("only first", Mind::Depth(PERFECT), Flaw::Only(Side::First), 10),
    ("only second", Mind::Depth(3), Flaw::Only(Side::Second), 3),
    ("never moves", Mind::First, Flaw::NeverMoves, 1),
    ("never moves, too", Mind::First, Flaw::NeverMoves, 1),
    ("illegal", Mind::Depth(3), Flaw::IllegalAt(38), 3),
    ("rejects", Mind::Depth(3), Flaw::TakesLegalForIllegal, 3),
];

struct StandIn {
    mind: Box<dyn Player>,
    flaw: Flaw,
    time: Duration,
    used: Duration,
}

impl StandIn {
    fn new(game: &SharedGame, player: usize, seed: u64) -> StandIn {
        let (_, mind, flaw, millis) = PLAYERS[player];
        let mind: Box<dyn Player> = match mind {
            Mind::Depth(depth) => {
                let engine = game.engine(EngineOptions::only_search(1));
                Box::new(EnginePlayer::new(engine, Strength::Depth(depth)))
            }
            Mind::Random => Box::new(Random::new(seed)),
            Mind::First => Box::new(Leftmost),
        };
        StandIn { mind, flaw, time: Duration::from_millis(millis), used: Duration::ZERO }
    }
}

struct Leftmost;

impl Player for Leftmost {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let first = turn.position.legal_moves().next().ok_or(Fault::NoMove)?;
        Ok(Answer::Move(first.into()))
    }
}

impl Player for StandIn {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let ply = PLIES - turn.position.plies_left().expect("a limited game");
        let is = |side: Side| turn.position.side_to_move() == side;
        match self.flaw {
            Flaw::NeverMoves => return Err(Fault::NoMove),
            Flaw::CrashesAt(last) if ply >= last => {
                return Err(Fault::Died { how: "signal 11".to_owned() });
            }
            Flaw::IllegalAt(last) if ply >= last => {
                return Err(Fault::IllegalMove { why: "9: there is no such column".to_owned() });
            }
            Flaw::Only(side) if !is(side) => return Err(Fault::Quit),
            _ => {}
        }
        self.used += self.time;
        self.mind.choose_move(turn)
    }

    fn opponent_move(&mut self, _: &HostedPosition, _: MoveText) -> bool {
        self.flaw != Flaw::TakesLegalForIllegal
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        Some(self.used)
    }
}

/// Returns the report of a tournament of the stand-ins with these indices. Repeated names are
/// numbered.
fn played(format: &str, players: &[usize]) -> TournamentReport {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = format!("{format}openings = {{ plies = {OPENING} }}\nseed = 2\n");
    for (place, &player) in players.iter().enumerate() {
        let (name, ..) = PLAYERS[player];
        let before = players[..place].iter().filter(|&&other| other == player).count();
        let number = if before > 0 { format!(" {}", before + 1) } else { String::new() };
        text += &format!("[[player]]\nname = '{name}{number}'\nplayer = 'random'\n");
    }
    let plan = TournamentPlan::parse(&text).expect("a plan");
    let game = maxconnect4::game();
    let mut tournament = Tournament::open(&game, plan, &folder.path().join("out"), Locking::Always)
        .expect("a tournament");
    let seat = |_, player: usize, seed| -> Box<dyn Player> {
        Box::new(StandIn::new(&game, players[player], seed))
    };
    let jobs = NonZeroUsize::MIN;
    tournament
        .play_seated(Shard::WHOLE, jobs, &AtomicBool::new(false), seat, |_| {})
        .expect("all games");
    let report = tournament.report();
    check_by_hand(&report);
    report
}

/// The results of a player in a pair of games.
#[derive(Clone, Copy, Default)]
struct Counted {
    points: i32,
    forfeits: u32,
    chosen: usize,
    seconds: f64,
}

/// Counts the matchups of a report from the list of games, as a person would with a pencil: first
/// the points of both games, then fewer forfeits, then less time. A matchup is drawn if neither
/// player made a move in both games. It does not count if neither ever made a move.
fn check_by_hand(report: &TournamentReport) {
    let mut pairs: BTreeMap<&str, Vec<&ReportGame>> = BTreeMap::new();
    for game in &report.games {
        pairs.entry(&game.number[..4]).or_default().push(game);
    }
    let chosen = |game: &ReportGame, seat: usize| (game.moves.len() - game.given + 1 - seat) / 2;
    let is_able = |player: usize| {
        let seats = |game: &&ReportGame| game.seats.iter().position(|&seat| seat == player);
        report.games.iter().any(|game| seats(&game).is_some_and(|seat| chosen(game, seat) > 0))
    };
    let mut wins = vec![0; report.players.len()];
    let mut points = vec![0; report.players.len()];
    for games in pairs.values() {
        let players = games[0].seats;
        assert!(games.len() == 2 && games[1].seats == [players[1], players[0]]);
        if !players.into_iter().any(is_able) {
            continue;
        }
        let sides = players.map(|player| {
            let mut side = Counted::default();
            for game in games {
                let seat = usize::from(game.seats[1] == player);
                let has_lost = game.result == ["0-1", "1-0"][seat];
                side.points += game.points.expect("points")[seat];
                side.forfeits += u32::from(has_lost && !game.reason.starts_with("board full"));
                side.chosen += chosen(game, seat);
                side.seconds += game.cpu_seconds[seat];
            }
            side
        });
        let [one, other] = sides;
        let better = if one.points != other.points {
            one.points > other.points
        } else if one.forfeits != other.forfeits {
            one.forfeits < other.forfeits
        } else {
            one.chosen > 0 && (other.chosen == 0 || one.seconds < other.seconds)
        };
        let is_equal = one.points == other.points
            && one.forfeits == other.forfeits
            && (one.chosen > 0) == (other.chosen > 0)
            && (one.seconds - other.seconds).abs() < 1e-9;
        let won = if is_equal {
            [1, 1]
        } else if better {
            [2, 0]
        } else {
            [0, 2]
        };
        for seat in 0..2 {
            wins[players[seat]] += won[seat];
            points[players[seat]] += i64::from(sides[seat].points);
        }
    }
    for (place, player) in report.players.iter().enumerate() {
        let score = f64::from(wins[place]) / 2.0 + f64::from(player.rested);
        assert_eq!(player.matchups.map(|it| it.score), Some(score), "{}", player.name);
        assert_eq!(player.points, Some(points[place]), "{}", player.name);
    }
}

/// Returns place, name, rounds of a knockout survived, matchups won, points, and the criterion of
/// the place.
fn places(report: &TournamentReport) -> Vec<String> {
    let line = |player: &ReportPlayer| {
        let matchups = player.matchups.expect("matchups");
        let rested = if player.rested > 0 { ", rested" } else { "" };
        let survived = player.survived;
        let rounds = if survived > 0 { format!("{survived} rounds, ") } else { String::new() };
        format!(
            "{} {}: {rounds}{} of {}{rested}, {} points{}",
            player.rank.unwrap_or_default(),
            player.name,
            matchups.score,
            matchups.total,
            player.points.unwrap_or_default(),
            player.ahead_by.map(|by| format!("; {by}")).unwrap_or_default()
        )
    };
    report.players.iter().map(line).collect()
}

const ALL: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The perfect player, which takes its moves from a book and thus no time, is never beaten. The
/// slow one, equally strong, loses all matchups that are equal in points, and is behind quicker
/// players that are nearly as good. A player that loses half of its games by a fault is behind
/// random play, unless it is strong.
#[test]
fn round_robin() {
    let report = played("", &ALL);
    assert_eq!(
        places(&report),
        [
            "1 perfect: 15 of 15, 116 points; matchups",
            "2 rejects: 13.5 of 15, 121 points; points",
            "3 depth 3: 13.5 of 15, 119 points; matchups",
            "4 depth 6: 12 of 15, 121 points; matchups",
            "5 perfect, slow: 11 of 15, 119 points; matchups",
            "6 depth 1: 9 of 15, 120 points; matchups",
            "7 random: 8 of 15, 97 points; points",
            "8 only second: 8 of 15, 85 points; matchups",
            "9 leftmost: 7 of 15, 108 points; matchups",
            "10 random, too: 6 of 15, 96 points; matchups",
            "11 illegal: 5 of 15, 42 points; matchups",
            "12 crashes, depth 3: 4 of 15, 29 points; matchups",
            "13 only first: 3.5 of 15, 48 points; matchups",
            "14 crashes, perfect: 2.5 of 15, 29 points; moves",
            "15 never moves: 0.5 of 14, 4 points",
            "15 never moves, too: 0.5 of 14, 4 points",
        ]
    );
    assert_eq!((report.played, report.void), (240, 2));
}

/// The perfect player wins all its matchups and is first, though others have more points.
#[test]
fn swiss() {
    let report = played("format = 'swiss'\npairings = 6\n", &ALL);
    assert_eq!(
        places(&report),
        [
            "1 perfect: 6 of 6, 43 points; matchups",
            "2 rejects: 5 of 6, 43 points; points",
            "3 depth 3: 5 of 6, 39 points; matchups",
            "4 random, too: 4 of 6, 48 points; points",
            "5 leftmost: 4 of 6, 47 points; matchups",
            "6 depth 6: 3 of 6, 45 points; points",
            "7 depth 1: 3 of 6, 43 points; points",
            "8 random: 3 of 6, 39 points; points",
            "9 crashes, depth 3: 3 of 6, 21 points; CPU time",
            "10 illegal: 3 of 6, 21 points; matchups",
            "11 only second: 2.5 of 6, 31 points; matchups",
            "12 perfect, slow: 2 of 6, 37 points; points",
            "13 only first: 2 of 6, 26 points; matchups",
            "14 crashes, perfect: 1 of 6, 17 points; moves",
            "15 never moves, too: 0.5 of 5, 4 points; matchups",
            "16 never moves: 0 of 5, 0 points",
        ]
    );
}

/// Places depend on the rounds survived, and among players that are out in the same round on their
/// results.
#[test]
fn knockout() {
    let report = played("format = 'knockout'\n", &ALL);
    assert_eq!(
        places(&report),
        [
            "1 perfect: 4 rounds, 4 of 4, 29 points; rounds",
            "2 depth 6: 3 rounds, 3 of 4, 30 points; rounds",
            "3 perfect, slow: 2 rounds, 2 of 3, 23 points; points",
            "4 depth 3: 2 rounds, 2 of 3, 19 points; rounds",
            "5 leftmost: 1 rounds, 1 of 2, 15 points; points",
            "6 random: 1 rounds, 1 of 2, 13 points",
            "6 random, too: 1 rounds, 1 of 2, 13 points; points",
            "8 only second: 1 rounds, 1 of 2, 12 points; rounds",
            "9 rejects: 0 of 1, 6 points; points",
            "10 depth 1: 0 of 1, 5 points; points",
            "11 only first: 0 of 1, 4 points; points",
            "12 crashes, depth 3: 0 of 1, 0 points; CPU time",
            "13 illegal: 0 of 1, 0 points; CPU time",
            "14 crashes, perfect: 0 of 1, 0 points; moves",
            "15 never moves: 0 of 1, 0 points",
            "15 never moves, too: 0 of 1, 0 points",
        ]
    );
}

/// In a Swiss tournament with many programs that cannot play, the winner of every game is first,
/// and a player that rests for lack of an opponent loses nothing.
#[test]
fn who_wins_every_game_of_a_swiss_is_first() {
    let players = [0, 12, 12, 12, 12, 12, 5, 5, 7, 4, 12];
    let report = played("format = 'swiss'\npairings = 5\n", &players);
    assert_eq!(
        places(&report),
        [
            "1 perfect: 5 of 5, 49 points; matchups",
            "2 depth 1: 4 of 5, 44 points; matchups",
            "3 random 2: 3 of 5, 36 points",
            "3 leftmost: 3 of 5, 36 points; points",
            "5 random: 3 of 5, rested, 29 points; moves",
            "6 never moves 2: 1 of 2, rested, 0 points",
            "6 never moves 3: 1 of 3, rested, 0 points",
            "6 never moves 5: 1 of 3, rested, 0 points",
            "6 never moves 6: 1 of 3, rested, 0 points; matchups",
            "10 never moves: 0 of 1, 0 points",
            "10 never moves 4: 0 of 2, 0 points",
        ]
    );
    let unable = |&place: &usize| report.players[place].name.starts_with("never moves");
    let met = (0..players.len()).filter(unable).filter(|&place| report.cross[0][place].games > 0);
    assert!(met.count() > 0, "the first has met programs that cannot play");
}
