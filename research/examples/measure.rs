//! Measurements of the proofs and the engine player of Network.
//!
//!     cargo run --release -p research --example measure -- first-player machine:depth=3 100 [no-book] [usf]
//!     cargo run --release -p research --example measure -- forced-time 1s
//!     cargo run --release -p research --example measure -- forced-wins 200 > positions.tsv
//!     cargo run --release -p research --example measure -- defense 200 1,2,3,4
//!     cargo run --release -p research --example measure -- refutations [MOVE] openings.csv [EVERY]
//!     cargo run --release -p research --example measure -- distances \
//!         results/network-openings-*.csv 11 results/network-after-11-*.csv
//!
//! * `first-player` plays games as the player that begins, from the empty board, and prints the number of wins,
//!   the length of the longest game, and the times of the moves, in wall-clock and CPU time.
//! * `forced-time` measures the time in which an engine player finds the forced wins of
//!   `tests/network/data/forced-wins.tsv`, with a limit of time for a move: each alone, with empty tables, as
//!   `one-move --time` does.
//! * `forced-wins` draws positions from the middle of games in which the player to move has a forced win.
//! * `defense` plays lost positions on, against players of limited depth, and prints the number of games that the
//!   loser did not lose, for each way to choose among defenses of equal length.
//! * `refutations` checks refutations of `research openings --csv` with a search that knows no proofs. After
//!   the first move, the reply, the second move and the reply that refutes it, alpha-beta to the ply of the
//!   chip must find no win. With a MOVE the table is about the position after that first move. EVERY 10 takes
//!   every tenth row.
//! * `distances` writes a table of the number of plies that it takes to win after every first move and every
//!   reply to it, from tables of `research openings --csv`. The tables after a first move are about the
//!   position after it, in which the other color is to move.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use network::{ChipEval, Color, Move, Position, Rules, Win, game};
use plyground::perfect::Ties;
use plyground::proof::Prover;
use plyground::search::Options;
use plyground::{AlphaBeta, Game, Limits, Search, Side};
use plyground_arena::statistics::{elo_of, signed};
use plyground_durable::parse_duration;
use plyground_host::player::{EnginePlayer, Player, PlayerSpec, Random};
use plyground_host::referee::{Conduct, PlayedMove, Silent, play};
use plyground_host::state::StateText;
use plyground_host::{Constraints, EngineOptions, HostedPosition, MoveText, SharedGame, Strength};
use rand::prelude::*;
use research::{OpeningResult, OpeningRow, distance_table, distances, parse_opening_table};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        ["first-player", words @ ..] => first_player(words),
        ["forced-time", words @ ..] => forced_time(words),
        ["forced-wins", words @ ..] => {
            forced_wins(words);
            Ok(())
        }
        ["defense", words @ ..] => defense(words),
        ["refutations", words @ ..] => refutations(words),
        ["distances", words @ ..] => write_distances(words),
        _ => Err(
            "expected first-player, forced-time, forced-wins, defense, refutations or distances"
                .into(),
        ),
    }
}

/// Makes the player of the other side.
fn opponent(
    game: &SharedGame,
    spec: &PlayerSpec,
    seed: u64,
) -> Result<Box<dyn Player>, Box<dyn Error>> {
    match spec {
        PlayerSpec::Random => Ok(Box::new(Random::new(seed))),
        PlayerSpec::Machine(strength) => Ok(Box::new(machine(game, *strength, Some(seed), true))),
        _ => Err("expected random or machine, with a depth or a time if you like".into()),
    }
}

fn machine(
    game: &SharedGame,
    strength: Strength,
    seed: Option<u64>,
    book: bool,
) -> EnginePlayer<'static> {
    let search = Options { seed, ..Options::default() };
    let options = EngineOptions { search, book: None, without_prepared: !book };
    EnginePlayer::new(game.engine(options), strength)
}

