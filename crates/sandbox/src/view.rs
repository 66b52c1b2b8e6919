//! The files that a program sees: its own, the system, and the runtimes of languages.
//!
//! The view comes from a list: the system, the installed languages, and the files that the host names. The
//! program itself adds only names inside its own folder: its first line and its links are data, not
//! instructions to the host.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, absolute};
use std::sync::OnceLock;
use std::{env, fs, io};

use serde::{Deserialize, Serialize};

use crate::installed::{
    Languages, host_programs, is_host_of_this_computer, languages, own_builds, search_folders,
};
use crate::limits::SandboxLevel;

/// The folders and files that programs of any language need. Missing files are left out.
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

/// The folder with the settings of languages, and the beginnings of their names in it.
const SETTINGS: &str = "/etc";
const SETTINGS_OF: [&str; 2] = ["java-", "python3"];

/// The programs by which a language is found in a folder of `PATH`, each with a path that its installation has beside
/// the folder `bin`. Paths of Python vary: see [`has_python`].
const LANGUAGE_SIGNS: [(&str, &str); 6] = [
    ("python3", ""),
    ("java", "release"),
    ("javac", "release"),
    ("node", "include/node"),
    ("cargo", "lib/rustlib"),
    ("rustc", "lib/rustlib"),
];

/// Files and folders that tell an installed language from a submission with folders `bin` and `lib`.
const RUNTIME_SIGNS: [&str; 4] = ["pyvenv.cfg", "release", "include", "share"];

/// The parts of an installed language beside its folder `bin`.
const RUNTIME_PARTS: [&str; 8] =
    ["bin", "lib", "lib64", "libexec", "conf", "jmods", "release", "pyvenv.cfg"];

/// A file or folder that a program can read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The path by which the program knows it. It is absolute.
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
    /// If true, the place belongs to a program, which is to blame if it cannot be shown.
    pub(crate) is_named: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Content {
    /// The file or folder with this path, in which no part is a link.
    Real(PathBuf),
    /// A link with this target.
    Link(PathBuf),
}

/// The part of the disk that a program sees. Everything else is absent, or cannot be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct View {
    /// The places, sorted by path, none of which is below another.
    pub(crate) places: Vec<Place>,
    /// The files below the places that the program does not see. Their paths have no links.
    pub(crate) hidden: Vec<PathBuf>,
    /// If true, programs that are hosts themselves run.
    pub(crate) hosts: bool,
    /// The variables that tell the languages where they are installed.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) path: String,
    /// The reason why a file of the command is not shown, if so. The program is then not started.
    pub(crate) refused: Option<String>,
    /// The folder of the first file of the command that belongs neither to the system nor to a language.
    /// Programs expect the files of this folder in their current folder.
    pub(crate) own: Option<PathBuf>,
}

