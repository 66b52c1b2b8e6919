//! The effects of supervisors on programs, as their host sees them.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::cases::Case;
use crate::cases::Load::{Long, Measures, Waits};
use plyground_sandbox::{
    ByteSize, INPUT, Launch, Leftovers, Meter, OUTPUT, ProcessEnd, ProcessEvent, ProcessLimits,
    Sandbox, SandboxLevel, SandboxPolicy, availability,
};

/// The cases of every system: of those that wait, the longest first.
pub(crate) const CASES: &[Case] = &[
    ("supervisor_quotes_answers_that_came_too_late", Waits, late_answers_are_quoted),
    ("supervisor_enforces_limits", Waits, supervisor_enforces_limits),
    ("answer_in_time_may_be_read_late", Waits, answer_in_time_may_be_read_late),
    ("program_stands_still_between_turns", Waits, program_stands_still_between_turns),
    ("supervisor_passes_on_lines_with_keywords", Waits, supervisor_passes_on_lines_with_keywords),
    ("supervisor_reports_end_of_program", Waits, supervisor_reports_end_of_program),
    ("example_of_the_documentation_works", Waits, example_of_the_documentation_works),
    ("programs_exchange_files", Waits, programs_exchange_files),
    ("program_cannot_write_outside_folder", Waits, program_cannot_write_outside_folder),
    ("no_other_user_reaches_folder_of_program", Waits, no_other_user_reaches_folder_of_program),
    ("program_finds_what_is_beside_it", Waits, program_finds_what_is_beside_it),
    ("program_sees_what_its_command_names", Waits, program_sees_what_its_command_names),
    ("next_event_returns_none_when_stopped", Waits, next_event_returns_none_when_stopped),
];

/// The cases that need Linux.
pub(crate) const ON_LINUX: &[Case] = &[
    ("limits_hold_while_nobody_listens", Waits, limits_hold_while_nobody_listens),
    ("program_gets_the_time_of_a_pause", Waits, program_gets_the_time_of_a_pause),
    ("supervisor_kills_detached_processes", Waits, supervisor_kills_detached_processes),
    ("honest_program_is_not_stopped_in_its_turn", Waits, honest_program_is_not_stopped_in_its_turn),
    ("starved_program_is_told_from_sleeper", Measures, starved_program_is_told_from_sleeper),
    ("program_gets_the_time_that_others_take", Measures, program_gets_the_time_that_others_take),
    ("work_for_a_program_is_no_others", Measures, work_for_a_program_is_no_others),
];

/// The cases at levels that confine programs.
pub(crate) const CONFINED: &[Case] = &[
    ("program_that_stands_still_costs_rival_nothing", Waits, still_program_costs_rival_nothing),
    ("variables_have_one_value", Waits, variables_have_one_value),
    ("first_line_leads_to_no_other_program", Waits, first_line_leads_to_no_other_program),
    ("time_ends_while_nobody_listens", Measures, time_ends_while_nobody_listens),
    ("still_program_may_be_continued_once", Measures, still_program_may_be_continued_once),
    ("worker_may_end_slowly", Long, worker_may_end_slowly),
    ("long_calls_after_an_answer_are_no_trouble", Long, long_calls_after_an_answer_are_no_trouble),
];

/// No test needs as much, even on a busy computer.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

/// Starts a program of which this process hears the lines with these keywords.
pub(crate) fn talk(
    words: Vec<String>,
    policy: &SandboxPolicy,
    keywords: &[&str],
) -> io::Result<Sandbox> {
    let mut sandbox = Sandbox::new(&words, policy)?;
    sandbox.start(Launch::new(words, None).talking(keywords));
    Ok(sandbox)
}

/// Waits for a line, which must be the next event.
pub(crate) fn hear(sandbox: &mut Sandbox, line: &str) {
    assert_eq!(sandbox.next_event(&|| false), Some(ProcessEvent::Line(line.to_owned())));
}

/// Ends a turn, and waits until it has.
pub(crate) fn end_turn(sandbox: &mut Sandbox) {
    sandbox.end_turn();
    assert_eq!(sandbox.next_event(&|| false), Some(ProcessEvent::TurnEnded));
}

fn policy(level: SandboxLevel) -> SandboxPolicy {
    SandboxPolicy { level, ..SandboxPolicy::default() }
}

/// Starts a program that answers, and ends its turn.
fn answered(script: &str, policy: &SandboxPolicy) -> io::Result<Sandbox> {
    let mut sandbox = answering(script, policy)?;
    end_turn(&mut sandbox);
    Ok(sandbox)
}

/// Starts a program, and waits for its answer.
fn answering(script: &str, policy: &SandboxPolicy) -> io::Result<Sandbox> {
    let mut sandbox = talk(shell(script), policy, &["answer"])?;
    sandbox.ask("\n".to_owned(), LONG, None);
    hear(&mut sandbox, "answer");
    Ok(sandbox)
}

