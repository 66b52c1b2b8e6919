//! The report of a tournament: CSV, JSON and a page for a browser.

use std::path::Path;

use plyground::{Game, Side};
use plyground_durable::FileError;
use plyground_durable::output::write_whole;
use plyground_durable::text::csv_text;
use plyground_host::referee::PlayedGame;
use plyground_host::{HostedGame, HostedPosition};
use plyground_sandbox::SandboxLevel;
use serde::Serialize;

use super::fixture::GameResult;
use super::plan::TournamentPlan;
use super::schedule::{Ranking, Schedule};
use super::standings::{ReportMatchups, ReportPlayer, Standings, StandingsCell, seconds};

/// The page, with a placeholder for the report.
const PAGE: &str = include_str!("report.html");

/// The name of the file with the page.
pub const REPORT_PAGE: &str = "report.html";

/// The placeholder for the report in the page.
const PLACE: &str = "{{report}}";

/// The report of a tournament.
#[derive(Clone, Debug, Serialize)]
pub struct TournamentReport {
    /// The name of the game.
    pub game: String,
    /// The heading.
    pub name: String,
    /// The format: `round-robin`, `gauntlet`, `knockout` or `swiss`.
    pub format: &'static str,
    /// The unit that decides the places: `matchups` or `wins`.
    pub ranking: &'static str,
    /// The level of the sandboxes of external programs, if there are any.
    pub sandbox: Option<SandboxLevel>,
    /// The number of games in the whole tournament, without the games that decide even meetings.
    pub scheduled: usize,
    /// The number of games that have been played.
    pub played: usize,
    /// The number of void games, which do not count because neither player has ever made a legal
    /// move.
    pub void: usize,
    /// The names of the two sides.
    pub sides: [String; 2],
    /// The characters for the pieces of the two sides in the text of a position.
    pub pieces: [String; 2],
    /// If true, drawn games were added for the ratings.
    pub ratings_bounded: bool,
    /// The players, the best first.
    pub players: Vec<ReportPlayer>,
    /// The results of the player of each row against the player of each column, in the order of
    /// `players`.
    pub cross: Vec<Vec<StandingsCell>>,
    /// The games, by number.
    pub games: Vec<ReportGame>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ReportGame {
    pub number: String,
    /// The places of the players in the report, the first side first.
    pub seats: [usize; 2],
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
    /// The reason why the game ended.
    pub reason: String,
    /// The reason why the game was played again, alone, if the computer failed the first time.
    pub again: Option<String>,
    /// The points credited, in a game of points.
    pub points: Option<[i32; 2]>,
    /// The number of moves in the opening.
    pub given: usize,
    pub moves: Vec<String>,
    /// The CPU time of each player, in seconds.
    pub cpu_seconds: [f64; 2],
    /// The first position, its lines joined by `/`.
    pub start: String,
    /// The changes that each move makes in the text of the position, as places and new characters.
    pub changes: Vec<Vec<(usize, char)>>,
}

impl TournamentReport {
    /// Creates the report of a tournament, without games.
    pub(super) fn new(
        game: &dyn HostedGame,
        plan: &TournamentPlan,
        schedule: &Schedule,
        ranking: Ranking,
        standings: Standings,
    ) -> TournamentReport {
        let Standings { rows: mut players, cross, void } = standings;
        let order: Vec<usize> = players.iter().map(|row| row.index).collect();
        for row in &mut players {
            let contestant = &plan.players[row.index];
            row.name.clone_from(&contestant.name);
            row.player = contestant.player.to_string();
            row.joined = Some(contestant.joins).filter(|&pairing| pairing > 1);
        }
        let row = |&one: &usize| order.iter().map(|&other| cross[one][other]).collect();
        TournamentReport {
            game: game.name().to_owned(),
            name: plan.name.clone(),
            format: plan.format.name(),
            sandbox: plan.sandbox,
            ranking: ranking.name(),
            scheduled: schedule.total(),
            played: void + players.iter().map(|row| row.games.total() as usize).sum::<usize>() / 2,
            void,
            sides: Side::BOTH.map(|side| game.side_name(side)),
            pieces: pieces(&game.start()),
            ratings_bounded: players.iter().any(|row| row.rating.is_bounded),
            players,
            cross: order.iter().map(row).collect(),
            games: Vec::new(),
        }
    }

    /// Adds a game. Its seats are the indices of the players in the plan.
    pub(super) fn add(&mut self, game: &ReportGame) {
        let place = |player: usize| self.players.iter().position(|row| row.index == player);
        let seats = game.seats.map(|player| place(player).unwrap_or_default());
        self.games.push(ReportGame { seats, ..game.clone() });
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> String {
        self.json_line() + "\n"
    }

    fn json_line(&self) -> String {
        // Strings, numbers and lists of these always have a JSON text.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Writes the report into a folder in all its forms: tables, JSON, and a page for a browser.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        for (name, text) in [
            ("standings.csv", self.standings_csv()),
            ("crosstable.csv", self.cross_csv()),
            ("games.csv", self.games_csv()),
            ("result.json", self.to_json()),
            (REPORT_PAGE, self.to_html()),
        ] {
            write_whole(&folder.join(name), text)?;
        }
        Ok(())
    }

