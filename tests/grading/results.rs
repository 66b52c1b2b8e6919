//! The agreement of the pages with the tables in results/.

use std::time::Duration;

use plyground_arena::timing::{RuntimeRow, RuntimeTable, SearchKind};

const RESULTS: &str = include_str!("../../results/README.md");
const README: &str = include_str!("../../README.md");
const SEARCH: &str = include_str!("../../docs/search.md");

const MAX_CONNECT4: &[u8] = include_bytes!("../../results/maxconnect4.csv");
const NETWORK_START: &[u8] = include_bytes!("../../results/network-start.csv");

const ABLATION: &[u8] = include_bytes!("../../results/maxconnect4-ablation.csv");

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// The tables by what they are called in the text.
const TABLES: [(&str, &[u8]); 4] = [
    ("Max-Connect4, empty board", MAX_CONNECT4),
    ("Network, empty board", NETWORK_START),
    ("Network, after ten plies", include_bytes!("../../results/network-ten-plies.csv")),
    ("Network, all chips on the board", include_bytes!("../../results/network-steps.csv")),
];

/// The rows of a search, by their depth.
fn rows(csv: &[u8], search: SearchKind) -> Vec<RuntimeRow> {
    let table = RuntimeTable::from_csv(csv).unwrap();
    table.rows().iter().filter(|row| row.search == search).cloned().collect()
}

/// A time with three digits, or two after the point.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let decimals = match seconds {
        ..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    format!("{seconds:.decimals$} s")
}

fn depth_and_time(row: &RuntimeRow) -> String {
    format!("{} ({})", row.depth, seconds(row.cpu_median))
}

fn deepest_within_a_second(rows: &[RuntimeRow]) -> &RuntimeRow {
    rows.iter().rfind(|row| row.cpu_median <= SECOND).unwrap()
}

fn first_over_a_minute(rows: &[RuntimeRow]) -> Option<&RuntimeRow> {
    rows.iter().find(|row| row.cpu_median > MINUTE)
}

/// The line of a text that begins so.
#[track_caller]
fn line<'a>(text: &'a str, begin: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("no line {begin}"))
}

#[test]
fn results_say_what_the_tables_have() {
    for (name, csv) in TABLES {
        for (search, kind) in
            [("alpha-beta", SearchKind::AlphaBeta), ("minimax", SearchKind::Minimax)]
        {
            let rows = rows(csv, kind);
            let begin = format!("| {name} | {search} | ");
            let said = line(RESULTS, &begin).strip_prefix(&begin).unwrap();
            let deepest = depth_and_time(deepest_within_a_second(&rows));
            assert!(said.starts_with(&format!("{deepest} |")), "{deepest}: {said}");
            match first_over_a_minute(&rows) {
                Some(row) => assert!(said.contains(&depth_and_time(row)), "{said}"),
                None => {
                    assert!(said.contains("| none") || said.contains("| not measured"), "{said}")
                }
            }
        }
    }
}

#[test]
fn readme_says_the_same() {
    let rows = |csv| rows(csv, SearchKind::AlphaBeta);
    let (four, network) = (rows(MAX_CONNECT4), rows(NETWORK_START));
    for (game, command, rows) in
        [("Max-Connect4", "maxconnect4", &four), ("Network", "network", &network)]
    {
        let depth = deepest_within_a_second(rows).depth;
        let said = format!("| {game}: deepest within 1 s | `{command} timing` | {depth} |");
        assert_eq!(line(README, &format!("| {game}: deepest")), said);
    }
    let over = depth_and_time(first_over_a_minute(&network).unwrap());
    assert!(line(README, "| Network: first over").ends_with(&format!("| {over} |")));
    let last = four.last().unwrap();
    let slowest = four.iter().max_by_key(|row| row.cpu_median).unwrap();
    let said = line(README, "| Max-Connect4: first over");
    for row in [last, slowest] {
        assert!(said.contains(&seconds(row.cpu_median)), "{said}");
        assert!(said.contains(&row.depth.to_string()), "{said}");
    }
}

#[test]
fn manual_says_the_same() {
    let deepest = |csv, kind| deepest_within_a_second(&rows(csv, kind)).depth;
    for (game, csv) in [("Max-Connect4", MAX_CONNECT4), ("Network", NETWORK_START)] {
        let begin = format!("| {game}, empty board: deepest within 1 s");
        let [plain, fast] =
            [SearchKind::Minimax, SearchKind::AlphaBeta].map(|kind| deepest(csv, kind));
        assert_eq!(line(SEARCH, &begin), format!("{begin} | {plain} | {fast} |"));
    }
}

#[test]
fn each_technique_is_worth_what_was_measured() {
    let mut table = csv::Reader::from_reader(ABLATION);
    let mut count = 0;
    for row in table.records().map(Result::unwrap).filter(|row| &row[0] != "nothing") {
        let ratio = |column: usize| row[column].parse::<f64>().unwrap();
        let said = line(SEARCH, &format!("| {} | ", &row[0]));
        assert_eq!(line(RESULTS, said), said);
        // Where a position was given up, more nodes than these would have been needed.
        let least = if &row[6] == "0" { "" } else { "at least " };
        let number = |cell: &str| cell.trim().strip_prefix(least)?.parse().ok();
        let cells: Vec<f64> = said.split('|').filter_map(number).collect();
        // The table has three decimals, the pages two.
        let is_close = |(said, measured): (&f64, f64)| (said - measured).abs() < 0.0056;
        let measured = [3, 4, 5].map(ratio);
        assert_eq!(cells.len(), measured.len(), "{said}");
        assert!(cells.iter().zip(measured).all(is_close), "{said}: {row:?}");
        count += 1;
    }
    assert_eq!(count, 16);
}
