//! The files of `results/`: made by the programs of today, and told truly by the pages.
//!
//! A page has a table between `<!-- results: NAME -->` and `<!-- end of NAME -->`. It follows from the files:
//! with `UPDATE_GOLDEN=1` the test writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;
use std::{env, fs};

use games::all;
use plyground::Game;
use plyground_arena::timing::{RuntimeRow, RuntimeTable, SearchKind};
use plyground_durable::fnv1a;
use plyground_host::{EngineOptions, HostedGame, bench};
use toml::Table;

use crate::common::project;

/// The pages with tables that follow from files.
const PAGES: [&str; 3] = ["README.md", "docs/search.md", "results/README.md"];

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// The runtime tables, by what they are called in the pages.
const RUNTIMES: [(&str, &str); 4] = [
    ("Max-Connect4, empty board", "maxconnect4.csv"),
    ("Network, empty board", "network-start.csv"),
    ("Network, after ten plies", "network-ten-plies.csv"),
    ("Network, all chips on the board", "network-steps.csv"),
];

/// The searches of a runtime table, by what they are called in the pages.
const SEARCHES: [(&str, SearchKind); 2] =
    [("alpha-beta", SearchKind::AlphaBeta), ("minimax", SearchKind::Minimax)];

/// The sets of positions for the worth of the techniques, by game.
const SETS: [(&str, &str); 5] = [
    ("maxconnect4", "fixed depth"),
    ("maxconnect4", "8 to 13 pieces, exact"),
    ("maxconnect4", "14 to 30 pieces, exact"),
    ("network", "fixed depth"),
    ("network", "clock"),
];

fn file(name: &str) -> String {
    let path = project().join("results").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of a table, each by the names of its columns.
fn records(name: &str) -> Vec<BTreeMap<String, String>> {
    let text = file(name);
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

/// The rows of a runtime table for a search, by their depth.
fn runtimes(name: &str, search: SearchKind) -> Vec<RuntimeRow> {
    let table = RuntimeTable::from_csv(file(name).as_bytes()).unwrap();
    table.rows().iter().filter(|row| row.search == search).cloned().collect()
}

/// A time with two or three digits.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..0.01 => format!("{:.1} ms", seconds * 1e3),
        0.01..0.1 => format!("{:.0} ms", seconds * 1e3),
        0.1..10.0 => format!("{seconds:.2} s"),
        10.0..100.0 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}

fn seconds(text: &str) -> Duration {
    Duration::from_secs_f64(text.parse().unwrap())
}

fn depth_and_time(row: &RuntimeRow) -> String {
    format!("{} ({})", row.depth, time(row.cpu_min))
}

fn deepest_within_a_second(rows: &[RuntimeRow]) -> &RuntimeRow {
    rows.iter().rfind(|row| row.cpu_min <= SECOND).unwrap()
}

/// The first depth that takes more than a minute; where the result of best play is found sooner, the slowest.
fn first_over_a_minute(rows: &[RuntimeRow]) -> String {
    let slowest = rows.iter().max_by_key(|row| row.cpu_min).unwrap();
    match rows.iter().find(|row| row.cpu_min > MINUTE) {
        Some(row) => depth_and_time(row),
        None if rows.last().is_some_and(|row| row.proven) => {
            format!("none: {} at most (depth {})", time(slowest.cpu_min), slowest.depth)
        }
        None => "not measured".to_owned(),
    }
}

/// The table of the README.
fn measured() -> String {
    let mut text = "| from the empty board, alpha-beta, CPU time | command | depth |\n".to_owned();
    text += "| --- | --- | --- |\n";
    for (game, command, name) in [
        ("Max-Connect4", "maxconnect4", "maxconnect4.csv"),
        ("Network", "network", "network-start.csv"),
    ] {
        let rows = runtimes(name, SearchKind::AlphaBeta);
        let deepest = depth_and_time(deepest_within_a_second(&rows));
        let over = first_over_a_minute(&rows);
        let _ = writeln!(text, "| {game}: deepest within 1 s | `{command} timing` | {deepest} |");
        let _ = writeln!(text, "| {game}: first over 60 s | `{command} timing` | {over} |");
    }
    let records = records("minimax-crate.csv");
    let row = records.last().unwrap();
    let [ours, theirs] = ["seconds", "minimax_seconds"].map(|column| time(seconds(&row[column])));
    let depth = &row["depth"];
    let _ = write!(
        text,
        "\nA search of Max-Connect4 to depth {depth} takes {ours} where the crate `minimax` takes {theirs}\n\
         (`cargo bench -p research --bench minimax_crate`).\n"
    );
    text
}

/// The runtime tables at a glance.
fn runtime() -> String {
    let mut text =
        "| position | search | deepest within 1 s | first over 60 s |\n| --- | --- | --- | --- |\n"
            .to_owned();
    for (called, name) in RUNTIMES {
        for (search, kind) in SEARCHES {
            let rows = runtimes(name, kind);
            let deepest = depth_and_time(deepest_within_a_second(&rows));
            let over = first_over_a_minute(&rows);
            let _ = writeln!(text, "| {called} | {search} | {deepest} | {over} |");
        }
    }
    text
}

/// The two searches side by side.
fn depths() -> String {
    let mut text =
        "| | minimax | alpha-beta with all techniques |\n| --- | --- | --- |\n".to_owned();
    for (called, name) in &RUNTIMES[..2] {
        let [plain, fast] = [SearchKind::Minimax, SearchKind::AlphaBeta]
            .map(|kind| deepest_within_a_second(&runtimes(name, kind)).depth);
        let _ = writeln!(text, "| {called}: deepest within 1 s | {plain} | {fast} |");
    }
    text
}

/// The search beside that of another crate.
fn minimax_crate() -> String {
    let mut text = "| depth | minimax 0.6 | plain | ratio | with bounds | ratio |\n".to_owned();
    text += "| --- | --- | --- | --- | --- | --- |\n";
    for row in records("minimax-crate.csv") {
        let [theirs, plain, ours] =
            ["minimax_seconds", "plain_seconds", "seconds"].map(|column| seconds(&row[column]));
        // Quicker ones take about as long as making the table.
        if theirs < Duration::from_millis(100) {
            continue;
        }
        let [plain_ratio, ratio] =
            [plain, ours].map(|ours| theirs.as_secs_f64() / ours.as_secs_f64());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {plain_ratio:.1} | {} | {ratio:.1} |",
            row["depth"],
            time(theirs),
            time(plain),
            time(ours)
        );
    }
    text
}