impl View {
    /// Returns the view of a program: the system and the languages, the folder of the program, the folders of
    /// the `named` files, and the `visible` files.
    ///
    /// If `hosts` is true, hosts run; by default, they run if the command names a host.
    pub(crate) fn of(
        program: Option<&Path>,
        named: &[PathBuf],
        visible: &[PathBuf],
        hosts: Option<bool>,
    ) -> View {
        let (of_system, Languages { variables, programs, .. }) = of_computer();
        let visible_too = visible.iter().filter_map(|path| absolute(path).ok());
        let mut places: Vec<Place> = of_system.clone();
        places.extend(visible_too.flat_map(|path| places_of(&path)));
        let listed: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();

        let named = || program.into_iter().chain(named.iter().map(PathBuf::as_path));
        let (mut refused, mut own) = (None, None);
        for path in named() {
            match resolve(path, &listed) {
                Ok(real) => {
                    let folders = places_of_name(path, &real, &listed);
                    let folder = folders.first().map(|place| &place.path);
                    let is_listed = |path: &PathBuf| listed.iter().any(|it| path.starts_with(it));
                    own = own.or_else(|| folder.filter(|path| !is_listed(path)).cloned());
                    places.extend(folders);
                }
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        for part in program.iter().flat_map(|program| runtime_parts(program, &listed)) {
            places.extend(
                places_of(&part).into_iter().map(|place| Place { is_named: true, ..place }),
            );
        }
        // The mark of a host may hide a program, but never lets a program run, because strangers can write
        // the mark into their files.
        let mut named = named().chain(visible.iter().map(PathBuf::as_path));
        let hosts = hosts.unwrap_or_else(|| named.any(is_host_of_this_computer));
        let hidden = if hosts { Vec::new() } else { host_programs().iter().cloned().collect() };
        // A program of a package starts a build of the package, so the builds must be visible.
        let builds = own_builds().filter(|_| hosts);
        places.extend(builds.iter().flat_map(|builds| places_of(builds)));
        let (places, path) = (without_nested(places), String::new());
        let variables = variables.clone();
        let mut view = View { places, hidden, hosts, variables, path, refused, own };
        view.path = view.search_path(programs.clone());
        view
    }

    /// Returns true if the program sees the file or folder at a path.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        self.places.iter().any(|place| path.starts_with(&place.path))
    }

    /// Returns the value of `PATH` for the program: the folders `first`, then the host's, without invisible
    /// folders.
    fn search_path(&self, first: Vec<PathBuf>) -> String {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in first.into_iter().chain(search_folders().iter().cloned()) {
            let has_place = self.places.iter().any(|place| place.path.parent() == Some(&folder));
            if (has_place || self.shows(&folder)) && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let path = env::join_paths(folders).unwrap_or_default();
        path.into_string().unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned())
    }
}

/// Checks that other users can find these files.
///
/// # Errors
///
/// Returns an error that names the first file or folder that other users cannot find.
pub(crate) fn check_public<'a>(mut paths: impl Iterator<Item = &'a Path>) -> io::Result<()> {
    // A missing program is reported at its start.
    match paths.find(|path| path.exists() && !is_public(path)) {
        None => Ok(()),
        Some(path) => Err(io::Error::other(format!(
            "{}: expected a path that other users may enter, because at the level user a program \
             has its own user ID: `chmod o+x` its folders, or use others",
            path.display()
        ))),
    }
}

/// Returns the folders of installed languages that programs of a level cannot use: at the level `user` a
/// program runs as another user, who cannot enter the home folder of root, for example.
#[must_use]
pub fn closed_languages(level: SandboxLevel) -> Vec<PathBuf> {
    let visible = if level == SandboxLevel::User { &*of_computer().1.visible } else { &[] };
    let closed = visible.iter().filter(|folder| folder.is_dir() && !is_public(folder));
    closed.cloned().collect()
}

/// Returns a word of a person's command with absolute paths, so that it means the same in every current
/// folder, and the files that it names.
///
/// A word names a file if a file of that name exists. Otherwise each part between `:` may name a file, and
/// otherwise each part of these between `=`. The word must not contain the name of a stranger's file, because
/// that name could be chosen to name other files.
#[must_use]
pub fn name_files(word: &str) -> (String, Vec<PathBuf>) {
    let mut files = Vec::new();
    let text = name_parts(word, &[':', '='], &mut files);
    (text, files)
}

fn name_parts(text: &str, separators: &[char], files: &mut Vec<PathBuf>) -> String {
    if !text.is_empty() && Path::new(text).symlink_metadata().is_ok() {
        let path = absolute(text).unwrap_or_else(|_| text.into());
        let text = path.to_str().map_or_else(|| text.to_owned(), str::to_owned);
        files.push(path);
        return text;
    }
    let Some((&separator, others)) = separators.split_first() else { return text.to_owned() };
    let parts: Vec<String> =
        text.split(separator).map(|part| name_parts(part, others, files)).collect();
    parts.join(separator.encode_utf8(&mut [0; 4]))
}

/// Returns the absolute path of a program that is named as in a shell, or the name if it is not found.
pub(crate) fn absolute_program(name: &str, public: bool) -> String {
    let path = find_program(name, public).unwrap_or_else(|| name.into());
    path.to_string_lossy().into_owned()
}

