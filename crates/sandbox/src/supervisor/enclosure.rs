//! A sandbox from inside: the place where its supervisor starts programs.

use std::cell::OnceCell;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, iter};

use nix::unistd::Pid;
use plyground_durable::input::read_regular;
use rustix::fs::fstatvfs;

use crate::failure::{ProcessEnd, step};
use crate::folder::{Folder, Fullness, MOST_FILES, files_in, make_temporary, remove_folder};
use crate::launch::{HOME, Launch, SandboxPlan, WORKSHOP};
use crate::limits::SandboxLevel;
use crate::looker::{Held, LONGEST_LOOK, LONGEST_PATIENT_LOOK, Looker};
use crate::start::{self, Image, Started, Workshop};
use crate::supervisor::control::{Control, Reach};
use crate::supervisor::streams::{SharedLog, mention_look};
use crate::system::cgroup::Cgroup;
use crate::system::confine::{Confinement, most_threads};
use crate::system::held::held_by_program;
use crate::system::processes::see_as;
use crate::system::task_clock::Births;
use crate::system::{namespaces, root};

/// The most files of a program that has not written its output that are looked at, and the bytes of each.
const MOST_LOOKED_AT: usize = 100;
const MOST_COMPARED: u64 = 128 * 1024;

/// A sandbox that is built, with this process in it as the supervisor.
#[derive(Debug)]
pub(crate) struct Enclosure {
    pub(crate) plan: SandboxPlan,
    pub(crate) log: SharedLog,
    /// The threads for looks that may wait for a program, and for looks at its folders, each from its first
    /// look on.
    looker: OnceCell<Looker>,
    folder_looker: OnceCell<Looker>,
    reach: Reach,
    group: Option<Rc<Cgroup>>,
    confinement: Confinement,
    homes: Homes,
    /// The folder of the present program.
    home: Option<Arc<Folder>>,
    /// The files beside the program. Programs open them by their names alone, as if they were started in their own
    /// folder.
    beside: OnceCell<Vec<PathBuf>>,
    workshop: Option<Workshop>,
}

/// The place of the folders in which programs may write.
#[derive(Debug)]
enum Homes {
    Memory(root::Homes),
    /// A folder on the disk of the host, in which only its owner may write.
    Disk(Folder),
}

/// The least limit of the files that only writes in progress have open, in bytes.
const MOST_IN_FLIGHT: u64 = 256 << 20;

/// Free or occupied room on a disk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    bytes: u64,
    files: u64,
}

impl Room {
    /// Returns the greater number of bytes and the greater number of files.
    pub(crate) fn max(self, other: Room) -> Room {
        Room { bytes: self.bytes.max(other.bytes), files: self.files.max(other.files) }
    }

    /// Returns true if the room `now` is smaller than this room by more than `most`.
    pub(crate) fn is_missing(self, now: Room, most: Room) -> bool {
        self.bytes.saturating_sub(now.bytes) > most.bytes
            || self.files.saturating_sub(now.files) > most.files
    }
}

impl Enclosure {
    /// Builds a sandbox around this process, which must have no other threads. `network` is the network
    /// namespace of the sandbox, if it is made already.
    ///
    /// At the level [`Full`](SandboxLevel::Full), another process returns: the first process of the new
    /// namespaces.
    pub(crate) fn build(mut plan: SandboxPlan, network: Option<OwnedFd>) -> io::Result<Enclosure> {
        let becomes_other = plan.level == SandboxLevel::Full && plan.ids.is_some();
        let log = SharedLog::new(plan.log.as_deref(), becomes_other)?;
        let init = plan.ids.filter(|_| plan.level == SandboxLevel::Full).map(|ids| ids.keeper);
        let make = |group| Cgroup::make(group, plan.memory, most_threads(plan.processes), init);
        // The group is made first, because the sandbox hides control groups.
        let group = plan.group.as_ref().map(make).transpose()?.map(Rc::new);
        let (reach, confinement, homes, workshop) = match plan.level {
            #[cfg(target_os = "linux")]
            SandboxLevel::Full => build_in_memory(&mut plan, &log, group.as_deref(), network)?,
            #[cfg(not(target_os = "linux"))]
            SandboxLevel::Full => {
                drop(network);
                return Err(io::Error::other("a sandbox needs Linux"));
            }
            SandboxLevel::User | SandboxLevel::None => build_on_disk(&plan)?,
        };
        namespaces::take_orphans()?;
        Ok(Enclosure {
            plan,
            log,
            looker: OnceCell::new(),
            folder_looker: OnceCell::new(),
            reach,
            group,
            confinement,
            homes,
            home: None,
            beside: OnceCell::new(),
            workshop,
        })
    }

