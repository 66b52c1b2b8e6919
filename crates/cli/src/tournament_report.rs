//! The output of `tournament`.

use std::path::Path;

use plyground_arena::tournament::{REPORT_PAGE, ReportPlayer, TournamentReport};

/// The sentence about games that were played again since the computer failed.
pub(super) fn played_again(games: u64) -> String {
    let games = if games == 1 { "1 game".to_owned() } else { format!("{games} games") };
    format!("Played again alone, for the computer failed the first time: {games}")
}

/// The places for people.
pub(super) fn standings_text(report: &TournamentReport, folder: &Path) -> String {
    let TournamentReport { name, game, format, ranking, played, scheduled, .. } = report;
    let of = if played < scheduled { format!(" of {scheduled}") } else { String::new() };
    let mut text = format!("{name}: {game}, {format}, ranked by {ranking}, {played}{of} games\n");
    if let Some(level) = report.sandbox {
        text += &format!("External programs in sandboxes of the level {level}\n");
    }
    text += "\n";
    let length = |player: &ReportPlayer| player.name.chars().count();
    let width = report.players.iter().map(length).chain([6]).max().unwrap_or_default();
    let has_points = *ranking == "matchups";
    let [matchups_head, points_head] = if has_points { ["  matchups", " points"] } else { [""; 2] };
    text += &format!(
        "place  {:width$}{matchups_head}  games   won drawn  lost{points_head}  score          Elo     CPU s  faults\n",
        "player"
    );
    for row in &report.players {
        let Some(rank) = row.rank else {
            let why = row.not_played.as_deref().unwrap_or_default();
            text += &format!("    -  {:width$}  not played: {why}\n", row.name);
            continue;
        };
        let matchups = row.matchups.map(|it| format!("{}/{}", it.score, it.total));
        let matchups = matchups.map(|it| format!("{it:>10}")).unwrap_or_default();
        let points = match row.points.filter(|_| has_points) {
            Some(points) => format!("{points:>7}"),
            None if has_points => format!("{:>7}", 0),
            None => String::new(),
        };
        let games = row.won + row.drawn + row.lost;
        let elo = format!("{:+.0} ± {:.0}", row.elo, row.elo_error);
        let mut faults = Vec::new();
        faults.extend((!row.faults.is_empty()).then(|| row.faults.to_string()));
        faults.extend((row.rested > 0).then(|| format!("rested {}", row.rested)));
        faults.extend(row.not_played.iter().map(|why| format!("not played: {why}")));
        let line = format!(
            "{:>5}  {:width$}{matchups}  {games:>5} {:>5} {:>5} {:>5}{points} {:>6} {elo:>12} {:>9.3}  {}",
            rank,
            row.name,
            row.won,
            row.drawn,
            row.lost,
            row.score,
            row.cpu_seconds,
            faults.join(", ")
        );
        text += line.trim_end();
        text += "\n";
    }
    text += if has_points {
        "\nPlaces: by matchups won, then by the points of all games, then by less CPU time\n"
    } else {
        "\nPlaces: by games won, a draw counting a half\n"
    };
    if report.void > 0 {
        let games = if report.void == 1 { "game" } else { "games" };
        text += &format!(
            "\n{} {games} between players that never made a legal move: nobody wins anything by that\n",
            report.void
        );
    }
    let again = report.games.iter().filter(|game| game.again.is_some()).count();
    if again > 0 {
        text += &format!("\n{}\n", played_again(again as u64));
    }
    if report.ratings_bounded {
        text += "\nElo: with a drawn game of each player added, for the results alone do not fix every rating\n";
    }
    text + &format!("\nReport: {}\n", folder.join(REPORT_PAGE).display())
}