/// Plays games as the player that begins.
fn first_player(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let [opponent_name, games, options @ ..] = words else {
        return Err("expected an opponent and a number of games".into());
    };
    let (spec, games): (PlayerSpec, u64) = (opponent_name.parse()?, games.parse()?);
    let has = |option: &str| options.contains(&option);
    let network = game(if has("usf") { Rules::Usf } else { Rules::Berkeley });
    let (mut won, mut longest, mut moves) = (0, 0, Vec::new());
    for seed in 1..=games {
        let mut first = machine(&network, Strength::Default, None, !has("no-book"));
        let mut second = opponent(&network, &spec, seed)?;
        let players: [&mut dyn Player; 2] = [&mut first, &mut *second];
        let game = play(&network.start(), players, &Conduct::default(), &mut Silent)?;
        won += usize::from(game.ending.winner == Some(Side::First));
        longest = longest.max(game.moves.len());
        moves.extend(game.moves.into_iter().step_by(2));
    }
    println!("{opponent_name}: {won} of {games} won, the longest in {longest} plies");
    println!("  wall: {}", times_of(&moves, |played| played.wall));
    println!("  CPU:  {}", times_of(&moves, |played| played.cpu));
    Ok(())
}

/// Returns a text of the times of moves.
fn times_of(moves: &[PlayedMove], time: impl Fn(&PlayedMove) -> Duration) -> String {
    let mut times: Vec<Duration> = moves.iter().map(time).collect();
    times.sort();
    let last = times.len().saturating_sub(1);
    let at =
        |share: f64| times.get((last as f64 * share) as usize).map_or(0.0, Duration::as_secs_f64);
    let slow = times.iter().filter(|time| **time >= Duration::from_secs(1)).count();
    format!(
        "{} moves, median {:.4} s, 99 % within {:.3} s, slowest {:.2} s, {slow} of a second or more",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    )
}

/// The positions with forced wins.
const FORCED_WINS: &str = include_str!("../../tests/network/data/forced-wins.tsv");

/// The number of the slowest positions that are named.
const NAMED: usize = 5;

/// The result of one position with a forced win.
struct Finding {
    line: usize,
    plies: u32,
    is_won: bool,
    wall: Duration,
    cpu: Duration,
}

/// Returns the position of a line of the data, and the number of plies in which it is won.
fn parse_forced_win(line: &str) -> Result<(HostedPosition, u32), Box<dyn Error>> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [board, side, plies] = fields[..] else { return Err("expected three fields".into()) };
    let text = format!("{}\n{side}\n", board.replace('/', "\n"));
    Ok((game(Rules::Berkeley).parse_state(&StateText::from_lines(&text))?, plies.parse()?))
}

fn find(line: usize, text: &str, time: Duration) -> Result<Finding, Box<dyn Error>> {
    let (position, plies) = parse_forced_win(text)?;
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let mut engine = position.game().engine(EngineOptions::default());
    let chosen = engine.choose(&position, Strength::Time(time), &Constraints::default())?;
    let is_won = chosen.ok_or("the game is over")?.value.score().is_win();
    Ok(Finding { line, plies, is_won, wall: started.elapsed(), cpu: cpu.elapsed() })
}

/// Measures the time in which an engine player finds forced wins.
fn forced_time(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let time = parse_duration(words.first().ok_or("expected a time, such as 1s")?)?;
    let lines = FORCED_WINS.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let mut findings = lines
        .map(|(index, text)| find(index + 1, text, time))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.wall));
    let won = findings.iter().filter(|finding| finding.is_won).count();
    let mut out = io::stdout().lock();
    writeln!(out, "{won} of {} found within {time:?} each", findings.len())?;
    for Finding { line, plies, is_won, wall, cpu } in findings.iter().take(NAMED) {
        let [wall, cpu] = [wall, cpu].map(Duration::as_secs_f64);
        let found = if *is_won { "found" } else { "not found" };
        writeln!(
            out,
            "  line {line}, {plies} plies: {found}, {wall:.2} s on the wall, {cpu:.2} s of CPU"
        )?;
    }
    Ok(())
}

/// The memory for proofs, in MiB.
const PROOF_TABLE_MIB: usize = 64;

/// The share of the moves of drawn games that are random.
const RANDOM: f64 = 0.5;

