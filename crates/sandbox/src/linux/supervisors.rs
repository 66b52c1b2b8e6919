//! The start of supervisors.
//!
//! The start of the host's executable takes as long as everything else that a supervisor does for a short
//! program: the kernel maps the executable, and the loader fills in addresses and detects the features of the
//! processor. Therefore the host starts it once, as a *fork server*. For each sandbox, the server forks, and
//! the child becomes the supervisor.
//!
//! A supervisor is a child of the host, not of the server: the host waits for the supervisor and kills it,
//! and the supervisor lives on if the server is killed. The server has one thread, and reads only a byte and
//! descriptors from the host, so it knows nothing of one program when it forks for the next. Between two
//! forks, the server prepares the parts that every supervisor needs. The server ends when the host does. If
//! the server is killed, the host starts another.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, PipeReader, PipeWriter, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::sched::{CloneFlags, sched_getaffinity, sched_setaffinity, setns, unshare};
use nix::sys::prctl;
use nix::unistd::{ForkResult, Pid, dup2_stdin, dup2_stdout, fchdir};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::launch::SUPERVISE;
use crate::limits::SandboxLevel;
use crate::system::allowed_calls::filter;
use crate::system::held::learn_settings;
use crate::system::processes::fork;
use crate::system::root::learn_counts;

/// The greatest number of descriptors of a supervisor: its standard input and output, its current folder, and the
/// lock of the IDs of its program, if there are any.
const DESCRIPTORS: usize = 4;
/// The number of servers that are asked for a supervisor, one after another, if each of them is gone.
const SERVERS: usize = 5;

/// The time after which a server that does not answer counts as gone, because it may have been stopped.
const LONGEST_FORK: Duration = Duration::from_secs(15);

/// A fork server, a child of this process.
#[derive(Debug)]
struct Server {
    process: Child,
    requests: UnixStream,
}

