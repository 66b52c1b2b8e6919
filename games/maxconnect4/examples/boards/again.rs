//! The second searches, which know less of the game.

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

/// Finds what took a search in `row` again, and notes how.
pub(crate) fn find_again(row: &mut Row, patience: u64, table_mib: usize) -> Result<(), String> {
    let bare = (patience / BARE_SHARE).min(BARE_MOST);
    row.found_again = if let Some(nodes) = without::<ONLY_RULES>(row, bare, table_mib)? {
        format!("rules, {nodes}")
    } else if let Some(nodes) = without::<CLOSER>(row, patience, table_mib)? {
        format!("on top, {nodes}")
    } else if let Some(nodes) = without::<TWO_COLUMNS>(row, patience, table_mib)? {
        format!("one column, {nodes}")
    } else {
        NONE.to_owned()
    };
    Ok(())
}

/// The nodes of a search without the technique `OFF` that finds everything again, `None` if they were
/// too many. A limit that a look at the board proves is not asked for, unless it is part of a value.
fn without<const OFF: u8>(
    row: &Row,
    patience: u64,
    table_mib: usize,
) -> Result<Option<u64>, String> {
    let mut solver = Solver::new(Judgment, table_mib, patience);
    for mv in FirstMove::all(row.size) {
        let margin = row.first_moves[mv.index].flip();
        let position = Ablated::<OFF>(mv.position);
        let known = if margin.is_exact() { Margin::ANY } else { mv.at_sight().flip() };
        let found = solver.answers(&position, known, [margin.least, margin.most + 1]);
        if found.contradicts(margin) {
            let (size, column, found) = (row.size, mv.index + 1, found.flip());
            return Err(format!("{size}, column {column}: {found}, not {}", margin.flip()));
        }
        if !found.is_within(margin) {
            return Ok(None);
        }
    }
    Ok(Some(solver.nodes()))
}
