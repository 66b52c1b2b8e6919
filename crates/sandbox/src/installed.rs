//! The programs of a computer that a view hides or shows: hosts, which can play and grade; and the languages
//! that are installed for one user, with their variables.
//!
//! A submission must not let a host play for it. Therefore every host has a mark in its file, so that it is
//! found under any name and hidden. A host also refuses to run in a sandbox, because a submission may contain
//! a copy.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memchr::memmem;

/// The mark. Linkers put notes at the beginning of a file.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".note.plyground"))]
static NOTE: Note = Note {
    name_length: 12,
    content_length: 36,
    kind: 1,
    name: *b"Plyground\0\0\0",
    content: *b"a host of other people's programs\0\0\0",
};

/// A note of an ELF file.
#[repr(C)]
struct Note {
    name_length: u32,
    content_length: u32,
    kind: u32,
    name: [u8; 12],
    content: [u8; 36],
}

/// The length of the beginning of a file that contains its notes, in bytes.
const BEGINNING: u64 = 1 << 16;
/// The least size of a host, in bytes.
const LEAST_SIZE: u64 = 1 << 18;
/// The folder in which packages have builds for several processors, and the folders of packages.
const BUILDS: &str = "lib/plyground";
const PACKAGES: [&str; 2] = ["/usr", "/usr/local"];
/// A program of every package. All programs of a package are one file, which starts the build for the processor.
const LAUNCHER: &str = "bin/plyground";

fn has_mark(path: &Path) -> bool {
    if !path.metadata().is_ok_and(|found| found.is_file() && found.len() >= LEAST_SIZE) {
        return false;
    }
    let mut beginning = Vec::new();
    let read = File::open(path).map(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    // The mark is built from the note, because its text must not be in this program a second time.
    let mark = [&NOTE.name[..], &NOTE.content[..]].concat();
    read.is_ok_and(|read| read.is_ok()) && memmem::find(&beginning, &mark).is_some()
}

/// Returns `true` if a path leads to a host of this computer, and is in the folder of this process, in a
/// folder of `PATH`, or in a folder of packages. A link in another folder does not count, even if it leads to
/// a host.
pub(crate) fn is_host_of_this_computer(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let Ok(folder) = fs::canonicalize(folder) else { return false };
    let is_in_place = folders().contains(&folder);
    let real = fs::canonicalize(folder.join(name));
    let builds = own_builds();
    let package = builds.as_ref().and_then(|builds| builds.ancestors().nth(2));
    let is_launcher = |real: &Path| package.is_some_and(|package| is_launcher_of(package, real));
    is_in_place && real.is_ok_and(|real| host_programs().contains(&real) || is_launcher(&real))
}

/// Returns `true` if a file without links is a program of this package.
fn is_launcher_of(package: &Path, path: &Path) -> bool {
    let launcher = package.join(LAUNCHER);
    let size = |path: &Path| path.metadata().ok().map(|found| found.len());
    path.parent() == launcher.parent()
        && size(path).is_some_and(|own| size(&launcher) == Some(own))
        && fs::read(path).ok() == fs::read(&launcher).ok()
}

/// Returns the folder of the builds of the package that this process is from, if it is from one.
pub(crate) fn own_builds() -> Option<PathBuf> {
    let own = env::current_exe().ok()?;
    let builds = own.ancestors().nth(2).filter(|builds| builds.ends_with(BUILDS))?;
    Some(builds.to_owned())
}

/// Returns the hosts on this computer, by paths without links: in the folder of this process, in the folders
/// of `PATH`, and in the folders of packages.
pub(crate) fn host_programs() -> &'static BTreeSet<PathBuf> {
    static KNOWN: OnceLock<BTreeSet<PathBuf>> = OnceLock::new();
    let find = || {
        let entries = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
        let files = folders().iter().flat_map(entries);
        let real = files.filter_map(|file| fs::canonicalize(file.path()).ok());
        let hosts = real.filter(|file| has_mark(file)).chain(env::current_exe().ok());
        hosts.collect()
    };
    KNOWN.get_or_init(find)
}

/// Returns the folders, without links, in which hosts may be.
fn folders() -> &'static BTreeSet<PathBuf> {
    static KNOWN: OnceLock<BTreeSet<PathBuf>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let own = env::current_exe().ok();
        let beside = own.as_ref().and_then(|own| own.parent()).map(Path::to_owned);
        let path = env::var_os("PATH").unwrap_or_default();
        let packages = PACKAGES.iter().flat_map(|root| {
            let builds = fs::read_dir(Path::new(root).join(BUILDS)).into_iter().flatten().flatten();
            builds.map(|build| build.path())
        });
        let folders = beside.into_iter().chain(env::split_paths(&path)).chain(packages);
        folders.filter_map(|folder| fs::canonicalize(folder).ok()).collect()
    })
}

