//! The page in the browser, and the players that it offers.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use plyground_durable::{parse_duration, whole_number};
use plyground_host::SharedGame;
use plyground_host::external::CommandLine;
use plyground_host::player::PlayerSpec;
use plyground_web::{
    Offer, ServedGame, ServedProgram, ServedPrograms, Server, ServerLimits, ServerNames,
};
use socket2::{Domain, Socket, Type};
use tokio::sync::Notify;

use super::args::{BookChoice, mebibytes_parser};
use super::failure::{self, Failure, print, refuse, warn};
use super::programs::{ProgramArgs, not_ready, prepare_system};

/// The default ports: the server listens at the first free one.
const PORTS: RangeInclusive<u16> = 8017..=8036;

/// The number of connections that may wait to be accepted.
const BACKLOG: i32 = 1_024;

/// The most clients. A greater number is taken for a typing error.
const MAX_CLIENTS: usize = 10_000;

/// The arguments of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The port of the page, 0 for any that is free [default: the first free one from 8017 on]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u16::MAX))]
    pub port: Option<u16>,

    /// The address to listen at. The page then answers only under this very address
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub address: IpAddr,

    /// Answer under this name too, as in the address of the browser; may be given several times
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub host: Vec<String>,

    /// The address of a reverse proxy: the last entry of its header X-Forwarded-For is the client
    #[arg(long, value_name = "IP")]
    pub proxy: Option<IpAddr>,

    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,

    /// The number of clients that may search at a time
    #[arg(long, value_name = "N", default_value_t = 256)]
    #[arg(value_parser = whole_number(1..=MAX_CLIENTS))]
    pub clients: usize,

    /// The number of these clients that may be at one address [default: half of --clients]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=MAX_CLIENTS))]
    pub clients_per_address: Option<usize>,

    /// The longest time of a search for a client
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
    pub search_time: Duration,

    /// The longest time for a request to arrive, and for a client to read nothing of its answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub request_time: Duration,

    /// Memory for the transposition tables, which all clients share, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 128)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Do not analyze: no values of moves, no lines of play, no perfect play, no book
    #[arg(long)]
    pub no_analysis: bool,

    /// Which book to go by
    #[command(flatten)]
    pub book: BookChoice,

    /// Which programs to offer as players.
    #[command(flatten)]
    pub players: ServedPlayerArgs,
}

/// Serves a page with these games until the user interrupts. `title` is the title of the page.
///
/// # Errors
///
/// Returns an error if a book cannot be used, or the OS does not let the server work.
pub fn serve(title: &str, games: &[SharedGame], args: &ServeArgs) -> Result<(), Failure> {
    if games.len() > 1 && args.book.book.is_some() {
        return refuse("--book: a book is for a page with a single game");
    }
    let served = games.iter().map(|game| {
        let book = args.book.open(&game.start())?;
        Ok(ServedGame { game: SharedGame::clone(game), book })
    });
    let served = served.collect::<Result<_, Failure>>()?;
    let programs = served_players(games, &args.players)?;
    let offer = Offer { games: served, programs, analysis: !args.no_analysis };
    let listener = bind(args)?;
    let names = ServerNames { hosts: args.host.clone(), proxy: args.proxy };
    let limits = ServerLimits {
        clients: args.clients,
        clients_per_address: args.clients_per_address.unwrap_or(args.clients.div_ceil(2)),
        request_time: args.request_time,
        search_time: args.search_time,
        table_mib: args.table,
    };
    let failed = |error: io::Error| Failure::Run(anyhow!("the server has failed: {error}"));
    let server = Server::new(offer, listener, limits, names).map_err(failed)?;
    let stop = Arc::new(Notify::new());
    let stopped = Arc::clone(&stop);
    failure::call_when_interrupted(move || stopped.notify_one())?;
    let address = format!("http://{}/", server.address().map_err(failed)?);
    print(format_args!("{title}: {address}\n"))?;
    if args.open {
        show(&address);
    }
    server.run(async move { stop.notified().await }).map_err(failed)
}

/// Reads a name as it stands in the address of a page: with the port, if it has one.
///
/// # Errors
///
/// Returns the expected form if the text does not have it.
pub fn host_name(text: &str) -> Result<String, String> {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || ".-:[]".contains(letter);
    if text.is_empty() || !text.chars().all(is_fit) {
        return Err("expected the name of a host, as in play.example.org".to_owned());
    }
    Ok(text.to_owned())
}

/// Returns a socket at the port of the arguments, or else at the first free one.
fn bind(args: &ServeArgs) -> Result<TcpListener, Failure> {
    let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
    let (mut port, last) = args.port.map_or(PORTS, |port| port..=port).into_inner();
    loop {
        let address = SocketAddr::new(args.address, port);
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) if is_taken(&error) && port < last => port += 1,
            Err(error) => {
                let why = match args.port {
                    Some(_) if is_taken(&error) => {
                        "another program uses this port: without --port, a free one is found"
                    }
                    _ => &error.to_string(),
                };
                return Err(Failure::Run(anyhow!("cannot listen at {address}: {why}")));
            }
        }
    }
}