/// Returns true if a program that runs at this level finds a program of this name in its `PATH`. The `visible` paths
/// are those that programs see beside the system and the languages.
#[must_use]
pub fn finds_program(name: &str, level: SandboxLevel, visible: &[PathBuf]) -> bool {
    if level == SandboxLevel::None {
        return find_program(name, false).is_some();
    }
    let view = View::of(None, &[], visible, None);
    let is_open = |place: &Path| level != SandboxLevel::User || is_public(place);
    env::split_paths(&view.path)
        .map(|folder| folder.join(name))
        .any(|place| place.is_file() && view.shows(&place) && is_open(&place))
}

fn find_program(name: &str, public: bool) -> Option<PathBuf> {
    if name.contains('/') {
        return absolute(name).ok();
    }
    let mut places = search_folders().iter().map(|folder| folder.join(name));
    absolute(places.find(|place| place.is_file() && (!public || is_public(place)))?).ok()
}

/// Returns the outermost folder on the way to `path` that a program of this level cannot enter.
#[must_use]
pub fn closed_folder(path: &Path, level: SandboxLevel) -> Option<PathBuf> {
    if level != SandboxLevel::User || is_public(path) {
        return None;
    }
    let real = path.canonicalize().ok()?;
    let mut folders = real.ancestors();
    // The program can enter all folders around the outermost closed folder.
    folders.find(|folder| folder.parent().is_none_or(is_public)).map(Path::to_owned)
}

fn is_public(path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    // A file without permission to execute is data, and needs none.
    let skipped = usize::from(real.is_file() && !has_mode(&real, 0o111));
    real.ancestors().skip(skipped).all(|path| has_mode(path, 0o001))
}

fn has_mode(path: &Path, bits: u32) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & bits != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = bits;
        path.exists()
    }
}

/// Returns the path without links of a file that a command names.
///
/// A link is followed if it is in the root, where systems have links, if it leads to the system or a
/// language, or if it leads to a place inside its own folder. Other links are refused, because a stranger's
/// program can make a link to any file.
fn resolve(path: &Path, listed: &[PathBuf]) -> Result<PathBuf, String> {
    let mut real = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::RootDir | Component::Prefix(_) | Component::CurDir => continue,
            Component::ParentDir => {
                real.pop();
                continue;
            }
            Component::Normal(name) => real.push(name),
        }
        if !real.is_symlink() {
            continue;
        }
        let above = real.parent().unwrap_or(Path::new("/"));
        let target = fs::canonicalize(&real).map_err(|error| {
            format!("{}: a link that cannot be followed, {error}", real.display())
        })?;
        let is_listed = listed.iter().any(|place| target.starts_with(place));
        if above != Path::new("/") && !is_listed && !target.starts_with(above) {
            return Err(format!(
                "{}: expected a link that stays in its folder, found one to {}; name that path instead",
                real.display(),
                target.display()
            ));
        }
        real = target;
    }
    Ok(real)
}

/// Returns the places at which the folder of a named file can be seen: by its own path, and by the path in
/// the command if that has links.
fn places_of_name(path: &Path, real: &Path, listed: &[PathBuf]) -> Vec<Place> {
    let folder_of = |path: &Path| {
        let parent = path.parent().filter(|_| !real.is_dir());
        parent.unwrap_or(path).to_owned()
    };
    let (own, shown) = (folder_of(real), folder_of(path));
    if !can_be_shown(&own) || !own.exists() {
        return Vec::new();
    }
    let mut places =
        vec![Place { path: own.clone(), content: Content::Real(own.clone()), is_named: true }];
    if shown != own
        && can_be_shown(&shown)
        && let Ok(source) = resolve(&shown, listed)
    {
        places.push(Place { path: shown, content: Content::Real(source), is_named: true });
    }
    places
}

/// Returns true if a path may be shown. The whole disk and the folders of the sandbox itself never are.
fn can_be_shown(path: &Path) -> bool {
    const OWN: [&str; 5] = ["/proc", "/dev", "/sys", "/sandbox", "/old-root"];
    path != Path::new("/") && !OWN.iter().any(|own| path.starts_with(own))
}

