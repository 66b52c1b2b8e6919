//! `tournament`, which plays the tournament that a file describes, and reports the results.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand};
use plyground::book::Shard;
use plyground_arena::second_try::FailedTwice;
use plyground_arena::tournament::{
    REPORT_PAGE, ReportPlayer, Tournament, TournamentError, TournamentEvent, TournamentPlan,
    TournamentReport,
};
use plyground_durable::input::STDIN;
use plyground_durable::lock::Locking;
use plyground_durable::output::write_whole;
use plyground_durable::whole_number;
use plyground_durable::work::cores;
use plyground_explain::review::{ProgramSummary, review_page, summaries};
use plyground_host::SharedGame;

use super::failure::{Failure, listen, print, refuse, warn};
use super::programs::{prepare_system, warn_of_patient};
use super::progress;
use super::review::review_tournament;

/// The template of the progress line.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} games  {eta_precise} left";

/// The arguments of `tournament`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TournamentArgs {
    /// The tournament to play.
    #[command(flatten)]
    pub run: Option<TournamentRunArgs>,

    /// The subcommand, if no tournament is to be played.
    #[command(subcommand)]
    pub command: Option<TournamentCommand>,
}

/// The arguments of `tournament FILE`.
#[derive(Clone, Debug, Args)]
pub struct TournamentRunArgs {
    /// The file that describes the tournament; - for standard input, with --out
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,

    /// The folder for the games and the reports; it is created if it does not exist [default: the name
    /// of the file without its extension]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// The number of games to play at a time, each on a processor core of its own: as many as there
    /// are cores, at most [default: 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    pub jobs: Option<NonZeroUsize>,

    /// Play only the I-th of N shares of the games
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    pub shard: Shard,

    /// Review all games at the end, and add each player's losses and patterns of mistakes, and a
    /// page review.html, to the report
    #[arg(long)]
    pub review: bool,
}

/// The commands of `tournament`.
#[derive(Clone, Debug, Subcommand)]
pub enum TournamentCommand {
    /// Put shares of a tournament together
    Merge {
        /// The file that describes the tournament; - for standard input
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,

        /// The folders of the shares
        #[arg(value_name = "FOLDER", required = true)]
        folders: Vec<PathBuf>,

        /// The folder for all games and the reports; it is created if it does not exist
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
}

pub(super) fn run(game: &SharedGame, args: &TournamentArgs) -> Result<(), Failure> {
    match (&args.run, &args.command) {
        (_, Some(TournamentCommand::Merge { file, folders, out })) => {
            merge(game, file, folders, out)
        }
        (Some(args), None) => play(game, args),
        (None, None) => refuse("expected the file of a tournament"),
    }
}

fn play(game: &SharedGame, args: &TournamentRunArgs) -> Result<(), Failure> {
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension(""));
    if args.out.is_none() && args.file == Path::new(STDIN) {
        return refuse("expected --out, because standard input has no name");
    }
    let mut plan = TournamentPlan::read(&args.file)?;
    plan.settle_level()?;
    if out == args.file {
        return refuse("expected --out, because the file has no extension");
    }
    if !args.shard.is_whole() && plan.format.unfolds() {
        let format = plan.format.name();
        return refuse(format!("a {format} has no shares: its pairings depend on earlier games"));
    }
    let players: Vec<_> = plan.players.iter().map(|player| player.player.clone()).collect();
    let mut tournament = Tournament::open(game, plan, &out, Locking::Always)?;
    warn_of_patient(&game.start(), &players, game.book()?.as_ref());
    tournament.load()?;
    tournament.damaged().for_each(warn);
    let interrupted = listen()?;
    let jobs = jobs(args.jobs);
    let left_out = match play_games(&mut tournament, args.shard, jobs, &interrupted) {
        Ok(None) => None,
        Ok(Some(left_out)) if tournament.played() > 0 => Some(left_out),
        Ok(Some(left_out)) => {
            tournament.discard_if_empty();
            return Err(left_out.into());
        }
        Err(failure) => {
            tournament.discard_if_empty();
            return Err(failure);
        }
    };
    finish(&tournament)?;
    if args.review && !interrupted.load(Ordering::Relaxed) {
        review(game, &tournament, jobs, &interrupted)?;
    }
    if let Some(left_out) = left_out {
        return Err(left_out.into());
    }
    if interrupted.load(Ordering::Relaxed) {
        let (played, games) = (tournament.played(), tournament.scheduled());
        return Err(Failure::Stopped(format!(
            "{played} of {games} games played; the same command goes on"
        )));
    }
    Ok(())
}

