//! Games between two players on the screen, announced in the terminal's own words; the terminal at which people
//! play, with lines that can be edited and repeated.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args};
use plyground::book::Book;
use plyground::clock::Instant;
use plyground::search::Options;
use plyground::{Game, Side};
use plyground_arena::programs::{ProgramOptions, tie_break_opening};
use plyground_arena::seat::{PlayerSetup, check_depth, check_player, make_player};
use plyground_durable::output::check_writable;
use plyground_durable::{parse_duration, shown, whole_number};
use plyground_host::external::KnownLineEnds;
use plyground_host::player::{
    Console, Human, Input, LineSource, OnMove, Player, PlayerSpec, StdinLines,
};
use plyground_host::record::{GameRecord, PlayerRecord};
use plyground_host::referee::{self, Conduct, Event, Observer, PLY_CAP, PlayedMove};
use plyground_host::{
    Ending, EngineOptions, Fault, HostedGame, HostedPosition, MoveText, SharedGame, Strength, Text,
    any_seed,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::args::{
    BookChoice, BookPath, Depth, NoBook, book_parser, flag, mebibytes_parser, threads_parser,
};
use super::effort::explain;
use super::failure::{Failure, Standing, warn};
use super::programs::{ProgramArgs, prepare, warn_of_patient};

/// The default time for a move of a match.
const MATCH_TIME: Duration = Duration::from_millis(5_500);

/// The arguments of `play`.
#[derive(Clone, Debug, Args)]
pub struct PlayArgs {
    /// The player that moves first: human, random, machine, machine:depth=N, machine:time=TIME,
    /// machine:perfect, machine:perfect,time=TIME, or a program: file:COMMAND, line:COMMAND or
    /// java:FOLDER-OR-JAR:CLASS
    #[arg(value_name = "PLAYER1")]
    pub player1: PlayerSpec,

    /// The player that moves second
    #[arg(value_name = "PLAYER2")]
    pub player2: PlayerSpec,

    /// The name of the first player
    #[arg(value_name = "NAME1")]
    pub name1: Option<String>,

    /// The name of the second player
    #[arg(value_name = "NAME2")]
    pub name2: Option<String>,

    /// Quit when the game is over instead of offering another
    #[arg(short, long = "quit")]
    pub quit: bool,

    /// Play a match: one game from each side, and if each player wins one, a third with a given
    /// first move
    #[arg(short = 'r', long = "match")]
    pub r#match: bool,

    /// The time for a move; a player that takes longer loses. None for a game, 5.5 s for a match
    #[arg(short, long, value_name = "SECONDS", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,

    /// Add this time to each move without telling the players: for programs that start slowly
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "time_limit")]
    pub margin: Option<Duration>,

    /// The number of moves that machines look ahead unless their names say otherwise, and that
    /// external programs are told to look ahead
    #[arg(long, value_name = "N")]
    pub depth: Option<Depth>,

    /// The seed of random players, and of machines that choose among equally good moves
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of threads that a machine searches with
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,

    /// Memory for the transposition table of each machine, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Options::default().table_mib)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Let machines that look to the end of the game use this book, made by `book build`, instead
    /// of the program's own
    // Not a flattened `BookChoice`, with which clap could no longer tell whether any of these
    // arguments is given, as `network` with a command needs it.
    #[arg(long, value_name = "FILE", value_parser = book_parser(), conflicts_with = "no_book")]
    pub book: Option<BookPath>,

    /// Let machines use no book
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag(NoBook))]
    pub no_book: NoBook,

    /// Do not print the source of the moves of perfect players to standard error
    #[arg(long)]
    pub quiet: bool,

    /// Save the game in this file, and further games beside it with a number
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// End the game as a draw after this many moves, counting the moves of both players
    #[arg(long, value_name = "N", default_value_t = PLY_CAP)]
    #[arg(value_parser = whole_number(1..=u32::MAX))]
    pub ply_cap: u32,

    /// The options of other people's programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