    /// Makes a new folder for the next program, which contains nothing but the input file, if there is one,
    /// and the files beside the program, except those with the names of files to be written. No process of the previous
    /// program may be alive.
    pub(crate) fn renew_home(&mut self, launch: &Launch) -> io::Result<()> {
        self.home = None;
        let user = self.user_of_disk();
        let (home, owner) = match &mut self.homes {
            Homes::Memory(homes) => {
                (homes.next()?, self.plan.ids.map(|_| namespaces::PROGRAM_INSIDE))
            }
            Homes::Disk(base) => {
                base.remove(HOME);
                (base.add(HOME, user)?, user)
            }
        };
        if let Some([name, text]) = &launch.input {
            home.add_file(name.as_str(), text.as_bytes(), owner)?;
        }
        let beside = self.beside.get_or_init(|| {
            // A workshop contains these files already.
            let own = self.plan.view.own.as_ref().filter(|_| self.plan.workshop.is_none());
            own.map(|own| files_in(own)).unwrap_or_default()
        });
        let names = || launch.files.iter().chain(launch.input.iter().map(|[name, _]| name));
        let is_own = |file: &&PathBuf| names().any(|name| file.ends_with(name));
        let beside: Vec<&PathBuf> = beside.iter().filter(|file| !is_own(file)).collect();
        home.add_beside(&beside, owner, self.plan.output);
        self.home = Some(Arc::new(home));
        Ok(())
    }

    /// Returns the beginning of a file of a program that has ended, if there is a regular file with this name.
    pub(crate) fn file(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        self.home.as_ref()?.read_file(name, most).ok().flatten()
    }

    /// Returns the name of a file that a program has written and that the host does not read: the first by name, if
    /// there is one. Only the first of many files are looked at.
    pub(crate) fn other_file(&self, launch: &Launch) -> Option<String> {
        let home = self.home.as_ref()?;
        let beside = self.beside.get()?;
        let before = |name: &str| match &launch.input {
            Some([input, text]) if input == name => Some(text.clone().into_bytes()),
            _ => {
                let file = beside.iter().find(|file| file.ends_with(name))?;
                read_regular(file, MOST_COMPARED).ok().flatten()
            }
        };
        let mut names = home.names().ok()?;
        names.sort_unstable();
        names.truncate(MOST_LOOKED_AT);
        names.into_iter().filter_map(|name| name.into_string().ok()).find(|name| {
            let found = home.read_file(name.as_str(), MOST_COMPARED).ok().flatten();
            !launch.files.contains(name) && found.is_some() && found != before(name)
        })
    }

    /// Starts a program. Returns its first process, and the control of all its processes.
    pub(crate) fn start(&self, launch: &Launch) -> Result<(Started, Control), ProcessEnd> {
        if let Some(why) = &self.plan.view.refused {
            self.log.add(format!("cannot be started: {why}\n").as_bytes());
            return Err(ProcessEnd::NotStarted(why.clone()));
        }
        let is_open = self.plan.level == SandboxLevel::None;
        let folder = self.plan.current_folder();
        let folder = (!is_open || self.plan.workshop.is_some()).then_some(&*folder);
        let home = self.plan.home().to_string_lossy().into_owned();
        let variables = match self.plan.level {
            SandboxLevel::None => vec![("TMPDIR".to_owned(), home)],
            _ => self.plan.variables(),
        };
        let image = Image::of(&launch.words, folder, &variables, is_open)
            .map_err(|error| ProcessEnd::NotStarted(error.to_string()))?;
        let limits = self.confinement.limits(&self.plan, launch);
        let supervisor = Pid::this();
        let control = Control::of_next_program(self.reach, self.group.clone(), || self.births());
        let enter = |failure: BorrowedFd| self.confinement.enter(&limits, supervisor, failure);
        let hears = launch.keywords.is_some() || launch.typed.is_some();
        let started = image.start(self.group.as_deref(), hears, enter);
        let child = started.inspect_err(|end| {
            if let ProcessEnd::NotStarted(why) = end {
                self.log.add(format!("cannot be started: {why}\n").as_bytes());
            }
        })?;
        Ok((child, control))
    }

    /// Returns the births of processes from now on. At the level [`User`](SandboxLevel::User), they include
    /// the births of other programs.
    fn births(&self) -> Option<Births> {
        match &self.homes {
            Homes::Memory(homes) => homes.births(),
            Homes::Disk(_) => self.user_of_disk().and_then(|_| Births::of_all()),
        }
    }

