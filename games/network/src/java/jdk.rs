//! The programs of the JDK, and the reason why a Java program cannot play.

use std::ffi::OsStr;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use plyground_durable::one_line;
use plyground_host::external::{NotReady, java_fault};
use plyground_sandbox::{
    ByteSize, Launch, ProcessEnd, ProcessLimits, Sandbox, SandboxPolicy, is_exhausted,
};
use thiserror::Error;

use crate::color::Rules;

/// The time that a program of the JDK may take for one submission.
const TIME: Duration = Duration::from_secs(60);
/// The memory of the heap of a compiler, in MiB.
const HEAP_MIB: u32 = 512;
/// The memory that a program of the JDK may occupy in all.
const MEMORY: ByteSize = ByteSize::gib(2);
/// The number of bytes read of the output of a program.
const COMPLAINTS: u64 = 64 * 1024;
/// The number of bytes that a program of the JDK may write.
const OUTPUT: ByteSize = ByteSize::mib(256);

/// An installed JDK, whose programs run in sandboxes, because the files that they read are untrusted.
#[derive(Clone, Debug)]
pub(super) struct Jdk {
    programs: PathBuf,
    policy: SandboxPolicy,
}

impl Jdk {
    /// Finds the JDK of `JAVA_HOME`, otherwise the JDK of `PATH`. Its programs run in sandboxes of the level
    /// of `policy`, with limits of their own.
    pub(super) fn find(policy: &SandboxPolicy) -> Result<Jdk, JavaError> {
        let limits = ProcessLimits { memory: MEMORY, output: OUTPUT, ..ProcessLimits::default() };
        let policy = SandboxPolicy { limits, ..policy.clone() };
        let (home, path) = (env::var_os("JAVA_HOME"), env::var_os("PATH"));
        let programs = Jdk::find_in(home.as_deref(), path.as_deref())?;
        Ok(Jdk { programs, policy })
    }

    fn find_in(home: Option<&OsStr>, path: Option<&OsStr>) -> Result<PathBuf, JavaError> {
        let home = home.map(|home| Path::new(home).join("bin"));
        let mut folders = home.into_iter().chain(path.into_iter().flat_map(env::split_paths));
        let compiler = executable("javac");
        let programs = folders.find(|folder| folder.join(&compiler).is_file());
        programs.ok_or(JavaError::NoJdk(compiler))
    }

    /// Returns the path of a program of the JDK.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.programs.join(executable(name))
    }

    /// Returns the real path of the compiler, which identifies its version.
    pub(super) fn identity(&self) -> Option<PathBuf> {
        fs::canonicalize(self.program("javac")).ok()
    }

    /// Compiles sources into classes in `folder`. `arguments` are for the compiler, which sees the `named`
    /// folders.
    pub(super) fn compile(
        &self,
        folder: &Path,
        arguments: Vec<String>,
        named: Vec<PathBuf>,
    ) -> Result<(), JavaError> {
        // With `-proc:none`, the compiler runs no code of a submission.
        let mut all = vec![format!("-J-Xmx{HEAP_MIB}m"), "-J-XX:-UsePerfData".to_owned()];
        // The current folder in the sandbox is a copy of `folder`.
        all.extend(["-proc:none", "-nowarn", "-d", "."].map(str::to_owned));
        all.extend(arguments);
        let roots: Vec<String> =
            named.iter().map(|root| format!("{}{MAIN_SEPARATOR}", root.display())).collect();
        self.run("javac", folder, all, named).map_err(|error| match error {
            JavaError::Tool { complaint, .. } => {
                // The place of the folder says nothing to a student.
                let inside = roots.iter().find_map(|root| complaint.strip_prefix(root));
                JavaError::NotCompiled(inside.unwrap_or(&complaint).to_owned())
            }
            other => other,
        })
    }

    /// Unpacks a jar or zip file into a folder.
    pub(super) fn unpack(&self, archive: &Path, folder: &Path) -> Result<(), JavaError> {
        let arguments =
            ["--extract".to_owned(), "--file".to_owned(), archive.display().to_string()];
        self.run("jar", folder, arguments.to_vec(), vec![archive.to_owned()])
    }

    /// Runs a program of the JDK, which may write in `folder`.
    fn run(
        &self,
        name: &'static str,
        folder: &Path,
        arguments: Vec<String>,
        named: Vec<PathBuf>,
    ) -> Result<(), JavaError> {
        let program = self.program(name);
        let folder = fs::canonicalize(folder).map_err(JavaError::at(folder))?;
        let policy = SandboxPolicy { workshop: Some(folder), named, ..self.policy.clone() };
        let mut words = vec![program.display().to_string()];
        words.extend(arguments);
        let run =
            Sandbox::run_once(Launch::new(words, None).with_printed(COMPLAINTS), &policy, TIME);
        let (end, left) = run.map_err(JavaError::at(&program))?;
        if let Some(why) = end.fault_of_system() {
            return Err(JavaError::NoSandbox { program: name, why });
        }
        match end {
            ProcessEnd::Exit(0) => Ok(()),
            ProcessEnd::WallLimit => Err(JavaError::Slow { program: name }),
            end => {
                let complaints = [&left.errors[..], &left.printed].concat();
                let complaint = first_complaint(&String::from_utf8_lossy(&complaints));
                let complaint = if complaint.is_empty() { format!("{end:?}") } else { complaint };
                Err(JavaError::Tool { program: name, complaint })
            }
        }
    }
}

fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// Returns the first line that names an error.
fn first_complaint(complaints: &str) -> String {
    let error = || complaints.lines().find(|line| line.contains("error:"));
    let line = || error().or_else(|| complaints.lines().next()).unwrap_or_default().to_owned();
    let line = java_fault(complaints).unwrap_or_else(line);
    // A source can make the compiler print control sequences that a terminal would obey.
    line.trim().chars().filter(|symbol| !symbol.is_control()).collect()
}

/// The greatest number of files and folders of a submission: a folder with more may be a user's home.
pub(super) const MOST_FILES: usize = 20_000;

/// The greatest size of a file of a submission, and of all its sources, in bytes.
pub(super) const MOST_BYTES: u64 = 16 << 20;

/// The reason that a Java submission cannot play. The text is one line, and does not name the submission.
#[derive(Debug, Error)]
pub(crate) enum JavaError {
    /// There is no Java compiler of this name.
    #[error(
        "java: players need a JDK, version 17 or newer, and there is no `{0}` in JAVA_HOME \
         or PATH; on Debian and Ubuntu `apt install default-jdk-headless` installs one"
    )]
    NoJdk(String),
    /// The Java programs that come with this crate do not compile.
    #[error("java: players need a JDK, version 17 or newer; {0}")]
    Host(Box<JavaError>),
    /// A program of the JDK failed with this message.
    #[error("{program}: {complaint}")]
    Tool { program: &'static str, complaint: String },
    /// The compiler rejects the submission with this message, one line.
    #[error("it does not compile, {0}")]
    NotCompiled(String),
    /// A program of the JDK took too long.
    #[error("{program}: not done after {}", humantime::format_duration(TIME))]
    Slow { program: &'static str },
    /// A program of the JDK could not be run at all, for this reason from the system.
    #[error("{program}: {why}")]
    NoSandbox { program: &'static str, why: String },
    /// The submission has no class that plays, such as this.
    #[error("expected {0} in it, compiled or as source")]
    NoClass(String),
    /// The submission has only a class of the other course, which plays by these rules.
    #[error("found only {found}: add `--rules {rules}`")]
    OtherRules { found: String, rules: Rules },
    /// The submission has several classes that play, in these files.
    #[error(
        "found several players, {}: add `:CLASS`, or name the folder that has only one",
        .0.join(", ")
    )]
    Several(Vec<String>),
    /// There are too many files to look for a class among them.
    #[error("more than {MOST_FILES} files and folders")]
    TooLarge,
    /// The sources are too long to be read.
    #[error("its sources have more than {MOST_BYTES} bytes")]
    TooLong,
    /// At the level `user`, a program runs as another user, who may not enter the folder.
    #[error("{}: its mode lets no other user in: `chmod o+x` it", .0.display())]
    Closed(PathBuf),
    /// The name of the folder cannot be part of a class path.
    #[error("{}: Java cannot read from a folder with such a name", .0.display())]
    BadName(PathBuf),
    /// There is no folder for compiled classes.
    #[error("no folder for compiled Java: set HOME or XDG_CACHE_HOME")]
    NoCache,
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl JavaError {
    /// Converts the error for the referee: it says that either the submission or the system is at fault.
    pub(crate) fn not_ready(&self) -> NotReady {
        let is_of_system = match self {
            JavaError::NoJdk(_)
            | JavaError::Host(_)
            | JavaError::NoSandbox { .. }
            | JavaError::NoCache => true,
            JavaError::File { source, .. } => is_exhausted(source),
            _ => false,
        };
        // The text has names of folders and classes, which a student chooses.
        let why = one_line(&self.to_string());
        if is_of_system { NotReady::System(why) } else { NotReady::Program(why) }
    }

    /// Returns a function that makes the error of a file, for [`Result::map_err`].
    pub(super) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> JavaError {
        let path = path.into();
        move |source| JavaError::File { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jdk_of_java_home_comes_first() -> std::io::Result<()> {
        let [home, other] = [tempfile::tempdir()?, tempfile::tempdir()?];
        let bin = home.path().join("bin");
        fs::create_dir(&bin)?;
        fs::File::create(other.path().join(executable("javac")))?;
        let find = || Jdk::find_in(Some(home.path().as_os_str()), Some(other.path().as_os_str()));
        assert_eq!(find().ok().as_deref(), Some(other.path()));
        fs::File::create(bin.join(executable("javac")))?;
        assert_eq!(find().ok(), Some(bin));
        Ok(())
    }

    #[test]
    fn missing_jdk_is_told_with_what_to_do() -> std::io::Result<()> {
        let empty = tempfile::tempdir()?;
        let found = Jdk::find_in(None, Some(empty.path().as_os_str()));
        let error = found.map(|_| String::new()).unwrap_or_else(|error| error.to_string());
        assert!(error.contains("need a JDK, version 17 or newer"), "{error}");
        assert!(error.contains("apt install default-jdk-headless"), "{error}");
        Ok(())
    }
}
