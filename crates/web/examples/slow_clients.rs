//! Measures the time of a click while others hold slow connections: `slow_clients ADDRESS:PORT [COUNT]`.
//!
//! It opens COUNT connections to a server, each of which sends its request byte by byte, and then requests
//! the page from time to time as a browser does, with a connection for each request. For 2,000 connections,
//! the default, `ulimit -n` must allow as many open files.

use std::env;
use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// The bytes that the slow connections send, followed by `x` without end.
const HEAD: &[u8] = b"GET / HTTP/1.1\r\nX: ";

/// The number of clicks measured.
const CLICKS: usize = 50;

const BETWEEN_BYTES: Duration = Duration::from_millis(500);
const BETWEEN_CLICKS: Duration = Duration::from_millis(100);

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let address: SocketAddr = args.next().ok_or("expected the address of a server")?.parse()?;
    let count = args.next().map_or(Ok(2_000), |count| count.parse())?;
    let mut slow =
        (0..count).map(|_| TcpStream::connect(address)).collect::<Result<Vec<_>, _>>()?;
    thread::spawn(move || {
        for &byte in HEAD.iter().chain(std::iter::repeat(&b'x')) {
            for stream in &mut slow {
                // A connection that the server has closed is opened again, as a stubborn client would.
                if stream.write_all(&[byte]).is_err()
                    && let Ok(again) = TcpStream::connect(address)
                {
                    *stream = again;
                }
            }
            sleep(BETWEEN_BYTES);
        }
    });
    let mut times = (0..CLICKS).map(|_| click(address)).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    let (median, slowest) = (times[CLICKS / 2], times[CLICKS - 1]);
    println!("{count} slow connections: a click takes {median:.1?}, at most {slowest:.1?}");
    Ok(())
}

/// Returns the time until the whole page has arrived.
fn click(address: SocketAddr) -> Result<Duration, Box<dyn Error>> {
    sleep(BETWEEN_CLICKS);
    let start = Instant::now();
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if !answer.starts_with("HTTP/1.1 200 ") {
        return Err(format!("no page: {}", answer.lines().next().unwrap_or_default()).into());
    }
    Ok(start.elapsed())
}
