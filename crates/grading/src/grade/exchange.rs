//! Checks of the files that programs read and write, and of the text that they print.

use plyground::Game;
use plyground_durable::excerpt;
use plyground_durable::plain_text::decode_lossy;
use plyground_host::external::{Exchange, exchange, move_in_output};
use plyground_host::player::PlayerSpec;
use plyground_host::state::LineEnds;
use plyground_host::{Fault, HostedPosition};

use super::draw::Task;
use super::layout;
use super::results::Finding;
use super::score_text::Statements;
use super::session::Session;
use super::verdict::{CheckVerdict, Shares};

impl Session<'_> {
    /// Returns true if the player is a program that exchanges files.
    pub(super) fn exchanges_files(&self) -> bool {
        matches!(self.examinee.player.at(None), Ok(PlayerSpec::File(_)))
    }

    /// Checks that the program reads the assignment's own files. If it reads files with LF better,
    /// all other checks use LF.
    pub(super) fn reads_files(&mut self, tasks: &[Task], depth: u32) -> CheckVerdict {
        let shares = self.each(tasks, |session, task| session.makes_a_move(task, depth));
        if shares.good() == shares.all() {
            return shares.verdict();
        }
        self.line_ends = LineEnds::Lf;
        let with_lf = self.each(tasks, |session, task| session.makes_a_move(task, depth));
        if with_lf.good() > shares.good() {
            let summary = format!(
                "{} of {} files with CR LF are read, {} with LF; all else is asked with LF",
                shares.good(),
                shares.all(),
                with_lf.good()
            );
            return shares.with(0.0, summary);
        }
        self.line_ends = LineEnds::CrLf;
        shares.verdict()
    }

    fn makes_a_move(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        self.written(task, depth).map(drop)
    }

    /// Returns the output of the program if it is the position after a legal move, even with slips
    /// in the format.
    fn written(&self, task: &Task, depth: u32) -> Result<Vec<u8>, Box<Finding>> {
        let Exchange { output, stdout, .. } = self.run(task, depth)?;
        let fault = |said: String| {
            let stderr = self.stderr.end();
            Err(Finding { stderr, ..Finding::at(&task.position, said) }.boxed())
        };
        let Some(output) = output else {
            // A program that refuses its input says so at the end of its output, often on standard
            // output.
            let last = stdout.lines().rev().find(|line| !line.trim().is_empty());
            let last =
                last.map(|line| format!("; it printed at the end: {}", excerpt(line.trim())));
            return fault(format!("no file was written{}", last.unwrap_or_default()));
        };
        let mv = move_in_output(&task.position, &decode_lossy(&output), true);
        if mv.is_ok() { Ok(output) } else { fault(unexpected(&output)) }
    }

    /// Checks that the file has the format of the input. A slip costs the points of this check
    /// only, since other checks ignore it.
    pub(super) fn keeps_format(&mut self, tasks: &[Task], depth: u32) -> CheckVerdict {
        let mut slip = None;
        let shares = self.each(tasks, |session, task| {
            let output = session.written(task, depth)?;
            let found = layout::lines(&output);
            if afters(&task.position).any(|after| after.state().lines().eq(&found)) {
                return Ok(());
            }
            let why = match move_in_output(&task.position, &decode_lossy(&output), false) {
                Err(Fault::IllegalMove { why }) => why,
                _ => "blanks, empty lines or marks are in its output".to_owned(),
            };
            let said = format!("{why}\n{}", unexpected(&output));
            slip = Some(why);
            Err(Finding::at(&task.position, said).boxed())
        });
        let Some(slip) = slip else { return shares.verdict() };
        // A check that is made again gives the same mark again.
        self.marks.retain(|mark| *mark != slip);
        self.marks.push(slip.clone());
        let (good, all) = (shares.good(), shares.all());
        let summary = format!("{good} of {all}: {slip}; all else is judged as if it were not so");
        shares.with(good as f64 / all as f64, summary)
    }

    pub(super) fn keeps_line_ends(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        let output = self.written(task, depth)?;
        // The line ends may be those of the assignment's own files, or of the file that was read.
        if [LineEnds::CrLf, self.line_ends].into_iter().any(|ends| layout::ends_in(&output, ends)) {
            return Ok(());
        }
        let ends = layout::describe(&output);
        let said = format!("{ends}; those of the assignment's files end in CR LF, all of them");
        Err(Finding::at(&task.position, said).boxed())
    }

    /// Runs the program in a position.
    fn run(&self, task: &Task, depth: u32) -> Result<Exchange, Box<Finding>> {
        let depth = self.told(depth);
        let run = match self.examinee.player.at(Some(depth)) {
            Ok(PlayerSpec::File(command)) => {
                let input = self.line_ends.lay_out(&task.position.state());
                exchange(command.program(Some(depth)), &input, &self.policy())
            }
            _ => Err(Fault::NoMove),
        };
        self.heed_time(run.as_ref().err());
        run.map_err(|fault| self.fault_in(task, fault).boxed())
    }

    pub(super) fn prints_score(&self, tasks: &[Task], depth: u32) -> CheckVerdict {
        let mut shares = Shares::default();
        for (index, task) in tasks.iter().enumerate() {
            if let Some(why) = self.why_unasked(index) {
                (0..2)
                    .for_each(|_| shares.add(Err(Finding::of_no_position(why.to_owned()).boxed())));
                continue;
            }
            match self.run(task, depth) {
                Ok(run) => self.scores(task, &run).into_iter().for_each(|part| shares.add(part)),
                Err(finding) => (0..2).for_each(|_| shares.add(Err(finding.clone()))),
            }
        }
        shares.verdict()
    }

    /// Checks that the score was printed before the move, and that the score was printed after it.
    fn scores(&self, task: &Task, run: &Exchange) -> [Result<(), Box<Finding>>; 2] {
        let Some(before) = task.position.points() else { return [Ok(()), Ok(())] };
        let found = decode_lossy(run.output.as_deref().unwrap_or_default());
        let mv = move_in_output(&task.position, &found, true).ok();
        let after = mv.and_then(|mv| task.position.after(mv).points());
        let says_first = Statements::of(&run.stdout, before).first();
        let says_then = after.is_some_and(|after| {
            let statements = Statements::of(&run.stdout, after);
            // A single statement that is not the score before the move may be the score after it.
            statements.then() || !says_first && statements.only()
        });
        let printed = |is_there, when: &str, score: Option<[i32; 2]>| {
            let score = score.map_or("the score".to_owned(), in_words);
            let said = format!("expected, printed {when} the move: {score}");
            if is_there { Ok(()) } else { Err(Finding::at(&task.position, said).boxed()) }
        };
        [printed(says_first, "before", Some(before)), printed(says_then, "after", after)]
    }

    pub(super) fn stops_when_over(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        let run = self.run(task, depth)?;
        let wrong = |said: String| Err(Finding::at(&task.position, said).boxed());
        if let Some(output) = written_text(&run)
            && !has_cells(&output, &task.position)
        {
            return wrong("the game is over, but another position was written".to_owned());
        }
        let Some(points) = task.position.points() else { return Ok(()) };
        let statements = Statements::of(&run.stdout, points);
        if statements.first() || statements.then() {
            return Ok(());
        }
        wrong(format!("expected, printed: {}", in_words(points)))
    }

    pub(super) fn writes_nothing(&self, task: &Task, depth: u32) -> Result<(), Box<Finding>> {
        match written_text(&self.run(task, depth)?) {
            None => Ok(()),
            Some(_) => {
                let said = "the game is over, but a file was written".to_owned();
                Err(Finding::at(&task.position, said).boxed())
            }
        }
    }
}

/// Returns the text that a program has written. An empty file, which the course's own sample code
/// leaves, counts as none.
fn written_text(run: &Exchange) -> Option<String> {
    let text = run.output.as_deref().map(decode_lossy);
    text.filter(|text| !text.trim().is_empty())
}

/// Returns true if a file has the cells of the position, with any next player.
fn has_cells(text: &str, position: &HostedPosition) -> bool {
    let symbols = |text: &str| text.split_whitespace().collect::<String>();
    let state = position.state();
    let cells = state.rsplit_once('\n').map_or(state.as_str(), |(cells, _)| cells);
    symbols(text).starts_with(&symbols(cells))
}

/// Describes a file whose content differs from the expected one.
fn unexpected(output: &[u8]) -> String {
    let found = output.escape_ascii();
    format!(
        "written   {found}\nexpected  the file that was read with one move made, and the other player next"
    )
}

/// Returns the positions after the legal moves.
fn afters(position: &HostedPosition) -> impl Iterator<Item = HostedPosition> + '_ {
    position.legal_moves().map(|mv| position.after(mv))
}

fn in_words([first, second]: [i32; 2]) -> String {
    format!("the score, {first} to {second}")
}