/// Starts a supervisor, a child of this process, with the executable of a host. The supervisor has the
/// current folder and the processors of this thread, and an empty network if it `wants_network` and the
/// server can make one. It holds the `lock` of the IDs of its program as long as it lives: it kills by these
/// IDs, also after the host was killed, when they must not be those of a program of the next host.
pub(crate) fn start(
    program: &Path,
    stdin: PipeReader,
    stdout: PipeWriter,
    lock: Option<BorrowedFd<'_>>,
    wants_network: bool,
) -> io::Result<Pid> {
    /// The servers of the executables: hosts have one, and tests more.
    static RUNNING: Mutex<BTreeMap<PathBuf, Server>> = Mutex::new(BTreeMap::new());
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = openat(CWD, ".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let own = [stdin.as_fd(), stdout.as_fd(), folder.as_fd()];
    let descriptors: Vec<BorrowedFd> = own.into_iter().chain(lock).collect();
    let mut why = io::Error::from(io::ErrorKind::BrokenPipe);
    for _ in 0..SERVERS {
        if !running.contains_key(program) {
            running.insert(program.to_owned(), Server::start(program)?);
        }
        let Some(server) = running.get_mut(program) else { break };
        match server.fork(wants_network, &descriptors) {
            Ok(Ok(pid)) => {
                let this_thread = Pid::from_raw(0);
                // The supervisor still waits for its first order. An OS that refuses does not support this.
                let _ = sched_getaffinity(this_thread).and_then(|own| sched_setaffinity(pid, &own));
                return Ok(pid);
            }
            Ok(Err(refused)) => return Err(refused),
            Err(gone) => {
                why = gone;
                running.remove(program);
            }
        }
    }
    Err(why)
}

impl Server {
    fn start(program: &Path) -> io::Result<Server> {
        let (requests, stdin) = UnixStream::pair()?;
        requests.set_read_timeout(Some(LONGEST_FORK))?;
        let process = Command::new(program)
            .arg0("plyground-supervisor")
            .arg(SUPERVISE)
            .stdin(OwnedFd::from(stdin))
            .stdout(Stdio::null())
            .spawn()?;
        Ok(Server { process, requests })
    }

    /// Asks for a supervisor with these descriptors, and with an empty `network` if there is to be one. Returns its
    /// number, or the reason why the kernel refuses it, or an error if the server is gone.
    fn fork(&mut self, network: bool, descriptors: &[BorrowedFd]) -> io::Result<io::Result<Pid>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(descriptors));
        sendmsg(
            &self.requests,
            &[IoSlice::new(&[u8::from(network)])],
            &mut control,
            SendFlags::NOSIGNAL,
        )?;
        let mut answer = [0; 4];
        self.requests.read_exact(&mut answer)?;
        Ok(match i32::from_ne_bytes(answer) {
            pid @ 1.. => Ok(Pid::from_raw(pid)),
            error => Err(io::Error::from_raw_os_error(-error)),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Forks at each request of the host on standard input. Returns only in the children, which have the standard
/// input and output of a supervisor, with the network of the child, if there is one. The calling process ends
/// when the host does.
///
/// After a fork, the server prepares the parts that the next child needs, so that the child does not wait for
/// them.
///
/// The calling process must have no other threads.
pub(crate) fn serve() -> io::Result<Option<OwnedFd>> {
    // Ctrl-C at the terminal is meant for the host, which decides on it.
    let _ = nix::unistd::setsid();
    let requests = io::stdin();
    let mut network = None;
    loop {
        let (wants_network, mut descriptors) = receive(requests.as_fd())?;
        let lock = descriptors.split_off(descriptors.len().min(3));
        let [stdin, stdout, folder] = descriptors.as_slice() else { process::exit(0) };
        // SAFETY: this process has no other threads.
        let answer = match unsafe { fork(libc::CLONE_PARENT, None) } {
            Ok(ForkResult::Parent { child }) => child.as_raw(),
            Ok(ForkResult::Child) => {
                prctl::set_name(c"supervisor")?;
                fchdir(folder)?;
                dup2_stdin(stdin)?;
                dup2_stdout(stdout)?;
                // It stays open until the end of this process.
                lock.into_iter().for_each(std::mem::forget);
                return Ok(network.filter(|_| wants_network));
            }
            Err(error) => -error.raw_os_error().unwrap_or(libc::EAGAIN),
        };
        rustix::io::write(&requests, &answer.to_ne_bytes())?;
        prepare();
        if wants_network {
            network = new_network();
        }
    }
}

/// Makes the parts that are the same in all sandboxes, for the children of this process.
fn prepare() {
    learn_settings();
    learn_counts(Path::new("/proc/stat"));
    for level in [SandboxLevel::Full, SandboxLevel::User] {
        for hosts in [false, true] {
            // An error comes again when the filter is needed.
            let _ = filter(level, hosts);
        }
    }
    // In a virtual machine, the detection of features is slow, and the search for line ends detects many.
    #[cfg(target_arch = "x86_64")]
    std::hint::black_box(std::arch::is_x86_feature_detected!("avx2"));
}

/// Makes an empty network, if this process may.
///
/// A network takes the kernel longer than all other namespaces of a sandbox together.
fn new_network() -> Option<OwnedFd> {
    const OWN: &str = "/proc/self/ns/net";
    let own = File::open(OWN).ok()?;
    unshare(CloneFlags::CLONE_NEWNET).ok()?;
    let new = File::open(OWN);
    if setns(own, CloneFlags::CLONE_NEWNET).is_err() {
        // Other supervisors need the network of the host, which starts another server.
        process::exit(1);
    }
    new.ok().map(OwnedFd::from)
}

/// Returns true if the next supervisor wants an empty network, and its descriptors. The list is empty if the host is
/// gone.
fn receive(requests: BorrowedFd) -> io::Result<(bool, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut request = [0];
    recvmsg(requests, &mut [IoSliceMut::new(&mut request)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(sent) = message {
            descriptors.extend(sent);
        }
    }
    Ok((request == [1], descriptors))
}
