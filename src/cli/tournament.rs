//! `tournament`: many players, as a file describes it.

mod attendance;
mod playing;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::{Args, Subcommand};

use super::book_choice::BookChoice;
use super::failure::Failure;
use super::interrupt::listen;
use super::opponents::{check, check_outside};
use super::program::Program;
use super::programs::{check_given_moves, tie_break};
use super::tournament_report::{standings_text, write_reports};
use crate::affinity::cores;
use crate::book::{Book, Shard};
use crate::game::{Game, Side};
use crate::input::STDIN;
use crate::record::{GameRecord, PlayerRecord, RecordError};
use crate::referee::PlayedGame;
use crate::tournament::{
    Fixture, Format, GameNumber, GameResult, Opening, Plan, Ranking, Report, ReportGame, Schedule,
    Standings, Store, draw_openings,
};
use crate::whole_number::whole_number;

/// The arguments of `tournament`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TournamentArgs {
    /// What to play.
    #[command(flatten)]
    pub run: Option<TournamentRunArgs>,

    /// What else to do.
    #[command(subcommand)]
    pub command: Option<TournamentCommand>,
}

/// The arguments of `tournament FILE`.
#[derive(Clone, Debug, Args)]
pub struct TournamentRunArgs {
    /// The file that describes the tournament; - for standard input, with --out
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,

    /// The folder for the games and the reports; it is made if there is none [default: the name
    /// of the file without its extension]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// How many games to play at a time, each on a processor core of its own: as many as there
    /// are cores, at most [default: 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    pub jobs: Option<NonZeroUsize>,

    /// Play only the I-th of N shares of the games
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    pub shard: Shard,
}

/// The commands of `tournament`.
#[derive(Clone, Debug, Subcommand)]
pub enum TournamentCommand {
    /// Put shares of a tournament together
    Merge(TournamentMergeArgs),
}

/// The arguments of `tournament merge`.
#[derive(Clone, Debug, Args)]
pub struct TournamentMergeArgs {
    /// The file that describes the tournament; - for standard input
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,

    /// The folders of the shares
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,

    /// The folder for all games and the reports; it is made if there is none
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,
}

pub(super) fn run<P: Program>(program: &P, args: &TournamentArgs) -> Result<(), Failure> {
    match (&args.run, &args.command) {
        (_, Some(TournamentCommand::Merge(args))) => merge(program, args),
        (Some(args), None) => play(program, args),
        (None, None) => Err(Failure::Usage("expected the file of a tournament".to_owned())),
    }
}

fn play<P: Program>(program: &P, args: &TournamentRunArgs) -> Result<(), Failure> {
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension(""));
    if args.out.is_none() && args.file == Path::new(STDIN) {
        let fault = "expected --out, for standard input has no name";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let plan = Plan::read(&args.file)?;
    if out == args.file {
        return Err(Failure::Usage("expected --out, for the file has no extension".to_owned()));
    }
    if !args.shard.is_whole() && plan.format == Format::Knockout {
        let fault = "a knockout has no shares: who plays depends on the games before";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let mut tournament = Tournament::open(program, plan, &out)?;
    tournament.load()?;
    let interrupted = listen()?;
    let jobs = jobs(args.jobs);
    if let Err(failure) = tournament.play(args.shard, jobs, &interrupted) {
        tournament.discard_if_empty();
        return Err(failure);
    }
    tournament.finish()?;
    if interrupted.load(Ordering::Relaxed) {
        let (played, games) = (tournament.results.len(), tournament.schedule.total());
        return Err(Failure::Stopped(format!("{played} of {games} games played")));
    }
    Ok(())
}

/// How many games to play at a time: one to a core, for programs that share one make each other
/// late.
fn jobs(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    let (wanted, cores) = (wanted.unwrap_or(NonZeroUsize::MIN), cores());
    if wanted > cores {
        // If standard error is closed, nobody wants to be told.
        let _ = writeln!(io::stderr(), "note: {cores} games at a time, one for each core");
    }
    wanted.min(cores)
}

fn merge<P: Program>(program: &P, args: &TournamentMergeArgs) -> Result<(), Failure> {
    let mut tournament = Tournament::open(program, Plan::read(&args.file)?, &args.out)?;
    for folder in &args.folders {
        tournament.store.take_in(folder, &tournament.plan_text)?;
    }
    tournament.load()?;
    tournament.finish()
}

/// A tournament, and all that has been played of it.
struct Tournament<'a, P: Program> {
    program: &'a P,
    plan: Plan,
    /// The plan as the store knows it.
    plan_text: String,
    ranking: Ranking,
    schedule: Schedule,
    openings: Vec<Vec<<P::Game as Game>::Move>>,
    tie_break: Vec<<P::Game as Game>::Move>,
    book: Option<Book>,
    store: Store,
    results: BTreeMap<GameNumber, GameResult>,
    games: BTreeMap<GameNumber, ReportGame>,
    /// Why players cannot play, by their indices.
    absent: BTreeMap<usize, String>,
}

