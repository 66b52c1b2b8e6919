//! What a program sees of the disk.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command::{find_program, is_public, named_paths};
use crate::runtimes::{Runtimes, runtimes};

/// The folders and files that programs of any language need. Those that are missing are left out.
const SYSTEM: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/nix/store",
    "/gnu/store",
];

/// The folder with the settings of languages, and how their names begin in it.
const SETTINGS: &str = "/etc";
const SETTINGS_OF: [&str; 2] = ["java-", "python3"];

/// What makes up an installed language beside its folder `bin`.
const RUNTIME_PARTS: [&str; 8] =
    ["bin", "lib", "lib64", "libexec", "conf", "jmods", "release", "pyvenv.cfg"];

/// The longest first line of a script that is looked at, in bytes.
const LONGEST_SHEBANG: u64 = 256;

/// A file or folder that a program can read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The path by which the program knows it. It is absolute.
    pub(crate) path: PathBuf,
    /// What is there.
    pub(crate) content: Content,
}

/// What is at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Content {
    /// The file or folder with this path, in which no part is a link.
    Real(PathBuf),
    /// A link with this target.
    Link(PathBuf),
}

/// What a program sees of the disk: everything else is not there, or cannot be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct View {
    /// The places, sorted by path, none of which is below another.
    pub(crate) places: Vec<Place>,
    /// The files below them that the program does not see. Their paths have no links.
    pub(crate) hidden: Vec<PathBuf>,
    /// The variables that tell the languages where they are installed.
    pub(crate) variables: Vec<(String, String)>,
    /// The folders in which programs are looked for.
    pub(crate) path: String,
}

impl View {
    /// Returns what the program of a command sees: the system and the languages, the folder of the
    /// program and those of the files that its arguments name, and what is `visible`.
    ///
    /// `words` are the program, by a path, and its arguments. The files in `hidden` are left out,
    /// unless the command names one of them: an installed program consists of several.
    pub(crate) fn of(words: &[String], visible: &[PathBuf], hidden: &[PathBuf]) -> View {
        let mut paths: Vec<PathBuf> = system();
        let Runtimes { visible: of_runtimes, variables, programs } = runtimes();
        paths.extend(of_runtimes);
        if let Some(program) = words.first() {
            paths.extend(program_places(Path::new(program)));
        }
        let named: Vec<PathBuf> = words.iter().skip(1).flat_map(|word| named_paths(word)).collect();
        paths.extend(named.iter().map(|path| folder_of(path)));
        paths.extend(visible.iter().filter_map(|path| std::path::absolute(path).ok()));
        let places = without_nested(paths.iter().flat_map(|path| places(path)).collect());

        let is_named = |path: &PathBuf| {
            let program = words.first().map(PathBuf::from);
            let mut named = program.iter().chain(&named).chain(visible);
            named.any(|named| fs::canonicalize(named).is_ok_and(|named| named == *path))
        };
        let hidden = hidden.iter().filter_map(|path| fs::canonicalize(path).ok());
        let hidden: Vec<PathBuf> = hidden.collect();
        let hidden = if hidden.iter().any(is_named) { Vec::new() } else { hidden };
        let mut view = View { places, hidden, variables, path: String::new() };
        view.path = view.search_path(programs);
        view
    }

    /// Returns whether a path leads to something that the program sees.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        self.places.iter().any(|place| path.starts_with(&place.path))
    }

    /// The folders of `PATH` of which the program sees something, and others before them.
    fn search_path(&self, first: Vec<PathBuf>) -> String {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in first.into_iter().chain(env::split_paths(&path)) {
            let has_place = self.places.iter().any(|place| place.path.parent() == Some(&folder));
            if (has_place || self.shows(&folder)) && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let path = env::join_paths(folders).unwrap_or_default();
        path.into_string().unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned())
    }
}

/// Checks that other users can find what a command names, and what is visible.
///
/// # Errors
///
/// An error that names the first file or folder that they cannot find.
pub(crate) fn check_public(words: &[String], visible: &[PathBuf]) -> io::Result<()> {
    let program = words.first().map(PathBuf::from);
    let named = words.iter().skip(1).flat_map(|word| named_paths(word));
    let mut paths = program.into_iter().chain(named).chain(visible.iter().cloned());
    // The system tells of a program that is not there when it is started.
    match paths.find(|path| path.exists() && !is_public(path)) {
        None => Ok(()),
        Some(path) => Err(io::Error::other(format!(
            "{}: expected a path on which other users may go, for at the level user a program has a \
             user ID of its own: `chmod o+x` its folders, or use others",
            path.display()
        ))),
    }
}

fn system() -> Vec<PathBuf> {
    let settings = fs::read_dir(SETTINGS).into_iter().flatten().flatten();
    let is_setting = |name: &OsStr| {
        SETTINGS_OF.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes()))
    };
    let settings = settings.filter(|entry| is_setting(&entry.file_name()));
    let settings = settings.map(|entry| entry.path());
    SYSTEM.iter().map(PathBuf::from).chain(settings).collect()
}

