//! The check of strategies.

use super::TestFolder;
use crate::common::run::Run;

#[test]
fn what_is_no_strategy_is_not_accepted() {
    let folder = TestFolder::new();
    folder.write("strategy.txt", "hello\n");
    let run = folder.run("verify-solution strategy.txt");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert_eq!(run.stderr, "error: strategy.txt: line 1 is not the heading of a strategy\n");
    let board = ["........"; 8].join("/");
    folder.write("strategy.txt", format!("network-strategy berkeley White 8 {board}/W\n"));
    let gap = format!("strategy.txt: no answer in {board}/W");
    folder.run("verify-solution strategy.txt").failure(1, &gap);
    Run::failure(folder.run("verify-solution nope"), 2, "nope: cannot read the strategy: ");
}
