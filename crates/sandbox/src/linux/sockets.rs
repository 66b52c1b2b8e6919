//! The number of sockets that a program has, by what the kernel tells of all.

use std::os::fd::AsRawFd;

use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

/// The kind of a question about sockets, and those of the last of the answers.
const SOCKETS: u16 = 20;
const FAILED: u16 = 2;
const DONE: u16 = 3;
/// The flags of a question about all.
const ALL: u16 = 0x301;
/// The part of an answer that names the user: the bit that asks for it, and its number.
const SHOW_USER: u32 = 1 << 6;
const USER: u16 = 7;
/// The lengths of the header of a message, and of what comes before the parts of an answer.
const HEADER: usize = 16;
const FIXED: usize = 16;
/// The number of sockets after which there is no need to count.
const MANY: u64 = 1 << 16;

/// Returns the number of sockets of a user in the network of this process, or of all users: those in
/// pairs, the only ones that a program may make. If the kernel does not tell, it is 0.
///
/// A socket that no process has open any more is among them while a thread waits for it.
pub(crate) fn sockets_of(user: Option<u32>) -> u64 {
    count(user).unwrap_or(0)
}

fn count(user: Option<u32>) -> nix::Result<u64> {
    let (flags, protocol) = (SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkSockDiag);
    let kernel = socket(AddressFamily::Netlink, SockType::Raw, flags, protocol)?;
    send(kernel.as_raw_fd(), &question(), MsgFlags::MSG_DONTWAIT)?;
    let (mut answers, mut found) = (vec![0; 1 << 15], 0);
    loop {
        // The kernel writes its answers when they are read: there is nothing to wait for.
        let length = recv(kernel.as_raw_fd(), &mut answers, MsgFlags::MSG_DONTWAIT)?;
        let mut left = &answers[..length];
        while let Some(answer) = take(&mut left, |part| word(part, 0)) {
            if matches!(half(answer, 4), Some(DONE | FAILED)) || found > MANY {
                return Ok(found);
            }
            found += u64::from(user.is_none() || owner(answer) == user);
        }
        if length == 0 {
            return Ok(found);
        }
    }
}

/// Returns a question about all sockets of the kind that pairs are, in any state, and their users.
fn question() -> Vec<u8> {
    const LENGTH: usize = HEADER + 24;
    const ANY: u32 = u32::MAX;
    let family = [libc::AF_UNIX as u8, 0, 0, 0];
    let mut question = (LENGTH as u32).to_ne_bytes().to_vec();
    question.extend([SOCKETS, ALL].map(u16::to_ne_bytes).concat());
    question.extend([1, 0].map(u32::to_ne_bytes).concat());
    question.extend(family);
    question.extend([ANY, 0, SHOW_USER, 0, 0].map(u32::to_ne_bytes).concat());
    question
}

fn owner(answer: &[u8]) -> Option<u32> {
    let mut parts = answer.get(HEADER + FIXED..)?;
    while let Some(part) = take(&mut parts, |part| half(part, 0).map(u32::from)) {
        if half(part, 2) == Some(USER) {
            return word(part, 4);
        }
    }
    None
}

/// Takes the first of parts, each of which begins with its length and is followed by the next at a
/// multiple of four bytes.
fn take<'b>(parts: &mut &'b [u8], length: impl Fn(&[u8]) -> Option<u32>) -> Option<&'b [u8]> {
    let length = length(parts).and_then(|length| usize::try_from(length).ok())?;
    let part = parts.get(..length).filter(|part| part.len() >= 4)?;
    *parts = parts.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some(part)
}

fn word(bytes: &[u8], place: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(place..place + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(place..place + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use nix::unistd::Uid;

    use super::*;

    #[test]
    fn sockets_of_user_are_counted() -> std::io::Result<()> {
        let pairs: Vec<_> = (0..50).map(|_| UnixStream::pair()).collect::<Result<_, _>>()?;
        let own = count(Some(Uid::current().as_raw()))?;
        assert!(own >= 2 * pairs.len() as u64, "{own}");
        assert!(count(None)? >= own);
        // No user has this number.
        assert_eq!(count(Some(u32::MAX - 1))?, 0);
        Ok(())
    }
}
