//! Attacks by way of networks and sockets.

use std::io;
use std::mem::size_of;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};

use super::target::{AttackTargets, Result, call, why};

pub(super) fn tcp(targets: &AttackTargets) -> Result {
    TcpStream::connect((Ipv4Addr::LOCALHOST, targets.port)).map_err(why)?;
    Ok("connected".to_owned())
}

/// The address of the host in the form of the system calls.
fn address(targets: &AttackTargets) -> libc::sockaddr_in {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, targets.port);
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(*address.ip()).to_be() },
        sin_zero: [0; 8],
    }
}

fn socket(domain: i32, kind: i32, protocol: i32) -> std::result::Result<i32, String> {
    // SAFETY: the call takes numbers only.
    let socket = unsafe { libc::socket(domain, kind, protocol) };
    if socket < 0 { Err(why(io::Error::last_os_error())) } else { Ok(socket) }
}

pub(super) fn fast_open(targets: &AttackTargets) -> Result {
    let socket = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    let (address, text) = (address(targets), b"hello");
    // SAFETY: the pointers are to values that outlive the call, with their sizes.
    let result = unsafe {
        libc::sendto(
            socket,
            text.as_ptr().cast(),
            text.len(),
            libc::MSG_FASTOPEN,
            (&raw const address).cast(),
            size_of::<libc::sockaddr_in>() as libc::socklen_t,
        )
    };
    call("sent", result as libc::c_long)
}

pub(super) fn multipath(targets: &AttackTargets) -> Result {
    const MPTCP: i32 = 262;
    let socket = socket(libc::AF_INET, libc::SOCK_STREAM, MPTCP)?;
    let address = address(targets);
    // SAFETY: the pointer is to a value that outlives the call, with its size.
    let result = unsafe {
        let size = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        libc::connect(socket, (&raw const address).cast(), size)
    };
    call("connected", result.into())
}

pub(super) fn udp(targets: &AttackTargets) -> Result {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(why)?;
    socket.send_to(b"hello", (Ipv4Addr::LOCALHOST, targets.port)).map_err(why)?;
    Ok("sent".to_owned())
}

pub(super) fn unix(targets: &AttackTargets) -> Result {
    UnixStream::connect(&targets.socket).map_err(why)?;
    Ok("connected".to_owned())
}

pub(super) fn abstract_socket(targets: &AttackTargets) -> Result {
    let address = SocketAddr::from_abstract_name(&targets.abstract_socket).map_err(why)?;
    UnixStream::connect_addr(&address).map_err(why)?;
    Ok("connected".to_owned())
}

pub(super) fn netlink(_: &AttackTargets) -> Result {
    socket(libc::AF_NETLINK, libc::SOCK_RAW, 0).map(|_| "a socket".to_owned())
}

/// Makes a pair of sockets that can send to any other.
pub(super) fn datagrams(_: &AttackTargets) -> Result {
    let mut pair = [0; 2];
    // SAFETY: the pointer is to as much as the call writes.
    let result = unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_DGRAM, 0, pair.as_mut_ptr()) };
    call("a pair", result.into())
}

/// Sends to an address by a socket that is connected.
pub(super) fn elsewhere(targets: &AttackTargets) -> Result {
    let (socket, _other) = UnixStream::pair().map_err(why)?;
    let (address, text) = (address(targets), b"hello");
    // SAFETY: the pointers are to values that outlive the call, with their sizes.
    let result = unsafe {
        libc::sendto(
            socket.as_raw_fd(),
            text.as_ptr().cast(),
            text.len(),
            0,
            (&raw const address).cast(),
            size_of::<libc::sockaddr_in>() as libc::socklen_t,
        )
    };
    call("sent", result as libc::c_long)
}

/// Reads the number of a socket, which counts those of all programs.
pub(super) fn cookie(_: &AttackTargets) -> Result {
    let (socket, _other) = std::os::unix::net::UnixStream::pair().map_err(why)?;
    let (mut value, mut length) = (0_u64, size_of::<u64>() as libc::socklen_t);
    // SAFETY: the pointers are to values that outlive the call.
    let result = unsafe {
        libc::getsockopt(
            std::os::fd::AsRawFd::as_raw_fd(&socket),
            libc::SOL_SOCKET,
            libc::SO_COOKIE,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    call("a number", result.into())
}
