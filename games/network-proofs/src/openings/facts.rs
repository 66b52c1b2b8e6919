//! Facts about single positions, and the lines of a journal that keep them.

use std::collections::HashMap;

use network::solution::{Chips, image_name};
use network::{Move, Position};
use plyground::Game;

/// The words of a journal for a position that is won by a chip, and for one that is not.
const WON: &str = "won";
const NOT_WON: &str = "not";

/// The fact that the color to move wins by a chip from a position, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The position, by the moves from the start.
    pub(super) moves: Vec<Move>,
    /// The number of the chip.
    pub(super) chip: usize,
    /// If true, the color wins.
    pub(super) won: bool,
    /// The number of positions visited to find the fact.
    pub(super) nodes: u64,
}

impl Fact {
    /// Reads the fact of a line of a journal.
    pub(super) fn parse(line: &str) -> Option<Fact> {
        let mut fields = line.split(' ');
        let chip =
            fields.next()?.parse().ok().filter(|chip| (1..=Position::CHIPS).contains(chip))?;
        let won = match fields.next()? {
            WON => true,
            NOT_WON => false,
            _ => return None,
        };
        let nodes = fields.next()?.parse().ok()?;
        let moves = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
        Some(Fact { moves, chip, won, nodes })
    }

    /// Returns the line of a journal for the fact.
    pub(super) fn line(&self) -> String {
        let Fact { chip, nodes, .. } = self;
        let won = if self.won { WON } else { NOT_WON };
        let moves = self.moves.iter().map(|mv| format!(" {mv}"));
        format!("{chip} {won} {nodes}{}", moves.collect::<String>())
    }

    /// Returns the position of the fact; `None` if the moves cannot be played from `start`.
    pub(super) fn position(&self, start: &Position) -> Option<Position> {
        let mut position = *start;
        self.moves.iter().try_for_each(|&mv| position.play(mv)).ok()?;
        Some(position)
    }
}

/// The least chip that is known to suffice, and the greatest that is known not to.
#[derive(Clone, Copy, Debug, Default)]
struct KnownChips {
    won: Option<usize>,
    not_won: Option<usize>,
}

/// All facts, by the chips of the position; mirror images count as one position. The color to move is the
/// same in all.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts(HashMap<Chips, KnownChips>);

impl Facts {
    /// Returns true if `position` is won by this chip, false if it is not; `None` if that is unknown.
    pub(super) fn verdict(&self, position: &Position, chip: usize) -> Option<bool> {
        let bounds = self.0.get(&image_name(position))?;
        if bounds.won.is_some_and(|won| won <= chip) {
            return Some(true);
        }
        bounds.not_won.is_some_and(|most| chip <= most).then_some(false)
    }

    /// Adds the fact that `position` is won by this chip, or is not.
    pub(super) fn add(&mut self, position: &Position, chip: usize, won: bool) {
        let bounds = self.0.entry(image_name(position)).or_default();
        if won {
            bounds.won = Some(bounds.won.map_or(chip, |least| least.min(chip)));
        } else {
            bounds.not_won = bounds.not_won.max(Some(chip));
        }
    }
}

#[cfg(test)]
mod tests {
    use network::Rules;

    use super::*;

    fn fact(moves: &[&str], chip: usize, won: bool) -> Fact {
        let moves = moves.iter().map(|mv| mv.parse().expect("a move")).collect();
        Fact { moves, chip, won, nodes: 17 }
    }

    #[test]
    fn facts_are_read_back() {
        for fact in [fact(&["03", "34"], 8, true), fact(&[], 10, false)] {
            assert_eq!(Fact::parse(&fact.line()), Some(fact));
        }
        for line in [
            "",
            "8",
            "8 won",
            "8 lost 17 03",
            "8 won x 03",
            "8 won 17 03 ",
            "8 won 17 99",
            "0 won 17",
            "11 won 17",
        ] {
            assert_eq!(Fact::parse(line), None, "{line}");
        }
    }

    #[test]
    fn win_holds_for_later_chips_and_a_mirror_image() {
        let start = Position::new(Rules::Berkeley);
        let position = |moves: &[&str]| fact(moves, 8, true).position(&start).expect("moves");
        let mut facts = Facts::default();
        let (at, image) = (position(&["03", "34"]), position(&["74", "43"]));
        facts.add(&at, 8, true);
        facts.add(&at, 6, false);
        let known: Vec<_> = (5..10).map(|chip| facts.verdict(&image, chip)).collect();
        assert_eq!(known, [Some(false), Some(false), None, Some(true), Some(true)]);
        assert_eq!(facts.verdict(&position(&["03", "35"]), 8), None);
        assert!(fact(&["03", "03"], 8, true).position(&start).is_none());
    }
}