    /// Returns the page for a browser, as one self-contained file.
    fn to_html(&self) -> String {
        // A `<` might end the script. The escape has the same meaning in JSON.
        let json = self.json_line().replace('<', "\\u003c");
        let title = self.name.replace('&', "&amp;").replace('<', "&lt;");
        let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
        format!("{}{json}{after}", before.replace("{{title}}", &title))
    }

    /// Returns the standings as CSV. CPU time, which differs from run to run, affects the last
    /// three columns, and also the first two if it decides.
    fn standings_csv(&self) -> String {
        let header = "rank,ahead_by,player,spec,rested,joined,matchups,matchups_won,\
            matchups_even,matchups_lost,pairs_0,pairs_0.5,pairs_1,pairs_1.5,pairs_2,\
            games,won,drawn,lost,score,points,points_against,elo,elo_error,faults,\
            rejected,not_played,moves,matchups_won_by_cpu,cpu_seconds,slowest_seconds";
        let number =
            |points: Option<i64>| points.map(|points| points.to_string()).unwrap_or_default();
        let rows = self.players.iter().map(|row| {
            let matchups = |count: fn(&ReportMatchups) -> u64| {
                row.matchups.as_ref().map(|it| count(it).to_string()).unwrap_or_default()
            };
            let mut cells = vec![
                row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
                row.ahead_by.unwrap_or_default().to_owned(),
                row.name.clone(),
                row.player.clone(),
                row.rested.to_string(),
                row.joined.map(|pairing| pairing.to_string()).unwrap_or_default(),
                matchups(|it| it.total),
                matchups(|it| it.won),
                matchups(|it| it.even),
                matchups(|it| it.lost),
            ];
            cells.extend(row.pairs.counts.map(|count| count.to_string()));
            cells.extend([
                row.games.total().to_string(),
                row.games.won.to_string(),
                row.games.drawn.to_string(),
                row.games.lost.to_string(),
                row.score.to_string(),
                number(row.points),
                number(row.points_against),
                row.rating.elo.to_string(),
                row.rating.error.to_string(),
                row.faults.to_string(),
                row.rejected.to_string(),
                row.not_played.clone().unwrap_or_default(),
                row.moves.to_string(),
                matchups(|it| it.won_by_cpu),
                format!("{:.6}", seconds(row.cpu)),
                format!("{:.6}", seconds(row.slowest)),
            ]);
            cells
        });
        csv_text(header.split(','), rows)
    }

    /// Returns the scores of every player, in rows, against every other, in columns.
    fn cross_csv(&self) -> String {
        let names = self.players.iter().map(|row| row.name.clone());
        let header = [String::new()].into_iter().chain(names.clone());
        let rows = names.zip(&self.cross).map(|(name, cells)| {
            let text = |cell: &StandingsCell| match cell.games {
                0 => String::new(),
                games => format!("{}/{games}", cell.score),
            };
            [name].into_iter().chain(cells.iter().map(text)).collect()
        });
        csv_text(header, rows)
    }

    /// Returns the games as CSV. CPU time, which differs from run to run, is in the last two
    /// columns.
    fn games_csv(&self) -> String {
        let header = "game,first,second,result,points1,points2,plies,opening,reason,again,\
            cpu_seconds1,cpu_seconds2";
        let rows = self.games.iter().map(|game| {
            let [first, second] = game.seats.map(|place| self.players[place].name.clone());
            let points = |side: usize| game.points.map(|both| both[side].to_string());
            vec![
                game.number.clone(),
                first,
                second,
                game.result.to_owned(),
                points(0).unwrap_or_default(),
                points(1).unwrap_or_default(),
                game.moves.len().to_string(),
                game.moves[..game.given].join(" "),
                game.reason.clone(),
                game.again.clone().unwrap_or_default(),
                format!("{:.6}", game.cpu_seconds[0]),
                format!("{:.6}", game.cpu_seconds[1]),
            ]
        });
        csv_text(header.split(','), rows)
    }
}

impl ReportGame {
    /// Creates a game of a report, with the indices of the players in the plan.
    pub(super) fn new(result: &GameResult, game: &PlayedGame) -> ReportGame {
        let mut position = game.start.clone();
        let start = position.state_word();
        let (mut before, mut changes) = (start.clone(), Vec::new());
        for played in &game.moves {
            position.play_unchecked(played.mv);
            let after = position.state_word();
            let pairs = before.chars().zip(after.chars()).enumerate();
            let changed = pairs.filter(|(_, (old, new))| old != new);
            changes.push(changed.map(|(place, (_, new))| (place, new)).collect());
            before = after;
        }
        ReportGame {
            number: result.number.to_string(),
            seats: result.seats,
            result: game.ending.result(),
            reason: game.ending.words(&position),
            again: game.again.clone(),
            points: result.points,
            given: game.moves.iter().filter(|played| played.forced).count(),
            moves: game.moves.iter().map(|played| played.mv.to_string()).collect(),
            cpu_seconds: result.cpu.map(seconds),
            start,
            changes,
        }
    }
}

/// Returns the characters for the pieces of the two sides in a state file. The last line of a state
/// file has the character of the side to move.
fn pieces(start: &HostedPosition) -> [String; 2] {
    let mark =
        |position: &HostedPosition| position.state().lines().last().unwrap_or_default().to_owned();
    let next = start.legal_moves().next().map(|mv| start.after(mv));
    let mut marks = [mark(start), next.as_ref().map(mark).unwrap_or_default()];
    if start.side_to_move() == Side::Second {
        marks.reverse();
    }
    marks
}