impl<'a, P: Program> Tournament<'a, P> {
    fn open(program: &'a P, plan: Plan, folder: &Path) -> Result<Tournament<'a, P>, Failure> {
        let start = program.start();
        if let Some(class) = &plan.class {
            check_outside(folder, class)?;
        }
        for player in &plan.players {
            check(program, &player.player).map_err(|failure| match failure {
                Failure::Usage(fault) => Failure::Usage(format!("{}: {fault}", player.name)),
                other => other,
            })?;
        }
        let ranking = match start.points_by_side() {
            Some(_) => Ranking::Points,
            None => Ranking::Wins,
        };
        let openings = draw_openings(&plan.openings, &start, plan.seed)?;
        let specs: Vec<_> = plan.players.iter().map(|player| &player.player).collect();
        if openings.iter().any(|opening| !opening.is_empty()) {
            check_given_moves(program, &specs, "leave out `openings`")?;
        }
        let (tie_break, has_tie_break) =
            (tie_break(program, &specs), !program.tie_break_opening().is_empty());
        let plan_text = plan.to_json(P::Game::NAME, &program.rules()).map_err(io::Error::from)?;
        let store = Store::open(folder, &plan_text)?;
        Ok(Tournament {
            program,
            ranking,
            schedule: Schedule::new(&plan, ranking, has_tie_break),
            openings,
            tie_break,
            book: BookChoice { book: None, no_book: false }.open(program, &start)?,
            store,
            plan,
            plan_text,
            results: BTreeMap::new(),
            games: BTreeMap::new(),
            absent: BTreeMap::new(),
        })
    }

    /// Takes up who was absent, and the games of the store.
    fn load(&mut self) -> Result<(), Failure> {
        let absent = self.store.absent()?;
        let names = self.plan.players.iter().map(|player| &player.name);
        let known = (0..).zip(names).filter_map(|(index, name)| Some((index, absent.get(name)?)));
        self.absent = known.map(|(index, why)| (index, why.clone())).collect();
        self.schedule.set_absent(self.absent.keys().copied());
        self.load_games()
    }

    /// In a knockout, some games make others known.
    fn load_games(&mut self) -> Result<(), Failure> {
        let stored = self.store.numbers()?;
        loop {
            let fixtures = self.schedule.fixtures(&self.results);
            let is_new = |fixture: &&Fixture| {
                stored.binary_search(&fixture.number).is_ok()
                    && !self.results.contains_key(&fixture.number)
            };
            let new: Vec<Fixture> = fixtures.iter().filter(is_new).copied().collect();
            if new.is_empty() {
                return Ok(());
            }
            for fixture in new {
                let record = self.store.load(fixture.number)?;
                self.take(&fixture, &record)
                    .map_err(|fault| self.store.damaged(fixture.number, fault))?;
            }
        }
    }

    /// Counts a game, after a look at whether it is the one that the plan asks for.
    fn take(&mut self, fixture: &Fixture, record: &GameRecord) -> Result<(), RecordError> {
        let players = [&record.header.first, &record.header.second];
        let expected = self.players(fixture);
        let is_planned = record.header.game == P::Game::NAME
            && record.header.rules == self.program.rules()
            && players == expected.each_ref();
        if !is_planned {
            return Err(RecordError::new(1, "not the game that the plan has here"));
        }
        let game = record.check(&self.program.start())?;
        let opening: Vec<_> =
            game.moves.iter().take_while(|played| played.forced).map(|played| played.mv).collect();
        if opening != self.opening(fixture) {
            return Err(RecordError::new(1, "not the opening that the plan has here"));
        }
        let result = GameResult::new(fixture, &game, self.plan.forfeit_points);
        self.games.insert(fixture.number, self.report_game(&result, record, &game));
        self.results.insert(fixture.number, result);
        Ok(())
    }

    fn report_game(
        &self,
        result: &GameResult,
        record: &GameRecord,
        game: &PlayedGame<P::Game>,
    ) -> ReportGame {
        ReportGame::new(
            result,
            record,
            game,
            |position| self.program.format_state(position).replace('\n', "/"),
            |position| self.program.reason(position),
            |side| self.program.side_name(side),
        )
    }

    fn opening(&self, fixture: &Fixture) -> &[<P::Game as Game>::Move] {
        match fixture.opening {
            Opening::Drawn(index) => self.openings.get(index).map_or(&[], Vec::as_slice),
            Opening::TieBreak => &self.tie_break,
        }
    }

    /// The players of a game as its record has them.
    fn players(&self, fixture: &Fixture) -> [PlayerRecord; 2] {
        fixture.seats.map(|player| {
            let player = &self.plan.players[player];
            PlayerRecord { name: player.name.clone(), player: player.player.to_string() }
        })
    }

    fn report(&self) -> Result<Report, Failure> {
        let survived = self.schedule.survived(&self.results);
        let standings = Standings::new(&survived, self.ranking, &self.results, &self.missed());
        let sides = Side::BOTH.map(|side| self.program.side_name(side));
        let pieces = pieces(self.program);
        let (plan, schedule) = (&self.plan, &self.schedule);
        let mut report =
            Report::new::<P::Game>(plan, schedule, self.ranking, &standings, pieces, sides);
        for game in self.games.values() {
            report.add(&standings, game);
        }
        Ok(report)
    }

    /// Why players have games that were not played. Who was absent, and is no more, has none.
    fn missed(&self) -> BTreeMap<usize, String> {
        let open = self.missing_games(Shard::WHOLE);
        let is_missed = |player: &usize| open.iter().any(|fixture| fixture.seats.contains(player));
        let missed = self.absent.iter().filter(|(player, _)| is_missed(player));
        missed.map(|(player, why)| (*player, why.clone())).collect()
    }

    /// Writes the reports and shows the places.
    fn finish(&self) -> Result<(), Failure> {
        let report = self.report()?;
        write_reports(&report, self.store.folder())?;
        let mut out = io::stdout().lock();
        write!(out, "{}", standings_text(&report, self.store.folder()))?;
        Ok(out.flush()?)
    }
}

/// What stands for a piece of each side in a state file: what its last line says when the side is
/// to move.
fn pieces<P: Program>(program: &P) -> [String; 2] {
    let start = program.start();
    let mark = |position: &P::Game| {
        let text = program.format_state(position);
        text.lines().last().unwrap_or_default().to_owned()
    };
    let next = start.legal_moves().next().map(|mv| start.after(mv));
    let marks = [mark(&start), next.as_ref().map(mark).unwrap_or_default()];
    match start.side_to_move() {
        Side::First => marks,
        Side::Second => {
            let [second, first] = marks;
            [first, second]
        }
    }
}