/// Plays a game, or a match; at a terminal, one after another for as long as the user wants.
///
/// # Errors
///
/// Returns an error if a game cannot be played, shown or saved.
pub fn play(game: &SharedGame, args: &PlayArgs) -> Result<(), Failure> {
    let participants = Participant::both(args);
    let specs = participants.each_ref().map(|participant| &participant.spec);
    specs.iter().try_for_each(|spec| check_player(&**game, spec))?;
    args.depth.map_or(Ok(()), |depth| check_depth(&**game, depth.0))?;
    let choice = BookChoice { book: args.book.clone(), no_book: args.no_book };
    let book = choice.open(&game.start())?;
    if let Some(path) = &args.record {
        check_writable(path)?;
    }
    let programs = args.programs.options();
    prepare(&**game, &programs, &specs, args.depth.map(|depth| depth.0))?;
    warn_of_patient(&game.start(), specs, book.as_ref());
    let rng = StdRng::seed_from_u64(args.seed.unwrap_or_else(any_seed));
    let standing = Standing::new("no move has been made");
    standing.say_if_interrupted()?;
    let console = console(&standing);
    let mut games = Games {
        game,
        args,
        participants,
        programs,
        book,
        console,
        standing,
        rng,
        played: 0,
        has_input_ended: false,
    };
    loop {
        if args.r#match {
            games.play_match()?;
        } else {
            games.play_one([0, 1], Vec::new(), |_| String::new())?;
        }
        if args.quit || !games.is_another_wanted()? {
            break;
        }
    }
    for participant in &games.participants {
        participant.line_ends.warning(&participant.title()).iter().for_each(warn);
    }
    Ok(())
}

/// A player that takes part in a game or a match.
#[derive(Clone, Debug)]
struct Participant {
    /// The specification of the player.
    spec: PlayerSpec,
    /// The name of the player, if one is given.
    name: Option<String>,
    /// The line ends that the player reads.
    line_ends: KnownLineEnds,
}

impl Participant {
    /// Returns the two participants that the arguments name.
    fn both(args: &PlayArgs) -> [Participant; 2] {
        let spec = |spec: &PlayerSpec| match (spec, args.depth) {
            (PlayerSpec::Machine(Strength::Default), Some(depth)) => {
                PlayerSpec::Machine(Strength::Depth(depth.0))
            }
            _ => spec.clone(),
        };
        [(&args.player1, &args.name1), (&args.player2, &args.name2)].map(|(player, name)| {
            Participant {
                spec: spec(player),
                name: name.clone(),
                line_ends: KnownLineEnds::default(),
            }
        })
    }

    /// Returns the name, or else the kind of player.
    fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.spec.to_string())
    }

    /// Returns the name and the kind of player.
    fn full_title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({})", self.spec),
            None => self.spec.to_string(),
        }
    }

    fn record(&self) -> PlayerRecord {
        PlayerRecord { name: self.title(), player: self.spec.to_string() }
    }
}

/// The games of one run of the program.
struct Games<'a> {
    game: &'a SharedGame,
    args: &'a PlayArgs,
    participants: [Participant; 2],
    programs: ProgramOptions,
    book: Option<Book>,
    console: Console,
    standing: Standing,
    rng: StdRng,
    played: u64,
    /// True after a game in which the input has ended. A question would have no answer.
    has_input_ended: bool,
}

impl<'a> Games<'a> {
    /// Plays a game from each side and, if each participant wins one, a third.
    fn play_match(&mut self) -> Result<(), Failure> {
        let mut wins = [0, 0];
        for seats in [[0, 1], [1, 0]] {
            self.play_match_game(seats, Vec::new(), &mut wins)?;
        }
        if wins == [1, 1] {
            let seats = if self.rng.random() { [0, 1] } else { [1, 0] };
            let specs = self.participants.each_ref().map(|participant| &participant.spec);
            let opening = tie_break_opening(&**self.game, &specs);
            self.play_match_game(seats, opening, &mut wins)?;
        }
        Ok(())
    }

