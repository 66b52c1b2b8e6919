//! The files of a Java player, which are untrusted; the classes in them; and the cache of compiled classes.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{env, fs};

use plyground_durable::input::{open_regular, read_regular};
use plyground_host::external::{java_class_name, java_package};
use sha2::{Digest, Sha256};

use super::jdk::{JavaError, MOST_BYTES, MOST_FILES};

/// The length of the beginning of a class file, or of a source, that gives its name, in bytes. Constants
/// precede the name in a class file, and comments in a source.
const BEGINNING: [u64; 2] = [256 << 10, 64 << 10];

/// A file of Java: a class, or the source of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JavaFile {
    /// The number of folders between the file and the searched folder.
    pub(super) depth: usize,
    pub(super) path: PathBuf,
}

impl JavaFile {
    pub(super) fn is_source(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "java")
    }

    /// Returns the name of the file without `.java` or `.class`.
    pub(super) fn stem(&self) -> &str {
        self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
    }

    /// Returns the name of the Java class with its package, as the file gives it; `None` if the file gives
    /// no name.
    pub(super) fn name(&self) -> Option<String> {
        let mut bytes = Vec::new();
        let length = BEGINNING[usize::from(self.is_source())];
        open_regular(&self.path).ok()?.take(length).read_to_end(&mut bytes).ok()?;
        if !self.is_source() {
            return java_class_name(&bytes);
        }
        let package = java_package(&String::from_utf8_lossy(&bytes));
        (!package.is_empty()).then(|| format!("{package}.{}", self.stem()))
    }

    /// Returns the folder from which Java must look for the class `name` to find this file: for
    /// `player.MachinePlayer` in `ann/player/MachinePlayer.java` it is `ann`. `None` if Java would not find
    /// this file, or would look above the searched folder: the program sees the whole root, and the author of a
    /// file chooses its package.
    pub(super) fn root_of(&self, name: &str) -> Option<&Path> {
        let mut place = self.path.as_path();
        let mut parts = name.rsplit('.');
        if parts.next() != Some(self.stem()) || name.matches('.').count() > self.depth {
            return None;
        }
        place = place.parent()?;
        for part in parts {
            if place.file_name()? != part {
                return None;
            }
            place = place.parent()?;
        }
        Some(place)
    }
}

/// Returns the contents of a file of a submission.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("expected at most {MOST_BYTES} bytes, found more"));
    read_regular(path, MOST_BYTES)?.ok_or_else(too_large)
}

/// Returns the files of Java in a folder and below, sorted: the nearest files first.
pub(super) fn java_files(folder: &Path) -> Result<Vec<JavaFile>, JavaError> {
    java_files_and_links(folder).map(|(files, _)| files)
}

/// Returns the files of Java, and true if there are links, which compilers follow and this function does
/// not.
pub(super) fn java_files_and_links(folder: &Path) -> Result<(Vec<JavaFile>, bool), JavaError> {
    let (mut found, mut has_links) = (Vec::new(), false);
    let mut pending = vec![(0, folder.to_owned())];
    let mut seen = 0;
    while let Some((depth, folder_now)) = pending.pop() {
        for entry in fs::read_dir(&folder_now).map_err(JavaError::at(&folder_now))? {
            let entry = entry.map_err(JavaError::at(&folder_now))?;
            seen += 1;
            if seen > MOST_FILES {
                return Err(JavaError::TooLarge);
            }
            let (path, kind) = (entry.path(), entry.file_type());
            has_links |= kind.as_ref().is_ok_and(fs::FileType::is_symlink);
            // Such a name belongs to an editor or an archiver. No package of Java has one, so compilers find nothing
            // there either.
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // Links are not followed, because they may form a cycle or lead to an endless file. Pipes are
            // skipped, because reading from one may never end.
            let Ok(kind) = kind else { continue };
            if kind.is_dir() {
                pending.push((depth + 1, path));
            } else if kind.is_file()
                && path.extension().is_some_and(|end| end == "java" || end == "class")
            {
                found.push(JavaFile { depth, path });
            }
        }
    }
    found.sort();
    Ok((found, has_links))
}

/// The cache: a folder of this user, with a folder in it for each thing that was made before.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Returns the cache of this user, by the rules of the XDG base directories.
    pub(super) fn of_user() -> Result<Cache, JavaError> {
        let variable =
            |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let root = variable("XDG_CACHE_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".cache")))
            .ok_or(JavaError::NoCache)?;
        Ok(Cache { folder: root.join("plyground").join("java") })
    }

    /// Returns the folder that `make` has filled for this key, now or earlier.
    ///
    /// The folder is filled under another name first, so that no process sees it half full. When several
    /// processes fill the same folder at once, all use the folder of the process that finishes first.
    pub(super) fn get(
        &self,
        key: &Key,
        make: impl FnOnce(&Path) -> Result<(), JavaError>,
    ) -> Result<PathBuf, JavaError> {
        let place = self.folder.join(key.name());
        if place.is_dir() {
            return Ok(place);
        }
        fs::create_dir_all(&self.folder).map_err(JavaError::at(&self.folder))?;
        let draft = tempfile::Builder::new()
            .prefix("draft-")
            .tempdir_in(&self.folder)
            .map_err(JavaError::at(&self.folder))?;
        make(draft.path())?;
        match fs::rename(draft.path(), &place) {
            Ok(()) => {
                // The draft has moved, so there is nothing left to remove.
                let _ = draft.keep();
                Ok(place)
            }
            Err(_) if place.is_dir() => Ok(place),
            Err(error) => Err(JavaError::at(place)(error)),
        }
    }
}

