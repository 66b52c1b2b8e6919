//! Copies of folders in which a stranger's program may have written.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    FileType, Mode, OFlags, Stat, Timespec, Timestamps, fchmod, fstat, futimens, openat,
    readlinkat, symlinkat,
};
use rustix::path::Arg;

use crate::folder::{DEEPEST, Folder, give};

/// The limits of a copy, and the look of the files that it makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copying {
    /// The user and the group that own the copies, or `None` for those of this process.
    pub(crate) owner: Option<u32>,
    /// The size of all files together, in bytes.
    pub(crate) bytes: u64,
    /// The number of files and folders.
    pub(crate) files: usize,
}

impl Folder {
    /// Copies everything into another folder: files, folders, and links that stay inside. The copies
    /// have the times of the originals; their owner may change them, and others may read them.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`FileTooLarge`](io::ErrorKind::FileTooLarge) when there is more
    /// than a limit allows, and the error of the OS when it refuses something.
    pub(crate) fn copy_to(&self, target: &Folder, copying: Copying) -> io::Result<()> {
        let mut left = copying;
        self.copy_level(target, &mut left, 0)
    }

    fn copy_level(&self, target: &Folder, left: &mut Copying, depth: usize) -> io::Result<()> {
        let too_much = || io::Error::from(io::ErrorKind::FileTooLarge);
        if depth > DEEPEST {
            return Err(too_much());
        }
        for name in self.names()? {
            left.files = left.files.checked_sub(1).ok_or_else(too_much)?;
            let found = self.look(&name)?;
            match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => {
                    let inner = self.enter(&name)?;
                    let copy = target.add(&name, None)?;
                    inner.copy_level(&copy, left, depth + 1)?;
                    copy.set_mode(0o755)?;
                    copy.give(left.owner)?;
                    set_times(copy.as_fd(), &found)?;
                }
                FileType::RegularFile => self.copy_file(&name, target, left)?,
                FileType::Symlink => {
                    let to = readlinkat(self, &name, Vec::new())?;
                    if stays_inside(&to, depth) {
                        symlinkat(&to, target, &name)?;
                    }
                }
                // Pipes, sockets and devices.
                _ => {}
            }
        }
        Ok(())
    }

    fn copy_file<P: Arg + Copy>(
        &self,
        name: P,
        target: &Folder,
        left: &mut Copying,
    ) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let from: File = openat(self, name, flags, Mode::empty())?.into();
        let found = fstat(&from)?;
        let to = target.new_file(name)?;
        let copied = io::copy(&mut from.take(left.bytes.saturating_add(1)), &mut &to)?;
        left.bytes = left.bytes.checked_sub(copied).ok_or(io::ErrorKind::FileTooLarge)?;
        let is_program = found.st_mode & 0o111 != 0;
        fchmod(&to, Mode::from_raw_mode(if is_program { 0o755 } else { 0o644 }))?;
        give(&to, left.owner)?;
        set_times(to.as_fd(), &found)
    }
}

/// Sets the times of a copy. Builds compare those of sources and what was made of them.
fn set_times(copy: BorrowedFd<'_>, original: &Stat) -> io::Result<()> {
    let time = Timespec { tv_sec: original.st_mtime as _, tv_nsec: original.st_mtime_nsec as _ };
    Ok(futimens(copy, &Timestamps { last_access: time, last_modification: time })?)
}

/// Returns whether a link in a folder at this depth leads to a place below the top.
fn stays_inside(target: &CStr, depth: usize) -> bool {
    let path = Path::new(OsStr::from_bytes(target.to_bytes()));
    let (mut depth, mut goes_down) = (depth, false);
    path.is_relative()
        && path.components().all(|part| match part {
            // What is above a folder that is named may be elsewhere: it may be a link itself.
            std::path::Component::ParentDir => {
                let is_inside = depth > 0 && !goes_down;
                depth = depth.saturating_sub(1);
                is_inside
            }
            std::path::Component::Normal(_) => {
                goes_down = true;
                true
            }
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const ALL: Copying = Copying { owner: None, bytes: 1 << 20, files: 100 };

    #[test]
    fn copies_have_no_links_that_lead_out() -> io::Result<()> {
        let [from, to] = [tempfile::tempdir()?, tempfile::tempdir()?];
        let path = |name: &str| from.path().join(name);
        fs::create_dir(path("bin"))?;
        fs::write(path("bin/play"), "#!/bin/sh\n")?;
        fs::set_permissions(path("bin/play"), fs::Permissions::from_mode(0o6777))?;
        for (name, target) in [
            ("bin/in", "../bin/play"),
            ("bin/out", "../../etc"),
            ("bin/dot", "./../../etc"),
            ("bin/back", "in/../../../etc"),
            ("absolute", "/etc"),
            ("up", ".."),
        ] {
            symlink(target, path(name))?;
        }
        let [folder, copy] = [Folder::open(from.path())?, Folder::open(to.path())?];
        folder.copy_to(&copy, ALL)?;
        assert_eq!(fs::read_link(to.path().join("bin/in"))?, Path::new("../bin/play"));
        for name in ["bin/out", "bin/dot", "bin/back", "absolute", "up"] {
            assert!(to.path().join(name).symlink_metadata().is_err(), "{name}");
        }
        let copied = fs::metadata(to.path().join("bin/play"))?;
        assert_eq!(copied.permissions().mode() & 0o7777, 0o755);
        assert_eq!(copied.modified()?, fs::metadata(path("bin/play"))?.modified()?);
        let small = Copying { bytes: 5, ..ALL };
        let again = tempfile::tempdir()?;
        let error = folder.copy_to(&Folder::open(again.path())?, small).expect_err("too large");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        Ok(())
    }
}
