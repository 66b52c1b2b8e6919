//! A release: a commit with its version and its time, from which the packages are made; commands that run other
//! programs; the programs for a system, with one build for each level of instructions and a launcher; and the files of
//! a package, with their compressed `tar` archive.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use lzma_rust2::{XzOptions, XzWriter};
use plyground_launcher::{BUILD, BUILDS, Level, levels};
use tar::{Builder, EntryType, Header};

/// The fixed name for the folder of the clone in all builds.
pub const CLONE: &str = "/plyground";

/// The name and the bytes of a file for download.
pub type Package = (String, Vec<u8>);

/// A release while its packages are made.
pub struct Release {
    /// The folder of the clone.
    pub root: PathBuf,
    /// The folder for all builds.
    pub work: PathBuf,
    pub version: String,
    /// The time of the commit, in seconds since 1970.
    pub time: u64,
    /// The name of this system for compilers.
    pub host: String,
    /// The levels of instructions of the builds, the best first.
    pub levels: Vec<Level>,
}

impl Release {
    /// Returns the release of the commit that is checked out, with builds for the levels of these names.
    pub fn new(allow_dirty: bool, names: &[String]) -> Result<Release> {
        let root = output(Command::new("git").args(["rev-parse", "--show-toplevel"]))?;
        let root = PathBuf::from(root.trim_end_matches('\n'));
        let git = |words: &[&str]| output(Command::new("git").current_dir(&root).args(words));
        let changes = git(&["status", "--porcelain"])?;
        ensure!(
            allow_dirty || changes.is_empty(),
            "expected nothing that differs from the commit, found:\n{changes}"
        );
        let time = git(&["log", "-1", "--format=%ct"])?.trim().parse()?;
        let about = output(Command::new("rustc").arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("expected rustc to tell its host")?.to_owned();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let mut levels = levels();
        levels.retain(|level| names.iter().any(|name| name == level.name));
        Ok(Release { work: root.join("target/dist"), root, version, time, host, levels })
    }

    /// Returns the lowest level, which most processors support.
    pub fn lowest(&self) -> Result<&Level> {
        self.levels.last().context("expected a level")
    }

    /// Returns the platform of the programs, as in file names.
    pub fn platform(&self) -> String {
        format!("{ARCH}-{OS}")
    }

    /// Returns the path of a new, empty folder of this name.
    pub fn new_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Returns a command that runs in the clone, with an environment for reproducible results.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env("SOURCE_DATE_EPOCH", self.time.to_string())
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS");
        command
    }

    /// Returns a [command](Release::command) for a program that runs Cargo to build for a system. If Rust's library
    /// for the system is not installed, Debian's compiler builds the library as well.
    pub fn builder(&self, program: &str, system: &str) -> Command {
        let mut command = self.command(program);
        if !is_installed(system) {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut places = OsString::from(format!("{DEBIAN}:"));
            places.push(path);
            command
                .env("PATH", places)
                .env("CARGO", format!("{DEBIAN}/cargo"))
                .env("RUSTC", format!("{DEBIAN}/rustc"))
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_unwind");
        }
        command
    }

    /// Changes the command of a [builder](Release::builder) of one package so that the crates of games are compiled
    /// for a level, and all other crates for the lowest level. Returns the flags for all crates.
    ///
    /// The search of each game is in its own crate, so another level compiles again only these crates and the few
    /// crates that use them.
    pub fn for_level(
        &self,
        command: &mut Command,
        system: &str,
        level: &Level,
    ) -> Result<Vec<String>> {
        let lowest = self.lowest()?;
        if level.name != lowest.name {
            command
                .args(["--features", level.name])
                .env("RUSTC_WRAPPER", env::current_exe()?)
                .env(LEVEL, level.name);
        }
        Ok(self.flags(system, lowest.flags))
    }

    /// Returns the compiler flags for a system: the flags `of_level`, fixed names for the folders of this computer,
    /// and a flag to strip symbols, because Cargo ignores its own setting for a package with an `opt-level` of its
    /// own.
    pub fn flags(&self, system: &str, of_level: &[&str]) -> Vec<String> {
        let mut flags = vec![format!("--remap-path-prefix={}={CLONE}", self.root.display())];
        if let Some(home) = cargo_home() {
            flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
        }
        flags.extend(of_level.iter().map(ToString::to_string));
        flags.push("-Cstrip=symbols".to_owned());
        if system.ends_with("windows-gnu") {
            flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
        }
        flags
    }
}

/// The environment variable with the name of the level, for this program as the wrapper of the compiler.
const LEVEL: &str = "PLYGROUND_LEVEL";

/// Returns the level if this process is the wrapper of the compiler.
pub fn level_to_compile_for() -> Option<String> {
    env::var(LEVEL).ok()
}