    fn play_match_game(
        &mut self,
        seats: [usize; 2],
        opening: Vec<MoveText>,
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
        opening: Vec<MoveText>,
        comment: impl FnOnce(&Ending) -> String,
    ) -> Result<(), Failure> {
        let (game, args) = (self.game, self.args);
        self.played += 1;
        let seated = seats.map(|index| self.participants[index].clone());
        for (side, participant) in Side::BOTH.iter().zip(&seated) {
            let line = format!("{}: {}\n", game.side_name(*side), participant.full_title());
            self.console.show(&line)?;
        }
        let wall_limit = args.time_limit.or(args.r#match.then_some(MATCH_TIME));
        let margin = args.margin.unwrap_or_default();
        let wall_limit = wall_limit.map(|limit| limit.saturating_add(margin));
        let mut player = |side: Side| self.player(&seated[side.index()], side, wall_limit);
        let (mut first, mut second) = (player(Side::First), player(Side::Second));
        let conduct = Conduct { wall_limit, ply_cap: args.ply_cap, opening };
        let (console, standing) = (&self.console, &self.standing);
        let mut announcer = Announcer { game: &**game, console, standing };
        let players: [&mut dyn Player; 2] = [&mut *first, &mut *second];
        let played = referee::play(&game.start(), players, &conduct, &mut announcer)?;
        if let Some(path) = &args.record {
            let players = seated.each_ref().map(Participant::record);
            GameRecord::of(&played, players).save(&numbered(path, self.game_number()))?;
        }
        let fault = played.ending.reason.fault();
        self.has_input_ended |= fault.is_some_and(|(_, fault)| *fault == Fault::EndOfInput);
        let end = comment(&played.ending) + &result_line(&played.position, &played.ending);
        self.standing.set(format!("the last game: {}", end.trim_end().replace('\n', "; ")));
        self.console.show(&format!("\n{end}"))?;
        Ok(())
    }

    /// Creates a player for one game.
    fn player(
        &mut self,
        participant: &Participant,
        side: Side,
        wall_limit: Option<Duration>,
    ) -> Box<dyn Player + 'a> {
        let (game, args, spec) = (self.game, self.args, &participant.spec);
        let chance = self.rng.random();
        let variety = args.seed.map(|_| self.rng.random());
        if *spec == PlayerSpec::Human {
            return Box::new(Human::new(self.console.clone()));
        }
        let (table_mib, threads) = (args.table, args.threads.get());
        let search = Options { table_mib, threads, seed: variety, ..Options::default() };
        let is_explained = spec.is_perfect() && !args.quiet;
        let on_move: OnMove<'a> = Box::new(move |chosen| explain(&**game, "perfect", chosen));
        let log = format!("{:04}-{}.log", self.played, side.index() + 1);
        let setup = PlayerSetup {
            engine: EngineOptions {
                search,
                book: self.book.clone(),
                without_prepared: args.no_book.0,
            },
            policy: self.programs.policy(wall_limit, None, &log),
            lenient: args.programs.lenient,
            line_ends: participant.line_ends.clone(),
            depth: args.depth.map(|depth| depth.0),
            margin: args.margin.unwrap_or_default(),
            seed: chance,
            on_move: is_explained.then_some(on_move),
            ..PlayerSetup::default()
        };
        make_player(game, spec, setup)
    }

