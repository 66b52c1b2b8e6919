//! The kits of Network.

use crate::common::run::Run;
use crate::network_java::CLASSES;
use crate::starters::kit::{Kit, KitName, is_nightly, questions};

const GAME: KitName = KitName { game: "network", rules: None, language: "", tool: "", start: "" };

const JAVA: KitName = KitName { language: "java", tool: "javac", ..GAME };

/// The checks of Berkeley's assignment that do not ask for search.
const CHECKS: [&str; 3] =
    ["legal moves are accepted", "illegal moves are refused", "only legal moves are chosen"];

/// Of which these take long, as do all that ask for search.
const LONG: [&str; 9] = [
    "illegal moves are refused",
    "only legal moves are chosen",
    "a win in one is taken",
    "a win in one comes before slower wins",
    "a loss in two is avoided",
    "depth 3 sees a win in three",
    "the depth is the number of plies searched",
    "random play is beaten",
    "a move takes five seconds at most",
];

const LAYOUTS: [&str; 2] = [
    "........\r\n........\r\n........\r\n...W....\r\n........\r\n........\r\n........\r\n........\r\nB\r\n",
    "........\n........\n..B.....\n...W....\n........\n........\n........\n........\nW",
];

#[track_caller]
fn assert_knows_legal_moves(run: Run, kit: &Kit) {
    let answers = questions().1;
    assert!(answers.iter().any(|line| line.starts_with("illegal")), "{answers:?}");
    let wrong = run.stdout.lines().zip(&answers).position(|(line, answer)| line != answer);
    assert_eq!(wrong, None, "{:?}", kit.name);
    assert_eq!(run.stdout.lines().count(), answers.len(), "{:?}", kit.name);
}

fn hold_to_assignment(kit: &Kit) {
    assert_knows_legal_moves(kit.run_with("line", &questions().0).success(), kit);
    for layout in LAYOUTS {
        let mut written = [1, 1, 2].map(|seed| {
            kit.write("in.txt", layout);
            kit.run(&format!("one-move in.txt out.txt 2 --seed {seed}")).success();
            std::fs::read_to_string(kit.path("out.txt")).expect("a file")
        });
        assert_eq!(written[0], written[1], "{:?}", kit.name);
        for text in &written {
            let changed = layout.chars().zip(text.chars()).filter(|(old, new)| old != new).count();
            assert_eq!((text.len(), changed), (layout.len(), 2), "{:?}: {text}", kit.name);
        }
        written.sort();
        assert_ne!(written.first(), written.last(), "{:?}", kit.name);
    }
    kit.write("in.txt", "W");
    let run = kit.run("one-move in.txt out.txt 2");
    assert!(run.code != Some(0) && run.stderr.starts_with("error: "), "{run:?}");
    kit.check(if is_nightly() { &CHECKS } else { &CHECKS[..1] }, &LONG);
}

#[test]
#[ignore = "long"]
fn python_kit_passes() {
    let start = "python3 network.py";
    let name = KitName { language: "python", tool: "python3", start, ..GAME };
    Kit::build(name).iter().for_each(hold_to_assignment);
}

#[test]
#[ignore = "long"]
fn cpp_kit_passes() {
    let name = KitName { language: "cpp", tool: "g++", start: "./network", ..GAME };
    Kit::build(name).iter().for_each(hold_to_assignment);
}

/// Plays two games of the class against random play, by the same variable `SEED`.
fn play_java(kit: &Kit, rules: &str) -> [String; 2] {
    [(); 2].map(|()| {
        let args = format!("--rules {rules} play -q random java:build --seed 1 --env SEED=1");
        let run = Run::of(kit.here("network").args(args.split(' ')).args(["--ply-cap", "60"]));
        let last = run.stdout.lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with("Result: ") && !last.contains("illegal"), "{run:?}");
        run.stdout
    })
}

#[test]
#[ignore = "long"]
fn java_kit_of_berkeley_passes() {
    let Some(kit) = Kit::build(JAVA) else { return };
    let classes = format!("build:{}", CLASSES.display());
    let mut java = kit.here("java");
    java.args(["-cp", &classes, "plyground.host.Host", "player.MachinePlayer"]);
    assert_knows_legal_moves(Run::of(java.write_stdin(questions().0)).success(), &kit);
    let [game, again] = play_java(&kit, "berkeley");
    assert_eq!(game, again);
    if is_nightly() {
        kit.check(&CHECKS, &LONG);
    }
}

#[test]
#[ignore = "long"]
fn java_kit_of_usf_passes() {
    let Some(kit) = Kit::build(KitName { rules: Some("usf"), ..JAVA }) else { return };
    let [game, again] = play_java(&kit, "usf");
    assert_eq!(game, again);
    let session = |input: &str| {
        let mut java = kit.here("java");
        Run::of(java.env("SEED", "1").args(["-cp", "build", "Network"]).write_stdin(input))
            .success()
    };
    let alone = session("0\r\n").stdout;
    assert_eq!(alone.matches("  1 2 3 4 5 6 7 8\n").count(), 101, "{alone}");
    assert!(session("0").stdout == alone, "the last line end is missing");
    assert!(session("").stdout.ends_with("\nExpected a number.\n"));
    let human = session("1\nA1\nA3 A4\nB1\nA4\nZ\nI4\n").stdout;
    for why in [
        "Position in corner",
        "Cannot read a position in: A3 A4",
        "Position in opponent goal",
        "Cannot read a position in: Z",
        "No more input.",
    ] {
        assert!(human.contains(&format!("\n{why}\n")), "no `{why}` in {human}");
    }
    if is_nightly() {
        kit.check(&CHECKS[2..], &[]);
    }
}