/// Listens like [`TcpListener::bind`], but with a longer queue, because a connection that finds no
/// room is tried again only after a second.
///
/// # Errors
///
/// Returns an error if the system refuses the address.
pub fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Opens the page. Without a browser the user still has the address.
fn show(address: &str) {
    if let Err(error) = open::that_detached(address) {
        warn(&format_args!("cannot open the browser: {error}"));
    }
}

/// The most games of a program. A greater number is taken for a typing error.
const MAX_GAMES: usize = 1_000;

/// The greatest length of a name, in characters. A longer name does not fit on the page.
const LONGEST_NAME: usize = 24;

/// The programs that can be played with on the page.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Programs on the page")]
pub struct ServedPlayerArgs {
    /// Offer this program as a player on the page under this name; may be given several times.
    /// COMMAND is file:COMMAND, line:COMMAND or java:FOLDER-OR-JAR[:CLASS], as for `play`
    #[arg(long = "player", value_name = "NAME=COMMAND")]
    pub players: Vec<NamedPlayer>,

    /// The number of games of each --player that may be played at a time, half of them at one
    /// address
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = whole_number(1..=MAX_GAMES))]
    pub player_games: usize,

    /// The time that a page may be silent before the programs that it plays with are ended
    #[arg(long, value_name = "TIME", default_value = "150s", value_parser = parse_duration)]
    pub player_absence: Duration,

    /// The options of these programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

/// A program with a name: `NAME=COMMAND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlayer {
    name: String,
    spec: PlayerSpec,
}

impl FromStr for NamedPlayer {
    type Err = String;

    fn from_str(text: &str) -> Result<NamedPlayer, String> {
        let named = text.split_once('=').filter(|(name, _)| is_name(name));
        let Some((name, command)) = named else {
            return Err(format!(
                "expected NAME=COMMAND, the name of at most {LONGEST_NAME} letters, digits, `-`, `_` \
                 and `.`"
            ));
        };
        let spec: PlayerSpec = command.parse().map_err(|unknown| format!("{name}: {unknown}"))?;
        if !spec.is_external() {
            return Err(format!(
                "{name}: expected a program: file:COMMAND, line:COMMAND or \
                 java:FOLDER-OR-JAR[:CLASS]"
            ));
        }
        Ok(NamedPlayer { name: name.to_owned(), spec })
    }
}

fn is_name(name: &str) -> bool {
    let is_fit = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    (1..=LONGEST_NAME).contains(&name.chars().count()) && name.chars().all(is_fit)
}

/// Returns the programs of the arguments, each with the games in which it can be started.
pub(super) fn served_players(
    games: &[SharedGame],
    args: &ServedPlayerArgs,
) -> Result<ServedPrograms, Failure> {
    let held = args.programs.options();
    for (index, NamedPlayer { name, .. }) in args.players.iter().enumerate() {
        if args.players[..index].iter().any(|other| other.name == *name) {
            return refuse(format!("--player: there are two players called {name}"));
        }
    }
    if !args.players.is_empty() {
        prepare_system(&held)?;
    }
    let mut programs = Vec::with_capacity(args.players.len());
    for NamedPlayer { name, spec } in &args.players {
        // The page chooses the depth; the check that a program can be started does not depend on it.
        let depth = spec.command().is_some_and(CommandLine::needs_depth).then_some(1);
        let (mut names, mut fault) = (Vec::new(), None);
        for game in games {
            match held.make_ready(&**game, spec, depth) {
                Ok(()) => names.push(game.name().to_owned()),
                Err(why) => fault = Some(why),
            }
        }
        if let Some(why) = fault.filter(|_| names.is_empty()) {
            return Err(not_ready(spec, why));
        }
        programs.push(ServedProgram { name: name.clone(), spec: spec.clone(), games: names });
    }
    Ok(ServedPrograms { programs, held, games: args.player_games, absence: args.player_absence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn player_has_name_and_program() {
        let read = |text: &str| text.parse::<NamedPlayer>();
        let bob = read("bob=line:python3 bob.py --level=3").expect("a player");
        assert_eq!(bob.name, "bob");
        assert_eq!(bob.spec.to_string(), "line:python3 bob.py --level=3");
        for (text, why) in [
            ("line:cat", "expected NAME=COMMAND"),
            ("=line:cat", "expected NAME=COMMAND"),
            ("a,depth=line:cat", "expected NAME=COMMAND"),
            ("a:b=line:cat", "expected NAME=COMMAND"),
            ("bob=machine", "bob: expected a program"),
            ("bob=human", "bob: expected a program"),
            ("bob=cat", "bob: expected human, random"),
            ("bob=line:", "bob: after `line:`, expected a command"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(why), "{text}: {error}");
        }
        let long = format!("{}=line:cat", "x".repeat(LONGEST_NAME + 1));
        assert!(read(&long).is_err());
    }
}