    /// Returns the number of the game for its file; `None` for the only game of a run.
    fn game_number(&self) -> Option<u64> {
        (self.args.r#match || self.played > 1).then_some(self.played)
    }

    /// Asks for another game, if there is a terminal. The question is not a part of the output,
    /// which ends with the result.
    fn is_another_wanted(&self) -> Result<bool, Failure> {
        if self.has_input_ended || !is_terminal() {
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

/// Returns the path with a number before its extension.
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

/// An observer that shows a game on a console.
pub(super) struct Announcer<'a> {
    pub(super) game: &'a dyn HostedGame,
    pub(super) console: &'a Console,
    /// The line for an interruption, which follows the game.
    pub(super) standing: &'a Standing,
}

impl Announcer<'_> {
    /// Returns a drawing of the position, and remembers the standing in it.
    fn drawing(&self, position: &HostedPosition) -> String {
        self.remember(position);
        position.text(Text::Drawing(None))
    }

    fn remember(&self, position: &HostedPosition) {
        let points = position.points().map(|[first, second]| format!("{first} to {second}, and "));
        let turn = position.text(Text::Turn);
        self.standing.set(match points {
            Some(points) => format!("so far it is {points}{turn}"),
            None => format!("the game is not over: {turn}"),
        });
    }
}

impl Observer for Announcer<'_> {
    /// Does not show the end, because the caller may show other words before it.
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()> {
        let text = match *event {
            Event::Start { position } => format!("\n{}", self.drawing(position)),
            Event::Moved { before, played, after, .. } => {
                self.remember(after);
                moved(before, played, after)
            }
            Event::Rejected { by, mv } => {
                format!("{} takes {mv} for illegal, but it is legal\n", self.game.side_name(by))
            }
            Event::TakenBack { position } => {
                format!("\nmoves taken back\n{}", self.drawing(position))
            }
            Event::End { .. } => return Ok(()),
        };
        self.console.show(&self.console.fitted(&text))
    }
}

/// Returns a move, and the position after it.
pub(super) fn moved(
    before: &HostedPosition,
    played: &PlayedMove,
    after: &HostedPosition,
) -> String {
    let value = played.value.map(|value| before.game().show(value));
    let thought = match (value, played.depth) {
        _ if played.forced => "  (given)".to_owned(),
        (Some(value), Some(depth)) => format!("  ({value}, depth {depth})"),
        (Some(value), None) => format!("  ({value})"),
        _ => String::new(),
    };
    let announcement = before.text(Text::Announcement(played.mv));
    format!("\n{announcement}{thought}\n{}", after.text(Text::Drawing(Some(played.mv))))
}

/// Returns the last line of a game that ended in `position`.
pub(super) fn result_line(position: &HostedPosition, ending: &Ending) -> String {
    // The record of a stranger may have any text about a crash.
    format!("Result: {} ({})\n", ending.result(), shown(&ending.words(position)))
}

/// Returns the heading, and the position before the first move.
pub(super) fn opening(position: &HostedPosition) -> String {
    let heading = position.game().heading();
    format!("\n{heading}\ngame state before move:\n{}", position.text(Text::Board))
}

/// Returns the move, and the position after it.
pub(super) fn after_move(announcement: &str, position: &HostedPosition) -> String {
    format!("{announcement}\ngame state after move:\n{}", position.text(Text::Board))
}

/// Returns the text that says that the game is over.
pub(super) fn ending(position: &HostedPosition) -> String {
    format!("\n\n{}\nGame over!\n", position.text(Text::Ending))
}

/// The least and the greatest width to fill lines to, in characters: filled lines break in a narrower terminal, and
/// longer lines are hard to read.
const WIDTHS: [usize; 2] = [38, 76];

/// Returns the console of a person who plays: at a terminal, lines can be edited and repeated.
fn console(standing: &Standing) -> Console {
    if !is_terminal() {
        return Console::standard();
    }
    let lines = EditedLines { editor: None, plain: None, standing: standing.clone() };
    let [least, most] = WIDTHS;
    let width = columns().unwrap_or(most).clamp(least, most);
    Console::new(lines, anstream::stdout(), true).with_width(width)
}

fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Returns the number of characters in a line of the terminal.
fn columns() -> Option<usize> {
    terminal_size::terminal_size().map(|(terminal_size::Width(columns), _)| columns.into())
}

/// The lines of a terminal. A line with a deadline cannot be edited, because the editor waits forever.
struct EditedLines {
    editor: Option<Editor<(), MemHistory>>,
    /// The lines without an editor. Once the first is read, all are, because this source reads ahead.
    plain: Option<StdinLines>,
    standing: Standing,
}

impl LineSource for EditedLines {
    fn next_line(&mut self, deadline: Option<Instant>) -> io::Result<Input> {
        self.plain.get_or_insert_default().next_line(deadline)
    }

    fn edited_line(
        &mut self,
        prompt: &str,
        deadline: Option<Instant>,
    ) -> Option<io::Result<Input>> {
        if deadline.is_some() || self.plain.is_some() {
            return None;
        }
        if self.editor.is_none() {
            let config = Config::builder().auto_add_history(true).build();
            self.editor = Editor::with_history(config, MemHistory::new()).ok();
        }
        match self.editor.as_mut()?.readline(prompt) {
            Ok(line) => Some(Ok(Input::Line(line))),
            Err(ReadlineError::Interrupted) => self.standing.leave(),
            Err(ReadlineError::Io(error)) => Some(Err(error)),
            Err(_) => Some(Ok(Input::End)),
        }
    }
}
