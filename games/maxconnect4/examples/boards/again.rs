//! The second searches, which know less of the game.

use std::fmt;

use maxconnect4::{Position, Size};
use plyground::SearchHints;

use crate::ablated::{Ablated, CLOSER, Judgment, ONLY_RULES, TWO_COLUMNS};
use crate::margin::Margin;
use crate::row::{FirstMove, Row};
use crate::solver::Solver;

/// Says in the table that no second search found the values, because they would take too many nodes.
pub(crate) const NONE: &str = "none";

/// A search by the bare rules, which most boards are too large for, may take this part of the nodes.
const BARE_SHARE: u64 = 4;

/// And no more than so many.
const BARE_MOST: u64 = 100_000_000;

/// Precedes, in the table, the columns of first moves that no second search found again.
const BUT_NOT: &str = ", but not ";

/// Finds what took a search in `row` again, and notes how.
pub(crate) fn find_again(row: &mut Row, patience: u64, table_mib: usize) -> Result<(), String> {
    let bare = (patience / BARE_SHARE).min(BARE_MOST);
    let searches: [(&str, Search, u64, usize); 3] = [
        ("rules", without::<ONLY_RULES>, bare, 0),
        ("on top", without::<CLOSER>, patience, 0),
        // The last may leave first moves out.
        ("one column", without::<TWO_COLUMNS>, patience, usize::MAX),
    ];
    row.found_again = NONE.to_owned();
    for (name, search, patience, most_missing) in searches {
        let again = search(row, Solver::new(Judgment, table_mib, patience), most_missing)?;
        if again.missing.len() <= most_missing && again.nodes > 0 {
            row.found_again = format!("{name}, {again}");
            break;
        }
    }
    Ok(())
}

/// Returns `true` if a second search found everything in `row` that took one.
pub(crate) fn is_found_again(row: &Row) -> bool {
    let how = row.found_again.as_str();
    !how.is_empty() && how != NONE && !how.contains(BUT_NOT)
}

/// A second search of a row, which gives up when it misses more first moves than this.
type Search = fn(&Row, Solver<Judgment>, usize) -> Result<Again, String>;

/// The findings of a second search.
struct Again {
    /// The nodes that this took.
    nodes: u64,
    /// The columns of the first moves that took too many, from 1 at the left.
    missing: Vec<usize>,
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.nodes)?;
        if self.missing.is_empty() {
            return Ok(());
        }
        let columns: Vec<_> = self.missing.iter().map(usize::to_string).collect();
        write!(f, "{BUT_NOT}{}", columns.join(", "))
    }
}

/// Returns what a look at the empty board proves of every first move without the technique `OFF`.
fn at_sight<const OFF: u8>(size: Size) -> Margin {
    let empty = Margin::of(Ablated::<OFF>(Position::empty(size)).closest_bounds());
    Margin { most: empty.most, ..Margin::ANY }
}

/// Says what was found of a first move that is not within the margin in the table.
fn contradiction(row: &Row, index: usize, found: Margin) -> String {
    let expected = row.first_moves[index];
    let found = if found.most < expected.least {
        format!("at most {}", found.most)
    } else {
        format!("at least {}", found.least)
    };
    format!("{}, column {}: {found}, not {expected}", row.size, index + 1)
}

/// Finds everything again without the technique `OFF`. What a look at the board proves is not asked for; of
/// a value, what it proves without that technique.
fn without<const OFF: u8>(
    row: &Row,
    mut solver: Solver<Judgment>,
    most_missing: usize,
) -> Result<Again, String> {
    let mut again = Again { nodes: 0, missing: Vec::new() };
    for mv in FirstMove::all(row.size) {
        let (margin, before) = (row.first_moves[mv.index].flip(), solver.nodes());
        let position = Ablated::<OFF>(mv.position);
        let known =
            if margin.is_exact() { at_sight::<OFF>(row.size) } else { mv.at_sight() }.flip();
        let found = solver.answers(&position, known, [margin.least, margin.most + 1]);
        if found.contradicts(margin) {
            return Err(contradiction(row, mv.index, found.flip()));
        }
        if found.is_within(margin) {
            again.nodes += solver.nodes() - before;
        } else {
            again.missing.insert(0, mv.index + 1);
            if again.missing.len() > most_missing {
                break;
            }
        }
    }
    Ok(again)
}