fn end_of(sandbox: &mut Sandbox) -> ProcessEnd {
    match sandbox.next_event(&|| false) {
        Some(ProcessEvent::Ended(end)) => end,
        other => panic!("{other:?} is not an end"),
    }
}

/// Runs a program for one turn without a word to it, and returns its end.
fn run(
    words: Vec<String>,
    policy: &SandboxPolicy,
    wall: Duration,
    cpu: Option<Duration>,
) -> io::Result<ProcessEnd> {
    let mut sandbox = Sandbox::new(&words, policy)?;
    Ok(sandbox.run(Launch::new(words, cpu), wall, &|| false).expect("an end"))
}

/// A first line may name a descriptor that the host has open, and a path from there.
fn first_line_leads_to_no_other_program(level: SandboxLevel) -> io::Result<()> {
    let places = tempfile::tempdir()?;
    let [rival, own] = ["rival", "own"].map(|name| places.path().join(name));
    for folder in [&rival, &own] {
        fs::create_dir(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    }
    fs::set_permissions(places.path(), fs::Permissions::from_mode(0o755))?;
    fs::copy("/bin/sleep", rival.join("play"))?;
    let log = own.join("log");
    let policy = SandboxPolicy { log: Some(log), ..policy(level) };
    for descriptor in 3..16 {
        let script = own.join(format!("script{descriptor}"));
        let up = "../".repeat(16);
        let path = format!("/proc/self/fd/{descriptor}/{up}{}", &rival.display().to_string()[1..]);
        fs::write(&script, format!("#!{path}/play\n"))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        let words = vec![script.display().to_string(), "0".to_owned()];
        let end = run(words, &policy, LONG, None)?;
        assert!(matches!(end, ProcessEnd::NotStarted(_)), "{descriptor}: {end:?}");
    }
    Ok(())
}

fn supervisor_passes_on_lines_with_keywords(level: SandboxLevel) -> io::Result<()> {
    let words = shell("while read line; do echo noise; echo answer $line; done");
    let mut sandbox = talk(words, &policy(level), &["answer"])?;
    let folder = sandbox.folder().to_owned();
    for number in 1..=2 {
        sandbox.ask(format!("{number}\n"), LONG, None);
        hear(&mut sandbox, &format!("answer {number}"));
        end_turn(&mut sandbox);
    }
    let so_far = sandbox.cpu();
    assert!(sandbox.dismiss("3\n".to_owned()).0 >= so_far);
    assert!(!folder.exists());
    // A program that stays is charged for that, and for no more than a second.
    let sandbox = answered("trap '' TERM; echo answer; sleep 600", &policy(level))?;
    let stay = sandbox.dismiss(String::new()).1.as_secs_f64();
    assert!((0.5..=1.0).contains(&stay), "{stay}");
    Ok(())
}

/// The example is here line by line, and so compiled and run.
fn example_of_the_documentation_works(level: SandboxLevel) -> io::Result<()> {
    let documentation = include_str!("../../src/lib.rs");
    let example = documentation.split("//! ```").nth(1).expect("an example");
    for line in example.lines().skip(1).map(|line| line.trim_start_matches("//!").trim()) {
        assert!(include_str!("supervision.rs").contains(line), "{line}");
    }
    let mut heard = String::new();
    macro_rules! println {
        ($($arguments:tt)*) => { heard = format!($($arguments)*) };
    }
    let policy = SandboxPolicy { level: availability(None).level, ..SandboxPolicy::default() };
    let policy = SandboxPolicy { level, ..policy };
    let meter = Meter::new(&policy);
    let budget = meter.budget(None);
    let words = ["sh", "-c", "read question; echo answer 42"].map(str::to_owned).to_vec();
    let mut sandbox = Sandbox::new(&words, &policy)?;
    sandbox.start(Launch::new(words, None).talking(&["answer"]));
    sandbox.ask("question\n".to_owned(), budget.wall.left, None);
    match sandbox.next_event(&|| policy.is_stopped()) {
        Some(ProcessEvent::Line(line)) => println!("{line}"),
        Some(ProcessEvent::Ended(end)) => println!("{}", meter.failure(&end, &budget)),
        Some(ProcessEvent::TurnEnded) | None => {}
    }
    assert_eq!(heard, "answer 42");
    Ok(())
}

fn supervisor_reports_end_of_program(level: SandboxLevel) -> io::Result<()> {
    let end = |words| run(words, &policy(level), LONG, None);
    assert_eq!(end(shell("exit 3"))?, ProcessEnd::Exit(3));
    assert_eq!(end(shell("kill -TERM $$"))?, ProcessEnd::Signal("SIGTERM".to_owned()));
    // A signal without a name ends it as well, whatever goes on: its number may be that of another at once.
    let left = "sleep 600 & kill -40 $$";
    if cfg!(target_os = "linux") {
        assert_eq!(end(shell(left))?, ProcessEnd::Signal("unknown".to_owned()));
    }
    let nowhere = vec!["/nowhere/at/all".to_owned()];
    assert!(matches!(end(nowhere)?, ProcessEnd::NotStarted(_)));
    Ok(())
}

fn supervisor_enforces_limits(level: SandboxLevel) -> io::Result<()> {
    let limits =
        ProcessLimits { output: ByteSize::kib(64), processes: 4, ..ProcessLimits::default() };
    let policy = SandboxPolicy { limits, ..policy(level) };
    let short = Duration::from_secs(1);
    let end = |script, wall, cpu| run(shell(script), &policy, wall, cpu);
    assert_eq!(end("sleep 600", short, None)?, ProcessEnd::WallLimit);
    assert_eq!(end("while :; do echo much; done", LONG, None)?, ProcessEnd::OutputLimit);
    if cfg!(target_os = "linux") {
        assert_eq!(end("while :; do :; done", LONG, Some(short))?, ProcessEnd::CpuLimit);
        let many = "for i in 1 2 3 4 5; do sleep 600 & done; wait";
        assert_eq!(end(many, LONG, None)?, ProcessEnd::Processes);
    }
    Ok(())
}

fn supervisor_kills_detached_processes(level: SandboxLevel) -> io::Result<()> {
    // No other process sleeps for this time.
    let mark = format!("600.{}", std::process::id());
    let script = format!("(setsid sleep {mark} &) ; sleep {mark}");
    let wall = Duration::from_millis(500);
    assert_eq!(run(shell(&script), &policy(level), wall, None)?, ProcessEnd::WallLimit);
    for entry in fs::read_dir("/proc")?.flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&command).contains(&format!("{mark}\0")),
            "{:?}",
            entry.path()
        );
    }
    Ok(())
}

