//! Runs every attack against a sandbox, and reports the outcomes.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fmt, fs, io, process};

use bytesize::ByteSize;
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::attacks::{
    self, ATTACK, ATTACKED, ATTACKS, Attack, AttackTargets, SECRET, Start, WAIT, mark_text,
};
use crate::failure::{ProcessEnd, ProcessEvent, ProcessFailure};
use crate::folder::remove_folder;
use crate::launch::{self, Launch, Leftovers, SUPERVISE, SandboxPolicy, print};
use crate::limits::{ProcessLimits, SandboxLevel};
use crate::meter::Meter;
use crate::sandbox::Sandbox;
use crate::system::processes::{live_thread, numbers, text_of};

/// The argument after [`SUPERVISE`] that asks for a check of a sandbox by attacks from inside. After it come the
/// level and, for attacks from a build, in which the attacker may write in a folder of the host as well, [`BUILD`].
/// Every line that it prints is an [`AttackReport`] in JSON.
pub const CHECK: &str = "--check";
/// The word for attacks from a build.
pub const BUILD: &str = "build";

/// The memory that an attacker may occupy, and the memory that it tries to occupy, in bytes.
const MEMORY: u64 = 128 << 20;
const WANTED: u64 = 400 << 20;
/// The size of the files that an attacker may keep in its folder.
const OUTPUT: ByteSize = ByteSize::mib(32);
/// The number of processes that an attacker may have.
const PROCESSES: u32 = 32;
/// The longest wait for processes to be gone, on a computer as busy as it may be: those that are left stay.
const PATIENCE: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(5);
/// The mode of the rival's folder and of the folders that the attacker must be able to reach.
const PUBLIC: u32 = 0o755;

/// The folders of a scene.
const FOLDERS: [&str; 4] = ["rival", "home", "workshop", "program"];

/// An attack and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttackReport {
    /// The name of the attack.
    pub name: String,
    /// The aim of the attack, in a few words.
    pub aim: String,
    /// The outcome.
    pub outcome: AttackOutcome,
}

/// The outcome of an attack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttackOutcome {
    /// The system refused the attack, for this reason.
    Refused(String),
    /// The supervisor stopped the attack, or the attacker ended early, by this failure.
    Stopped(String),
    /// The attack achieved this.
    Succeeded(String),
    /// The attack was left out, because it would do harm here.
    LeftOut,
}

impl fmt::Display for AttackOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttackOutcome::Refused(why) => write!(f, "refused: {why}"),
            AttackOutcome::Stopped(how) => write!(f, "stopped: {how}"),
            AttackOutcome::Succeeded(what) => write!(f, "SUCCEEDED: {what}"),
            AttackOutcome::LeftOut => write!(f, "left out, because it would do harm"),
        }
    }
}

/// Carries out every attack against a sandbox of a level, from a build if `build` is true, and prints each
/// report as a line of JSON as soon as the attack is over.
pub(crate) fn answer(level: &str, build: bool) -> io::Result<u8> {
    let level: SandboxLevel = level.parse().map_err(io::Error::other)?;
    let attempt_all = || {
        let scene = Scene::new(level, build)?;
        for attack in ATTACKS {
            let is_left_out = level < attack.least;
            let outcome =
                if is_left_out { AttackOutcome::LeftOut } else { scene.attempt(attack)? };
            let (name, aim) = (attack.name.to_owned(), attack.aim.to_owned());
            if print(&AttackReport { name, aim, outcome }).is_err() {
                // The host is gone.
                return Ok(1);
            }
        }
        Ok(0)
    };
    // Without this line, the host would not learn why the reports end.
    attempt_all().inspect_err(|error| eprintln!("the attacks cannot go on: {error}"))
}

/// The attacker, its policy, and its targets.
struct Scene {
    program: PathBuf,
    policy: SandboxPolicy,
    targets: AttackTargets,
    /// The folder that contains the [`FOLDERS`].
    disk: tempfile::TempDir,
    _listeners: (TcpListener, UdpSocket, UnixListener, UnixListener),
}