/// Runs the compiler in the first argument with the other arguments. For a crate with the feature of the level, adds
/// the flags of the level.
pub fn compile(level: &str) -> ExitCode {
    let mut words = env::args_os().skip(1);
    let compiler = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    let feature = format!("feature=\"{level}\"");
    let has_feature = words.iter().any(|word| *word == *feature);
    let level = levels().into_iter().find(|other| has_feature && other.name == level);
    let flags = level.map_or(&[][..], |level| level.flags);
    match Command::new(&compiler).args(&words).args(flags).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("error: {}: {error}", compiler.display());
            ExitCode::FAILURE
        }
    }
}

/// The folder of Debian's compiler.
const DEBIAN: &str = "/usr/bin";

/// The folder in which Debian has the source of Rust's library, by version.
const SOURCES: &str = "/usr/src";

/// Returns true if programs for a system can be built: Rust's library for the system is installed, or can be built.
pub fn can_build_for(system: &str) -> bool {
    is_installed(system) || can_build_library()
}

/// Returns true if Rust's library for a system is installed.
fn is_installed(system: &str) -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", system]);
    output(&mut rustc).is_ok_and(|folder| Path::new(folder.trim_end()).is_dir())
}

/// Returns true if Debian's compiler is installed, with the source of the library.
fn can_build_library() -> bool {
    let sources = fs::read_dir(SOURCES).into_iter().flatten().flatten();
    let has_tools = ["cargo", "rustc"].iter().all(|tool| Path::new(DEBIAN).join(tool).exists());
    has_tools && sources.into_iter().any(|source| source.path().join("library").is_dir())
}

/// Returns the folder in which Cargo keeps the sources of our dependencies.
fn cargo_home() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// Returns bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs a command. The output goes to standard error.
pub fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    eprintln!("{}", shown(command));
    // Standard output has only the results of xtask.
    let status = command.stdin(Stdio::null()).stdout(std::io::stderr()).status();
    let status = status.with_context(|| format!("cannot run {name}"))?;
    ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}

/// Runs a command, and returns its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run {name}"))?;
    ensure!(output.status.success(), "{} failed: {}", shown(command), output.status);
    Ok(String::from_utf8(output.stdout)?)
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// The programs that a person starts.
pub const PROGRAMS: [&str; 3] = ["maxconnect4", "network", BUILD];

/// The program that starts the best build for the processor.
pub const LAUNCHER: &str = "plyground-launcher";

/// The program of leagues. One build is enough, because the program mostly waits for other programs.
const LEAGUE: &str = "plyground-league";

/// The systemd unit that starts a league at boot.
const UNIT: &str = "plyground-league@.service";

/// The built programs.
pub struct Programs {
    /// The files of the package.
    pub tree: Tree,
    /// The path of the build that most processors can run.
    pub most_portable: PathBuf,
}

impl Programs {
    /// Builds all programs.
    pub fn build(release: &Release) -> Result<Programs> {
        let mut tree = Tree::default();
        let launcher = fs::read(build(release, &release.host, None, LAUNCHER)?)?;
        for program in PROGRAMS {
            tree.add_program(format!("bin/{program}"), launcher.clone());
        }
        let mut most_portable = PathBuf::new();
        for level in &release.levels {
            most_portable = build(release, &release.host, Some(level), BUILD)?;
            tree.add_program(format!("{BUILDS}/{}/{BUILD}", level.name), fs::read(&most_portable)?);
        }
        let league = build(release, &release.host, Some(release.lowest()?), LEAGUE)?;
        tree.add_program(format!("bin/{LEAGUE}"), fs::read(league)?);
        let unit = release.root.join("league/systemd").join(UNIT);
        let unit = fs::read(&unit).with_context(|| unit.display().to_string())?;
        tree.add(format!("lib/systemd/system/{UNIT}"), unit);
        Ok(Programs { tree, most_portable })
    }

    /// Builds the program for the lowest level, and returns its path.
    pub fn most_portable(release: &Release) -> Result<PathBuf> {
        build(release, &release.host, Some(release.lowest()?), BUILD)
    }
}

/// The build folders: for programs with a level, and for programs that must run on any processor of the architecture.
const FOLDERS: [&str; 2] = ["levels", "any"];

