//! The cache of compiled classes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::error::JavaError;
use super::files::read;

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

    /// Makes a cache in this folder.
    #[cfg(test)]
    pub(super) fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// Returns the folder that `make` has filled for this key, now or earlier.
    ///
    /// It is filled under another name first, so that no process sees it half full. When several processes
    /// fill the same folder at once, all use the folder of the process that finishes first.
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
pub(super) struct Key {
    kind: &'static str,
    hasher: DefaultHasher,
}

impl Key {
    pub(super) fn new(kind: &'static str) -> Key {
        Key { kind, hasher: DefaultHasher::new() }
    }

    /// Adds a part.
    pub(super) fn add(&mut self, part: impl Hash) {
        part.hash(&mut self.hasher);
    }

    /// Adds the contents of a file.
    pub(super) fn add_file(&mut self, path: &Path) -> io::Result<()> {
        read(path)?.hash(&mut self.hasher);
        Ok(())
    }

    fn name(&self) -> String {
        format!("{}-{:016x}", self.kind, self.hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    fn write(text: &'static str) -> impl Fn(&Path) -> Result<(), JavaError> {
        move |folder| fs::write(folder.join("text"), text).map_err(JavaError::at(folder))
    }

    #[test]
    fn what_was_made_is_not_made_again() -> Result<(), JavaError> {
        let folder = tempfile::tempdir().map_err(JavaError::at("temporary"))?;
        let cache = Cache::in_folder(folder.path().join("deep").join("down"));
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
    fn what_failed_leaves_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let cache = Cache::in_folder(folder.path().to_owned());
        assert!(cache.get(&Key::new("text"), |_| Err(JavaError::NoCache)).is_err());
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn several_may_make_the_same_at_once() -> io::Result<()> {
        const MAKERS: usize = 8;
        let folder = tempfile::tempdir()?;
        let cache = Cache::in_folder(folder.path().to_owned());
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
