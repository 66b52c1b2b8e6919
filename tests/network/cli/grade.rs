//! Programs held to the assignment.

use super::TestFolder;

#[test]
fn a_program_that_says_what_is_legal_is_asked() {
    let folder = TestFolder::new();
    let program = env!("CARGO_BIN_EXE_network");
    let player = format!("line:{program} engine machine:depth={{depth}}");
    let output = folder.command(["grade", "--player", &player]).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("ok    illegal moves are refused "), "{text}");
    assert!(text.contains("\nScore: 100 of 100\nIt ran in a sandbox of the level "), "{text}");
    assert!(text.ends_with("\nPositions: --seed 1\n"), "{text}");
}

#[test]
fn our_own_players_have_no_opinion() {
    let folder = TestFolder::new();
    let text = folder.run("grade --player machine:depth={depth}").success().stdout;
    assert!(text.contains("\nScore: 75 of 75\n"), "{text}");
    let text = folder.run("grade --player machine:depth=1 --rules usf").success().stdout;
    assert!(text.contains("\nScore: 100 of 100\n"), "{text}");
}

#[test]
fn what_is_missed_is_shown() {
    let folder = TestFolder::new();
    let text = folder.run("grade --player random").success().stdout;
    assert!(text.contains("FAIL  a win in one is taken "), "{text}");
    assert!(text.contains("        expected: "), "{text}");
}

#[cfg(unix)]
#[test]
fn depth_counted_off_by_one_costs_its_own_check_alone() {
    let folder = TestFolder::new();
    let program = env!("CARGO_BIN_EXE_network");
    folder.write(
        "points.toml",
        "[points]\n\"legal moves are accepted\" = 0\n\"illegal moves are refused\" = 0\n\
        \"only legal moves are chosen\" = 0\n\"random play is beaten\" = 0\n",
    );
    // What stands between the referee and a player that counts right makes one that does not.
    for (change, part) in [
        (
            "s/depth 2/depth 1/;t;s/depth 3/depth 2/;t;s/depth 4/depth 3/",
            "one move less ahead than it is told; all else is asked at one more",
        ),
        (
            "s/depth 3/depth 4/;t;s/depth 2/depth 3/;t;s/depth 1/depth 2/",
            "one move further ahead than it is told; all else is asked at one less",
        ),
    ] {
        let player = format!("line:sh -c 'sed -u \"{change}\" | {program} engine machine'");
        let args = ["grade", "--visible", program, "--points", "points.toml", "--player", &player];
        let output = folder.command(args).output().expect("the program");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(part), "{change}: {text}");
        assert!(text.contains("\nScore: 42 of 45\n"), "{change}: {text}");
    }
}