/// The depth of the moves that are not random.
const DEPTH: u32 = 2;

/// Plays `plies` plies of a game, and returns the first result of `found` for a position of it, with the
/// moves that led there; `None` if there is no result, or if the game ends before. The moves for which
/// `is_random` is true are drawn, the others are found by a shallow search. Both closures get the number of
/// the ply, from 0.
fn draw<T>(
    rng: &mut StdRng,
    plies: usize,
    is_random: impl Fn(usize, &mut StdRng) -> bool,
    mut found: impl FnMut(usize, &Position, &mut StdRng) -> Option<T>,
) -> Option<(Vec<Move>, T)> {
    let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 1, ..Options::default() });
    let mut position = Position::new(Rules::Berkeley);
    let mut moves = Vec::new();
    for ply in 0..plies {
        if position.outcome().is_some() {
            return None;
        }
        if let Some(found) = found(ply, &position, rng) {
            return Some((moves, found));
        }
        let mv = if is_random(ply, rng) {
            position.legal_moves().choose(rng)?
        } else {
            search.best(&position, &Limits::depth(DEPTH))?.best_move()
        };
        moves.push(mv);
        position.play_unchecked(mv);
    }
    None
}

/// Returns the least number of plies within which `winner` wins, if it is one of `lengths`, which follow
/// `too_short`. Returns `None` also if a proof or disproof takes more than `nodes`.
fn length(
    position: &Position,
    winner: Color,
    (too_short, lengths): (u32, &[u32]),
    nodes: u64,
    prover: &Prover,
) -> Option<u32> {
    let goal = Win::new(position, winner);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    for &plies in [too_short].iter().chain(lengths) {
        match prover.prove(&goal, position, plies, &limits).reached {
            Some(true) => return lengths.contains(&plies).then_some(plies),
            Some(false) => {}
            None => return None,
        }
    }
    None
}

/// The seed of the games in which forced wins are looked for.
///
/// Games begin at random and go on half at random, half by a shallow search. From each comes at most one
/// position, the first that is proven won within nine plies and not within one; the number of plies is the
/// least that suffices. The proof search makes the proofs; the test `forced_wins` walks through them by the
/// naive rules.
const WINS_SEED: u64 = 9;
/// The lengths of the wins, in plies.
const WIN_LENGTHS: [u32; 4] = [3, 5, 7, 9];
/// The number of positions that a proof or disproof of a win may visit.
const WIN_NODES: u64 = 300_000;
/// The ply from which on positions are searched, and the ply at which a game is given up.
const WIN_PLIES: Range<usize> = 6..60;
/// The first ply at which all chips are on the board.
const STEPS: usize = 20;

/// Returns the first won position of a game in the requested phase, and the number of plies until the win.
fn draw_win(steps: bool, prover: &Prover, rng: &mut StdRng) -> Option<(Position, u32)> {
    let is_random = |ply, rng: &mut StdRng| steps && ply < STEPS || rng.random_bool(RANDOM);
    let won = draw(rng, WIN_PLIES.end, is_random, |ply, position, rng| {
        let looked_at = if steps { STEPS } else { rng.random_range(WIN_PLIES.start..STEPS) };
        let length = || length(position, position.to_move(), (1, &WIN_LENGTHS), WIN_NODES, prover);
        (ply >= looked_at).then(length).flatten().map(|plies| (*position, plies))
    });
    won.map(|(_, won)| won)
}

/// Draws positions in which the player to move has a forced win.
fn forced_wins(words: &[&str]) {
    let wanted = words.first().and_then(|text| text.parse().ok()).unwrap_or(200);
    let mut rng = StdRng::seed_from_u64(WINS_SEED);
    let prover = Prover::new(PROOF_TABLE_MIB);
    let mut lengths: BTreeMap<(bool, u32), usize> = BTreeMap::new();
    let mut found = 0;
    println!("# position\tside to move\tplies to the forced win of the side to move");
    while found < wanted {
        // Every third position is one with steps.
        let steps = found % 3 == 2;
        let Some((position, plies)) = draw_win(steps, &prover, &mut rng) else { continue };
        let count = lengths.entry((steps, plies)).or_default();
        // Short wins are the most frequent: no length has more than its share.
        let share = wanted / if steps { 3 } else { 5 };
        if *count > share / 2 && plies == WIN_LENGTHS[0] || *count > share {
            continue;
        }
        *count += 1;
        found += 1;
        let text = position.to_string();
        let (board, side) = text.rsplit_once('\n').unwrap_or((&text, ""));
        println!("{}\t{side}\t{plies}", board.replace('\n', "/"));
    }
    eprintln!("{lengths:?}");
}