    /// Returns the thread for looks that may wait for a program. The first look starts it, because many
    /// programs end before.
    pub(crate) fn looker(&self) -> io::Result<&Looker> {
        let user = self.user_of_disk();
        started(&self.looker, LONGEST_LOOK, move || user.into_iter().for_each(see_as))
    }

    /// Lets looks at processes take [longer](Looker::patiently) while `act` runs.
    pub(crate) fn patiently<T>(&self, act: impl FnOnce() -> T) -> T {
        match self.looker() {
            Ok(looker) => looker.patiently(act),
            Err(_) => act(),
        }
    }

    /// Removes the moment at which looks are [left](Looker::leave_at).
    pub(crate) fn leave_no_look(&self) {
        self.lookers().for_each(|looker| looker.leave_at(None));
    }

    /// Sets the moment at which all looks are [left](Looker::leave_at).
    pub(crate) fn leave_looks_at(&self, moment: Option<Instant>) {
        // A file system in memory needs no such thread, because it reports its fullness at once.
        let of_folder = matches!(self.homes, Homes::Disk(..)).then(|| self.folder_looker());
        for looker in iter::once(self.looker()).chain(of_folder).flatten() {
            looker.leave_at(moment);
        }
    }

    /// Returns the thread for looks at the folders of a program, in which there may be thousands of files.
    fn folder_looker(&self) -> io::Result<&Looker> {
        started(&self.folder_looker, LONGEST_PATIENT_LOOK, || ())
    }

    /// Returns the user of a program whose files are on a disk with the files of other users. In a root of
    /// its own, a program has its own network, and its folder is its own file system, which counts files
    /// without a name.
    fn user_of_disk(&self) -> Option<u32> {
        let ids = self.plan.ids.filter(|_| self.plan.level == SandboxLevel::User);
        ids.map(|ids| ids.program)
    }

    /// Returns the time that looks at the processes have taken so far.
    pub(crate) fn time_of_process_looks(&self) -> Duration {
        self.looker.get().map_or(Duration::ZERO, Looker::taken)
    }

    /// Returns the time that looks at the program have taken so far.
    pub(crate) fn time_of_looks(&self) -> Duration {
        self.lookers().map(Looker::taken).sum()
    }

    fn lookers(&self) -> impl Iterator<Item = &Looker> {
        [&self.looker, &self.folder_looker].into_iter().filter_map(OnceCell::get)
    }

    /// Returns the resources that processes hold outside their memory, or `None` if the look takes too long.
    pub(crate) fn held(&self) -> Option<Held> {
        if self.plan.level == SandboxLevel::None {
            return Some(Held::default());
        }
        let owner = self.user_of_disk();
        let folder = self.plan.folder.clone();
        self.looker().ok()?.look(move || held_by_program(owner, &folder))
    }

    /// Compares the files in the folders of the program with their limit. `deleted` is the size of its files
    /// that have no name any more.
    pub(crate) fn fullness(&self, deleted: u64) -> Fullness {
        let most = self.plan.output;
        let folders = self.home.iter().map(|home| (home, MOST_FILES));
        let mut folders =
            folders.chain(self.workshop.iter().map(|shop| (&shop.copy, start::MOST_FILES)));
        if let Homes::Memory(_) = self.homes {
            let is_full = |(folder, files): (&Arc<Folder>, usize)| {
                fstatvfs(&**folder).is_ok_and(|found| {
                    let bytes = (found.f_blocks - found.f_bfree).saturating_mul(found.f_frsize);
                    bytes > most || found.f_files - found.f_ffree > files as u64
                })
            };
            return if folders.any(is_full) { Fullness::Exceeds } else { Fullness::Fits };
        }
        let Some(most) = most.checked_sub(deleted) else { return Fullness::Exceeds };
        let mut fullness = Fullness::Fits;
        for (folder, files) in folders {
            let folder = Arc::clone(folder);
            let found = match self.folder_looker() {
                Ok(looker) => looker.look(move || folder.fullness(most, files)),
                // The OS refuses a thread.
                Err(_) => Some(folder.fullness(most, files)),
            };
            match found.unwrap_or(Fullness::Unknown) {
                Fullness::Fits => {}
                found @ (Fullness::Changing | Fullness::Moved) => fullness = found,
                found => return found,
            }
        }
        fullness
    }

    /// Returns the free room on the disk of the folders, unless they are in memory.
    pub(crate) fn room(&self) -> Option<Room> {
        if let Homes::Memory(_) = self.homes {
            return None;
        }
        let folder = self.home.as_ref().or(self.workshop.as_ref().map(|shop| &shop.copy))?;
        let found = fstatvfs(&**folder).ok()?;
        let bytes = found.f_bfree.saturating_mul(found.f_frsize);
        Some(Room { bytes, files: found.f_ffree })
    }