impl Scene {
    fn new(level: SandboxLevel, build: bool) -> io::Result<Scene> {
        let program = env::current_exe()?;
        let disk = tempfile::tempdir()?;
        let root = fs::canonicalize(disk.path())?;
        fs::set_permissions(&root, fs::Permissions::from_mode(PUBLIC))?;
        for folder in FOLDERS.map(|folder| root.join(folder)) {
            fs::create_dir(&folder)?;
            fs::set_permissions(folder, fs::Permissions::from_mode(PUBLIC))?;
        }
        fs::create_dir(root.join("home/private"))?;
        // The engine is the same program under another name, in a folder that the attacker sees.
        let [attacker, engine] = ["attacker", "engine"].map(|name| root.join("program").join(name));
        fs::copy(&program, &attacker)?;
        fs::copy(&program, &engine)?;
        let stream = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = stream.local_addr()?.port();
        let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, port))?;
        let socket = root.join("socket");
        let listener = UnixListener::bind(&socket)?;
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o777))?;
        let mark = format!("attack-{}", process::id());
        let name = SocketAddr::from_abstract_name(&mark)?;
        let targets = AttackTargets {
            rival_folder: root.join("rival"),
            rival: 0,
            rival_mark: format!("rival-of-{mark}"),
            referee: i32::try_from(process::id()).unwrap_or(0),
            home: root.join("home"),
            port,
            socket,
            abstract_socket: mark.clone(),
            engine: engine.clone(),
            memory: WANTED,
            mark,
        };
        let limits = ProcessLimits {
            memory: ByteSize(MEMORY),
            output: OUTPUT,
            processes: PROCESSES,
            ..ProcessLimits::default()
        };
        let policy = SandboxPolicy {
            limits,
            level,
            supervisor: Some(program),
            hosts: Some(false),
            workshop: build.then(|| root.join("workshop")),
            ..SandboxPolicy::default()
        };
        let listeners = (stream, datagrams, listener, UnixListener::bind_addr(&name)?);
        Ok(Scene { program: attacker, policy, targets, disk, _listeners: listeners })
    }

    /// Carries out an attack against a rival that has just been started.
    fn attempt(&self, attack: &Attack) -> io::Result<AttackOutcome> {
        let secret = self.targets.rival_folder.join(SECRET);
        // A user other than root can neither write nor read a file that an attack has locked.
        if secret.exists() {
            fs::remove_file(&secret)?;
        }
        fs::write(&secret, "secret")?;
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o644))?;
        if let Some(workshop) = &self.policy.workshop {
            remove_folder(workshop);
            fs::create_dir(workshop)?;
        }
        let mut rival = Rival::start(self)?;
        let targets = AttackTargets { rival: rival.pid.as_raw(), ..self.targets.clone() };
        let (words, named) = self.command(attack, &targets)?;
        let limits = ProcessLimits { cpu: attack.cpu, ..self.policy.limits.clone() };
        let policy = SandboxPolicy { named, limits, ..self.policy.clone() };
        let launch = Launch::new(words, attack.cpu);
        let launch = launch.with_printed(1 << 16).with_files(&[launch::OUTPUT], 1 << 16);
        let (end, left) = if attack.runs > 1 {
            let mut sandbox = Sandbox::new(&launch.words, &policy)?;
            let _ = sandbox.run(launch.clone(), attack.wall, &|| false);
            let end = sandbox.run(launch, attack.wall, &|| false);
            (end.unwrap_or(ProcessEnd::Dismissed), sandbox.take_leftovers())
        } else {
            Sandbox::run_once(launch, &policy, attack.wall)?
        };
        if let Some(harm) = self.harm(&mut rival, &secret)? {
            return Ok(AttackOutcome::Succeeded(harm));
        }
        let meter = Meter::new(&policy);
        let failure = meter.failure(&end, &meter.budget(Some(attack.wall)));
        outcome(end, &failure, &left)
    }

    /// Returns the words that start the attack of this name.
    fn words(&self, name: &str, targets: &AttackTargets) -> io::Result<Vec<String>> {
        let (program, text) = (self.program.to_string_lossy(), serde_json::to_string(targets)?);
        Ok([&*program, SUPERVISE, ATTACK, name, &text].map(str::to_owned).to_vec())
    }

    /// Returns the words that start an attack, and the files that its command names.
    fn command(
        &self,
        attack: &Attack,
        targets: &AttackTargets,
    ) -> io::Result<(Vec<String>, Vec<PathBuf>)> {
        let mut words = self.words(attack.name, targets)?;
        let rival = &self.targets.rival_folder;
        let mut named = Vec::new();
        match attack.start {
            Start::Program => {}
            Start::WithLink => {
                let link = self.program.with_file_name("link");
                if !link.is_symlink() {
                    symlink(rival, &link)?;
                }
                named.push(link);
            }
            Start::Script => {
                // The kernel reads 255 bytes of the line, and the path in these bytes is not a program.
                let place = rival.to_string_lossy();
                let line = format!(
                    "#!{place}{}",
                    "/.".repeat((256_usize.saturating_sub(place.len())) / 2 + 60)
                );
                let claim = r#"echo '{"Ok":"the file is read"}'"#;
                let script = format!("{line}\ncat {place}/{SECRET} > /dev/null && {claim}\n");
                let path = self.program.with_file_name("script");
                fs::write(&path, script)?;
                fs::set_permissions(&path, fs::Permissions::from_mode(PUBLIC))?;
                words = vec![path.to_string_lossy().into_owned()];
            }
        }
        Ok((words, named))
    }

    /// Returns the harm of an attack that is visible from outside, if there is any.
    fn harm(&self, rival: &mut Rival, secret: &Path) -> io::Result<Option<String>> {
        let (left, begun) = (|| processes_with(&mark_text(&self.targets.mark)), Instant::now());
        while !left().is_empty() {
            if begun.elapsed() > PATIENCE {
                return Ok(Some(format!("processes are left: {:?}", left())));
            }
            std::thread::sleep(PAUSE);
        }
        if fs::metadata(secret)?.permissions().mode() & 0o777 != 0o644 {
            return Ok(Some("the permissions of another submission are changed".to_owned()));
        }
        if fs::read(secret)? != b"secret" {
            return Ok(Some("another submission is changed".to_owned()));
        }
        if live_thread(rival.pid).is_none() {
            let event = rival.sandbox.next_event(&|| false);
            return Ok(Some(format!("another program is gone: {event:?}")));
        }
        let (limit, _) = getrlimit(Resource::RLIMIT_CPU)?;
        if limit == 0 {
            return Ok(Some("the host has no CPU time left".to_owned()));
        }
        if let Some(trap) = self.policy.workshop.as_deref().map(trap).transpose()?.flatten() {
            return Ok(Some(format!("the workshop has a trap: {trap}")));
        }
        let entries = fs::read_dir(self.disk.path())?;
        Ok((entries.count() != FOLDERS.len() + 1).then(|| "files are left".to_owned()))
    }
}