/// The seed of the games in which losses are looked for.
///
/// Positions come from games that are half random and half played by a shallow search: in each, every move of
/// the player to move loses within ten plies, and not within two. The players are `machine:perfect,time=500ms`,
/// with and without `,ties=first`, and `machine:depth=N`.
const LOSSES_SEED: u64 = 22;
/// The lengths of the losses, in plies.
const LOSS_LENGTHS: [u32; 4] = [4, 6, 8, 10];
/// The number of positions that a proof or disproof of a loss may visit.
const LOSS_NODES: u64 = 100_000;
/// The ply from which on positions are searched, and the ply at which a game is given up.
const LOSS_PLIES: Range<usize> = 6..24;
/// The time that the loser has for a move.
const LOSER_TIME: Duration = Duration::from_millis(500);
/// The number of plies after which a game is a draw.
const PLY_CAP: u32 = 80;

/// Returns the moves that lead to a lost position, and the number of plies until the loss.
fn draw_loss(prover: &Prover, rng: &mut StdRng) -> Option<(Vec<MoveText>, u32)> {
    let looked_at = rng.random_range(LOSS_PLIES);
    let is_random = |_, rng: &mut StdRng| rng.random_bool(RANDOM);
    let lost = draw(rng, LOSS_PLIES.end, is_random, |ply, position, _| {
        let winner = position.to_move().other();
        let length = || length(position, winner, (2, &LOSS_LENGTHS), LOSS_NODES, prover);
        (ply >= looked_at).then(length).flatten()
    });
    lost.map(|(moves, plies)| (moves.iter().map(MoveText::of).collect(), plies))
}

/// Plays lost positions on.
fn defense(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let [count, depths] = words else {
        return Err("expected a number of positions and depths, such as 200 1,2,3,4".into());
    };
    let count: usize = count.parse()?;
    let depths: Vec<u32> = depths.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let (mut rng, prover) = (StdRng::seed_from_u64(LOSSES_SEED), Prover::new(PROOF_TABLE_MIB));
    let lost: Vec<(Vec<MoveText>, u32)> =
        std::iter::repeat_with(|| draw_loss(&prover, &mut rng)).flatten().take(count).collect();
    let lengths =
        LOSS_LENGTHS.map(|plies| lost.iter().filter(|(_, length)| *length == plies).count());
    println!("{count} positions, lost within {LOSS_LENGTHS:?} plies: {lengths:?}");
    for depth in depths {
        for (name, ties) in [("first", Ties::First), ("tempting", Ties::Tempting)] {
            let mut points = [0_u32; 3];
            for (opening, _) in &lost {
                points[play_on(opening, depth, ties)? as usize] += 1;
            }
            println!("depth {depth}, {name}: {}", points_of(points));
        }
    }
    Ok(())
}

/// Returns a text of the losses, draws and wins, with 95 % confidence intervals.
fn points_of([losses, draws, wins]: [u32; 3]) -> String {
    let count = f64::from(losses + draws + wins);
    let mean = (f64::from(wins) + f64::from(draws) / 2.0) / count;
    let square = (f64::from(wins) + f64::from(draws) / 4.0) / count;
    let error = 1.96 * ((square - mean * mean) / count).sqrt();
    let [elo, lower, upper] = [mean, mean - error, mean + error].map(|share| signed(elo_of(share)));
    format!(
        "{wins} won, {draws} drawn, {losses} lost: {:.1} % (+- {:.1}), Elo {elo} ({lower} to {upper})",
        100.0 * mean,
        100.0 * error,
    )
}

