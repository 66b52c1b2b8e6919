//! Tournaments from a file.

use super::TestFolder;

const PLAN: &str = "seed = 3\nopenings = { plies = 4, count = 2 }\ntable = 1\n\
    [[player]]\nplayer = 'machine:depth=2'\n[[player]]\nplayer = 'machine:depth=1'\n\
    [[player]]\nplayer = 'random'\n";

#[test]
fn wins_decide() {
    let folder = TestFolder::new();
    folder.write("t.toml", PLAN);
    let text = folder.run("tournament t.toml").success().stdout;
    assert!(text.starts_with("t: network, round-robin, ranked by wins, 12 games\n"), "{text}");
    assert!(!text.contains("points"), "{text}");
    assert!(text.contains("\n    3  random "), "{text}");
    let page = folder.read("t/report.html");
    assert!(page.contains("\"sides\":[\"White\",\"Black\"],\"pieces\":[\"W\",\"B\"]"));
}

#[test]
fn usf_is_another_tournament() {
    let folder = TestFolder::new();
    folder.write("t.toml", format!("format = 'knockout'\n{PLAN}"));
    folder.run("tournament t.toml --rules usf").success();
    let page = folder.read("t/report.html");
    assert!(page.contains("\"sides\":[\"Black\",\"White\"],\"pieces\":[\"B\",\"W\"]"));
    folder.run("tournament t.toml").refusal("holds the games of another plan, in which rules: ");
}