/// Network's search to fixed depths, with the table and without.
fn network_search() -> String {
    let mut text =
        "| | depth | nodes | CPU | million nodes a second |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    let records = records("network-search.csv");
    for (is_table, kind) in [(true, ""), (false, ", no table")] {
        for row in records.iter().filter(|row| (row["table_mib"] != "0") == is_table) {
            let (nodes, cpu) =
                (row["nodes"].parse::<f64>().unwrap() / 1e6, seconds(&row["cpu_seconds"]));
            let speed = nodes / cpu.as_secs_f64();
            let (name, depth) = (&row["positions"], &row["depth"]);
            let _ = writeln!(
                text,
                "| {name}{kind} | {depth} | {nodes:.2} M | {} | {speed:.1} |",
                time(cpu)
            );
        }
    }
    text
}

/// The worth of a second thread.
fn threads() -> String {
    let mut text =
        "| to depth | one thread | two threads | ratio |\n| --- | --- | --- | --- |\n".to_owned();
    for pair in records("threads.csv").chunks(2) {
        let [one, two] = [0, 1].map(|thread: usize| seconds(&pair[thread]["wall_seconds"]));
        let ratio = two.as_secs_f64() / one.as_secs_f64();
        let depth = &pair[0]["depth"];
        let _ = writeln!(text, "| {depth} | {} | {} | {ratio:.2} |", time(one), time(two));
    }
    text
}