/// Plays a game. Returns its end for the player that is to move in the lost position: 0 lost, 1 drawn, 2
/// won.
fn play_on(opening: &[MoveText], depth: u32, ties: Ties) -> Result<u8, Box<dyn Error>> {
    let network = game(Rules::Berkeley);
    let options = |seed| EngineOptions {
        search: Options { table_mib: 16, seed, ..Options::default() },
        ..EngineOptions::default()
    };
    let strength = Strength::Perfect { time: Some(LOSER_TIME), ties };
    let mut loser = EnginePlayer::new(network.engine(options(None)), strength);
    let seed = Some(opening.len() as u64);
    let mut winner = EnginePlayer::new(network.engine(options(seed)), Strength::Depth(depth));
    let side = if opening.len().is_multiple_of(2) { Side::First } else { Side::Second };
    let players: [&mut dyn Player; 2] = match side {
        Side::First => [&mut loser, &mut winner],
        Side::Second => [&mut winner, &mut loser],
    };
    let conduct = Conduct { opening: opening.to_vec(), ply_cap: PLY_CAP, ..Conduct::default() };
    let ending = play(&network.start(), players, &conduct, &mut Silent)?.ending;
    Ok(match ending.winner {
        Some(winner) if winner == side => 2,
        Some(_) => 0,
        None => 1,
    })
}

/// The memory for the search that knows no proofs, in MiB.
const PLAIN_TABLE_MIB: usize = 256;

/// Returns the moves from the start, if the row of the table is a refutation.
fn refutation(row: &OpeningRow) -> Option<Vec<Move>> {
    let OpeningResult::Refuted { second, by } = row.result else { return None };
    Some([row.first, row.reply, second].into_iter().chain(by).collect())
}

/// Checks refutations with a search that knows no proofs.
fn refutations(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let before: Option<Move> = arguments.first().and_then(|first| first.parse().ok());
    let (path, every) = match &arguments[usize::from(before.is_some())..] {
        [path] => (path, 1),
        [path, every] => (path, every.parse()?),
        _ => return Err("expected a table of openings, and which of its rows to take".into()),
    };
    let mut start = Position::new(Rules::Berkeley);
    before.map_or(Ok(()), |mv| start.play(mv))?;
    let text = fs::read_to_string(path)?;
    let clock = ProcessTime::now();
    let options = Options { table_mib: PLAIN_TABLE_MIB, ..Options::default() };
    let mut search = AlphaBeta::new(ChipEval, options);
    let (mut checked, mut nodes) = (0, 0);
    let rows = parse_opening_table(&text)?;
    let refutations = rows.iter().filter_map(|row| Some((row.chip, refutation(row)?)));
    for (chip, moves) in refutations.step_by(every) {
        let mut position = start;
        moves.iter().try_for_each(|&mv| position.play(mv))?;
        let plies = position.plies_to_chip(position.to_move(), chip);
        let report = search.best(&position, &Limits::depth(plies)).ok_or("the game is over")?;
        if report.score().is_win() {
            return Err(format!("chip {chip} wins, after all, in\n{position}").into());
        }
        nodes += report.nodes;
        checked += 1;
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!("{checked} refutations checked: no win found; {nodes} nodes, {seconds:.0} s CPU");
    Ok(())
}

/// Writes the table of distances.
fn write_distances(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut own = Vec::new();
    let mut others: Vec<(Move, Vec<OpeningRow>)> = Vec::new();
    for argument in arguments {
        if let Ok(first) = argument.parse() {
            others.push((first, Vec::new()));
            continue;
        }
        let text = fs::read_to_string(argument).map_err(|why| format!("{argument}: {why}"))?;
        let rows = parse_opening_table(&text).map_err(|fault| format!("{argument}:{fault}"))?;
        others.last_mut().map_or(&mut own, |(_, rows)| rows).extend(rows);
    }
    let distances = distances(&Position::new(Rules::Berkeley), &own, &others)?;
    print!("{}", distance_table(&distances));
    Ok(())
}