/// Returns the name of a file in a workshop that a host must not find there.
fn trap(workshop: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(workshop)? {
        let entry = entry?;
        let found = entry.metadata()?;
        if found.is_symlink() || found.permissions().mode() & 0o6000 != 0 {
            return Ok(Some(entry.file_name().to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// Returns the outcome of an attack, as far as the attacker and its end tell.
fn outcome(
    end: ProcessEnd,
    failure: &ProcessFailure,
    left: &Leftovers,
) -> io::Result<AttackOutcome> {
    let succeeded = |what: &str| Ok(AttackOutcome::Succeeded(what.to_owned()));
    match end {
        ProcessEnd::System(why) => Err(io::Error::other(why)),
        ProcessEnd::Lost => succeeded("the supervisor is lost"),
        _ if left.files.iter().any(Option::is_some) => {
            succeeded("something other than a file was read as output")
        }
        _ => Ok(match serde_json::from_slice::<attacks::Result>(&left.printed) {
            Ok(Ok(what)) => AttackOutcome::Succeeded(what),
            Ok(Err(why)) => AttackOutcome::Refused(why),
            Err(_) => AttackOutcome::Stopped(failure.to_string()),
        }),
    }
}

/// A program in a sandbox of its own that waits to be attacked.
struct Rival {
    pid: Pid,
    sandbox: Sandbox,
}

impl Rival {
    fn start(scene: &Scene) -> io::Result<Rival> {
        let targets =
            AttackTargets { mark: scene.targets.rival_mark.clone(), ..scene.targets.clone() };
        let words = scene.words(WAIT, &targets)?;
        let policy = SandboxPolicy { workshop: None, ..scene.policy.clone() };
        let mut sandbox = Sandbox::new(&words, &policy)?;
        sandbox.start(Launch::new(words, None));
        // A busy computer delays the start, however long; a program that cannot start ends.
        sandbox.ask(String::new(), ATTACKED, None);
        loop {
            // A process has other arguments before it becomes the program.
            if let Some(&pid) = processes_with(&mark_text(&scene.targets.rival_mark)).first() {
                return Ok(Rival { pid, sandbox });
            }
            if let Some(ProcessEvent::Ended(end)) = sandbox.try_next_event() {
                return Err(io::Error::other(format!("the program to attack: {end:?}")));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Returns the processes with a text among their arguments, except this process.
fn processes_with(text: &str) -> Vec<Pid> {
    let others = numbers("/proc").filter(|&pid| pid != Pid::this());
    let has_text =
        |pid: &Pid| text_of(format!("/proc/{pid}/cmdline")).is_ok_and(|it| it.contains(text));
    others.filter(has_text).collect()
}
