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

#[test]
fn nor_is_there_in_a_game_between_players() {
    for args in ["-q random machine:perfect", "-q machine:perfect,time=1s random"] {
        Sandbox::new()
            .run(args)
            .refusal("perfect play is for games that end after at most 200 moves");
    }
}