/// Plays the games of a share, with a progress line on standard error. Returns the games that were left out because the
/// system failed at them, if there are any.
fn play_games(
    tournament: &mut Tournament,
    shard: Shard,
    jobs: NonZeroUsize,
    stop: &Arc<AtomicBool>,
) -> Result<Option<FailedTwice>, Failure> {
    if tournament.has_programs() {
        prepare_system(&tournament.programs())?;
    }
    let progress = progress::bar(tournament.scheduled() as u64, progress::style(PROGRESS));
    let played = tournament.play(shard, jobs, stop, |event| match event {
        TournamentEvent::Played(games) => progress.set_position(games as u64),
        TournamentEvent::NotPlayed { names, why } => {
            progress.suspend(|| warn(&format_args!("{} not played: {why}", names.join(", "))));
        }
        TournamentEvent::ReadsLf(warning) => progress.suspend(|| warn(&warning)),
    });
    progress.finish_and_clear();
    match played {
        Ok(()) => Ok(None),
        Err(TournamentError::FailedTwice(left_out)) => Ok(Some(left_out)),
        Err(error) => Err(error.into()),
    }
}

/// Returns the number of games to play at a time: one for each core, because programs that share a
/// core make each other late.
fn jobs(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    let (wanted, cores) = (wanted.unwrap_or(NonZeroUsize::MIN), cores());
    if wanted > cores {
        progress::say(format_args!("note: {cores} games at a time, one for each core"));
    }
    wanted.min(cores)
}

/// The page with the reviews of all games.
const REVIEW_PAGE: &str = "review.html";

/// Reviews the games, and writes the reports again with the findings.
fn review(
    game: &SharedGame,
    tournament: &Tournament,
    jobs: NonZeroUsize,
    stop: &Arc<AtomicBool>,
) -> Result<(), Failure> {
    let folder = tournament.folder();
    let reviews = review_tournament(game, folder, jobs, stop)?;
    let summaries = summaries(&reviews, None);
    let mut report = tournament.write_report()?;
    for player in &mut report.players {
        let summary = summaries.iter().find(|summary| summary.name == player.name);
        player.review = summary.map(ProgramSummary::lines);
    }
    report.save(folder)?;
    let page = folder.join(REVIEW_PAGE);
    write_whole(&page, review_page(&**game, &reviews, &summaries, None))?;
    print(format_args!("Review: {}\n", page.display()))
}

fn merge(game: &SharedGame, file: &Path, folders: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let mut plan = TournamentPlan::read(file)?;
    if let Some(folder) = folders.first() {
        plan.settle_level_of(folder);
        plan.continue_from(folder)?;
    }
    let mut tournament = Tournament::open(game, plan, out, Locking::Always)?;
    // All folders are checked first, so that a faulty one does not leave a tournament with only some of the shares.
    let checked = folders.iter().try_for_each(|folder| tournament.check_share(folder));
    if let Err(fault) = checked {
        tournament.discard_if_empty();
        return Err(fault.into());
    }
    for folder in folders {
        tournament.take_in(folder)?.iter().for_each(warn);
    }
    tournament.load()?;
    tournament.damaged().for_each(warn);
    finish(&tournament)
}

/// Writes the reports and shows the places.
pub(super) fn finish(tournament: &Tournament) -> Result<(), Failure> {
    let report = tournament.write_report()?;
    print(standings_text(&report, tournament.folder()))
}

/// Returns the sentence about games that were played again because the computer failed.
pub(super) fn played_again(games: u64) -> String {
    let games = if games == 1 { "1 game".to_owned() } else { format!("{games} games") };
    format!("Played again alone, because the computer failed the first time: {games}")
}

/// Returns the places as text for people.
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
        let games = row.games.total();
        let elo = format!("{:+.0} ± {:.0}", row.rating.elo, row.rating.error);
        let mut faults = Vec::new();
        faults.extend((!row.faults.is_empty()).then(|| row.faults.to_string()));
        faults.extend((row.rested > 0).then(|| format!("rested {}", row.rested)));
        faults.extend(row.joined.map(|pairing| format!("joined in pairing {pairing}")));
        faults.extend(row.not_played.iter().map(|why| format!("not played: {why}")));
        let line = format!(
            "{:>5}  {:width$}{matchups}  {games:>5} {:>5} {:>5} {:>5}{points} {:>6} {elo:>12} {:>9.3}  {}",
            rank,
            row.name,
            row.games.won,
            row.games.drawn,
            row.games.lost,
            row.score,
            row.cpu.as_secs_f64(),
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
    let by_cpu = report.players.iter().filter_map(|row| row.matchups).map(|it| it.won_by_cpu);
    match by_cpu.sum::<u64>() {
        0 => {}
        1 => text += "CPU time has decided 1 matchup of equal points\n",
        count => text += &format!("CPU time has decided {count} matchups of equal points\n"),
    }
    if report.void > 0 {
        let games = if report.void == 1 { "game" } else { "games" };
        text += &format!(
            "\n{} {games} between players that never made a legal move: such games count for no player\n",
            report.void
        );
    }
    let again = report.games.iter().filter(|game| game.again.is_some()).count();
    if again > 0 {
        text += &format!("\n{}\n", played_again(again as u64));
    }
    if report.ratings_bounded {
        text += "\nElo: with a drawn game of each player added, because the results alone do not fix every rating\n";
    }
    text + &format!("\nReport: {}\n", folder.join(REPORT_PAGE).display())
}
