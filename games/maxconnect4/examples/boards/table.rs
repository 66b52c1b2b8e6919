//! The file of the table.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use maxconnect4::Size;
use plyground_durable::output::{check_writable, write_whole};

use crate::row::Row;

/// The beginning of the file.
pub(crate) const HEAD: &str = "# Every board from 4x4 to 8x8

The final margin for the first player with best play, on boards of so many columns by so many rows, and
after each first move, from the left to the middle: the rest mirrors it. `a to b` where only these limits are
proven. `nodes` and `CPU time`, of one thread, are those of all first moves together; a question that took
more nodes than `given up at` was left open. `found again by` is the second search that found all of the
exact values and the limits that took a search, and the nodes that it took: by the `rules` alone, without any
limits on the margin and with plain keys; or with the limit from answering `on top`, but without those from
[filling columns from the bottom](../docs/search.md#the-techniques); or with that from filling `one column`,
but without that from filling two; or by `none`, where each took too many nodes. `but not` names the columns
of first moves for which the last took too many.

    cargo run --release -p maxconnect4 --example boards -- results/boards.md 400000000

The table is resumed: what is exact in it is not computed again.

| board | value | first moves | nodes | CPU time | given up at | found again by |
| --- | --- | --- | --- | --- | --- | --- |
";

/// The rows, the smallest board first, and their file.
pub(crate) struct Table {
    path: PathBuf,
    rows: BTreeMap<(u8, u8), Row>,
}

impl Table {
    /// The table of a file that can be written, an empty one if there is no such file yet.
    pub(crate) fn read(path: &Path) -> Result<Table, Box<dyn Error>> {
        check_writable(path)?;
        let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
        let mut rows = BTreeMap::new();
        for (line, number) in text.lines().zip(1..) {
            if line.trim_start_matches('|').trim().starts_with(|first: char| first.is_ascii_digit())
            {
                let row = Row::parse(line).ok_or_else(|| {
                    format!("{}, line {number}: expected a row of the table", path.display())
                })?;
                rows.insert(order(row.size), row);
            }
        }
        Ok(Table { path: path.to_owned(), rows })
    }

    pub(crate) fn get(&self, size: Size) -> Option<&Row> {
        self.rows.get(&order(size))
    }

    /// Writes the file with this row.
    pub(crate) fn put(&mut self, row: &Row) -> Result<(), Box<dyn Error>> {
        eprint!("{}", row.write());
        self.rows.insert(order(row.size), row.clone());
        let rows = self.rows.values().map(Row::write);
        write_whole(&self.path, [HEAD.to_owned()].into_iter().chain(rows).collect::<String>())?;
        Ok(())
    }
}

fn order(size: Size) -> (u8, u8) {
    (size.columns() * size.rows(), size.columns())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_row_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("boards.md");
        let mut table = Table::read(&path).expect("no file yet");
        table.put(&Row::at_sight("4x4".parse().expect("a size"))).expect("a file");
        let text = fs::read_to_string(&path).expect("a table");
        assert!(text.starts_with(HEAD) && Table::read(&path).is_ok());
        fs::write(&path, text.replace("0.00 s", "soon")).expect("a file");
        let error = Table::read(&path).err().expect("a damaged row").to_string();
        let line = HEAD.lines().count() + 1;
        assert!(error.ends_with(&format!("boards.md, line {line}: expected a row of the table")));
    }
}
