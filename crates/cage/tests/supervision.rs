//! Programs under a supervisor. This test has a `main` of its own, since the supervisor of a
//! program is the executable that starts the program.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use plyground_cage::{CONFINE, SUPERVISE, supervise};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [SUPERVISE] => supervise(None).into(),
        [SUPERVISE, CONFINE, command] => supervise(Some(command)).into(),
        _ => {
            cases::run_all();
            std::process::ExitCode::SUCCESS
        }
    }
}

#[cfg(unix)]
mod cases {
    use std::fs;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use plyground_cage::{
        ByteSize, Confinement, INPUT, Launch, OUTPUT, ProcessEnd, ProcessEvent, ProcessFolder,
        ProcessLimits, SandboxPolicy, SupervisedProcess, confinement, read_file,
    };

    /// No test needs as much, even on a busy computer.
    const LONG: Duration = Duration::from_secs(60);

    type Case = fn() -> io::Result<()>;

    pub(super) fn run_all() {
        let cases: [(&str, Case); 7] = [
            ("supervisor_passes_on_lines_with_keywords", supervisor_passes_on_lines_with_keywords),
            ("supervisor_reports_end_of_program", supervisor_reports_end_of_program),
            ("supervisor_enforces_limits", supervisor_enforces_limits),
            ("supervisor_kills_detached_processes", supervisor_kills_detached_processes),
            ("program_exchanges_files", program_exchanges_files),
            ("program_cannot_write_outside_folder", program_cannot_write_outside_folder),
            ("next_event_returns_none_when_stopped", next_event_returns_none_when_stopped),
        ];
        for (name, case) in cases {
            println!("test {name}");
            case().expect("a working system");
        }
    }

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    /// Runs a program that nobody talks to for one turn, and returns how it ended.
    fn run(
        words: Vec<String>,
        limits: ProcessLimits,
        wall: Duration,
        cpu: Option<Duration>,
    ) -> io::Result<ProcessEnd> {
        let policy = SandboxPolicy { limits, ..SandboxPolicy::default() };
        let folder = ProcessFolder::new();
        let launch = Launch::new(words, &folder, &policy, cpu);
        let mut process = SupervisedProcess::start(launch, &policy)?;
        process.ask(String::new(), wall, cpu);
        match process.next_event(&|| false) {
            Some(ProcessEvent::Ended(end)) => Ok(end),
            other => panic!("{other:?} is not an end"),
        }
    }

    fn supervisor_passes_on_lines_with_keywords() -> io::Result<()> {
        let policy = SandboxPolicy::default();
        let folder = ProcessFolder::new();
        let words = shell("while read line; do echo noise; echo answer $line; done");
        let launch = Launch::new(words, &folder, &policy, None).talking(&["answer"]);
        let mut process = SupervisedProcess::start(launch, &policy)?;
        for number in 1..=2 {
            process.ask(format!("{number}\n"), LONG, None);
            let line = ProcessEvent::Line(format!("answer {number}"));
            assert_eq!(process.next_event(&|| false), Some(line));
            process.end_turn();
            assert_eq!(process.next_event(&|| false), Some(ProcessEvent::TurnEnded));
        }
        let so_far = process.cpu();
        assert!(process.dismiss("3\n".to_owned()) >= so_far);
        assert!(!folder.path().exists());
        Ok(())
    }

    fn supervisor_reports_end_of_program() -> io::Result<()> {
        let end = |words| run(words, ProcessLimits::default(), LONG, None);
        assert_eq!(end(shell("exit 3"))?, ProcessEnd::Exit(3));
        assert_eq!(end(shell("kill -TERM $$"))?, ProcessEnd::Signal("SIGTERM".to_owned()));
        let nowhere = vec!["/nowhere/at/all".to_owned()];
        assert!(matches!(end(nowhere)?, ProcessEnd::NotStarted(_)));
        Ok(())
    }

    fn supervisor_enforces_limits() -> io::Result<()> {
        let limits =
            ProcessLimits { output: ByteSize::kib(64), processes: 4, ..ProcessLimits::default() };
        let short = Duration::from_millis(300);
        let end = |script, wall, cpu| run(shell(script), limits.clone(), wall, cpu);
        assert_eq!(end("sleep 600", short, None)?, ProcessEnd::WallLimit);
        assert_eq!(end("while :; do echo much; done", LONG, None)?, ProcessEnd::OutputLimit);
        if cfg!(target_os = "linux") {
            assert_eq!(end("while :; do :; done", LONG, Some(short))?, ProcessEnd::CpuLimit);
            let many = "for i in 1 2 3 4 5; do sleep 600 & done; wait";
            assert_eq!(end(many, LONG, None)?, ProcessEnd::Processes);
        }
        Ok(())
    }

    fn supervisor_kills_detached_processes() -> io::Result<()> {
        if !cfg!(target_os = "linux") {
            return Ok(());
        }
        // No other process sleeps for this time.
        let mark = format!("600.{}", std::process::id());
        let script = format!("(setsid sleep {mark} &) ; sleep {mark}");
        let wall = Duration::from_millis(500);
        let end = run(shell(&script), ProcessLimits::default(), wall, None)?;
        assert_eq!(end, ProcessEnd::WallLimit);
        for entry in fs::read_dir("/proc")?.flatten() {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&command).contains(&mark), "{:?}", entry.path());
        }
        Ok(())
    }

    fn program_exchanges_files() -> io::Result<()> {
        let policy = SandboxPolicy::default();
        let folder = ProcessFolder::new();
        let [input, output, printed] =
            [INPUT, OUTPUT, "printed.txt"].map(|name| folder.path().join(name));
        let script = format!("echo hello; cat {} > {}", input.display(), output.display());
        let launch = Launch::new(shell(&script), &folder, &policy, None)
            .with_input("question".to_owned())
            .printing_to(printed.clone());
        let mut process = SupervisedProcess::start(launch, &policy)?;
        process.ask(String::new(), LONG, None);
        let ended = ProcessEvent::Ended(ProcessEnd::Exit(0));
        assert_eq!(process.next_event(&|| false), Some(ended.clone()));
        assert_eq!(process.next_event(&|| false), Some(ended));
        assert_eq!(read_file(&output, 5)?, Some(b"quest".to_vec()));
        assert_eq!(read_file(&printed, 100)?, Some(b"hello\n".to_vec()));
        assert_eq!(read_file(&folder.path().join("other"), 100)?, None);
        drop(process);
        assert!(!folder.path().exists());
        Ok(())
    }

    fn program_cannot_write_outside_folder() -> io::Result<()> {
        if confinement() == Confinement::None {
            return Ok(());
        }
        let outside = tempfile::tempdir()?;
        let file = outside.path().join("file");
        let end = run(
            shell(&format!("echo x > {}", file.display())),
            ProcessLimits::default(),
            LONG,
            None,
        )?;
        assert!(matches!(end, ProcessEnd::Exit(code) if code != 0), "{end:?}");
        assert!(!file.exists());
        Ok(())
    }

    fn next_event_returns_none_when_stopped() -> io::Result<()> {
        let stop = Arc::new(AtomicBool::new(false));
        let policy = SandboxPolicy { stop: Some(stop.clone()), ..SandboxPolicy::default() };
        let folder = ProcessFolder::new();
        let launch = Launch::new(shell("sleep 600"), &folder, &policy, None);
        let mut process = SupervisedProcess::start(launch, &policy)?;
        process.ask(String::new(), LONG, None);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(process.next_event(&|| policy.is_stopped()), None);
        Ok(())
    }
}