/// Returns the places of the system and the installed languages, and the languages, from one search in a run.
fn of_computer() -> &'static (Vec<Place>, Languages) {
    static FOUND: OnceLock<(Vec<Place>, Languages)> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut languages = languages();
        let mut listed = system();
        listed.extend(languages.visible.iter().cloned());
        let home = env::var_os("HOME").map(PathBuf::from);
        let in_path = languages_in(search_folders(), &listed, home.as_deref());
        listed.extend(in_path.iter().cloned());
        languages.visible.extend(in_path);
        (listed.iter().flat_map(|path| places_of(path)).collect(), languages)
    })
}

/// Returns the installations of languages in these folders that are not listed, if no listed folder has the language.
///
/// The host finds these by its own `PATH`, so programs must see them. A folder that only has a program of such a name,
/// as a home folder may, shows nothing: other files of its owner may be beside it.
fn languages_in(folders: &[PathBuf], listed: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let is_listed = |path: &Path| listed.iter().any(|place| path.starts_with(place));
    let (seen, unseen): (Vec<&PathBuf>, Vec<&PathBuf>) =
        folders.iter().filter(|folder| folder.is_absolute()).partition(|folder| is_listed(folder));
    let mut found = Vec::new();
    for (name, sign) in LANGUAGE_SIGNS {
        let has_it = |folder: &&&PathBuf| folder.join(name).is_file();
        if seen.iter().any(|folder| has_it(&folder)) {
            continue;
        }
        let Some(folder) = unseen.iter().find(has_it) else { continue };
        // An environment of Python has its packages beside a link to the interpreter.
        let real = fs::canonicalize(folder.join(name)).unwrap_or_default();
        for bin in [Some(folder.as_path()), real.parent()].into_iter().flatten() {
            let Some(root) = bin.parent().filter(|_| bin.ends_with("bin")) else { continue };
            let is_home =
                home.is_some_and(|home| home.starts_with(root) || root == home.join(".local"));
            let has_sign =
                if sign.is_empty() { has_python(root) } else { root.join(sign).exists() };
            if has_sign && !is_home && !is_listed(root) {
                found.extend(RUNTIME_PARTS.map(|part| root.join(part)));
                found.push(folder.join(name));
            }
        }
    }
    found
}