/// Builds a program for a system, and returns its path. The build for the next level overwrites the file.
pub fn build(
    release: &Release,
    system: &str,
    level: Option<&Level>,
    program: &str,
) -> Result<PathBuf> {
    let package = match program {
        BUILD => "programs",
        LEAGUE => "league",
        program => program,
    };
    let mut cargo = release.builder("cargo", system);
    cargo.args(["build", "--release", "--locked", "--package", package, "--bin", program]);
    let (folder, mut flags) = match level {
        Some(level) => (FOLDERS[0], release.for_level(&mut cargo, system, level)?),
        None => (FOLDERS[1], release.flags(system, &[])),
    };
    if system.ends_with("linux-gnu") || system.ends_with("windows-msvc") {
        // A program with a static C library starts on any version of Linux and Windows.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let folder = release.work.join("programs").join(folder);
    // Build scripts and procedural macros are built for this computer.
    cargo.args(["--target", system, "--target-dir"]).arg(&folder);
    run(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")))?;
    let end = if system.contains("windows") { ".exe" } else { "" };
    Ok(folder.join(system).join("release").join(format!("{program}{end}")))
}

/// The folder of the files that belong to no program.
pub const DOC: &str = "share/doc/plyground";

const RUN_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// A file of a package.
#[derive(Clone)]
pub struct File {
    pub mode: u32,
    pub bytes: Vec<u8>,
}

/// The files of a package, by their paths with `/` between the names.
#[derive(Default)]
pub struct Tree(BTreeMap<String, File>);

impl Tree {
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), File { mode: FILE_MODE, bytes: bytes.into() });
    }

    pub fn add_program(&mut self, path: impl Into<String>, bytes: Vec<u8>) {
        self.0.insert(path.into(), File { mode: RUN_MODE, bytes });
    }

    /// Adds a file of another tree.
    pub fn add_file(&mut self, path: String, file: &File) {
        self.0.insert(path, file.clone());
    }

    /// Adds all files in a folder, below `path`.
    pub fn add_folder(&mut self, path: &str, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let path = format!("{path}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.add_folder(&path, &entry.path())?;
            } else {
                self.add(path, fs::read(entry.path())?);
            }
        }
        Ok(())
    }

    /// Returns the files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Returns all folders that have files in them, each before the folders in it.
    pub fn folders(&self) -> BTreeSet<&str> {
        let folders = |path: &'_ str| -> Vec<usize> {
            path.match_indices('/').map(|(index, _)| index).collect()
        };
        let paths = self.0.keys();
        paths.flat_map(|path| folders(path).into_iter().map(|end| &path[..end])).collect()
    }
}

const FOLDER_MODE: u32 = 0o755;

/// Makes an archive of files with the time `time` and with paths that begin with `prefix`.
pub fn tar_gz(tree: &Tree, prefix: &str, time: u64) -> Result<Vec<u8>> {
    let gz = GzBuilder::new().write(Vec::new(), Compression::best());
    Ok(tar(tree, prefix, time, gz)?.finish()?)
}

/// The level of compression of a large archive. Its dictionary of 64 MiB holds a whole build, so that a second build
/// adds little.
const PRESET: u32 = 9;

/// Makes an archive like [`tar_gz`], but with the stronger compression of xz.
pub fn tar_xz(tree: &Tree, prefix: &str, time: u64) -> Result<Vec<u8>> {
    let xz = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    Ok(tar(tree, prefix, time, xz)?.finish()?)
}

fn tar<W: Write>(tree: &Tree, prefix: &str, time: u64, out: W) -> Result<W> {
    let mut tar = Builder::new(out);
    let mut add = |path: &str, kind: EntryType, mode: u32, bytes: &[u8]| {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, format!("{prefix}{path}"), bytes)
    };
    if !prefix.is_empty() {
        add("", EntryType::Directory, FOLDER_MODE, &[])?;
    }
    for folder in tree.folders() {
        add(&format!("{folder}/"), EntryType::Directory, FOLDER_MODE, &[])?;
    }
    for (path, file) in tree.files() {
        add(path, EntryType::Regular, file.mode, &file.bytes)?;
    }
    let mut out = tar.into_inner()?;
    out.flush()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;
    use tar::Archive;

    use super::*;

    #[test]
    fn folders_come_before_those_in_them() {
        let mut tree = Tree::default();
        for path in ["b/c/d", "a", "b/x", "b/c/e/f"] {
            tree.add(path, "");
        }
        assert!(tree.folders().into_iter().eq(["b", "b/c", "b/c/e"]));
    }

    #[test]
    fn archive_is_sorted_and_always_the_same() -> Result<()> {
        let mut tree = Tree::default();
        tree.add_program("bin/play", b"#!".to_vec());
        tree.add("a", "text");
        let bytes = tar_gz(&tree, "x/", 7)?;
        assert_eq!(bytes, tar_gz(&tree, "x/", 7)?);
        let mut archive = Archive::new(GzDecoder::new(&bytes[..]));
        let mut found = Vec::new();
        for entry in archive.entries()? {
            let entry = entry?;
            let header = entry.header();
            assert_eq!((header.mtime()?, header.uid()?, header.gid()?), (7, 0, 0));
            found.push((entry.path()?.to_string_lossy().into_owned(), header.mode()?));
        }
        let expected = [("x/", 0o755), ("x/bin/", 0o755), ("x/a", 0o644), ("x/bin/play", 0o755)];
        let expected = expected.map(|(path, mode)| (path.to_owned(), mode));
        assert_eq!(found, expected);
        Ok(())
    }
}
