//! The page in the browser.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use plyground_cage::{parse_duration, whole_number};
use plyground_host::SharedGame;
use plyground_web::{ServedGame, Server, ServerLimits};
use tokio::sync::Notify;

use super::args::mebibytes_parser;
use super::book_choice::BookChoice;
use super::failure::Failure;
use super::interrupt;
use super::warning::warn;

/// Where to listen if nothing is said about it: the first of these that is free.
const PORTS: RangeInclusive<u16> = 8017..=8036;

/// More clients than this are a slip of the fingers.
const MAX_CLIENTS: u32 = 10_000;

/// The arguments of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The port of the page, 0 for any that is free [default: the first free one from 8017 on]
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u16::MAX))]
    pub port: Option<u16>,

    /// The address to listen at. The page then answers only under this very address
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub address: IpAddr,

    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,

    /// How many clients may search at a time
    #[arg(long, value_name = "N", default_value_t = 256)]
    #[arg(value_parser = whole_number(1..=MAX_CLIENTS))]
    pub clients: u32,

    /// The longest that a search for a client may take
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
    pub search_time: Duration,

    /// The longest that a request may take to arrive
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub request_time: Duration,

    /// Memory for the transposition tables, which all clients share, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 128)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Which book to go by
    #[command(flatten)]
    pub book: BookChoice,
}

/// Serves a page with these games until the user interrupts. `title` is what the page is called.
///
/// # Errors
///
/// When a book cannot be used, or the OS does not let the server work.
pub fn serve(title: &str, games: &[SharedGame], args: &ServeArgs) -> Result<(), Failure> {
    if games.len() > 1 && args.book.book.is_some() {
        return Err(Failure::Usage("--book: a book is for a page with a single game".to_owned()));
    }
    let served = games.iter().map(|game| {
        let book = args.book.open(&game.start())?;
        Ok(ServedGame { game: SharedGame::clone(game), book })
    });
    let served = served.collect::<Result<_, Failure>>()?;
    let listener = bind(args)?;
    let limits = ServerLimits {
        clients: usize::try_from(args.clients).unwrap_or(usize::MAX),
        request_time: args.request_time,
        search_time: args.search_time,
        table_mib: args.table,
    };
    let failed = |error: io::Error| Failure::Run(anyhow!("the server has failed: {error}"));
    let server = Server::new(served, listener, limits).map_err(failed)?;
    let stop = Arc::new(Notify::new());
    let stopped = Arc::clone(&stop);
    interrupt::call(move || stopped.notify_one())?;
    let address = format!("http://{}/", server.address().map_err(failed)?);
    let mut out = io::stdout().lock();
    writeln!(out, "{title}: {address}")?;
    out.flush()?;
    drop(out);
    if args.open {
        show(&address);
    }
    server.run(async move { stop.notified().await }).map_err(failed)
}

/// A socket at the port that is asked for, or else at the first one that is free.
fn bind(args: &ServeArgs) -> Result<TcpListener, Failure> {
    let ports = args.port.map_or(PORTS, |port| port..=port);
    let at = |port| SocketAddr::new(args.address, port);
    let mut ports = ports.map(|port| (port, TcpListener::bind(at(port)))).peekable();
    while let Some((port, bound)) = ports.next() {
        match bound {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && ports.peek().is_some() => {}
            Err(error) => {
                return Err(Failure::Run(anyhow!("cannot listen at {}: {error}", at(port))));
            }
        }
    }
    Err(Failure::Run(anyhow!("cannot listen at {}", args.address)))
}

/// Opens the page. Without a browser the user still has the address.
fn show(address: &str) {
    if let Err(error) = open::that_detached(address) {
        warn(&format_args!("cannot open the browser: {error}"));
    }
}
