//! The disk of a box: an empty root, in which there is only what a program may see.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root};

use crate::folder::MOST_FILES;
use crate::namespaces::step;
use crate::plan::SandboxPlan;
use crate::view::{Content, View};

/// Where the old root is while the new one is made.
const OLD: &str = "/old";
/// Where the new root may be mounted for a moment. Every system has one of these folders.
const STAGES: [&str; 4] = ["/tmp", "/var", "/mnt", "/run"];
/// The devices that a program sees.
const DEVICES: [&str; 4] = ["null", "full", "random", "urandom"];
/// The root itself holds a few folders and links.
const ROOT_OPTIONS: &str = "size=1m,nr_inodes=16384,mode=755";
/// The users that programs find when they look for their own.
const USERS: &str = "player:x:1000:1000::/player:/bin/sh\n";
const GROUPS: &str = "player:x:1000:\n";

const QUIET: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV);
const NO_DATA: Option<&str> = None;

/// Replaces the root of this process by a new one with the places that the programs of `plan` see,
/// which cannot be written, and their folder, which can hold `bytes` bytes.
///
/// The process must be alone in its namespaces, and have all capabilities in them.
///
/// # Errors
///
/// The step that the kernel refuses.
pub(crate) fn enter(plan: &SandboxPlan, bytes: u64) -> io::Result<()> {
    let view = &plan.view;
    attempt(
        "private mounts",
        mount(NO_DATA, "/", NO_DATA, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NO_DATA),
    )?;
    let stage = stage()?;
    attempt("new root", mount(Some("tmpfs"), &stage, Some("tmpfs"), QUIET, Some(ROOT_OPTIONS)))?;
    attempt("new root", chdir(&stage))?;
    fs::create_dir("old").map_err(|error| step("new root", error))?;
    attempt("new root", pivot_root(".", "old"))?;
    attempt("new root", chdir("/"))?;
    for place in &view.places {
        match &place.content {
            Content::Link(target) => link(target, &place.path)?,
            Content::Real(source) => show(source, &place.path, libc::MOUNT_ATTR_RDONLY)?,
        }
    }
    if let Some(workshop) = &plan.workshop {
        show(workshop, workshop, 0)?;
    }
    for hidden in view.hidden.iter().filter(|path| view.shows(path)) {
        bind(Path::new("/old/dev/null"), hidden)?;
    }
    devices()?;
    processes()?;
    own_folder(view, &plan.folder, bytes)?;
    users()?;
    attempt("old root", umount2(OLD, MntFlags::MNT_DETACH))?;
    fs::remove_dir(OLD).map_err(|error| step("old root", error))?;
    restrict(Path::new("/"), libc::MOUNT_ATTR_RDONLY, false)
}

/// A folder to mount the new root at, in which nothing is needed later.
fn stage() -> io::Result<PathBuf> {
    let mut stages = STAGES.into_iter().map(PathBuf::from);
    let stage = stages.find(|folder| folder.is_dir());
    stage.ok_or_else(|| io::Error::other("no folder to mount the new root at"))
}

fn attempt<T>(what: &str, result: nix::Result<T>) -> io::Result<T> {
    result.map_err(|error| step(what, error.into()))
}

fn link(target: &Path, path: &Path) -> io::Result<()> {
    symlink(target, path).map_err(|error| step(&path.to_string_lossy(), error))
}

/// Shows a file or folder of the old root, in mounts with these attributes.
fn show(source: &Path, path: &Path, attributes: u64) -> io::Result<()> {
    let source = Path::new(OLD).join(source.strip_prefix("/").unwrap_or(source));
    let named = |error| step(&path.to_string_lossy(), error);
    if path.exists() {
        // Something shows it already, in another way.
    } else if fs::metadata(&source).map_err(named)?.is_dir() {
        fs::create_dir_all(path).map_err(named)?;
    } else {
        make_file(path).map_err(named)?;
    }
    bind(&source, path)?;
    restrict(path, attributes, true)
}

fn make_file(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create(path).map(drop)
}

fn bind(source: &Path, path: &Path) -> io::Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    attempt(&path.to_string_lossy(), mount(Some(source), path, NO_DATA, flags, NO_DATA))
}

/// Gives attributes to a mount, and to all mounts below it if it is recursive. That there are no
/// devices in it, and no changes of the user, is always among them.
fn restrict(path: &Path, attributes: u64, recursive: bool) -> io::Result<()> {
    let attributes = libc::mount_attr {
        attr_set: attributes | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let name = CString::new(path.as_os_str().as_bytes())?;
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the pointers are to values that outlive the call, and the size is that of the second.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            name.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(step(&format!("mount at {}", path.display()), io::Error::last_os_error()))
    }
}

fn devices() -> io::Result<()> {
    fs::create_dir("/dev")?;
    for device in DEVICES {
        let path = Path::new("/dev").join(device);
        make_file(&path)?;
        bind(&Path::new("/old/dev").join(device), &path)?;
    }
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")]
    {
        symlink(Path::new("/proc/self").join(target), Path::new("/dev").join(name))?;
    }
    Ok(())
}

/// The processes of this box. The root of the computer could set values of the kernel here without
/// any capability, so it cannot be written.
fn processes() -> io::Result<()> {
    fs::create_dir("/proc")?;
    let flags = QUIET | MsFlags::MS_NOEXEC | MsFlags::MS_RDONLY;
    attempt("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, NO_DATA))
}

/// The only folder that can be written, in memory. Programs that look for temporary files elsewhere
/// find it there, too.
fn own_folder(view: &View, folder: &Path, bytes: u64) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // A few more files than it may hold, to see that a program exceeds the limit.
    let options = format!("size={bytes},nr_inodes={},mode=700", 2 * MOST_FILES);
    let name = folder.to_string_lossy();
    attempt(&name, mount(Some("tmpfs"), folder, Some("tmpfs"), QUIET, Some(options.as_str())))?;
    for other in ["/tmp", "/var/tmp", "/dev/shm"].map(Path::new) {
        let is_free =
            !other.exists() && !view.places.iter().any(|place| place.path.starts_with(other));
        if is_free {
            other.parent().map_or(Ok(()), fs::create_dir_all)?;
            symlink(folder, other)?;
        }
    }
    Ok(())
}

fn users() -> io::Result<()> {
    fs::create_dir_all("/etc")?;
    fs::write("/etc/passwd", USERS)?;
    fs::write("/etc/group", GROUPS)
}