/// Two programs in one sandbox, one after another, and what each leaves.
fn programs_exchange_files(level: SandboxLevel) -> io::Result<()> {
    let mut sandbox = Sandbox::new(&shell(""), &policy(level))?;
    let folder = sandbox.folder().to_owned();
    let [input, output] = [INPUT, OUTPUT].map(|name| folder.join(name).display().to_string());
    for (question, kept) in [("question", &b"quest"[..]), ("next", &b"next"[..])] {
        // Only root and a file system can tell the size of a locked folder.
        let locks = if level >= SandboxLevel::User { "chmod 0 deep" } else { ":" };
        let script = format!(
            "cd {}; ls; cat {input} > {output}; mkdir -p deep/er; {locks}",
            folder.display()
        );
        let launch = Launch::new(shell(&script), None).with_input(INPUT, question.to_owned());
        let launch = launch.with_files(&[OUTPUT], 5).with_printed(100);
        let end = sandbox.run(launch, LONG, &|| false);
        assert_eq!(end, Some(ProcessEnd::Exit(0)), "{:?}", sandbox.take_leftovers());
        assert_eq!(end_of(&mut sandbox), ProcessEnd::Exit(0));
        let left = Leftovers {
            files: vec![Some(kept.into())],
            printed: b"input.txt\n".into(),
            ..Leftovers::default()
        };
        assert_eq!(sandbox.take_leftovers(), left);
    }
    let link = Launch::new(shell(&format!("ln -s /etc/passwd {output}")), None);
    let end = sandbox.run(link.with_files(&[OUTPUT, "none"], 5), LONG, &|| false);
    assert_eq!(end, Some(ProcessEnd::Exit(0)));
    assert_eq!(sandbox.take_leftovers().files, [None, None]);
    // A file in place of the one that is asked for is named, and neither a link nor a file that was there.
    let script = format!("cd {}; ln -s {input} a; mkdir b; echo > mine", folder.display());
    let launch = Launch::new(shell(&script), None).with_input(INPUT, "question".to_owned());
    let end = sandbox.run(launch.with_files(&[OUTPUT], 5), LONG, &|| false);
    assert_eq!(end, Some(ProcessEnd::Exit(0)));
    assert_eq!(sandbox.take_leftovers().other_file.as_deref(), Some("mine"));
    // The input ends with the text that is typed.
    let echo = Launch::new(shell(&format!("cat > {}/typed", folder.display())), None);
    let end =
        sandbox
            .run(echo.with_typed("7\n8\n".to_owned()).with_files(&["typed"], 9), LONG, &|| false);
    assert_eq!(end, Some(ProcessEnd::Exit(0)));
    let left = sandbox.take_leftovers();
    assert_eq!((left.files, left.read_lines), (vec![Some(b"7\n8\n".to_vec())], 2));
    for (script, lines) in [("read line", 1), ("sleep 0.3", 0)] {
        let launch = Launch::new(shell(script), None).with_typed("7\n8\n".to_owned());
        assert_eq!(sandbox.run(launch, LONG, &|| false), Some(ProcessEnd::Exit(0)));
        assert_eq!(sandbox.take_leftovers().read_lines, lines, "{script}");
    }
    // No person types the next line while a program that reads ahead pauses in its own move.
    let script = "exec 3<&0; cat <&3 > /dev/null & sleep 0.2; echo 4; sleep 0.2; kill $!";
    let launch = Launch::new(shell(script), None).with_typed("7\n".repeat(9));
    assert_eq!(sandbox.run(launch, LONG, &|| false), Some(ProcessEnd::Exit(0)));
    assert!(sandbox.take_leftovers().read_lines < 9);
    drop(sandbox);
    assert!(!folder.exists());
    Ok(())
}

