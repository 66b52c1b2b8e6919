//! Programs that are hosts themselves: those that can play and grade.
//!
//! A submission must not let one of them play for it. So every host bears a mark in its file, by which
//! it is found under any name and hidden, and does not run in a sandbox, where a copy may have got.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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

/// A note as the format ELF has them.
#[repr(C)]
struct Note {
    name_length: u32,
    content_length: u32,
    kind: u32,
    name: [u8; 12],
    content: [u8; 36],
}

/// The beginning of a file in which notes are, in bytes.
const BEGINNING: u64 = 1 << 16;
/// No host is smaller than this, in bytes.
const LEAST_SIZE: u64 = 1 << 18;
/// The folder in which packages have builds for several processors, and the folders of packages.
const BUILDS: &str = "lib/plyground";
const PACKAGES: [&str; 2] = ["/usr", "/usr/local"];

/// Returns whether a file is a host.
pub(crate) fn is_host_program(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(path).map(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    // From the note itself: the text may not stand in this program a second time.
    let mark = [&NOTE.name[..], &NOTE.content[..]].concat();
    read.is_ok_and(|read| read.is_ok())
        && path.metadata().is_ok_and(|found| found.is_file() && found.len() >= LEAST_SIZE)
        && beginning.windows(mark.len()).any(|window| window == mark)
}

/// Returns the hosts on this computer, by paths without links: in the folder of this process, in those
/// of `PATH`, and where packages put them.
pub(crate) fn host_programs() -> Vec<PathBuf> {
    static KNOWN: OnceLock<Vec<PathBuf>> = OnceLock::new();
    KNOWN.get_or_init(find).clone()
}

fn find() -> Vec<PathBuf> {
    let own = env::current_exe().ok();
    let beside = own.as_ref().and_then(|own| own.parent()).map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    let packages = PACKAGES.iter().flat_map(|root| {
        let builds = fs::read_dir(Path::new(root).join(BUILDS)).into_iter().flatten().flatten();
        builds.map(|build| build.path())
    });
    let folders = beside.into_iter().chain(env::split_paths(&path)).chain(packages);
    let folders: BTreeSet<PathBuf> = folders.filter_map(|at| fs::canonicalize(at).ok()).collect();
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let real = files.filter_map(|file| fs::canonicalize(file.path()).ok());
    let found: BTreeSet<PathBuf> = real.filter(|file| is_host_program(file)).chain(own).collect();
    found.into_iter().collect()
}

/// Returns whether this process is in a sandbox in which no host may run.
///
/// A host asks this before it does anything else, and ends if so.
#[must_use]
pub fn is_inside() -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the call takes numbers only.
        unsafe { libc::prctl(IS_INSIDE, 0, 0, 0, 0) == 0 }
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// A call that only the filter of a sandbox knows, and that fails elsewhere.
#[cfg(target_os = "linux")]
pub(crate) const IS_INSIDE: libc::c_int = 0x506C_7967;