/// The key of a thing in the cache: its kind, and all parts that it is made of.
///
/// A student must not be able to make two things with the same key, because one would be taken for the
/// other.
pub(super) struct Key {
    kind: &'static str,
    hash: Sha256,
}

impl Key {
    pub(super) fn new(kind: &'static str) -> Key {
        Key { kind, hash: Sha256::new() }
    }

    /// Adds a part.
    pub(super) fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        // Because of the length, different lists of parts have different bytes.
        self.hash.update((part.len() as u64).to_le_bytes());
        self.hash.update(part);
    }

    fn name(&self) -> String {
        let hash = self.hash.clone().finalize();
        let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{digits}", self.kind)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn class_is_found_from_its_root() {
        let file = |depth, path: &str| JavaFile { depth, path: path.into() };
        let machine = file(1, "subs/ann/player/MachinePlayer.java");
        assert_eq!(machine.root_of("player.MachinePlayer"), Some(Path::new("subs/ann")));
        assert_eq!(machine.root_of("MachinePlayer"), Some(Path::new("subs/ann/player")));
        assert_eq!(machine.root_of("players.MachinePlayer"), None);
        assert_eq!(machine.root_of("player.Machine"), None);
        // The folders above belong to others.
        assert_eq!(machine.root_of("ann.player.MachinePlayer"), None);
        let top = file(0, "MachinePlayer.class");
        assert_eq!(top.root_of("player.MachinePlayer"), None);
        assert!(machine.is_source() && !top.is_source());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_read() -> io::Result<()> {
        use std::os::unix::fs::symlink;
        use std::process::Command;

        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        assert!(Command::new("mkfifo").arg(path("MachinePlayer.java")).status()?.success());
        symlink("/dev/zero", path("Board.java"))?;
        fs::File::create(path("Large.java"))?.set_len(1 << 40)?;
        let (found, has_links) = java_files_and_links(folder.path()).unwrap_or_default();
        assert!(has_links);
        assert_eq!(found.iter().map(JavaFile::stem).collect::<Vec<_>>(), ["Large"]);
        assert_eq!(found[0].name(), None);
        // A link or a pipe may come later.
        assert!(read(&path("MachinePlayer.java")).is_err() && read(&path("Board.java")).is_err());
        Ok(())
    }

    #[test]
    fn nearest_files_come_first() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        for name in
            ["z.java", "a/b.class", "a/c/d.java", "a/e.txt", ".git/f.java", "__MACOSX/._g.class"]
        {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(path, "")?;
        }
        let (found, has_links) = java_files_and_links(folder.path()).unwrap_or_default();
        assert!(!has_links);
        let names: Vec<&str> = found.iter().map(JavaFile::stem).collect();
        assert_eq!(names, ["z", "b", "d"]);
        Ok(())
    }

    fn write(text: &'static str) -> impl Fn(&Path) -> Result<(), JavaError> {
        move |folder| fs::write(folder.join("text"), text).map_err(JavaError::at(folder))
    }

    #[test]
    fn what_was_made_is_not_made_again() -> Result<(), JavaError> {
        let folder = tempfile::tempdir().map_err(JavaError::at("temporary"))?;
        let cache = Cache { folder: folder.path().join("deep").join("down") };
        let mut key = Key::new("text");
        key.add("a");
        let first = cache.get(&key, write("a"))?;
        assert_eq!(cache.get(&key, |_| Err(JavaError::NoCache))?, first);
        key.add("b");
        let second = cache.get(&key, write("b"))?;
        assert_ne!(first, second);
        let text = fs::read_to_string(first.join("text")).map_err(JavaError::at(&first))?;
        assert_eq!(text, "a");
        Ok(())
    }

    #[test]
    fn other_parts_have_another_key() {
        let name = |parts: &[&str]| {
            let mut key = Key::new("text");
            parts.iter().for_each(|part| key.add(part));
            key.name()
        };
        assert_eq!(name(&["ab", "c"]), name(&["ab", "c"]));
        assert_ne!(name(&["ab", "c"]), name(&["a", "bc"]));
        assert_ne!(name(&["a"]), name(&["a", ""]));
        assert_eq!(name(&[]).len(), "text-".len() + 64);
    }

    #[test]
    fn what_failed_leaves_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let cache = Cache { folder: folder.path().to_owned() };
        assert!(cache.get(&Key::new("text"), |_| Err(JavaError::NoCache)).is_err());
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn several_may_make_the_same_at_once() -> io::Result<()> {
        const MAKERS: usize = 8;
        let folder = tempfile::tempdir()?;
        let cache = Cache { folder: folder.path().to_owned() };
        let barrier = Barrier::new(MAKERS);
        thread::scope(|scope| {
            for _ in 0..MAKERS {
                scope.spawn(|| {
                    let made = cache.get(&Key::new("text"), |folder| {
                        // All are at work before one is done.
                        barrier.wait();
                        write("a")(folder)
                    });
                    let text =
                        made.ok().and_then(|made| fs::read_to_string(made.join("text")).ok());
                    assert_eq!(text.as_deref(), Some("a"));
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path())?.count(), 1, "drafts are left");
        Ok(())
    }
}
