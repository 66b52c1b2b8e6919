//! Games and matches between two players.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::announcer::{Announcer, result_line};
use super::args::{DEPTH, mebibytes_parser, threads_parser};
use super::book_choice::{BookChoice, check_perfect};
use super::failure::Failure;
use super::program::Program;
use super::programs::{ProgramArgs, tie_break};
use super::seats::{Participant, Table, any_seed};
use crate::book::Book;
use crate::duration::parse_duration;
use crate::game::{Game, Side};
use crate::output::check_folder;
use crate::player::{Console, Input, Player, PlayerSpec, Strength};
use crate::record::{GameRecord, Header, PlayerRecord};
use crate::referee::{self, Conduct, Ending, PLY_CAP, PlayedGame};
use crate::search::Options;
use crate::whole_number::whole_number;

/// The time for a move of a match if nothing is said about it.
const MATCH_TIME: Duration = Duration::from_millis(5_500);

/// The arguments of `play`.
#[derive(Clone, Debug, Args)]
pub struct PlayArgs {
    /// Who moves first: human, random, machine, machine:depth=N, machine:time=TIME,
    /// machine:perfect, machine:perfect,time=TIME, or a program: file:COMMAND, line:COMMAND
    /// or java:FOLDER-OR-JAR:CLASS
    #[arg(value_name = "PLAYER1")]
    pub player1: PlayerSpec,

    /// Who moves second
    #[arg(value_name = "PLAYER2")]
    pub player2: PlayerSpec,

    /// What the first player is called
    #[arg(value_name = "NAME1")]
    pub name1: Option<String>,

    /// What the second player is called
    #[arg(value_name = "NAME2")]
    pub name2: Option<String>,

    /// Leave when the game is over instead of offering another
    #[arg(short, long = "quit")]
    pub quit: bool,

    /// Play a match: a game each way, and if each wins one, a third with a given first move
    #[arg(short = 'r', long = "match")]
    pub r#match: bool,

    /// The time for a move; who takes longer loses. None for a game, 5.5 s for a match
    #[arg(short, long, value_name = "SECONDS", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,

    /// How many moves a machine looks ahead, unless its own name says it, and an external program
    /// is told to
    #[arg(long, id = DEPTH, value_name = "N")]
    pub depth: Option<u32>,

    /// Make random players, and machines between equal moves, choose the same way every time
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// How many threads a machine searches with
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,

    /// Memory for the transposition table of each machine, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Options::default().table_mib)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Let machines that look to the last move of the game go by this book, made by `book build`,
    /// in place of the program's own
    // Not a flattened `BookChoice`: clap could no longer tell whether there are such arguments at
    // all, as `network` with a command needs it.
    #[arg(long, value_name = "FILE", conflicts_with = "no_book")]
    pub book: Option<PathBuf>,

    /// Let machines do without a book
    #[arg(long)]
    pub no_book: bool,

    /// Do not say on standard error where the moves of perfect players are from
    #[arg(long)]
    pub quiet: bool,

    /// Save the game; further games are saved beside it with a number
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Call the game a draw when it has not ended after so many moves, those of both players counted
    #[arg(long, value_name = "N", default_value_t = PLY_CAP)]
    #[arg(value_parser = whole_number(1..=u32::MAX))]
    pub ply_cap: u32,

    /// How to treat other people's programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

/// Plays a game, or a match, or games for as long as somebody at a terminal wants another.
///
/// # Errors
///
/// Whatever kept the games from being played, shown or saved.
pub fn play<P: Program>(program: &P, args: &PlayArgs) -> Result<(), Failure> {
    let participants = Participant::both(args);
    let specs = participants.each_ref().map(|participant| participant.spec.clone());
    specs.iter().try_for_each(check_strength::<P>)?;
    args.depth.map_or(Ok(()), check_depth::<P>).map_err(Failure::Usage)?;
    let start = program.start();
    if specs.iter().any(|spec| matches!(spec, PlayerSpec::Perfect { .. })) {
        check_perfect(program, &start)?;
    }
    let choice = BookChoice { book: args.book.clone(), no_book: args.no_book };
    let book = choice.open(program, &start)?;
    if let Some(path) = &args.record {
        check_folder(path)?;
    }
    args.programs.prepare(program, &specs.each_ref(), args.depth)?;
    let seed = args.seed.unwrap_or_else(any_seed);
    let rng = StdRng::seed_from_u64(seed);
    let mut games =
        Games { program, args, participants, book, console: Console::standard(), rng, played: 0 };
    loop {
        if args.r#match {
            games.play_match()?;
        } else {
            games.play_one([0, 1], Vec::new(), |_| String::new())?;
        }
        if args.quit || !games.is_another_wanted()? {
            return Ok(());
        }
    }
}

/// Refuses a machine that looks further ahead than the game allows.
pub(super) fn check_strength<P: Program>(spec: &PlayerSpec) -> Result<(), Failure> {
    let PlayerSpec::Machine(Strength::Depth(depth)) = *spec else { return Ok(()) };
    check_depth::<P>(depth).map_err(|fault| Failure::Usage(format!("{spec}: {fault}")))
}

fn check_depth<P: Program>(depth: u32) -> Result<(), String> {
    if (1..=P::MAX_DEPTH).contains(&depth) {
        return Ok(());
    }
    Err(format!("expected a depth from 1 to {}, found {depth}", P::MAX_DEPTH))
}

