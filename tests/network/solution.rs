//! Winning strategies, and the naive rules' opinion of them.

use network::solution::{Gap, Strategy, check, positions_after};
use network::{Color, Position, Rules, Win, parse_state};
use plyground::proof::Prover;
use plyground::state::StateText;
use plyground::{Game, Limits};

/// White wins from here by her eighth chip: after 03 34 73 44 and some more of the solution.
const OPENING: [&str; 4] = ["03", "34", "73", "44"];
const CHIPS: usize = 8;
/// From two chips to eight, White to move.
const PLIES: u32 = 11;

/// A position some way into a proven win, and the plies that are left of it.
fn later(prover: &Prover) -> (Position, u32) {
    let mut position = Position::new(Rules::Berkeley);
    for mv in OPENING {
        position.play(mv.parse().unwrap()).unwrap();
    }
    let goal = Win::new(&position, Color::White);
    let mut plies = PLIES;
    // White's answers, and replies after which she does not win at once.
    for _ in 0..2 {
        let proof = prover.prove(&goal, &position, plies, &Limits::default());
        let after = position.after(proof.best.unwrap());
        let lasts = |next: &Position| {
            let proof = prover.prove(&goal, next, plies - 4, &Limits::default());
            proof.reached == Some(false)
        };
        let mut replies = after.legal_moves().map(|reply| after.after(reply));
        let Some(longest) = replies.find(lasts) else { break };
        position = longest;
        plies -= 2;
    }
    (position, plies)
}

fn strategy(prover: &Prover, position: &Position, plies: u32) -> String {
    let mut text = Vec::new();
    let mut strategy = Strategy::new(prover, position, CHIPS, &mut text).unwrap();
    strategy.add(position, plies).unwrap();
    assert!(strategy.finish().unwrap() > 1);
    String::from_utf8(text).unwrap()
}

#[test]
fn a_strategy_is_accepted_and_every_gap_found() {
    let prover = Prover::new(16);
    let (position, plies) = later(&prover);
    let text = strategy(&prover, &position, plies);
    let checked = check(&text).unwrap();
    assert!((checked.answers as usize) < text.lines().count());
    println!("{checked:?}");
    assert!(checked.replies > checked.answers && checked.wins > 0);

    let lines: Vec<&str> = text.lines().collect();
    for dropped in (1..lines.len()).step_by(1 + lines.len() / 20) {
        let mut fewer = lines.clone();
        fewer.remove(dropped);
        assert!(matches!(check(&fewer.join("\n")), Err(Gap::NoAnswer(_))), "line {dropped}");
    }
    // One chip fewer is not enough for the same answers, and a taken square is no answer.
    let hasty = text.replacen(" 8 ", " 5 ", 1);
    assert!(check(&hasty).is_err());
    let (rest, _) = lines[1].rsplit_once(' ').unwrap();
    let taken = text.replacen(lines[1], &format!("{rest} 03"), 1);
    assert!(matches!(check(&taken), Err(Gap::BadAnswer { .. })));
}

#[test]
fn what_is_no_strategy_is_refused() {
    assert_eq!(check(""), Err(Gap::Heading));
    let board = Position::new(Rules::Berkeley).to_string().replace('\n', "/");
    let heading = format!("network-strategy berkeley White 8 {board}");
    assert!(matches!(check(&heading), Err(Gap::NoAnswer(_))));
    for line in ["03", "0 44 33", "99 44 33", "03 44 3355", "00 44 33", "é 44 33"] {
        assert_eq!(check(&format!("{heading}\n{line}")), Err(Gap::Line(2)), "{line}");
    }
}

#[test]
fn openings_are_followed_by_every_reply_but_for_mirror_images() {
    let start = Position::new(Rules::Berkeley);
    let moves = |squares: &[&str]| -> Vec<_> {
        squares.iter().map(|square| square.parse().unwrap()).collect()
    };
    assert_eq!(positions_after(&start, &[]).unwrap(), [start]);
    assert_eq!(positions_after(&start, &moves(&["03"])).unwrap().len(), 48);
    assert_eq!(positions_after(&start, &moves(&["03", "73"])).unwrap().len(), 576);
    assert!(positions_after(&start, &moves(&["03", "03"])).is_err());
    // Black may take the square.
    assert!(positions_after(&start, &moves(&["03", "44"])).is_err());
    let text = StateText::new(start.to_string());
    assert_eq!(parse_state(&text, Rules::Berkeley).unwrap(), start);
}