/// The folder of a program, that of the file behind a link to it, and those of the interpreter of
/// a script.
fn program_places(program: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder_of(program)];
    if let Ok(real) = fs::canonicalize(program) {
        found.extend(runtime_of(&real));
        found.push(folder_of(&real));
    }
    if let Some(interpreter) = interpreter(program) {
        found.push(folder_of(&interpreter));
        found.extend(runtime_of(&interpreter));
        if let Ok(real) = fs::canonicalize(&interpreter) {
            found.extend(runtime_of(&real));
        }
    }
    found
}

/// The parts of the installation that a program in a folder `bin` belongs to.
fn runtime_of(program: &Path) -> Vec<PathBuf> {
    let bin = program.parent().filter(|folder| folder.ends_with("bin"));
    let Some(root) = bin.and_then(Path::parent) else { return Vec::new() };
    if !root.join("lib").is_dir() {
        return Vec::new();
    }
    RUNTIME_PARTS.iter().map(|part| root.join(part)).collect()
}

/// The program that a script names in its first line.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    fs::File::open(script).ok()?.take(LONGEST_SHEBANG).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let program = PathBuf::from(words.next()?);
    if program.ends_with("env") { find_program(words.next()?, false) } else { Some(program) }
}

/// A folder itself, or the folder of a file.
fn folder_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|_| !path.is_dir());
    parent.unwrap_or(path).to_owned()
}

/// The places at which a file or folder can be seen: by this path and, if there are links in it, by
/// the one without.
fn places(path: &Path) -> Vec<Place> {
    let Ok(real) = fs::canonicalize(path) else { return Vec::new() };
    // The whole disk is never shown, nor what the sandbox makes itself.
    if real == Path::new("/") || ["/proc", "/dev", "/sys"].iter().any(|own| real.starts_with(own)) {
        return Vec::new();
    }
    let own = Place { path: real.clone(), content: Content::Real(real.clone()) };
    match fs::read_link(path) {
        _ if path == real => vec![own],
        // Links of the system lead from one part of it to another.
        Ok(target) if path.parent() == Some(Path::new("/")) => {
            vec![Place { path: path.to_owned(), content: Content::Link(target) }]
        }
        _ => vec![own, Place { path: path.to_owned(), content: Content::Real(real) }],
    }
}

/// The same places, sorted, without those that another shows already.
fn without_nested(mut places: Vec<Place>) -> Vec<Place> {
    places.sort();
    places.dedup_by(|next, kept| {
        let is_link = matches!(kept.content, Content::Link(_));
        next.path == kept.path || next.path.starts_with(&kept.path) && !is_link
    });
    places
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn shows(view: &View, path: &Path) -> bool {
        view.shows(path)
    }

    #[test]
    fn program_sees_its_folder_and_those_of_named_files() -> std::io::Result<()> {
        let disk = tempfile::tempdir()?;
        let path = |name: &str| disk.path().join(name);
        for folder in ["ann/bin", "bob", "data", "secret", "more"] {
            fs::create_dir_all(path(folder))?;
        }
        for file in ["ann/bin/play", "bob/play", "data/book", "secret/checks"] {
            fs::write(path(file), "")?;
        }
        let text = |name: &str| path(name).to_string_lossy().into_owned();
        let words = [text("ann/bin/play"), format!("--book={}", text("data/book")), "7".into()];
        let hidden = [path("bob/play"), path("data/book"), path("ann/bin/play")];
        let view = View::of(&words, &[path("more")], &hidden);
        for seen in ["ann/bin/play", "data/book", "more/x"] {
            assert!(shows(&view, &path(seen)), "{seen}");
        }
        for unseen in ["bob/play", "secret/checks", "ann", ""] {
            assert!(!shows(&view, &path(unseen)), "{unseen}");
        }
        assert!(shows(&view, Path::new("/usr/bin/env")) && !shows(&view, Path::new("/etc/shadow")));
        // What a command names is not hidden from it, nor what belongs to that.
        assert!(view.hidden.is_empty());
        let others = View::of(&words, &[path("more")], &hidden[..1]);
        assert_eq!(others.hidden, [fs::canonicalize(path("bob/play"))?]);
        assert!(view.path.split(':').any(|folder| view.shows(Path::new(folder))));
        Ok(())
    }

    #[test]
    fn links_are_seen_with_what_they_lead_to() -> std::io::Result<()> {
        let disk = tempfile::tempdir()?;
        let real = disk.path().join("real");
        fs::create_dir(&real)?;
        fs::write(real.join("play"), "#!/opt/none/bin/python\n")?;
        symlink(&real, disk.path().join("link"))?;
        let words = [disk.path().join("link/play").to_string_lossy().into_owned()];
        let view = View::of(&words, &[], &[]);
        assert!(shows(&view, &disk.path().join("link/play")) && shows(&view, &real.join("play")));
        Ok(())
    }

    #[test]
    fn places_below_others_are_left_out() {
        let place = |path: &str| Place { path: path.into(), content: Content::Real(path.into()) };
        let places = ["/a/b", "/a", "/ab", "/a/b/c", "/b"].map(place).to_vec();
        assert_eq!(without_nested(places), ["/a", "/ab", "/b"].map(place));
    }
}