/// Returns true if this process is in a sandbox in which no host may run.
///
/// A host calls this function before anything else, and ends if it returns true.
#[must_use]
pub fn is_inside() -> bool {
    #[cfg(target_os = "linux")]
    {
        ask_kernel() == 0
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// Makes the system call that only the filter of a sandbox answers. The call is in assembly, because a
/// preloaded library could replace a function of the C library.
#[cfg(target_os = "linux")]
fn ask_kernel() -> i64 {
    let result: i64;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the call takes numbers only, and changes the registers that are named.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") libc::SYS_prctl => result,
            in("rdi") i64::from(IS_INSIDE),
            in("rsi") 0,
            in("rdx") 0,
            in("r10") 0,
            in("r8") 0,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") libc::SYS_prctl,
            inlateout("x0") i64::from(IS_INSIDE) => result,
            in("x1") 0,
            in("x2") 0,
            in("x3") 0,
            in("x4") 0,
            options(nostack),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        // SAFETY: the call takes numbers only.
        result = unsafe { libc::prctl(IS_INSIDE, 0, 0, 0, 0) }.into();
    }
    result
}

/// An option of `prctl` that only the filter of a sandbox knows. Elsewhere, the call fails.
#[cfg(target_os = "linux")]
pub(crate) const IS_INSIDE: libc::c_int = 0x506C_7967;

/// A program that installs languages for one user.
struct Manager {
    /// The variable with its folder.
    variable: &'static str,
    /// The name of its folder in the home folder, if there is no such variable.
    folder: &'static str,
    /// The parts of the folder that programs may see. An empty name stands for all of it.
    visible: &'static [&'static str],
    /// If true, programs need the variable.
    is_told: bool,
}

impl Manager {
    /// Returns the folder of the manager, if there is one.
    fn place(&self) -> Option<PathBuf> {
        let home = || env::var_os("HOME").filter(|_| !self.folder.is_empty()).map(PathBuf::from);
        let named = env::var_os(self.variable).map(PathBuf::from);
        let folder = named.or_else(|| Some(home()?.join(self.folder)))?;
        (folder.is_absolute() && folder.is_dir()).then_some(folder)
    }
}

const RUSTUP: &str = "RUSTUP_HOME";

const MANAGERS: [Manager; 7] = [
    Manager {
        variable: RUSTUP,
        folder: ".rustup",
        visible: &["toolchains", "settings.toml"],
        is_told: true,
    },
    // The rest of the folder is private: it may contain the password for a registry.
    Manager { variable: "CARGO_HOME", folder: ".cargo", visible: &["bin"], is_told: false },
    Manager { variable: PYENV, folder: ".pyenv", visible: &[""], is_told: true },
    Manager { variable: "NVM_DIR", folder: ".nvm", visible: &["versions"], is_told: true },
    Manager { variable: "SDKMAN_DIR", folder: ".sdkman", visible: &["candidates"], is_told: true },
    Manager { variable: "ASDF_DATA_DIR", folder: ".asdf", visible: &[""], is_told: true },
    Manager {
        variable: "JAVA_HOME",
        folder: "",
        visible: &["bin", "lib", "conf", "jmods", "release"],
        is_told: true,
    },
];

const PYENV: &str = "PYENV_ROOT";

/// The variable with the versions of Python that pyenv starts.
const PYENV_VERSION: &str = "PYENV_VERSION";

/// The languages that are installed.
#[derive(Debug, Default)]
pub(crate) struct Languages {
    pub(crate) visible: Vec<PathBuf>,
    /// The variables with the folders and versions of the languages.
    pub(crate) variables: Vec<(String, String)>,
    /// The folders with programs that come before those of `PATH`.
    pub(crate) programs: Vec<PathBuf>,
}

pub(crate) fn languages() -> Languages {
    let Languages { mut visible, mut variables, mut programs } = Languages::default();
    for manager in &MANAGERS {
        let Some(folder) = manager.place() else { continue };
        if manager.variable == RUSTUP {
            programs.extend(toolchain(&folder));
        }
        visible.extend(manager.visible.iter().map(|part| part_of(&folder, part)));
        if let Some(text) = folder.to_str().filter(|_| manager.is_told) {
            variables.push((manager.variable.to_owned(), text.to_owned()));
        }
    }
    let version = env::var(PYENV_VERSION).ok();
    variables.extend(version.map(|version| (PYENV_VERSION.to_owned(), version)));
    Languages { visible, variables, programs }
}