fn variables_have_one_value(level: SandboxLevel) -> io::Result<()> {
    let named = vec![("TERM".to_owned(), "xterm".to_owned())];
    for (environment, expected) in [(Vec::new(), "TERM=dumb"), (named, "TERM=xterm")] {
        let policy = SandboxPolicy { environment, ..policy(level) };
        let words = vec!["env".to_owned()];
        let mut sandbox = Sandbox::new(&words, &policy)?;
        let launch = Launch::new(words, None).with_printed(10_000);
        assert_eq!(sandbox.run(launch, LONG, &|| false), Some(ProcessEnd::Exit(0)));
        let printed = sandbox.take_leftovers().printed;
        let printed = String::from_utf8_lossy(&printed);
        let found: Vec<_> = printed.lines().filter(|line| line.starts_with("TERM=")).collect();
        assert_eq!(found, [expected]);
    }
    Ok(())
}

fn program_cannot_write_outside_folder(level: SandboxLevel) -> io::Result<()> {
    let outside = tempfile::tempdir()?;
    let file = outside.path().join("file");
    let script = format!("echo x > {}", file.display());
    let end = run(shell(&script), &policy(level), LONG, None)?;
    let is_free = level == SandboxLevel::None;
    assert_eq!(end == ProcessEnd::Exit(0), is_free, "{end:?}");
    assert_eq!(file.exists(), is_free);
    Ok(())
}

/// A program may open its own folders to everybody. Somebody with an account could leave files there, or run its files
/// as the user of the program.
fn no_other_user_reaches_folder_of_program(level: SandboxLevel) -> io::Result<()> {
    const NOBODY: u32 = 65_534;
    if level != SandboxLevel::User {
        return Ok(());
    }
    let words = shell(
        "chmod 777 \"$TMPDIR\"; cp /bin/true \"$TMPDIR/t\"; echo \"answer $TMPDIR\"; read line",
    );
    let mut sandbox = talk(words, &policy(level), &["answer"])?;
    sandbox.ask("\n".to_owned(), LONG, None);
    let Some(ProcessEvent::Line(line)) = sandbox.next_event(&|| false) else {
        return Err(io::Error::other("no answer"));
    };
    let folder = line.trim_start_matches("answer ");
    assert!(std::path::Path::new(folder).join("t").exists(), "{folder}");
    let as_nobody = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).uid(NOBODY).gid(NOBODY).stderr(std::process::Stdio::null()).status()
    };
    assert!(as_nobody("true", &[])?.success());
    assert!(!as_nobody("ls", &[folder])?.success(), "{folder}");
    assert!(as_nobody(&format!("{folder}/t"), &[]).is_err(), "{folder}");
    Ok(())
}

fn late_answers_are_quoted(level: SandboxLevel) -> io::Result<()> {
    for (script, quoted) in [
        // Like a program that does not flush.
        ("cat > /dev/null; echo answer 4", "answer 4"),
        ("read line; echo Well, answer 4; sleep 600", "Well, answer 4"),
        ("sleep 600", ""),
        // A program at work has no answer yet, whatever another process of it prints.
        ("exec 3<&0; { cat <&3 > /dev/null; echo answer 4; } & while :; do :; done", ""),
    ] {
        let mut sandbox = talk(shell(script), &policy(level), &["answer"])?;
        // A busy computer starts a program late, or is to blame for what it has not said.
        sandbox.ask("question\n".to_owned(), Duration::from_secs(2), None);
        match end_of(&mut sandbox) {
            ProcessEnd::WallLimit => {}
            ProcessEnd::Starved(_) => continue,
            other => panic!("{other:?}"),
        }
        let left = sandbox.take_leftovers();
        assert_eq!(String::from_utf8_lossy(&left.unheard), quoted, "{script}");
    }
    Ok(())
}

