//! Look-alikes in a class, and the class page that marks them.

use super::zips::{TestFolder, hand_in, has, prepare, run, source, zipped};

/// A copy with other names and comments.
fn disguised(text: &str) -> String {
    let renamed = text.replace("board", "grid").replace("depth", "level").replace("best", "top");
    renamed.lines().map(|line| format!("{line}  # mine\n")).collect()
}

#[test]
fn look_alikes_are_named_and_marked() {
    if !has(&["python3"]) {
        return;
    }
    let place = TestFolder::new();
    let original = source("maxconnect4.py");
    let copy = disguised(&original);
    let other = "import sys\nprint('nothing', sys.argv)\n";
    for (name, text) in [("ann", &*original), ("bob", &*copy), ("carl", other)] {
        hand_in(&place, &format!("{name}.zip"), zipped(&[("maxconnect4.py", text)]));
    }
    prepare(&place, &[]);
    let table = run(&place, &["submissions", "compare", "subs", "--out", "alike.html"]);
    assert!(table.contains("\nann         bob  100 %"), "{table}");
    assert!(table.ends_with("\nThis is no verdict: read the passages, and ask.\n"), "{table}");
    let page = place.read("alike.html");
    assert!(page.contains("ann and bob: 100 %") && page.contains("# mine"), "{page}");
    // What everybody was given does not count.
    place.write("given.py", original);
    let none = run(&place, &["submissions", "compare", "subs", "--starter", "given.py"]);
    assert_eq!(none, "No two share more than chance explains.\n");
    let words = [
        "maxconnect4",
        "grade",
        "--class",
        "subs",
        "--out",
        "grades",
        "--total",
        "1ms",
        "--player",
        "file:{start} one-move {in} {out} {depth}",
    ];
    run(&place, &words);
    let class = place.read("grades/class.html");
    assert!(class.contains("like bob (100 %)</li>"), "{class}");
}