    /// Returns the room that the folders may take.
    pub(crate) fn most_room(&self) -> Room {
        let files = if self.workshop.is_some() { start::MOST_FILES } else { MOST_FILES };
        Room { bytes: self.plan.output, files: files as u64 }
    }

    /// Returns the room that files which only writes in progress have open may take. Others may free less at any time,
    /// which must not look as if the program had taken it.
    pub(crate) fn most_in_flight(&self) -> Room {
        Room { bytes: self.plan.output.max(MOST_IN_FLIGHT), files: u64::MAX }
    }

    /// Takes in the workshop if it `is_wanted`, and removes everything that the sandbox has made. No
    /// process of a program may be alive. Returns the exit code of the supervisor.
    pub(crate) fn remove(self, is_wanted: bool) -> i32 {
        // As root at the level `full`, the keeper takes in the workshop.
        let has_keeper = self.plan.level == SandboxLevel::Full && self.plan.ids.is_some();
        let code = match &self.workshop {
            Some(workshop) if is_wanted && !has_keeper => workshop.take_in(),
            // The code tells the keeper to leave the workshop as it was.
            _ if !is_wanted => start::UNWANTED,
            _ => start::DONE,
        };
        if let Homes::Disk(..) = &self.homes {
            remove_folder(&self.plan.folder);
            // The keeper removes its group itself, after everything in it.
            if let Some(group) = &self.group {
                group.remove();
            }
        }
        code
    }
}

/// The parts of a sandbox that its level decides.
type Built = (Reach, Confinement, Homes, Option<Workshop>);

#[cfg(target_os = "linux")]
fn build_in_memory(
    plan: &mut SandboxPlan,
    log: &SharedLog,
    group: Option<&Cgroup>,
    network: Option<OwnedFd>,
) -> io::Result<Built> {
    let mut confinement = Confinement::new(plan)?;
    // The settings are read now, because the sandbox hides the settings of the kernel.
    crate::system::held::learn_settings();
    // As root, only the keeper may read the disk of the host, and write to it.
    let mut collected = plan.ids.map(|_| root::Disk::collect(plan)).transpose()?;
    let kept = collected.as_mut().and_then(|disk| disk.workshop.take());
    namespaces::enter(plan.ids, group, network, |code| {
        if let Some(group) = group {
            group.remove();
        }
        log.remove_empty();
        match &kept {
            Some(workshop) if code == start::DONE => workshop.take_in(),
            _ => code,
        }
    })?;
    root::separate()?;
    let mut disk = match collected {
        Some(disk) => disk,
        None => root::Disk::collect(plan)?,
    };
    let workshop = kept.or_else(|| disk.workshop.take());
    plan.view.refused = disk.refused.take().or(plan.view.refused.take());
    let homes = Homes::Memory(disk.enter(plan, &mut confinement)?);
    namespaces::drop_capabilities()?;
    Ok((Reach::Namespace, confinement, homes, workshop))
}

fn build_on_disk(plan: &SandboxPlan) -> io::Result<Built> {
    let is_user = plan.level == SandboxLevel::User;
    let owner = plan.ids.filter(|_| is_user).map(|ids| ids.program);
    let reach = match plan.ids {
        Some(ids) if is_user => Reach::User(ids),
        None if is_user => {
            return Err(io::Error::other("only root can give a program a user ID of its own"));
        }
        _ => Reach::Descendants,
    };
    let base = step(&plan.folder, make_temporary(&plan.folder))?;
    if let Some(program) = owner {
        // The program can use its folders in this folder, but neither move nor replace them. No other user reaches
        // them, although the program may change their permissions.
        step(&plan.folder, base.let_through(program))?;
    }
    // Without a sandbox, a program works in the original.
    let workshop = plan.workshop.as_ref().filter(|_| is_user).map(|original| {
        let copy = base.add(WORKSHOP, None)?;
        Workshop::new(original, copy, owner, plan.output)
    });
    let workshop = step(&plan.folder, workshop.transpose())?;
    // The folder must exist before this, because the rules for files name it.
    let confinement = Confinement::new(plan)?;
    Ok((reach, confinement, Homes::Disk(base), workshop))
}

/// Returns a thread for looks, and starts it if necessary. The thread calls `prepare` first.
fn started(
    looker: &OnceCell<Looker>,
    longest: Duration,
    prepare: impl FnOnce() + Send + 'static,
) -> io::Result<&Looker> {
    match looker.get() {
        Some(looker) => Ok(looker),
        None => {
            // The host waits as long as the look may take.
            let started = Looker::start(longest, mention_look, prepare)?;
            Ok(looker.get_or_init(|| started))
        }
    }
}
