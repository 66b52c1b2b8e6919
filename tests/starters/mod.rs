//! The starter kits: written, built and held to the checks, as a student does it.
//!
//! A kit is tested where the tools of its language are. Without them its tests say so and do nothing,
//! or fail if `PLYGROUND_NEEDS_LANGUAGES` is set. With `PLYGROUND_NIGHTLY` every check is made, which
//! takes minutes; without it, those that say most in a few seconds.

mod kit;

mod maxconnect4 {
    //! The kits of Max-Connect4.

    use std::fs;

    use crate::maxconnect4::grade::CHECKS;
    use crate::starters::kit::{Kit, KitName};

    const GAME: KitName = KitName {
        game: "maxconnect4",
        rules: None,
        language: "",
        tool: "",
        start: "./maxconnect4",
    };

    /// The number of checks that do not ask for search and are quick. They come first.
    const QUICK: usize = 6;

    /// Whatever the lines end in, it is kept, as are blanks.
    const LAYOUTS: [&str; 3] = [
        "0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n1120020\r\n1\r\n",
        "0000000\n0000000\n0000000\n0000000\n0000000\n1120020\n1",
        "0 0 0 0 0 0 0\r\n0000000\r\n0000000 \r\n0000000\r\n0000000\r\n1120020\r\n1",
    ];

    const FULL: &str = "2121212\r\n2121212\r\n1212121\r\n1212121\r\n2121212\r\n2121212\r\n1\r\n";

    /// A game as a referee tells of it, to be answered by a move at every fourth line.
    fn told() -> String {
        let mut lines = "newgame maxconnect4 standard first\r\nisready\r\n".to_owned();
        let mut moves = String::new();
        for ply in 0..20 {
            lines += &format!("position startpos{moves}\r\ngo depth 2\r\n");
            moves += if ply == 0 { " moves" } else { "" };
            moves += &format!(" {}", ply % 7 + 1);
        }
        lines + "position startpos moves 4 9\nisready\nquit\nisready\n"
    }

    fn hold_to_assignment(kit: &Kit) {
        keeps_layout(kit);
        refuses(kit);
        plays_with_human(kit);
        repeats_chance(kit);
        kit.check(&CHECKS[..QUICK], &CHECKS[QUICK..]);
        if super::kit::is_nightly() {
            let run = kit.make(&["check"]);
            assert!(run.stdout.contains("\nok    only legal moves are chosen "), "{}", run.stdout);
        }
    }

    /// One digit becomes another, and so does the next player; all else stays.
    fn keeps_layout(kit: &Kit) {
        let mut positions = Vec::new();
        for layout in LAYOUTS {
            kit.write("in.txt", layout);
            kit.run("one-move in.txt out.txt 3 --seed 5").success();
            let written = fs::read_to_string(kit.path("out.txt")).expect("a file");
            let changed: Vec<(char, char)> = layout
                .chars()
                .zip(written.chars())
                .filter(|(before, after)| before != after)
                .collect();
            assert_eq!(written.len(), layout.len(), "{:?}: {written:?}", kit.name);
            assert_eq!(changed, [('0', '1'), ('1', '2')], "{:?}: {written:?}", kit.name);
            positions.push(written.split_whitespace().collect::<String>());
            fs::remove_file(kit.path("out.txt")).expect("a file");
        }
        // It is the same position, and so the same move.
        positions.dedup();
        assert_eq!(positions.len(), 1, "{:?}: {positions:?}", kit.name);
        kit.write("in.txt", FULL);
        let run = kit.run("one-move in.txt out.txt 3").success();
        assert!(
            run.stdout.contains("Score: Player 1 = ") && run.stdout.contains("the game is over")
        );
        assert!(!kit.path("out.txt").exists(), "{:?}", kit.name);
    }

    /// A text that is no position is refused on standard error, and no file is written.
    fn refuses(kit: &Kit) {
        for text in [&FULL.replace("2\r", "3\r"), &LAYOUTS[1].replace("\n1", "\n0")] {
            kit.write("in.txt", text);
            let run = kit.run("one-move in.txt out.txt 3");
            assert_ne!(run.code, Some(0), "{:?}: {text:?}", kit.name);
            assert!(run.stderr.starts_with("error: "), "{:?}: {}", kit.name, run.stderr);
            assert!(!kit.path("out.txt").exists(), "{:?}: {text:?}", kit.name);
        }
        assert_eq!(kit.run("two-moves").code, Some(2), "{:?}", kit.name);
    }

    /// A bad column is asked for again, and the end of the input is no fault.
    fn plays_with_human(kit: &Kit) {
        let run =
            kit.run_with("interactive new.txt human-next 2 --seed 1", "9\nx\n\n4\n").success();
        let asked = run.stdout.matches("Player 1, your move: ").count();
        assert_eq!(asked, 5, "{:?}: {}", kit.name, run.stdout);
        for (file, next) in [("human.txt", "2\r\n"), ("computer.txt", "1\r\n")] {
            let text = fs::read_to_string(kit.path(file)).expect("a file");
            assert!(text.len() == 57 && text.ends_with(next), "{:?}: {text:?}", kit.name);
        }
    }

    /// The same seed gives the same moves, and another seed others.
    fn repeats_chance(kit: &Kit) {
        let [first, again, other] = [1, 1, 2].map(|seed| {
            let run = kit.run_with(&format!("line --seed {seed}"), &told()).success();
            let answers: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
            assert_eq!(answers.len(), 23, "{:?}: {answers:?}", kit.name);
            assert_eq!(answers[21..], ["illegal 9", "readyok"], "{:?}", kit.name);
            answers
        });
        assert_eq!(first, again, "{:?}", kit.name);
        assert_ne!(first, other, "{:?}", kit.name);
    }

    macro_rules! kits {
        ($($test:ident: $language:literal, $tool:literal, $start:literal;)*) => {
            $(
                #[test]
                #[ignore = "long"]
                fn $test() {
                    let name = KitName { language: $language, tool: $tool, start: $start, ..GAME };
                    Kit::build(name).iter().for_each(hold_to_assignment);
                }
            )*
        };
    }

    kits! {
        java_kit_passes: "java", "javac", "java -cp build maxconnect4";
        cpp_kit_passes: "cpp", "g++", "./maxconnect4";
        python_kit_passes: "python", "python3", "python3 maxconnect4.py";
        c_kit_passes: "c", "cc", "./maxconnect4";
        rust_kit_passes: "rust", "cargo", "./target/release/maxconnect4";
        javascript_kit_passes: "javascript", "node", "node maxconnect4.js";
    }
}

mod network {
    //! The kits of Network.

    use crate::common::Run;
    use crate::network_java::CLASSES;
    use crate::starters::kit::{Kit, KitName, is_nightly, questions};

    const GAME: KitName =
        KitName { game: "network", rules: None, language: "", tool: "", start: "" };

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
                let changed =
                    layout.chars().zip(text.chars()).filter(|(old, new)| old != new).count();
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
}