fn program_finds_what_is_beside_it(level: SandboxLevel) -> io::Result<()> {
    let disk = tempfile::tempdir()?;
    // A user of its own must be able to read it.
    fs::set_permissions(disk.path(), fs::Permissions::from_mode(0o755))?;
    let others = [OUTPUT, "next.txt"];
    fs::write(disk.path().join("play"), "cat weights && ls *.txt")?;
    fs::write(disk.path().join("weights"), "3 5 8\n")?;
    for name in others {
        fs::write(disk.path().join(name), "of another day")?;
    }
    let named = vec![disk.path().join("play")];
    let policy = SandboxPolicy { named, ..policy(level) };
    let words = vec!["sh".to_owned(), disk.path().join("play").display().to_string()];
    let mut sandbox = Sandbox::new(&words, &policy)?;
    // The file that a run is to write is not there, under any name.
    for (written, other) in [(others[0], others[1]), (others[1], others[0])] {
        let launch = Launch::new(words.clone(), None).with_files(&[written], 5);
        let end = sandbox.run(launch.with_printed(100), LONG, &|| false);
        let found = String::from_utf8_lossy(&sandbox.take_leftovers().printed).into_owned();
        // Without a sandbox, a program stays in the folder of the host.
        let (expected, code) = match level {
            SandboxLevel::None => (String::new(), 1),
            _ => (format!("3 5 8\n{other}\n"), 0),
        };
        assert_eq!((found, end), (expected, Some(ProcessEnd::Exit(code))), "{written}");
    }
    Ok(())
}

fn program_sees_what_its_command_names(level: SandboxLevel) -> io::Result<()> {
    let disk = tempfile::tempdir()?;
    // A user of its own must be able to read it.
    fs::set_permissions(disk.path(), fs::Permissions::from_mode(0o755))?;
    for folder in ["own", "rival", "shown"] {
        fs::create_dir(disk.path().join(folder))?;
        fs::write(disk.path().join(folder).join("file"), "text")?;
    }
    let file = |folder: &str| disk.path().join(folder).join("file").display().to_string();
    let policy = SandboxPolicy {
        named: vec![disk.path().join("own/file")],
        visible: vec![disk.path().join("shown")],
        ..policy(level)
    };
    let reads = |from: &str| {
        // A word shows nothing: strangers may have written it.
        let mut words = shell(&format!("cat {} && : $0", file(from)));
        words.push(file("rival"));
        run(words, &policy, LONG, None).map(|end| end == ProcessEnd::Exit(0))
    };
    assert!(reads("own")? && reads("shown")?);
    assert_eq!(reads("rival")?, level == SandboxLevel::None);
    Ok(())
}

fn program_stands_still_between_turns(level: SandboxLevel) -> io::Result<()> {
    for ponder in [false, true] {
        let policy = SandboxPolicy { ponder, ..policy(level) };
        let mut sandbox = answering("read line; echo answer; while :; do :; done", &policy)?;
        let mut end_turn = || {
            end_turn(&mut sandbox);
            let used = sandbox.cpu();
            thread::sleep(Duration::from_millis(300));
            sandbox.ask(String::new(), LONG, None);
            used
        };
        let mut before = end_turn();
        let goes_on = ponder || level == SandboxLevel::None;
        // On a busy computer, a program that goes on gets less than all of the time, and one that
        // stands still has a longer turn.
        let is_as_expected = (0..20).any(|_| {
            let used = end_turn();
            let between = used - std::mem::replace(&mut before, used);
            (between > Duration::from_millis(20)) == goes_on
        });
        assert!(is_as_expected, "goes on: {goes_on}");
    }
    Ok(())
}

/// A program fills the pipe to its host to the last byte while its rival is asked, and then exceeds a limit for some
/// seconds.
fn limits_hold_while_nobody_listens(level: SandboxLevel) -> io::Result<()> {
    let limits = ProcessLimits { processes: 4, ..ProcessLimits::default() };
    let policy = SandboxPolicy { limits, ponder: true, ..policy(level) };
    // A page of the pipe for each line.
    let script = "read line; echo answer; sleep 1; yes \"answer $(printf %04077d 1)\" | head -n 20; \
        for i in 1 2 3 4 5; do sleep 4 & done; wait; echo over >&2; sleep 600";
    let mut sandbox = answered(script, &policy)?;
    thread::sleep(Duration::from_secs(6));
    let listened = Instant::now();
    let end = loop {
        match sandbox.next_event(&|| listened.elapsed() > LONG / 4) {
            Some(ProcessEvent::Ended(end)) => break Some(end),
            Some(ProcessEvent::Line(_) | ProcessEvent::TurnEnded) => {}
            None => break None,
        }
    };
    assert_eq!(end, Some(ProcessEnd::Processes));
    assert_eq!(sandbox.take_leftovers().errors, b"", "it is killed at once");
    Ok(())
}

