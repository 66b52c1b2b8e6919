//! Perfect play needs a game that ends.

use crate::support::{Sandbox, input};

#[test]
fn a_game_without_end_has_no_perfect_play() {
    let sandbox = Sandbox::new();
    let start = input("start.txt");
    for args in [
        format!("one-move {start} out.txt perfect"),
        format!("interactive {start} computer-next perfect"),
        format!("analyze {start} --exact"),
    ] {
        let run = sandbox.run(&args);
        assert_eq!(run.stdout, "", "{args}");
        run.refusal("perfect play is for games that end after at most 200 moves");
    }
    assert!(sandbox.files().is_empty());
}
