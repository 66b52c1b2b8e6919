//! The programs of the JDK.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::error::JavaError;

/// How long a program of the JDK may take for one submission.
const TIME: Duration = Duration::from_secs(60);
/// How often to look whether it is done.
const TICK: Duration = Duration::from_millis(5);
/// The memory of a compiler, in MiB.
const MEMORY_MIB: u32 = 512;
/// What is read of a program's complaints, in bytes.
const COMPLAINTS: u64 = 64 * 1024;

/// An installed JDK.
#[derive(Clone, Debug)]
pub(super) struct Jdk {
    programs: PathBuf,
}

impl Jdk {
    /// The JDK of `JAVA_HOME`, or else the one that is found by `PATH`.
    pub(super) fn find() -> Result<Jdk, JavaError> {
        Jdk::find_in(env::var_os("JAVA_HOME").as_deref(), env::var_os("PATH").as_deref())
    }

    fn find_in(home: Option<&OsStr>, path: Option<&OsStr>) -> Result<Jdk, JavaError> {
        let home = home.map(|home| Path::new(home).join("bin"));
        let mut folders = home.into_iter().chain(path.into_iter().flat_map(env::split_paths));
        let compiler = executable("javac");
        let programs = folders.find(|folder| folder.join(&compiler).is_file());
        programs.map(|programs| Jdk { programs }).ok_or(JavaError::NoJdk { program: compiler })
    }

    /// A program of the JDK.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.programs.join(executable(name))
    }

    /// Where the compiler really is, by which one version is told from another.
    pub(super) fn identity(&self) -> Option<PathBuf> {
        fs::canonicalize(self.program("javac")).ok()
    }

    /// Compiles sources.
    pub(super) fn compile(&self, configure: impl FnOnce(&mut Command)) -> Result<(), JavaError> {
        self.run("javac", |command| {
            // No code of a submission may run in the compiler.
            command.arg(format!("-J-Xmx{MEMORY_MIB}m")).args(["-proc:none", "-nowarn"]);
            configure(command);
        })
        .map_err(|error| match error {
            JavaError::Tool { complaint, .. } => JavaError::NotCompiled { complaint },
            other => other,
        })
    }

    /// Unpacks a jar or zip file into a folder.
    pub(super) fn unpack(&self, archive: &Path, folder: &Path) -> Result<(), JavaError> {
        self.run("jar", |command| {
            command.current_dir(folder).args(["--extract", "--file"]).arg(archive);
        })
    }

    fn run(
        &self,
        name: &'static str,
        configure: impl FnOnce(&mut Command),
    ) -> Result<(), JavaError> {
        let program = self.program(name);
        let mut complaints = tempfile::tempfile().map_err(JavaError::at(env::temp_dir()))?;
        let mut command = Command::new(&program);
        configure(&mut command);
        let mut start = || {
            let (out, err) = (complaints.try_clone()?, complaints.try_clone()?);
            command.stdin(Stdio::null()).stdout(out).stderr(err).spawn()
        };
        let mut child = start().map_err(JavaError::at(&program))?;
        match wait(&mut child).map_err(JavaError::at(&program))? {
            None => Err(JavaError::Slow { program: name, limit: TIME }),
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                let complaint = first_complaint(&mut complaints).unwrap_or_default();
                let complaint = if complaint.is_empty() { status.to_string() } else { complaint };
                Err(JavaError::Tool { program: name, complaint })
            }
        }
    }
}

fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// How the program ended; `None` if it had to be ended.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > TIME {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(TICK);
    }
}

/// The first line that tells what is wrong.
fn first_complaint(complaints: &mut File) -> io::Result<String> {
    complaints.rewind()?;
    let mut text = Vec::new();
    complaints.take(COMPLAINTS).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let error = text.lines().find(|line| line.contains("error:"));
    let line = error.or_else(|| text.lines().next()).unwrap_or_default();
    // A source can make the compiler say what a terminal would obey.
    Ok(line.trim().chars().filter(|symbol| !symbol.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jdk_of_java_home_comes_first() -> io::Result<()> {
        let [home, other] = [tempfile::tempdir()?, tempfile::tempdir()?];
        let bin = home.path().join("bin");
        fs::create_dir(&bin)?;
        File::create(other.path().join(executable("javac")))?;
        let find = || Jdk::find_in(Some(home.path().as_os_str()), Some(other.path().as_os_str()));
        assert_eq!(find().ok().map(|jdk| jdk.programs).as_deref(), Some(other.path()));
        File::create(bin.join(executable("javac")))?;
        assert_eq!(find().ok().map(|jdk| jdk.programs), Some(bin));
        Ok(())
    }

    #[test]
    fn missing_jdk_is_told_with_what_to_do() -> io::Result<()> {
        let empty = tempfile::tempdir()?;
        let found = Jdk::find_in(None, Some(empty.path().as_os_str()));
        let error = found.map(|_| String::new()).unwrap_or_else(|error| error.to_string());
        assert!(error.contains("need a JDK, version 17 or newer"), "{error}");
        assert!(error.contains("apt install default-jdk-headless"), "{error}");
        Ok(())
    }
}