/// A program stops a process of its own, and looks whether it goes on, or is told of another stop of it, in its turn
/// and in the next; and whether a wait of its own ends early. Meanwhile it has a folder, or a file for a moment again
/// and again.
fn honest_program_is_not_stopped_in_its_turn(level: SandboxLevel) -> io::Result<()> {
    let folder = "own = tempfile.TemporaryDirectory()\ndef work(): pass\n";
    let file = "def work(): tempfile.NamedTemporaryFile().close()\n";
    let script = "\
        child = os.fork()\n\
        if child == 0:\n    while True: time.sleep(0.01)\n\
        sys.stdin.readline()\n\
        time.sleep(0.2)\n\
        queue, wait = select.epoll(), ctypes.CDLL(None).epoll_wait\n\
        os.kill(child, signal.SIGSTOP)\n\
        os.waitpid(child, os.WUNTRACED)\n\
        def in_peace(seconds):\n\
        \x20   end = time.monotonic() + seconds\n\
        \x20   while time.monotonic() < end:\n\
        \x20       work()\n\
        \x20       if wait(queue.fileno(), ctypes.create_string_buffer(12), 1, 10): return False\n\
        \x20       if os.waitpid(child, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)[0]: return False\n\
        \x20   return True\n\
        for seconds in 3, 0.1:\n\
        \x20   print('answer', in_peace(seconds), flush=True)\n\
        \x20   sys.stdin.readline()";
    for work in [folder, file] {
        let words = [
            "python3",
            "-c",
            &format!("import ctypes, os, select, signal, sys, tempfile, time\n{work}{script}"),
        ]
        .map(str::to_owned)
        .to_vec();
        let answers = || -> io::Result<Vec<Option<ProcessEvent>>> {
            let mut sandbox = talk(words.clone(), &policy(level), &["answer"])?;
            let turn = |_| {
                sandbox.ask("question\n".to_owned(), LONG, None);
                let event = sandbox.next_event(&|| false);
                end_turn(&mut sandbox);
                event
            };
            Ok((0..2).map(turn).collect())
        };
        let answer = |text: &str| Some(ProcessEvent::Line(format!("answer {text}")));
        let [in_peace, disturbed] = ["True", "False"].map(answer);
        let is_in_peace = |found: &[_]| found.iter().all(|it| *it == in_peace);
        // On a busy computer, a look may take so long that it is made again while the program stands still. If looks
        // stopped it on a quiet one, there would be one in every try.
        let mut found = answers()?;
        for _ in 1..10 {
            if is_in_peace(&found) {
                break;
            }
            assert!(found.iter().all(|it| [&in_peace, &disturbed].contains(&it)), "{found:?}");
            found = answers()?;
        }
        assert!(is_in_peace(&found), "{found:?}");
    }
    Ok(())
}

/// A program fills the pipe to its host, and computes for longer than its time before it answers, while the host is
/// stopped.
fn time_ends_while_nobody_listens(level: SandboxLevel) -> io::Result<()> {
    // In CPU time: the time for which others keep it from running is not its own. A page of the pipe for each line.
    let script = "import sys, time\n\
        sys.stdin.readline()\n\
        for page in range(20):\n    print('thought', '1' * 4087, flush=True)\n\
        while time.process_time() < 3: pass\n\
        print('answer', flush=True)\n\
        sys.stdin.readline()";
    let words = ["python3", "-c", script].map(str::to_owned).to_vec();
    let run = || {
        let mut sandbox = talk(words.clone(), &policy(level), &["thought", "answer"])?;
        sandbox.ask("question\n".to_owned(), Duration::from_secs(1), None);
        thread::sleep(Duration::from_secs(5));
        loop {
            match sandbox.next_event(&|| false) {
                Some(ProcessEvent::Line(line)) => assert_ne!(line, "answer", "it comes too late"),
                Some(ProcessEvent::Ended(end)) => break io::Result::Ok(end),
                _ => {}
            }
        }
    };
    assert_eq!(end_unless_starved(run)?, ProcessEnd::WallLimit);
    Ok(())
}

/// The host is busy with something else until long after the time of the program.
fn answer_in_time_may_be_read_late(level: SandboxLevel) -> io::Result<()> {
    let words = shell("while read line; do echo answer; echo answer; done");
    let mut sandbox = talk(words, &policy(level), &["answer"])?;
    for _ in 0..2 {
        sandbox.ask("question\n".to_owned(), Duration::from_millis(500), None);
        thread::sleep(Duration::from_millis(700));
        hear(&mut sandbox, "answer");
        sandbox.end_turn();
        hear(&mut sandbox, "answer");
        assert_eq!(sandbox.next_event(&|| false), Some(ProcessEvent::TurnEnded));
        // The program is not to blame for the time from the answer on.
        assert!(sandbox.wall() < Duration::from_millis(700));
    }
    // A host that waits for another line has not heard the answer.
    sandbox.ask("question\n".to_owned(), Duration::from_millis(500), None);
    for _ in 0..2 {
        hear(&mut sandbox, "answer");
    }
    assert_eq!(end_of(&mut sandbox), ProcessEnd::WallLimit);
    Ok(())
}

/// The program and its supervisor are stopped for longer than the time of the program, as by Ctrl-Z.
fn program_gets_the_time_of_a_pause(level: SandboxLevel) -> io::Result<()> {
    let words = shell("read line; echo begun; sleep 0.5; echo answer; read line");
    let mut sandbox = talk(words, &policy(level), &["begun", "answer"])?;
    sandbox.ask("question\n".to_owned(), Duration::from_secs(2), None);
    hear(&mut sandbox, "begun");
    thread::sleep(Duration::from_millis(100));
    let (processes, pause) = (descendants_of_this()?, Duration::from_millis(2500));
    for signal in [Signal::SIGSTOP, Signal::SIGCONT] {
        for &process in &processes {
            let _ = kill(process, signal);
        }
        if signal == Signal::SIGSTOP {
            thread::sleep(pause);
        }
    }
    hear(&mut sandbox, "answer");
    end_turn(&mut sandbox);
    Ok(())
}

