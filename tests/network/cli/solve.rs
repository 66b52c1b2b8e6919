//! Forced wins and their check.

use crate::support::{Sandbox, input};

#[test]
fn no_win_by_the_last_chip_after_ten_plies() {
    let sandbox = Sandbox::new();
    let run =
        sandbox.run(&format!("solve {} --chips 10 --strategy out.txt", input("ten-plies.txt")));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("White does not win by chip 10 from\n"), "{}", run.stdout);
    assert!(sandbox.files().is_empty());
}

#[test]
fn chips_that_nobody_has_are_refused() {
    for chips in ["0", "11", "x"] {
        let run = Sandbox::new().run(&format!("solve --chips {chips}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    }
}

#[test]
fn what_is_no_strategy_is_not_accepted() {
    let sandbox = Sandbox::new();
    sandbox.write("strategy.txt", "hello\n");
    let run = sandbox.run("verify-solution strategy.txt");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert_eq!(run.stderr, "error: strategy.txt: line 1 is not the heading of a strategy\n");
    let run = sandbox.run("verify-solution nope");
    assert_eq!(run.code, Some(2), "{run:?}");
}