/// The worth of each technique of the search.
fn techniques() -> String {
    let records = records("ablation.csv");
    let mut text = "| without | Max-Connect4, fixed depth | 8 to 13 pieces, exact \
                    | 14 to 30 pieces, exact | Network, fixed depth | on the clock |\n"
        .to_owned();
    text += "| --- | --- | --- | --- | --- | --- |\n";
    let mut known = BTreeSet::from(["nothing"]);
    for off in records.iter().map(|row| row["without"].as_str()) {
        if !known.insert(off) {
            continue;
        }
        let _ = write!(text, "| {off} |");
        for (game, set) in SETS {
            let is_it = |row: &&BTreeMap<String, String>| {
                row["game"] == game && row["set"] == set && row["without"] == off
            };
            let cell = records.iter().find(is_it).map(|row| {
                let least = if row["given_up"] == "0" { "" } else { "≥ " };
                let [nodes, cpu] = ["nodes_ratio", "cpu_ratio"]
                    .map(|column| format!("{least}{:.2}", row[column].parse::<f64>().unwrap()));
                format!("{nodes}, {cpu}")
            });
            let _ = write!(text, " {} |", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

/// The page with every table as the files have it. Notes the names of the tables in `used`.
fn retold(page: &str, tables: &BTreeMap<&str, String>, used: &mut BTreeSet<String>) -> String {
    let mut text = String::new();
    let mut until: Option<String> = None;
    for line in page.lines() {
        if until.as_ref().is_some_and(|end| line != end) {
            continue;
        }
        until = None;
        text += line;
        text.push('\n');
        let name = line.strip_prefix("<!-- results: ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(name) = name {
            let table = tables.get(name).unwrap_or_else(|| panic!("no table is called {name}"));
            let _ = write!(text, "\n{table}\n");
            used.insert(name.to_owned());
            until = Some(format!("<!-- end of {name} -->"));
        }
    }
    assert_eq!(until, None, "a table has no end");
    text
}

#[test]
fn pages_say_what_the_tables_have() {
    let tables = BTreeMap::from([
        ("measured", measured()),
        ("runtime", runtime()),
        ("depths", depths()),
        ("minimax-crate", minimax_crate()),
        ("network-search", network_search()),
        ("threads", threads()),
        ("techniques", techniques()),
    ]);
    let mut used = BTreeSet::new();
    for name in PAGES {
        let path = project().join(name);
        let page = fs::read_to_string(&path).unwrap();
        let expected = retold(&page, &tables, &mut used);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(path, expected).unwrap();
        } else {
            assert_eq!(page, expected, "{name} is not as in results/; UPDATE_GOLDEN=1 corrects it");
        }
    }
    assert!(tables.keys().all(|&name| used.contains(name)), "{used:?}");
}

/// The signature of the search of a game: the number of positions that its bench visits.
fn search_signature(game: &dyn HostedGame) -> String {
    let reports = bench(game, EngineOptions::default());
    reports.map(|report| report.unwrap().nodes).sum::<u64>().to_string()
}

/// The signature of the rules of a game: a checksum of a thousand games by chance, their moves, last
/// positions and results.
fn rules_signature(game: &dyn HostedGame) -> String {
    const GAMES: u32 = 1_000;
    const MOST_PLIES: u32 = 200;
    // A generator of its own, because those of other crates may change.
    let mut state = 1_u64;
    let mut chance = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % count
    };
    let mut text = String::new();
    for _ in 0..GAMES {
        let mut position = game.start();
        for _ in 0..MOST_PLIES {
            let moves: Vec<_> = position.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            let mv = moves[chance(moves.len())];
            let _ = write!(text, "{mv} of {}, ", moves.len());
            position = position.after(mv);
        }
        let _ = writeln!(text, "{}: {:?}", position.state_word(), position.outcome());
    }
    format!("{:016x}", fnv1a(text.as_bytes()))
}

#[test]
fn files_are_of_the_programs_of_today() {
    let list: Table = file("signatures.toml").parse().unwrap();
    let of_today = |signature: fn(&dyn HostedGame) -> String| -> BTreeMap<&str, String> {
        all().iter().map(|game| (game.name(), signature(&**game))).collect()
    };
    for (kind, signatures, remedy) in [
        ("search", of_today(search_signature), "make it again with `cargo xtask results`"),
        ("rules", of_today(rules_signature), "prove it again, as docs/ says"),
    ] {
        for (file, by_game) in list[kind].as_table().unwrap() {
            for (game, signature) in by_game.as_table().unwrap() {
                let signature = signature.as_str().map_or(signature.to_string(), str::to_owned);
                let today = &signatures[game.as_str()];
                assert_eq!(
                    &signature, today,
                    "results/{file} is of another program: the signature of the {kind} of {game} is \
                     not {signature}, but {today}; {remedy}"
                );
            }
        }
    }
}

#[test]
fn every_file_has_a_signature_or_is_a_text() {
    let list: Table = file("signatures.toml").parse().unwrap();
    let texts = list["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let signed = ["search", "rules"].map(|kind| list[kind].as_table().unwrap());
    let signed = signed.into_iter().flat_map(|files| files.keys().map(String::as_str));
    let listed: Vec<&str> = texts.chain(signed).collect();
    let there = fs::read_dir(project().join("results")).unwrap();
    let there: BTreeSet<String> =
        there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(listed.len(), there.len(), "a file is listed twice, or not at all");
    assert_eq!(listed.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), there);
}