/// Somebody else lets a program go on that is busy and stands still, as for a job that was suspended.
fn still_program_may_be_continued_once(level: SandboxLevel) -> io::Result<()> {
    let words = shell("(while :; do :; done) & while read line; do echo answer; done");
    let policy = SandboxPolicy { control_groups: false, ..policy(level) };
    let mut sandbox = talk(words, &policy, &["answer"])?;
    let go_on = || -> io::Result<()> {
        for process in descendants_of_this()? {
            let _ = kill(process, Signal::SIGCONT);
        }
        Ok(())
    };
    for _ in 0..2 {
        sandbox.ask("question\n".to_owned(), Duration::from_secs(20), None);
        hear(&mut sandbox, "answer");
        end_turn(&mut sandbox);
        go_on()?;
        // The program runs for more than a look before it is stopped, for a moment or two.
        let stopped = |pid: &Pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let name = |name: &str| status.starts_with(&format!("Name:\t{name}\n"));
            !name("sh") && !name("dash") && !name("bash") || status.contains("\nState:\tT")
        };
        while !descendants_of_this()?.iter().all(stopped) {
            thread::sleep(Duration::from_millis(5));
        }
    }
    // The program may have been seen as stopped before it ran, and two continuations then count as one.
    let end = loop {
        go_on()?;
        if let Some(ProcessEvent::Ended(end)) = sandbox.try_next_event() {
            break end;
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(matches!(end, ProcessEnd::System(_)), "{end:?}");
    Ok(())
}

fn descendants_of_this() -> io::Result<Vec<Pid>> {
    let numbers = fs::read_dir("/proc")?.flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(numbers.filter(|&pid| descends_from_this(pid)).map(Pid::from_raw).collect())
}

/// A process of another session that never rests. Linux shares a core among sessions first.
struct Hog(std::process::Child);

impl Hog {
    fn start() -> io::Result<Hog> {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]);
        // SAFETY: the closure makes one system call.
        unsafe { command.pre_exec(|| Ok(nix::unistd::setsid().map(drop)?)) };
        command.spawn().map(Hog)
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Does something on one core, as do all programs and supervisors that are started meanwhile.
fn on_one_core<T>(act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let this = Pid::from_raw(0);
    let all = sched_getaffinity(this)?;
    let mut one = CpuSet::new();
    one.set((0..CpuSet::count()).find(|&core| all.is_set(core) == Ok(true)).unwrap_or(0))?;
    sched_setaffinity(this, &one)?;
    let done = act();
    sched_setaffinity(this, &all)?;
    done
}

/// Shares one core with others.
fn starved_program_is_told_from_sleeper(level: SandboxLevel) -> io::Result<()> {
    let [starved, slept] = on_one_core(|| {
        let _hogs = (0..6).map(|_| Hog::start()).collect::<io::Result<Vec<Hog>>>()?;
        let end = |script| run(shell(script), &policy(level), Duration::from_millis(500), None);
        Ok([end("while :; do :; done")?, end("sleep 600")?])
    })?;
    assert!(matches!(starved, ProcessEnd::Starved(_)), "{starved:?}");
    assert_eq!(slept, ProcessEnd::WallLimit);
    Ok(())
}

/// Runs a program, and up to nineteen times more while others keep it from running for too long. Returns its
/// last end.
fn end_unless_starved(mut run: impl FnMut() -> io::Result<ProcessEnd>) -> io::Result<ProcessEnd> {
    let mut end = run();
    for _ in 1..20 {
        let Ok(ProcessEnd::Starved(_)) = end else { break };
        end = run();
    }
    end
}

/// A second of CPU time takes more than the wall time of a program that shares its core.
fn program_gets_the_time_that_others_take(level: SandboxLevel) -> io::Result<()> {
    on_one_core(|| {
        let _hog = Hog::start()?;
        let script = shell("ulimit -S -t 1; while :; do :; done");
        let wall = Duration::from_millis(1200);
        let end = end_unless_starved(|| run(script.clone(), &policy(level), wall, None))?;
        // The limit is the program's own, so it is not named as one of the host.
        assert_eq!(end, ProcessEnd::Signal("SIGXCPU".to_owned()));
        Ok(())
    })
}

/// A program that writes a byte at a time is ready to run while its supervisor, on the same core, reads
/// it.
fn work_for_a_program_is_no_others(level: SandboxLevel) -> io::Result<()> {
    let words = shell("while :; do printf x; done");
    on_one_core(|| {
        let begun = Instant::now();
        let mut sandbox = Sandbox::new(&words, &policy(level))?;
        sandbox.start(Launch::new(words, None));
        sandbox.ask(String::new(), Duration::from_secs(2), None);
        match end_of(&mut sandbox) {
            ProcessEnd::WallLimit => {}
            // On a busy computer it waits for others as well, in the time that is left.
            ProcessEnd::Starved(waited) => {
                let spent = sandbox.cpu() + cpu_of_supervisors()?;
                let all = begun.elapsed() + Duration::from_millis(100);
                assert!(waited + spent < all, "{waited:?} beside {spent:?} in {all:?}");
            }
            other => panic!("{other:?}"),
        }
        Ok(())
    })
}

/// Prints an answer while many sessions fill page tables, which only a deadly signal ends. They leave the supervisor
/// next to no CPU time.
const FILLERS: &str = "exec python3 -c '
import mmap, os
ready, go = os.pipe(), os.pipe()
for _ in range(40):
    if os.fork() == 0:
        os.setsid()
        kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
        memory = mmap.mmap(-1, 16 << 30, flags=kind, prot=mmap.PROT_READ)
        os.write(ready[1], b\"r\")
        os.read(go[0], 1)
        memory.madvise(22)
        os._exit(0)
for _ in range(40):
    os.read(ready[0], 1)
os.write(go[1], b\"g\" * 40)
print(\"answer\", flush=True)
input()
input()
'";

/// A program that runs on in the kernel after its answer is to blame for its end: its supervisor is not lost.
fn long_calls_after_an_answer_are_no_trouble(level: SandboxLevel) -> io::Result<()> {
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    if !has_python {
        return Ok(());
    }
    let mut sandbox = answering(FILLERS, &policy(level))?;
    sandbox.end_turn();
    match sandbox.next_event(&|| false) {
        Some(ProcessEvent::Ended(end)) => assert!(end.is_excess(), "{end:?}"),
        // On some computers the calls are short.
        event => assert_eq!(event, Some(ProcessEvent::TurnEnded)),
    }
    Ok(())
}

/// The kernel takes a while to free the memory of a process that is killed, and does so whatever the
/// process is told.
fn worker_may_end_slowly(level: SandboxLevel) -> io::Result<()> {
    // What sorts or turns lines around keeps the last one, however long it is.
    let script = "cd $TMPDIR; { head -c 1200000000 /dev/full; : > full; sleep 600; } | \
        tail -n 1 > /dev/null & worker=$!; until [ -e full ]; do sleep 0.1; done; \
        read line; kill -9 $worker; echo answer; read line; echo answer; read line";
    let mut sandbox = answered(script, &policy(level))?;
    thread::sleep(Duration::from_millis(500));
    assert_eq!(sandbox.try_next_event(), None);
    sandbox.ask("\n".to_owned(), LONG, None);
    hear(&mut sandbox, "answer");
    end_turn(&mut sandbox);
    Ok(())
}

/// Returns the CPU time of the supervisors that this process has started.
fn cpu_of_supervisors() -> io::Result<Duration> {
    let mut sum = Duration::ZERO;
    for pid in descendants_of_this()? {
        let text = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if let (true, Ok(clock)) =
            (text.starts_with("plyground-supervisor"), nix::time::clock_getcpuclockid(pid))
        {
            sum += clock.now().map_or(Duration::ZERO, Duration::from);
        }
    }
    Ok(sum)
}

fn descends_from_this(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    match parent.and_then(|text| text.trim().parse::<i32>().ok()) {
        None | Some(0) => false,
        Some(parent) => {
            u32::try_from(parent) == Ok(std::process::id()) || descends_from_this(parent)
        }
    }
}

/// A program of many processes stands still, while its rival has the core.
fn still_program_costs_rival_nothing(level: SandboxLevel) -> io::Result<()> {
    let limits = ProcessLimits { processes: 200, ..ProcessLimits::default() };
    let policy = SandboxPolicy { limits, ..policy(level) };
    let script = "for i in $(seq 100); do sleep 600 & done; read line; echo answer; read line";
    let _sandbox = answered(script, &policy)?;
    let before = cpu_of_supervisors()?;
    thread::sleep(Duration::from_secs(2));
    let used = cpu_of_supervisors()? - before;
    // A look at all that they hold takes a good part of that.
    assert!(used < Duration::from_millis(100), "{used:?}");
    Ok(())
}

fn next_event_returns_none_when_stopped(level: SandboxLevel) -> io::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let policy = SandboxPolicy { stop: Some(stop.clone()), ..policy(level) };
    let mut sandbox = Sandbox::new(&shell("sleep 600"), &policy)?;
    sandbox.start(Launch::new(shell("sleep 600"), None));
    sandbox.ask(String::new(), LONG, None);
    stop.store(true, Ordering::Relaxed);
    assert_eq!(sandbox.next_event(&|| policy.is_stopped()), None);
    Ok(())
}