/// The games of one run of the program.
struct Games<'a, P> {
    program: &'a P,
    args: &'a PlayArgs,
    participants: [Participant; 2],
    book: Option<Book>,
    console: Console,
    rng: StdRng,
    played: u64,
}

impl<P: Program> Games<'_, P> {
    /// A game each way, and if each participant wins one, a third.
    fn play_match(&mut self) -> Result<(), Failure> {
        let mut wins = [0, 0];
        for seats in [[0, 1], [1, 0]] {
            self.play_match_game(seats, Vec::new(), &mut wins)?;
        }
        if wins == [1, 1] {
            let seats = if self.rng.random() { [0, 1] } else { [1, 0] };
            let specs = self.participants.each_ref().map(|participant| &participant.spec);
            let opening = tie_break(self.program, &specs);
            self.play_match_game(seats, opening, &mut wins)?;
        }
        Ok(())
    }

    fn play_match_game(
        &mut self,
        seats: [usize; 2],
        opening: Vec<<P::Game as Game>::Move>,
        wins: &mut [u32; 2],
    ) -> Result<(), Failure> {
        let titles = [self.participants[0].title(), self.participants[1].title()];
        let standing = |ending: &Ending| {
            if let Some(winner) = ending.winner {
                wins[seats[winner.index()]] += 1;
            }
            format!("Match: {} {}, {} {}\n", titles[0], wins[0], titles[1], wins[1])
        };
        self.play_one(seats, opening, standing)
    }

    /// Plays a game in which the participant of index `seats[0]` moves first, shows it, and saves
    /// it. `comment` is shown just before the result.
    fn play_one(
        &mut self,
        seats: [usize; 2],
        opening: Vec<<P::Game as Game>::Move>,
        comment: impl FnOnce(&Ending) -> String,
    ) -> Result<(), Failure> {
        let (program, args) = (self.program, self.args);
        self.played += 1;
        let seated = seats.map(|index| self.participants[index].clone());
        for (side, participant) in Side::BOTH.iter().zip(&seated) {
            let line = format!("{}: {}\n", program.side_name(*side), participant.full_title());
            self.console.show(&line)?;
        }
        let (table_mib, threads) = (args.table, args.threads.get());
        let options = Options { table_mib, threads, ..Options::default() };
        let wall_limit = args.time_limit.or(args.r#match.then_some(MATCH_TIME));
        let mut logs =
            Side::BOTH.iter().map(|side| format!("{:04}-{}.log", self.played, side.index() + 1));
        let [mut first, mut second] = seated.each_ref().map(|participant| {
            let chance = self.rng.random();
            let variety = args.seed.map(|_| self.rng.random());
            let options = Options { seed: variety, ..options.clone() };
            let log = logs.next().unwrap_or_default();
            let table = Table {
                console: &self.console,
                book: &self.book,
                own_book: !args.no_book,
                quiet: args.quiet,
                treatment: args.programs.treatment(wall_limit, None, &log),
                depth: args.depth,
            };
            participant.sit_down(program, &table, chance, options)
        });
        let conduct = Conduct { wall_limit, ply_cap: args.ply_cap, opening };
        let mut announcer = Announcer { program, console: &self.console };
        let players: [&mut dyn Player<P::Game>; 2] = [&mut *first, &mut *second];
        let game = referee::play(&program.start(), players, &conduct, &mut announcer)?;
        if let Some(path) = &args.record {
            let players = seated.each_ref().map(|participant| PlayerRecord {
                name: participant.title(),
                player: participant.spec.to_string(),
            });
            record(program, &game, players).save(&numbered(path, self.game_number()))?;
        }
        let end = comment(&game.ending) + &result_line(program, &game.position, &game.ending);
        self.console.show(&format!("\n{end}"))?;
        Ok(())
    }

    /// The number of the game for its file; the only game of a run has none.
    fn game_number(&self) -> Option<u64> {
        (self.args.r#match || self.played > 1).then_some(self.played)
    }

    /// Asks, if there is a terminal to ask at. The question is no part of the output, which ends
    /// with the result.
    fn is_another_wanted(&self) -> Result<bool, Failure> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(false);
        }
        let mut stderr = io::stderr().lock();
        write!(stderr, "Another game? [y/N] ")?;
        stderr.flush()?;
        let answer = self.console.read(None)?;
        let yes = |line: &str| matches!(line.trim(), "y" | "Y" | "yes" | "Yes");
        Ok(matches!(answer, Input::Line(line) if yes(&line)))
    }
}

/// The record of a game between these players, the first of whom played the first side.
pub(super) fn record<P: Program>(
    program: &P,
    game: &PlayedGame<P::Game>,
    players: [PlayerRecord; 2],
) -> GameRecord {
    let [first, second] = players;
    let header = Header {
        game: P::Game::NAME.to_owned(),
        rules: program.rules(),
        start: program.format_state(&game.start).replace('\n', "/"),
        first,
        second,
    };
    GameRecord::new(header, game)
}

/// The path with a number before its extension.
fn numbered(path: &Path, number: Option<u64>) -> PathBuf {
    let Some(number) = number else { return path.to_owned() };
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
