//! The rules for people who do not know them, and the squares where a game is about to end.

use plyground::{Game, Side};
use plyground_host::page::Threat;
use plyground_host::state::StateText;
use plyground_host::{Lesson, MarkKind};

use crate::color::{Color, Rules};
use crate::moves::{Move, Square, SquareSet};
use crate::position::Position;
use crate::state::parse_state;

/// White has won.
const NETWORK: &str = "......../..B...B./...B.W../..W.W.BW/......B./W...BW.W/..B...../......../B";

/// The same without the connection from 05 to 23.
const BROKEN: &str = "......../..B...B./...B.W../..W.W.BW/.B....B./W...BW.W/..B...../......../B";

/// White, which is to move, has two chips side by side.
const PAIR: &str = "......../......../.B...B../...WW.../......../.....B../......../......../W";

/// Returns the rules, part by part.
pub(crate) fn lessons(rules: Rules) -> Vec<Lesson> {
    let [first, second] = Side::BOTH.map(|side| rules.color(side));
    let start = Position::new(rules).to_string().replace('\n', "/");
    let both = match rules {
        Rules::Berkeley => "Who completes both networks at once has lost.",
        Rules::Usf => "No move may complete both networks at once.",
    };
    vec![
        Lesson::new(
            "A turn",
            format!(
                "{first} moves first, and then {first} and {second} take turns. Each has ten chips. A turn adds \
                 one chip to an empty square. With all ten on the board, a turn moves one of them to another \
                 square, however far. Two sides of the board are White's goals, the other two are Black's."
            ),
        )
        .with_figure(
            start,
            "The goals: White plays from left to right, Black from top to bottom. A square has the number of its \
             column and that of its row, both from 0: 10 is in column 1 and row 0.",
        ),
        Lesson::new(
            "You win with a network",
            format!(
                "A network is a line from one of your goals to the other that goes from chip to chip, over six \
                 chips or more. Two chips are connected if they are in one row, column or diagonal with no chip \
                 between them. {both}"
            ),
        )
        .with_figure(NETWORK, "White has won: 05, 23, 43, 52, 55 and 75 are a network."),
        Lesson::new(
            "What breaks a network",
            "It turns at every chip between its ends, so going straight on through a chip does not count. It \
             passes no chip twice, and has one chip in each goal, at its ends. And a chip of the other color \
             between two chips breaks their connection: that is how you defend.",
        )
        .with_figure(BROKEN, "The black chip on 14 is between 05 and 23, so White has no network.")
        .marked(MarkKind::Here, [square(1, 4)]),
        Lesson::new(
            "Where you may not play",
            "The corners are not in play, and the goals of the other color are not yours. No three of your chips \
             may touch each other in a group, not even by their corners. On the page these squares are \
             hatched, and say why when you point at them.",
        )
        .with_figure(PAIR, "White may not play in the goals of Black, nor on a square next to its pair.")
        .marked(MarkKind::No, closed_squares()),
    ]
}

/// The number of a square on the page.
fn square(x: u8, y: u8) -> usize {
    usize::from(y * Square::SIDE + x)
}

/// Returns the empty squares, except corners, on which White may not play in [`PAIR`].
fn closed_squares() -> Vec<usize> {
    let position = parse_state(&StateText::new(PAIR.to_owned()), Rules::Berkeley);
    let Ok(position) = position else { return Vec::new() };
    let is_closed = |&square: &Square| {
        position.chip_at(square).is_none()
            && !SquareSet::CORNERS.contains(square)
            && position.check_legal(Move::Add(square)).is_err()
    };
    Square::all().filter(is_closed).map(Square::index).collect()
}

/// Returns the squares on which either color would complete its network if it were to move.
pub(crate) fn threats(position: &Position) -> Vec<Threat> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    Color::BOTH.into_iter().flat_map(|color| threats_of(position, color)).collect()
}

fn threats_of(position: &Position, color: Color) -> Vec<Threat> {
    let rules = position.rules();
    let side = rules.side(color);
    let [white, black] = Color::BOTH.map(|color| position.chips(color));
    let Ok(turned) = Position::from_chips(rules, white, black, color) else { return Vec::new() };
    let wins = |mv: &Move| turned.after(*mv).outcome().and_then(|end| end.winner()) == Some(side);
    let mut cells: Vec<usize> =
        turned.legal_moves().filter(wins).map(|mv| mv.to().index()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.into_iter().map(|cell| Threat { side: side.index(), cell }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(state: &str) -> Position {
        parse_state(&StateText::new(state.to_owned()), Rules::Berkeley).expect("a state")
    }

    #[test]
    fn pictures_show_what_the_texts_say() {
        assert_eq!(position(NETWORK).outcome().and_then(|end| end.winner()), Some(Side::First));
        assert_eq!(position(BROKEN).outcome(), None);
        let closed = closed_squares();
        assert!(closed.contains(&square(2, 2)) && closed.contains(&square(1, 0)));
        assert!(!closed.contains(&square(0, 1)) && !closed.contains(&square(0, 0)));
        for rules in Rules::BOTH {
            for figure in lessons(rules).into_iter().filter_map(|lesson| lesson.figure) {
                parse_state(&StateText::new(figure.state), rules).expect("a state");
            }
        }
    }

    #[test]
    fn threat_is_where_a_network_would_be_complete() {
        let state = "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../B";
        let cells: Vec<_> =
            threats(&position(state)).into_iter().map(|one| (one.side, one.cell)).collect();
        assert!(cells.contains(&(0, square(7, 5))), "{cells:?}");
    }
}