/// Returns the programs of the default toolchain. The programs of rustup itself write to folders that a
/// program must not change.
fn toolchain(folder: &Path) -> Option<PathBuf> {
    let settings = fs::read_to_string(folder.join("settings.toml")).ok()?;
    let line = settings.lines().find_map(|line| line.strip_prefix("default_toolchain = "))?;
    Some(folder.join("toolchains").join(line.trim().trim_matches('"')).join("bin"))
}

/// Returns the folders in which the host finds programs: those of `PATH`, and before the shims of pyenv, the folders of
/// the versions.
///
/// A shim is a script that looks for the version to start, which takes longer than to start the version itself, and a
/// player would pay for that at each move. A shim for a program of a version that is not selected fails, so that
/// Python 2 is installed and yet not found.
///
/// The folders come from one search in a run, since each start of a program asks for them.
#[must_use]
pub fn search_folders() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path);
        match MANAGERS.iter().find(|it| it.variable == PYENV).and_then(Manager::place) {
            Some(pyenv) => before_shims(folders, &pyenv, env::var(PYENV_VERSION).ok()),
            None => folders.collect(),
        }
    })
}

/// Returns these folders, with those of all versions of pyenv before that of the shims: first those that are selected,
/// by the file of pyenv if there is no `selected`, then the others, the greatest name first.
fn before_shims(
    folders: impl Iterator<Item = PathBuf>,
    pyenv: &Path,
    selected: Option<String>,
) -> Vec<PathBuf> {
    let selected = selected.or_else(|| fs::read_to_string(pyenv.join("version")).ok());
    let selected = selected.unwrap_or_default();
    let versions = pyenv.join("versions");
    let names = selected.split([':', ' ', '\n']).filter(|it| !it.is_empty());
    let mut found: Vec<PathBuf> = names.map(|name| versions.join(name).join("bin")).collect();
    // The name of the version of the system, or a part of a name, is for pyenv alone to understand.
    if found.is_empty() || !found.iter().all(|folder| folder.is_dir()) {
        return folders.collect();
    }
    let others = fs::read_dir(&versions).into_iter().flatten().flatten();
    let mut others: Vec<PathBuf> = others.map(|other| other.path().join("bin")).collect();
    others.retain(|other| other.is_dir() && !found.contains(other));
    others.sort_unstable_by(|one, other| other.cmp(one));
    found.extend(others);
    let shims = pyenv.join("shims");
    let first = |folder: &PathBuf| if *folder == shims { &found[..] } else { &[] };
    folders.flat_map(|folder| [first(&folder), std::slice::from_ref(&folder)].concat()).collect()
}

fn part_of(folder: &Path, part: &str) -> PathBuf {
    if part.is_empty() { folder.to_owned() } else { folder.join(part) }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn programs_of_a_package_are_copies_of_one_in_one_folder() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let path = |name: &str| root.path().join(name);
        fs::create_dir_all(path("bin"))?;
        for (name, bytes) in [
            ("bin/plyground", "launcher"),
            ("bin/network", "launcher"),
            ("bin/python3", "language"),
            ("network", "launcher"),
        ] {
            fs::write(path(name), bytes)?;
        }
        let found = ["bin/plyground", "bin/network", "bin/python3", "network", "bin/none"]
            .map(|name| is_launcher_of(root.path(), &path(name)));
        assert_eq!(found, [true, true, false, false, false]);
        Ok(())
    }

    #[test]
    fn versions_of_python_come_before_the_shims() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let path = |name: &str| root.path().join(name);
        for folder in ["shims", "versions/3.11.7/bin", "versions/3.12.1/bin", "versions/2.7.18/bin"]
        {
            fs::create_dir_all(path(folder))?;
        }
        fs::write(path("version"), "3.11.7\n")?;
        let (bin, shims) = (PathBuf::from("/usr/bin"), path("shims"));
        let [newest, new, old] =
            ["3.12.1", "3.11.7", "2.7.18"].map(|name| path(&format!("versions/{name}/bin")));
        let found = |versions: Option<&str>| {
            let folders = [bin.clone(), shims.clone()].into_iter();
            before_shims(folders, root.path(), versions.map(str::to_owned))
        };
        assert_eq!(found(None), [&bin, &new, &newest, &old, &shims].map(PathBuf::clone));
        let both = [&bin, &new, &old, &newest, &shims].map(PathBuf::clone);
        assert_eq!(found(Some("3.11.7:2.7.18")), both);
        for other in ["system", "3.11.7:system", "3.11"] {
            assert_eq!(found(Some(other)), [&bin, &shims].map(PathBuf::clone), "{other}");
        }
        Ok(())
    }
}
