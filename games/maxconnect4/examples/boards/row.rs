//! A row of the table, which is about one board.

use std::time::Duration;

use maxconnect4::{Column, Position, Size};
use plyground::{Game, SearchHints};

use crate::margin::Margin;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) size: Size,
    /// After each first move, from the left to the middle.
    pub(crate) first_moves: Vec<Margin>,
    pub(crate) nodes: u64,
    pub(crate) cpu: Duration,
    pub(crate) given_up_at: u64,
    /// The second search that found the values again, with its nodes; empty if it was not tried yet.
    pub(crate) found_again: String,
}

/// A first move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstMove {
    /// The index of its margin among those of a row.
    pub(crate) index: usize,
    /// The position after it.
    pub(crate) position: Position,
}

impl FirstMove {
    fn new(size: Size, index: u8) -> FirstMove {
        let position = Position::empty(size).after(Column::from_index(index));
        FirstMove { index: index.into(), position }
    }

    /// The limits that a look at the board proves, and one at the empty board: no first move is better
    /// than the best.
    pub(crate) fn at_sight(&self) -> Margin {
        let empty = Margin::of(Position::empty(self.position.size()).closest_bounds());
        let Margin { least, most } = Margin::of(self.position.bounds()).flip();
        Margin { least, most: most.min(empty.most) }
    }

    /// Those up to the middle, which is the first of them.
    pub(crate) fn all(size: Size) -> impl Iterator<Item = FirstMove> {
        (0..size.columns().div_ceil(2)).rev().map(move |index| FirstMove::new(size, index))
    }
}

impl Row {
    /// Before any search.
    pub(crate) fn at_sight(size: Size) -> Row {
        let mut first_moves: Vec<_> = FirstMove::all(size).map(|mv| mv.at_sight()).collect();
        first_moves.reverse();
        let (nodes, cpu, given_up_at) = (0, Duration::ZERO, 0);
        Row { size, first_moves, nodes, cpu, given_up_at, found_again: String::new() }
    }

    /// The margin with best play.
    pub(crate) fn value(&self) -> Margin {
        let most = |of: fn(&Margin) -> i32| self.first_moves.iter().map(of).max();
        let best = most(|margin| margin.least).zip(most(|margin| margin.most));
        best.map_or(Margin::ANY, |(least, most)| Margin { least, most })
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.first_moves.iter().all(|margin| margin.is_exact())
    }

    /// Returns `true` if the row says more than a look at the board proves.
    pub(crate) fn took_a_search(&self) -> bool {
        self.first_moves != Row::at_sight(self.size).first_moves
    }

    pub(crate) fn write(&self) -> String {
        let first_moves: Vec<_> = self.first_moves.iter().map(Margin::to_string).collect();
        format!(
            "| {} | {} | {} | {} | {:.2} s | {} | {} |\n",
            self.size,
            self.value(),
            first_moves.join(", "),
            self.nodes,
            self.cpu.as_secs_f64(),
            self.given_up_at,
            self.found_again,
        )
    }

    /// `None` for a line that is no row, or whose value is not that of its first moves.
    pub(crate) fn parse(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.trim().split('|').map(str::trim).collect();
        let [_, size, value, first_moves, nodes, cpu, given_up_at, again, _] = fields[..] else {
            return None;
        };
        let row = Row {
            size: size.parse().ok()?,
            first_moves: first_moves.split(", ").map(Margin::parse).collect::<Option<_>>()?,
            nodes: nodes.parse().ok()?,
            cpu: Duration::try_from_secs_f64(cpu.strip_suffix(" s")?.parse().ok()?).ok()?,
            given_up_at: given_up_at.parse().ok()?,
            found_again: again.to_owned(),
        };
        let is_whole = row.first_moves.len() == usize::from(row.size.columns().div_ceil(2));
        (is_whole && row.value() == Margin::parse(value)?).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let first_moves = [(-2, 0), (-1, 0), (0, 0)];
        Row {
            first_moves: first_moves.map(|(least, most)| Margin { least, most }).to_vec(),
            nodes: 7,
            cpu: Duration::from_millis(1_250),
            given_up_at: 9,
            found_again: "rules, 8".to_owned(),
            ..Row::at_sight("6x5".parse().expect("a size"))
        }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let text = "| 6x5 | 0 | -2 to 0, -1 to 0, 0 | 7 | 1.25 s | 9 | rules, 8 |\n";
        assert_eq!((row().write().as_str(), Row::parse(text)), (text, Some(row())));
    }

    #[test]
    fn a_damaged_row_is_none() {
        let text = row().write();
        for (from, to) in [("| 0 |", "| -1 |"), ("-2 to 0, ", ""), (" s ", " "), ("6x5", "9x9")] {
            assert!(text.contains(from));
            assert_eq!(Row::parse(&text.replacen(from, to, 1)), None, "{from} {to}");
        }
    }

    #[test]
    fn a_look_at_the_board_is_no_search() {
        let mut row = Row::at_sight("5x4".parse().expect("a size"));
        assert!(!row.took_a_search() && !row.is_exact());
        row.first_moves[0].most -= 1;
        assert!(row.took_a_search());
    }
}
