//! Attacks that hold files without a name, or blocks that no size tells.

use std::env;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::ptr::null_mut;
use std::thread::sleep;
use std::time::Duration;

use super::memory::{CHUNK, hold};
use super::target::{AttackTargets, Result, call, why};

pub(super) fn memfd(targets: &AttackTargets) -> Result {
    // SAFETY: the name is a string that outlives the call.
    let result = unsafe { libc::memfd_create(c"hoard".as_ptr(), 0) };
    if result < 0 {
        return Err(why(io::Error::last_os_error()));
    }
    // SAFETY: the descriptor is new, and nothing else owns it.
    let mut file: File = unsafe { std::os::fd::FromRawFd::from_raw_fd(result) };
    for _ in 0..targets.memory / CHUNK as u64 {
        file.write_all(&[1; CHUNK]).map_err(why)?;
    }
    hold(targets.memory)
}

pub(super) fn unlinked(targets: &AttackTargets) -> Result {
    let mut kept = Vec::new();
    for number in 0..targets.memory / CHUNK as u64 {
        let path = format!("gone-{number}");
        let mut file = File::create(&path).map_err(why)?;
        file.write_all(&[1; CHUNK]).map_err(why)?;
        fs::remove_file(path).map_err(why)?;
        kept.push(file);
    }
    let result = hold(targets.memory);
    drop(kept);
    result
}

/// Holds files without a name by a mapping of their first pages.
pub(super) fn mapped(_: &AttackTargets) -> Result {
    const FILES: u64 = 10;
    const SIZE: usize = 24 << 20;
    for number in 0..FILES {
        let path = format!("mapped-{number}");
        fs::write(&path, vec![1; SIZE]).map_err(why)?;
        let file = File::open(&path).map_err(why)?;
        // SAFETY: no code reads the memory.
        unsafe {
            libc::mmap(null_mut(), 4096, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0);
        }
        fs::remove_file(path).map_err(why)?;
        sleep(Duration::from_millis(100));
    }
    hold(FILES * SIZE as u64)
}

/// Works in folders without a name, which have grown by names that are gone.
pub(super) fn working_folders(_: &AttackTargets) -> Result {
    const LINKS: usize = 6_000;
    let mut held = 0;
    let mut kept = Vec::new();
    for number in 0..30 {
        let name = format!("folder-{number}");
        fs::create_dir(&name).map_err(why)?;
        let links = (0..LINKS).map(|link| format!("{name}/{link:0200}"));
        let links: Vec<String> = links.collect();
        for link in &links {
            std::os::unix::fs::symlink("x", link).map_err(why)?;
        }
        for link in &links {
            fs::remove_file(link).map_err(why)?;
        }
        held += std::os::unix::fs::MetadataExt::blocks(&fs::metadata(&name).map_err(why)?) * 512;
        kept.push(Command::new("/bin/sleep").arg("60").current_dir(&name).spawn().map_err(why)?);
        fs::remove_dir(&name).map_err(why)?;
    }
    // More than the output of a program under attack may be.
    if held < 32 << 20 {
        return Err(format!("{held} bytes"));
    }
    let held = hold(held);
    for mut child in kept {
        child.kill().and_then(|()| child.wait()).map_err(why)?;
    }
    held
}

/// Holds files without a name in a folder whose path no link can tell.
pub(super) fn deep(targets: &AttackTargets) -> Result {
    for _ in 0..20 {
        let name = "p".repeat(250);
        fs::create_dir(&name).and_then(|()| env::set_current_dir(&name)).map_err(why)?;
    }
    unlinked(targets)
}

/// Holds programs without a name that are executed, and no part of which is mapped.
pub(super) fn unmapped(_: &AttackTargets) -> Result {
    const PROGRAMS: u64 = 10;
    const SIZE: u64 = 24 << 20;
    let here = env::current_dir().map_err(why)?;
    let mut kept = Vec::new();
    for number in 0..PROGRAMS {
        let path = here.join(format!("program-{number}"));
        let mut file = File::create(&path).map_err(why)?;
        file.write_all(&program_that_unmaps_itself()?).map_err(why)?;
        for _ in 0..SIZE / CHUNK as u64 {
            file.write_all(&[1; CHUNK]).map_err(why)?;
        }
        fs::set_permissions(&path, Permissions::from_mode(0o700)).map_err(why)?;
        drop(file);
        kept.push(Command::new(&path).spawn().map_err(why)?);
        fs::remove_file(path).map_err(why)?;
        sleep(Duration::from_millis(100));
    }
    let held = hold(PROGRAMS * SIZE);
    for mut child in kept {
        child.kill().and_then(|()| child.wait()).map_err(why)?;
    }
    held
}

/// Returns a program that copies itself into memory, unmaps itself, and waits.
fn program_that_unmaps_itself() -> std::result::Result<Vec<u8>, String> {
    if !cfg!(target_arch = "x86_64") {
        return Err("the program is for another processor".to_owned());
    }
    const PLACE: u64 = 0x40_0000;
    const PAGE: u64 = 4096;
    const HEADERS: u64 = 64 + 56;
    // mmap(0, 4096, all, private | anonymous, -1, 0), a copy of the rest to there, and a jump.
    const COPY: [u8; 52] = [
        0xb8, 0x09, 0x00, 0x00, 0x00, 0x31, 0xff, 0xbe, 0x00, 0x10, 0x00, 0x00, 0xba, 0x07, 0x00,
        0x00, 0x00, 0x41, 0xba, 0x22, 0x00, 0x00, 0x00, 0x49, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff,
        0x45, 0x31, 0xc9, 0x0f, 0x05, 0x48, 0x89, 0xc7, 0x48, 0x8d, 0x35, 0x09, 0x00, 0x00, 0x00,
        0xb9, 0x20, 0x00, 0x00, 0x00, 0xf3, 0xa4,
    ];
    const JUMP: [u8; 2] = [0xff, 0xe0];
    // munmap(PLACE, 4096), and pause() for ever.
    const REST: [u8; 26] = [
        0xb8, 0x0b, 0x00, 0x00, 0x00, 0xbf, 0x00, 0x00, 0x40, 0x00, 0xbe, 0x00, 0x10, 0x00, 0x00,
        0x0f, 0x05, 0xb8, 0x22, 0x00, 0x00, 0x00, 0x0f, 0x05, 0xeb, 0xf7,
    ];
    let mut program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let words = |words: &[u64], length: usize| -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(length)).collect()
    };
    // An executable for x86-64, its entry, and one segment that is read and executed.
    program.extend(words(&[2, 62], 2));
    program.extend(words(&[1], 4));
    program.extend(words(&[PLACE + HEADERS, 64, 0], 8));
    program.extend(words(&[0], 4));
    program.extend(words(&[64, 56, 1, 0, 0, 0], 2));
    program.extend(words(&[1, 5], 4));
    program.extend(words(&[0, PLACE, PLACE, PAGE, PAGE, PAGE], 8));
    program.extend(COPY.iter().chain(&JUMP).chain(&REST));
    Ok(program)
}

/// Claims blocks behind the end of a file, which has no size.
pub(super) fn behind_end(_: &AttackTargets) -> Result {
    let file = File::create("behind").map_err(why)?;
    let length: libc::off_t = 600 << 20;
    // SAFETY: the call takes numbers only.
    let result = unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, length) };
    call("600 MiB behind the end of a file", result.into())
}