/// Returns true if this folder has the library of Python, or is an environment of it.
fn has_python(root: &Path) -> bool {
    let libraries = fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
    root.join("pyvenv.cfg").exists()
        || libraries.into_iter().any(|it| it.path().join("os.py").exists())
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

/// Returns the parts of the installed language to which a program in a folder `bin` belongs.
fn runtime_parts(program: &Path, listed: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(real) = resolve(program, listed) else { return Vec::new() };
    let bin = real.parent().filter(|folder| folder.ends_with("bin"));
    let Some(root) = bin.and_then(Path::parent) else { return Vec::new() };
    let has = |part: &&str| root.join(part).exists();
    // The whole installation may be visible already.
    if listed.iter().any(|place| root.starts_with(place))
        || !has(&"lib")
        || !RUNTIME_SIGNS.iter().any(has)
    {
        return Vec::new();
    }
    let parts = RUNTIME_PARTS.iter().map(|part| root.join(part));
    parts.filter_map(|part| resolve(&part, listed).ok()).collect()
}

/// Returns the places at which a file or folder of the list can be seen: by this path and, if it has links,
/// by the path without links.
fn places_of(path: &Path) -> Vec<Place> {
    let Ok(real) = fs::canonicalize(path) else { return Vec::new() };
    if !can_be_shown(&real) {
        return Vec::new();
    }
    let place = |path: &Path, content| Place { path: path.to_owned(), content, is_named: false };
    let own = place(&real, Content::Real(real.clone()));
    match fs::read_link(path) {
        _ if path == real => vec![own],
        // Links of the system lead from one part of it to another.
        Ok(target) if path.parent() == Some(Path::new("/")) => {
            vec![place(path, Content::Link(target))]
        }
        _ => vec![own, place(path, Content::Real(real))],
    }
}

/// Returns the places, sorted, without those that another place shows already.
fn without_nested(mut places: Vec<Place>) -> Vec<Place> {
    places.sort();
    places.dedup_by(|next, kept| {
        let is_link = matches!(kept.content, Content::Link(_));
        next.path == kept.path || next.path.starts_with(&kept.path) && !is_link
    });
    places
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }

    /// Makes empty files, and folders by names that end with a slash. Returns their disk, and its path without links.
    fn disk_with(names: &[&str]) -> io::Result<(tempfile::TempDir, PathBuf)> {
        let disk = tempfile::tempdir()?;
        let root = fs::canonicalize(disk.path())?;
        for name in names {
            let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
            fs::create_dir_all(root.join(folder))?;
            if !file.is_empty() {
                fs::write(root.join(name), "")?;
            }
        }
        Ok((disk, root))
    }

    #[test]
    fn words_that_name_files_become_absolute() {
        // The tests of a package run in its folder.
        let here = env::current_dir().expect("a folder");
        let here = here.to_string_lossy();
        for (word, expected) in [
            ("src", format!("{here}/src")),
            ("-cp=src:nowhere:Cargo.toml", format!("-cp={here}/src:nowhere:{here}/Cargo.toml")),
            ("/usr", "/usr".to_owned()),
            ("7", "7".to_owned()),
            ("", String::new()),
            ("a=", "a=".to_owned()),
        ] {
            assert_eq!(name_files(word).0, expected);
        }
        let found = absolute_program("sh", true);
        assert!(found.ends_with("/sh") && found.starts_with('/'), "{found:?}");
        assert_eq!(absolute_program("no-such-program", false), "no-such-program");
    }

    /// A stranger's folder may have any name.
    #[test]
    fn name_of_file_is_not_taken_apart() -> io::Result<()> {
        let (_disk, root) = disk_with(&["x=/usr/"])?;
        let odd = root.join("x=/usr");
        let class_path = format!("/bin:{}:/nowhere", text(&odd));
        let (word, files) = name_files(&class_path);
        assert_eq!((word, files), (class_path, vec![PathBuf::from("/bin"), odd]));
        Ok(())
    }

    #[test]
    fn program_sees_its_folder_and_those_of_named_files() -> io::Result<()> {
        let (_disk, root) =
            disk_with(&["ann/bin/play", "bob/play", "data/book", "secret/checks", "more/"])?;
        let path = |name: &str| root.join(name);
        let book = format!("--book={}", text(&path("data/book")));
        let (_, named) = name_files(&book);
        let view = View::of(Some(&path("ann/bin/play")), &named, &[path("more")], None);
        for seen in ["ann/bin/play", "data/book", "more/x"] {
            assert!(view.shows(&path(seen)), "{seen}");
        }
        for unseen in ["bob/play", "secret/checks", "ann", ""] {
            assert!(!view.shows(&path(unseen)), "{unseen}");
        }
        assert!(view.shows(Path::new("/usr/bin/env")) && !view.shows(Path::new("/etc/shadow")));
        assert!(!view.hosts && view.refused.is_none());
        assert_eq!(view.own, Some(path("ann/bin")));
        let of_system = View::of(Some(Path::new("/bin/sh")), &named, &[], None);
        assert_eq!(of_system.own, Some(path("data")));
        // A command that names a host may run it.
        let host = env::current_exe()?;
        let view = View::of(Some(&host), &[], &[], None);
        assert!(view.hosts && view.hidden.is_empty());
        assert!(view.path.split(':').any(|folder| view.shows(Path::new(folder))));
        Ok(())
    }

    #[test]
    fn folders_beside_a_program_are_those_of_its_language() -> io::Result<()> {
        let (_disk, root) = disk_with(&["bin/play", "lib/"])?;
        let sees_lib =
            || View::of(Some(&root.join("bin/play")), &[], &[], None).shows(&root.join("lib/x"));
        // Submissions may have these names.
        assert!(!sees_lib());
        fs::write(root.join("pyvenv.cfg"), "")?;
        assert!(sees_lib());
        Ok(())
    }

    #[test]
    fn languages_in_path_are_seen_with_their_installation() -> io::Result<()> {
        let (_disk, root) = disk_with(&[
            "conda/bin/python3",
            "conda/lib/python3.12/os.py",
            "env/pyvenv.cfg",
            "env/lib/numpy",
            "own/bin/python3",
            "own/lib/solution",
            "own/share/key",
            "home/.local/bin/node",
            "home/.local/include/node/node.h",
            "home/bin/java",
            "home/release",
            "usr/bin/python3",
            "env/bin/",
        ])?;
        let path = |name: &str| root.join(name);
        symlink(path("conda/bin/python3"), path("env/bin/python3"))?;
        let found = |folders: &[&str], listed: &[&str]| {
            let [folders, listed] = [folders, listed]
                .map(|names| names.iter().map(|name| path(name)).collect::<Vec<_>>());
            languages_in(&folders, &listed, Some(&path("home")))
        };
        let of_env = found(&["nowhere", "env/bin"], &[]);
        let sees = |name: &str| of_env.iter().any(|it| path(name).starts_with(it));
        for seen in ["env/bin/python3", "env/lib/numpy", "conda/bin/python3", "conda/lib/x"] {
            assert!(sees(seen), "{seen}: {of_env:?}");
        }
        assert!(!sees("conda/secret") && !sees("env/secret"));
        let none = Vec::<PathBuf>::new();
        // A wrapper of a person, and the home folder, have other things beside them.
        assert_eq!(found(&["own/bin"], &[]), none);
        assert_eq!(found(&["home/.local/bin", "home/bin"], &[]), none);
        // The system has the language already.
        assert_eq!(found(&["conda/bin", "usr/bin"], &["usr"]), none);
        assert_eq!(found(&["conda/bin"], &["conda"]), none);
        Ok(())
    }

    #[test]
    fn program_is_found_where_it_is_seen() -> io::Result<()> {
        for level in [SandboxLevel::Full, SandboxLevel::User, SandboxLevel::None] {
            assert!(finds_program("sh", level, &[]), "{level}");
            assert!(!finds_program("no-such-program", level, &[]), "{level}");
        }
        Ok(())
    }

    #[test]
    fn first_lines_and_links_of_programs_show_nothing() -> io::Result<()> {
        let (_disk, root) = disk_with(&["eve/real/", "secret/key"])?;
        let path = |name: &str| root.join(name);
        // The kernel reads 255 bytes of a first line, and we read none.
        let line = format!("#!{}\n", text(&path("secret/key")));
        fs::write(path("eve/play"), &line)?;
        symlink(path("secret"), path("eve/classes"))?;
        symlink("real", path("eve/inner"))?;
        symlink(path("secret/key"), path("eve/other"))?;
        let [play, inner] = ["eve/play", "eve/inner"].map(path);
        let view = |named: &Path| View::of(Some(&play), &[named.to_owned()], &[], None);
        let seen = view(&inner);
        assert!(seen.shows(&play) && seen.shows(&inner) && !seen.shows(&path("secret")));
        assert_eq!(seen.refused, None);
        for name in ["eve/classes", "eve/other", "eve/classes/key"] {
            let seen = view(&path(name));
            assert!(!seen.shows(&path("secret/key")), "{name}");
            let why = seen.refused.expect("a reason");
            assert!(why.contains("expected a link that stays in its folder"), "{why}");
        }
        Ok(())
    }

    #[test]
    fn places_below_others_are_left_out() {
        let place = |path: &str| Place {
            path: path.into(),
            content: Content::Real(path.into()),
            is_named: false,
        };
        let places = ["/a/b", "/a", "/ab", "/a/b/c", "/b"].map(place).to_vec();
        assert_eq!(without_nested(places), ["/a", "/ab", "/b"].map(place));
    }
}
