//! The rules of Kalah.

use kalah::{Kalah, Pit, Position, Seeds};
use plyground::search::{Options, Scope};
use plyground::testing::{Breach, Reference, Sample, check_contract, random_position};
use plyground::{AlphaBeta, Game, Side, Turn};
use plyground_host::state::StateText;
use plyground_host::{EngineOptions, HostedGame, host};

/// The results of best play with 1 to 6 seeds in a pit: a draw, a win or a loss of the first player. The first
/// row is for 1 pit, the next for 2, and so on.
///
/// Source: G. Irving, J. Donkers and J. Uiterwijk, "Solving Kalah", ICGA Journal 23 (3), 2000, 139-147. The
/// rest of its table takes longer to check.
const PUBLISHED: [&str; 4] = ["DLWLWD", "WLLLWW", "DWW", "WW"];

fn value(pits: u8, seeds: u8) -> i32 {
    let game = host(Kalah { pits, seeds });
    let mut engine = game.engine(EngineOptions::default());
    let best = engine.solve_best(&game.start(), plyground::Limits::default());
    let value = best.expect("a limited game").expect("a proof").value;
    assert!(value.is_exact());
    game.value(value.score())
}

#[test]
fn small_boards_have_their_published_values() {
    for (pits, results) in (1..).zip(PUBLISHED) {
        let found = (1..).take(results.len()).map(|seeds| match value(pits, seeds) {
            0 => 'D',
            1.. => 'W',
            _ => 'L',
        });
        assert_eq!(found.collect::<String>(), results, "{pits} pits");
    }
}

/// Tests the margins, which a solver of a few lines without any search technique has found too.
#[test]
fn small_boards_have_their_margins() {
    for (pits, seeds, margin) in [(1, 3, 6), (2, 4, -10), (2, 6, 8), (3, 2, 4), (3, 3, 2)] {
        assert_eq!(value(pits, seeds), margin, "{pits} pits, {seeds} seeds");
    }
}

#[test]
fn kalah_keeps_the_contract() -> Result<(), Breach> {
    for (pits, seeds) in [(1, 6), (2, 3), (3, 3), (6, 4), (6, 5)] {
        let sample = Sample::new([Position::new(pits, seeds)], 1)
            .with_moves((0..6).map(Pit::new))
            .with_playouts(40)
            .with_keys(10_000);
        check_contract(&sample, &Seeds)?;
    }
    Ok(())
}

#[test]
fn alpha_beta_is_minimax_on_a_thousand_positions() {
    let mut search =
        AlphaBeta::new(Seeds, Options { table_mib: 1, table_depth: 1, ..Options::default() });
    let (mut searched, mut stays) = (0, 0);
    for seed in 0.. {
        let size = [(6, 4), (4, 3), (3, 2), (6, 6)][seed as usize % 4];
        let position = random_position(&Position::new(size.0, size.1), seed as u32 % 30, seed);
        let Some(reference) = Reference::new(&position, 1 + seed as u32 % 5, Seeds) else {
            continue;
        };
        let scope = [Scope::BestMove, Scope::BestMoves, Scope::EveryMove][seed as usize % 3];
        let report = reference.compare(&mut search, scope, &Seeds).expect("no difference");
        stays +=
            u32::from(!Turn::between(&position, &position.after(report.best_move())).changes());
        searched += 1;
        if searched == 1_000 {
            break;
        }
    }
    assert!(stays > 100, "{stays} best moves keep the turn");
}

fn read(text: &str) -> Result<plyground_host::HostedPosition, String> {
    let text = StateText::new(text.replace('/', "\n"));
    host(Kalah { pits: 3, seeds: 2 }).parse_state(&text).map_err(|fault| fault.to_string())
}

/// Returns the state after these moves, each a digit.
fn after(state: &str, moves: &str) -> String {
    let mut position = read(state).expect("a position");
    for mv in moves.chars() {
        position.play_text(&mv.to_string()).expect("a legal move");
    }
    position.state_word()
}

#[test]
fn seeds_are_sown_captured_and_collected() {
    // The last seed falls into the store: the same side moves again.
    assert_eq!(after("0222/2220/S", "2"), "0222/2031/S");
    // The last seed falls into a pit of the opponent.
    assert_eq!(after("0222/2220/S", "3"), "0223/2201/N");
    // The last seed falls into an own empty pit: it and the two opposite are captured.
    assert_eq!(after("0222/1041/S", "1"), "0202/0044/N");
    // Nothing is opposite, and so nothing is captured.
    assert_eq!(after("2202/1041/S", "1"), "2202/0141/N");
    // The store of the opponent is left out.
    assert_eq!(after("1100/0091/S", "3"), "1212/1113/N");
    // The last own seed is played: the opponent gets the rest.
    assert_eq!(after("1122/0015/S", "3"), "6000/0006/S");
}

#[test]
fn faults_of_positions_are_told() {
    assert!(read("0222/2220/S").is_ok());
    for (state, fault) in [
        ("0222/2221/S", "expected 12 seeds in all pits and stores together, found 13"),
        ("6000/0033/S", "expected seeds in the pits of both sides, or of neither"),
        ("022?/2220/S", "a number of seeds"),
        ("0222/2220/W", "the next player, S or N"),
    ] {
        let found = read(state).expect_err(fault);
        assert!(found.contains(fault), "{found}");
    }
}

#[test]
fn rules_name_the_size() {
    let game = Kalah::default();
    assert_eq!(game.rules(), "6x4");
    assert!(game.with_rules("6x5").is_some());
    // A board of 72 seeds has no state file.
    for rules in ["6x6", "7x1", "0x4", "4", "06x4", ""] {
        assert!(game.with_rules(rules).is_none(), "{rules}");
    }
}

/// Tests that the limit on the length is honest, and so loose that no search reaches it.
#[test]
fn games_are_far_shorter_than_their_limit() {
    let start = Position::new(6, 4);
    assert!(start.plies_left().is_some_and(|left| left > 5_000));
    let game = host(Kalah::default());
    assert!(game.start().usual_plies().is_some_and(|plies| (20..80).contains(&plies)));
    assert_eq!(random_position(&start, 500, 1).outcome().map(|_| ()), Some(()));
    assert_eq!(start.side_to_move(), Side::First);
}
