//! Checks of programs that exchange files: the moves, lines and line ends of the files, the score that the programs
//! print, and the end of a game against a person.

use plyground::Game;
use plyground_durable::input::{decode_layout, decode_lossy, with_single_cr};
use plyground_host::external::{
    CommandLine, Exchange, SAVED, converse, exchange, last_board, move_in_output, move_printed,
    printed_last, rows, rows_of_board, wrote_instead,
};
use plyground_host::player::PlayerSpec;
use plyground_host::state::LineEnds;
use plyground_host::{Fault, HostedPosition};
use plyground_sandbox::{INPUT, OUTPUT, SandboxPolicy};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::draw::Task;
use super::printed_score::{Statements, in_words, scores};
use super::results::{Finding, Outcome};
use super::session::Session;
use super::verdict::{CheckVerdict, Shares};

/// The sides of a game against a person in the interactive mode of the Max-Connect4 assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Partner {
    Computer,
    Human,
}

impl Partner {
    /// Returns the words by which this side moves first. The page of the assignment has both, and a program may know
    /// only one.
    fn words(self) -> [&'static str; 2] {
        [["computer-next", "computer-first"], ["human-next", "human-first"]][self as usize]
    }

    /// Returns the name of the file in which the program saves the position after a move of this side.
    fn file(self) -> &'static str {
        SAVED[self as usize]
    }
}

/// The names of the input and output file in most checks, and in the check that programs read the assignment's files,
/// so that a program that ignores the names in its arguments loses the points of this check alone.
const NAMES: [&str; 2] = [INPUT, OUTPUT];
const OTHER_NAMES: [&str; 2] = ["position.txt", "next.txt"];

/// The number of empty lines that a person types to a program that should end.
const KEYS: usize = 3;

/// The number of times that a person types all lines, which is more than the moves that are left.
const TYPED: usize = 5;

impl Session<'_> {
    /// Returns true if the player is a program that exchanges files.
    pub(super) fn exchanges_files(&self) -> bool {
        matches!(self.examinee.player.at(None), Ok(PlayerSpec::File(_)))
    }

    /// Returns true if the player is a program with a mode to play against a person.
    pub(super) fn has_interactive_mode(&self) -> bool {
        let player = self.examinee.player.at(Some(1));
        let is_interactive =
            |command: &CommandLine| command.interactive(1, Partner::Human.words()[0]).is_some();
        matches!(player, Ok(PlayerSpec::File(command)) if is_interactive(&command))
    }

    /// Checks that the program reads the assignment's own files. If it reads files with LF better,
    /// all other checks use LF.
    ///
    /// A [`FilePlayer`](plyground_host::external::FilePlayer) learns the line ends by its first
    /// move. That is too little here, because the points depend on all files. So this check decides for the
    /// players, too, and they learn only where it is left out.
    pub(super) fn reads_files(&mut self, tasks: &[Task], depth: u32) -> CheckVerdict {
        // An interrupted check is made again from the beginning.
        self.line_ends = LineEnds::CrLf.into();
        // A program that misreads a line end may move for the other player, so legal moves alone decide.
        let (shares, excused) = self.each_move(tasks, depth);
        if shares.good() == shares.all() {
            return shares.verdict();
        }
        self.line_ends = LineEnds::Lf.into();
        let (with_lf, _) = self.each_move(tasks, depth);
        if with_lf.good() > shares.good() {
            let summary = format!(
                "{} of {} files with CR LF are read, {} with LF; the other checks use LF",
                shares.good(),
                shares.all(),
                with_lf.good()
            );
            return shares.with(0.0, summary);
        }
        self.line_ends = LineEnds::CrLf.into();
        Self::excuse(shares, excused).verdict()
    }

    /// Checks that the program makes a move in each position. Also returns the [excused](Session::excuse) parts.
    fn each_move(&self, tasks: &[Task], depth: u32) -> (Shares, Vec<usize>) {
        self.each_run(tasks, depth, OTHER_NAMES, is_move, |session, task, run| {
            Some(run.and_then(|run| session.written_by(&run, task, depth, OTHER_NAMES).map(drop)))
        })
    }

    /// Lets these parts pass, as many as have passed by legal moves, so that a program whose moves are legal by chance
    /// earns little. Only the end of a check tells their number.
    fn excuse(mut shares: Shares, mut excused: Vec<usize>) -> Shares {
        excused.truncate(shares.good());
        excused.into_iter().rev().for_each(|part| shares.excuse(part));
        shares
    }

    /// Returns the output of the program if it is the position after a legal move, even with slips
    /// in the format. The files have these names.
    fn written_by(
        &self,
        run: &Exchange,
        task: &Task,
        depth: u32,
        names: [&str; 2],
    ) -> Outcome<Vec<u8>> {
        let fault = |said: String| Err(self.at(task, depth, said));
        let output = run.output().unwrap_or_default();
        let Some(text) = written_text(run) else {
            let found = run.output().map_or("no file", |_| "an empty file");
            return fault(format!(
                "{found} `{}` was written{}{}",
                names[1],
                wrote_instead(run.other_file.as_deref()),
                printed_last(&run.stdout)
            ));
        };
        match move_in_output(&task.position, &text, true) {
            Ok(_) => Ok(output.to_owned()),
            Err(why) => fault(format!("{why}\n{}", unexpected(output))),
        }
    }

    /// Checks that the file has the format of the input. A slip costs the points of this check
    /// only, since other checks ignore it.
    pub(super) fn keeps_format(&mut self, tasks: &[Task], depth: u32) -> CheckVerdict {
        let mut slip = None;
        let is_whole = |run: &Exchange, position: &HostedPosition| {
            is_move(run, position) && has_layout(run, position)
        };
        let shares = self.each_file(tasks, depth, is_whole, |session, task, run| {
            if written_text(&run).is_none() && after_move(task, &run).is_some() {
                slip = Some("no file is written, only printed".to_owned());
            }
            let output = session.written_by(&run, task, depth, NAMES)?;
            let found = lines(&output);
            if afters(&task.position).any(|after| after.state().lines().eq(&found)) {
                return Ok(());
            }
            let why = match move_in_output(&task.position, &decode_lossy(&output), false) {
                Err(Fault::IllegalMove { why }) => why,
                _ => "its output has blanks, empty lines or marks".to_owned(),
            };
            let said = format!("{why}\n{}", unexpected(&output));
            slip = Some(why);
            Err(session.at(task, depth, said))
        });
        let Some(slip) = slip else { return shares.verdict() };
        self.slips_in_format = true;
        self.mark(slip.clone());
        let (good, all) = (shares.good(), shares.all());
        let summary = format!("{good} of {all}: {slip}; the other checks ignore this");
        shares.with(good as f64 / all as f64, summary)
    }

    pub(super) fn keeps_line_ends(&self, tasks: &[Task], depth: u32) -> Shares {
        // The assignment's own line ends and the line ends of the input are both right.
        let has_ends = |run: &Exchange| {
            let right = [LineEnds::CrLf, self.line_ends.get()];
            right.into_iter().any(|ends| ends_in(run.output().unwrap_or_default(), ends))
        };
        let is_whole = |run: &Exchange, position: &HostedPosition| {
            filled_cells(run, position).is_some() && has_ends(run)
        };
        self.each_file(tasks, depth, is_whole, |session, task, run| {
            let output = session.written_by(&run, task, depth, NAMES)?;
            if has_ends(&run) {
                return Ok(());
            }
            let ends = describe(&output);
            let said = format!("{ends}; all lines of the assignment's files end in CR LF");
            Err(session.at(task, depth, said))
        })
    }

    /// Makes a check of the run in each position; `None` is no part. Also returns the failed parts that are to be
    /// [excused](Session::excuse), in order: the file `is_whole` for this check, though the move is illegal, for which
    /// other checks charge.
    fn each_run(
        &self,
        tasks: &[Task],
        depth: u32,
        names: [&str; 2],
        is_whole: impl Fn(&Exchange, &HostedPosition) -> bool,
        mut check: impl FnMut(&Self, &Task, Outcome<Exchange>) -> Option<Outcome>,
    ) -> (Shares, Vec<usize>) {
        let (mut parts, mut excused) = (0, Vec::new());
        let shares = self.each_asked(tasks, |session, task, unasked| {
            let run = session.run_if_asked(task, depth, names, unasked);
            let is_whole = run.as_ref().is_ok_and(|run| is_whole(run, &task.position));
            let result = check(session, task, run)?;
            // The end of the time is no move.
            if is_whole && result.is_err() && !session.allowance.is_over() {
                excused.push(parts);
            }
            parts += 1;
            Some(result)
        });
        (shares, excused)
    }

    /// Checks each file that the program writes, or prints the position for. A position in which it does neither, as by
    /// a crash, is no part, since other checks charge for that, unless these are half of all or more: a program that is
    /// right in a few positions could choose them.
    fn each_file(
        &self,
        tasks: &[Task],
        depth: u32,
        is_whole: impl Fn(&Exchange, &HostedPosition) -> bool,
        mut check: impl FnMut(&Self, &Task, Exchange) -> Outcome,
    ) -> Shares {
        let mut unwritten = Vec::new();
        let (shares, excused) =
            self.each_run(tasks, depth, NAMES, is_whole, |session, task, run| {
                let has_next =
                    |run: &Exchange| written_text(run).is_some() || after_move(task, run).is_some();
                let is_part = run.as_ref().is_ok_and(has_next);
                let result = run.and_then(|run| check(session, task, run));
                if is_part {
                    return Some(result);
                }
                // The end of the time is a part anyway.
                if !session.allowance.is_over() {
                    unwritten.push(result);
                }
                None
            });
        let mut shares = Self::excuse(shares, excused);
        if unwritten.len() >= shares.all() {
            unwritten.into_iter().for_each(|result| shares.add(result));
        }
        shares
    }

    /// Returns the finding about the last run, in a position in which the player is asked to look `depth` plies ahead.
    fn at(&self, task: &Task, depth: u32, said: impl Into<String>) -> Box<Finding> {
        let (stderr, depth) = (self.stderr.end(), Some(self.told(depth)));
        Finding { stderr, ..self.finding(&task.position, depth, said.into()) }.into()
    }

    /// Runs the program in a position, unless there is a reason not to ask it.
    fn run_if_asked(
        &self,
        task: &Task,
        depth: u32,
        names: [&str; 2],
        unasked: Option<&str>,
    ) -> Outcome<Exchange> {
        match unasked {
            Some(why) => Err(Finding::of_no_position(why).into()),
            None => self.run(task, depth, names),
        }
    }

    fn run(&self, task: &Task, depth: u32, names: [&str; 2]) -> Outcome<Exchange> {
        let run = self.ask_with(task, depth, |command, depth, input, policy| {
            exchange(command.program(Some(depth)), input, names, policy)
        });
        self.heed_move(run.as_ref().is_ok_and(|run| after_move(task, run).is_some()));
        run
    }

    /// Asks the program about a position, by a function of its command, the depth to tell, the text of the position
    /// and the policy of a sandbox.
    fn ask_with(
        &self,
        task: &Task,
        depth: u32,
        ask: impl FnOnce(&CommandLine, u32, &str, &SandboxPolicy) -> Result<Exchange, Fault>,
    ) -> Outcome<Exchange> {
        let depth = self.told(depth);
        let run = match self.examinee.player.at(Some(depth)) {
            Ok(PlayerSpec::File(command)) => {
                let input = self.line_ends.get().lay_out(&task.position.state());
                ask(&command, depth, &input, &self.policy())
            }
            _ => Err(Fault::NoMove),
        };
        self.heed_time(run.as_ref().err());
        run.map_err(|fault| self.fault_in(task, Some(depth), fault).into())
    }

    /// Checks that the program plays the end of a game against a person, who types these lines, and saves the position
    /// after each move. Each position has two games, one in which the program moves first and one in which the person
    /// does. A game counts as one part, and its files as another, for a program that prints the last position.
    pub(super) fn plays_a_person(&self, tasks: &[Task], depth: u32, lines: &[String]) -> Shares {
        let mut shares = Shares::default();
        for first in [Partner::Computer, Partner::Human] {
            let with = |word| self.plays_with(tasks, depth, first, word, lines);
            let [word, other] = first.words();
            let played = with(word);
            let again = (played.good() == 0).then(|| with(other));
            shares.join(again.filter(|again| again.good() > 0).unwrap_or(played));
        }
        shares
    }

    /// Checks such games in which `first` moves first, which the program is told by this word.
    fn plays_with(
        &self,
        tasks: &[Task],
        depth: u32,
        first: Partner,
        word: &str,
        lines: &[String],
    ) -> Shares {
        let mut saved = Vec::new();
        let mut shares = self.each(tasks, |session, task| {
            // A program that does not read them cannot know the order.
            let mut lines = lines.to_vec();
            lines.shuffle(&mut StdRng::seed_from_u64(session.seed_in(task)));
            let [played, files] = session.plays_to_the_end(task, depth, (first, word), &lines)?;
            saved.push(files);
            played
        });
        let unsaved = tasks.len() - saved.len();
        saved.into_iter().for_each(|result| shares.add(result));
        // A game that has failed before has no files, and one finding.
        shares.passed.extend(vec![false; unsaved]);
        shares
    }

    /// Checks one such game, in which the person types `lines` in this order, again and again. Returns the results for
    /// the game and for its files, if there is a game.
    fn plays_to_the_end(
        &self,
        task: &Task,
        depth: u32,
        (first, word): (Partner, &str),
        lines: &[String],
    ) -> Outcome<[Outcome; 2]> {
        let person_is_first = first == Partner::Human;
        let second = if person_is_first { Partner::Computer } else { Partner::Human };
        let sides = [first, second];
        let typed = &(lines.join("\n") + "\n").repeat(TYPED);
        let run = self.ask_with(task, depth, |command, depth, input, policy| {
            let command = command.interactive(depth, word).ok_or(Fault::NoMove)?;
            converse(command, input, typed, &sides.map(Partner::file), policy)
        })?;
        let saved = run.files.iter().map(|file| file.as_deref().map(decode_lossy));
        let saved: Vec<Option<String>> = saved.collect();
        let printed = last_board(&task.position, &run.stdout).filter(|_| !run.is_cut);
        let read_lines = run.read_lines;
        let played = Played { saved: &saved, printed, lines, read_lines, person_is_first };
        let finding = |expected: &str| {
            let said = format!("`interactive`, {word}: expected {expected}");
            self.at(task, depth, said)
        };
        let reads_on = read_lines == lines.len() * TYPED;
        let says_end = || finding("an end after the last move, found a program that reads on");
        let end = if reads_on { Err(says_end()) } else { Ok(()) };
        // The check of the format has charged a slip that the files of one move have, too.
        let lenient = self.slips_in_format;
        let can_end = |kept| played.can_end(&mut vec![task.position.clone()], kept);
        if can_end(Kept::InFiles { lenient }) {
            return Ok([end, Ok(())]);
        }
        let found = sides.iter().zip(&saved).map(|(side, saved)| match saved {
            Some(text) => format!("{}  {}", side.file(), text.escape_default()),
            None => format!("{}  not saved{}", side.file(), printed_last(&run.stdout)),
        });
        let lines =
            format!("typed  {}, again and again; lines read: {read_lines}", lines.join(" "));
        let found = std::iter::once(lines).chain(found).collect::<Vec<_>>().join("\n");
        let files = format!("the positions after the last moves of both sides\n{found}");
        if can_end(Kept::InFiles { lenient: true }) {
            let files = format!("files in the format of the input, with the next player\n{found}");
            return Ok([end, Err(finding(&files))]);
        }
        if can_end(Kept::Printed) {
            return Ok([end, Err(finding(&files))]);
        }
        let game = match read_lines {
            0 => "the move of the person, found a program that reads no line",
            _ => {
                "a full board after legal moves of each side in its turn, those of the person as typed"
            }
        };
        Err(finding(&format!("{game}; and {files}")))
    }

    pub(super) fn prints_score(&mut self, tasks: &[Task], depth: u32) -> CheckVerdict {
        let mut shares = Shares::default();
        let (mut changed, mut before) = (0, 0);
        for (index, task) in tasks.iter().enumerate() {
            match self.run_if_asked(task, depth, NAMES, self.why_unasked(index)) {
                Ok(run) => {
                    let after = after_move(task, &run);
                    changed += usize::from(after.is_some() || is_move(&run, &task.position));
                    let after = after.and_then(|after| after.points());
                    let parts = scores(&run.stdout, task.position.points(), after);
                    before += usize::from(parts[0].is_ok());
                    for part in parts {
                        shares.add(part.map_err(|said| self.at(task, depth, said)));
                    }
                }
                Err(finding) => (0..2).for_each(|_| shares.add(Err(finding.clone()))),
            }
        }
        // A wrong score on a full board is the same slip, unless the program does nothing anywhere.
        // A program that plays for one side only moves legally in a third of the positions at least. An illegal move of
        // another program, whose moves are legal by chance, excuses nothing.
        let [made, asked] = self.moves.get();
        let has_moved = made > 0 && made * 3 >= asked;
        self.omits_score = before < tasks.len() && changed == tasks.len() && has_moved;
        shares.verdict()
    }

    pub(super) fn stops_when_over(&self, task: &Task, depth: u32) -> Outcome {
        // Some programs wait for a key at their end.
        let run = self.ask_with(task, depth, |command, depth, input, policy| {
            let typed = "\n".repeat(KEYS);
            converse(command.program(Some(depth)), input, &typed, &[NAMES[1]], policy)
        })?;
        let wrong = |said: &str| Err(self.at(task, depth, said));
        if run.read_lines == KEYS {
            return wrong("the game is over: expected an end, found a program that reads on");
        }
        if let Some(text) = written_text(&run)
            && cells_of(&text, &task.position) != cells_of(&task.position.state(), &task.position)
        {
            return wrong("the game is over, but another position was written");
        }
        // The score costs the points of its own check, once.
        let score = task.position.points().filter(|_| !self.omits_score);
        let Some(points) = score else { return Ok(()) };
        let statements = Statements::of(&run.stdout, points);
        if statements.first() || statements.then() {
            return Ok(());
        }
        wrong(&format!("expected, printed: {}", in_words(points)))
    }

    pub(super) fn writes_nothing(&self, task: &Task, depth: u32) -> Outcome {
        match written_text(&self.run(task, depth, NAMES)?) {
            None => Ok(()),
            Some(_) => Err(self.at(task, depth, "the game is over, but a file was written")),
        }
    }
}

/// Returns the position after the move that a program has written, or printed if it has written nothing, if the move is
/// legal.
fn after_move(task: &Task, run: &Exchange) -> Option<HostedPosition> {
    let mv = match written_text(run) {
        Some(text) => move_in_output(&task.position, &text, true).ok(),
        None if run.is_cut => None,
        None => move_printed(&task.position, &run.stdout),
    };
    Some(task.position.after(mv?))
}

/// The ways in which a program keeps the positions of a game.
#[derive(Clone, Copy)]
enum Kept {
    /// The files have the positions after the last moves of both sides, if `lenient` even with slips in the format.
    InFiles { lenient: bool },
    /// The last board that the program has printed is that of the last position.
    Printed,
}

/// The record of a game against a person.
struct Played<'a> {
    /// The saved files: the first of the side that moves first, the second of the other.
    saved: &'a [Option<String>],
    /// The lines that the person types, again and again, and the number of them that the program has read.
    lines: &'a [String],
    read_lines: usize,
    /// The rows of the last board that the program has printed. An earlier one proves nothing, because a program can
    /// print all possible ones.
    printed: Option<Vec<String>>,
    person_is_first: bool,
}

impl Played<'_> {
    /// Returns true if the game can end after these positions so that the program has kept it in this way, and the
    /// person's moves are those that were typed.
    fn can_end(&self, line: &mut Vec<HostedPosition>, kept: Kept) -> bool {
        let Some(last) = line.last().filter(|last| !last.is_over()) else {
            return self.is_kept(line, kept)
                && [0, 1].into_iter().any(|shift| self.is_typed(line, shift));
        };
        let afters: Vec<HostedPosition> = afters(last).collect();
        afters.into_iter().any(|after| {
            line.push(after);
            let can_end = self.can_end(line, kept);
            line.pop();
            can_end
        })
    }

    fn is_kept(&self, line: &[HostedPosition], kept: Kept) -> bool {
        match kept {
            Kept::InFiles { lenient } => {
                line.windows(2).rev().take(2).all(|two| self.is_in_file(two, &line[0], lenient))
            }
            Kept::Printed => line.last().map(rows_of_board) == self.printed,
        }
    }

    /// Returns true if the file of the side that moves in the first of two positions has the second.
    fn is_in_file(&self, two: &[HostedPosition], first: &HostedPosition, lenient: bool) -> bool {
        let [before, after] = two else { return false };
        let file = usize::from(before.side_to_move() != first.side_to_move());
        let text = self.saved.get(file).and_then(Option::as_ref);
        let mv = text.and_then(|text| move_in_output(before, text, lenient).ok());
        mv.is_some_and(|mv| before.after(mv) == *after)
    }

    /// Returns true if each move of the person is that of the next line with a legal move, and the program has read the
    /// line. A program may count from a number that is less by `shift` than that of the game.
    fn is_typed(&self, line: &[HostedPosition], shift: u32) -> bool {
        let mut typed = self.lines.iter().cycle().take(self.read_lines);
        let by_person = |before: &HostedPosition| {
            (before.side_to_move() == line[0].side_to_move()) == self.person_is_first
        };
        line.windows(2).filter(|two| by_person(&two[0])).all(|two| {
            let mut legal = typed.by_ref().filter_map(|text| {
                let shifted = text.parse::<u32>().map(|number| (number + shift).to_string());
                let mv = two[0].parse_move(&shifted.unwrap_or_else(|_| text.clone()))?;
                two[0].check_legal(mv).is_ok().then_some(mv)
            });
            legal.next().is_some_and(|mv| two[0].after(mv) == two[1])
        })
    }
}

/// Returns the text that a program has written. An empty file counts as no file, because the
/// course's own sample code leaves an empty file.
fn written_text(run: &Exchange) -> Option<String> {
    let text = run.output().map(decode_lossy);
    text.filter(|text| !text.trim().is_empty())
}

/// Returns the cells in a state of the form of the position's, without the next player and whatever signs are between
/// the cells; `None` if the text has fewer cells than the position.
fn cells_of(text: &str, position: &HostedPosition) -> Option<Vec<char>> {
    let symbols: Vec<char> = rows(text, &position.state()).concat().chars().collect();
    let count = rows_of_board(position).concat().chars().count();
    symbols.get(..count).map(<[char]>::to_vec)
}

/// The most cells that a move changes, with another one that a faulty program makes beside it.
const MOST_CHANGED: usize = 2;

/// Returns the number of empty cells that a program has filled, if it has written the position with at most two filled
/// and all else as it was: a move, if perhaps no legal one, or a copy.
fn filled_cells(run: &Exchange, position: &HostedPosition) -> Option<usize> {
    let text = written_text(run).unwrap_or_default();
    let [before, after] = [&position.state(), &text].map(|text| cells_of(text, position));
    let (before, after) = (before?, after?);
    let filled: Vec<_> = before.iter().zip(&after).filter(|(one, other)| one != other).collect();
    // Cells with the same symbol are empty, as far as one can tell without the rules.
    let is_alike = filled.iter().all(|(before, _)| *before == filled[0].0);
    (filled.len() <= MOST_CHANGED && is_alike).then_some(filled.len())
}

/// Returns true if a program has filled a cell in the position, by a legal move or an illegal one. A piece on an equal
/// one shows only in the next player, who is then another.
fn is_move(run: &Exchange, position: &HostedPosition) -> bool {
    let next = |position: &HostedPosition| position.state().lines().last().map(str::to_owned);
    let has_passed = || {
        let found = lines(run.output().unwrap_or_default()).pop();
        found != next(position) && afters(position).any(|after| next(&after) == found)
    };
    filled_cells(run, position).is_some_and(|count| count > 0 || has_passed())
}

/// Returns true if the lines that a program has written have the lengths of those after a legal move, and the same next
/// player.
fn has_layout(run: &Exchange, position: &HostedPosition) -> bool {
    let found = lines(run.output().unwrap_or_default());
    let lengths = |lines: &[String]| lines.iter().map(String::len).collect::<Vec<_>>();
    afters(position).next().is_some_and(|after| {
        let right: Vec<String> = after.state().lines().map(str::to_owned).collect();
        lengths(&found) == lengths(&right) && found.last() == right.last()
    })
}

/// Describes a file whose content differs from the expected one.
fn unexpected(output: &[u8]) -> String {
    let found = output.escape_ascii();
    format!(
        "written   {found}\nexpected  the file that was read with one move made, and the other player next"
    )
}

fn afters(position: &HostedPosition) -> impl Iterator<Item = HostedPosition> + '_ {
    position.legal_moves().map(|mv| position.after(mv))
}

/// Returns the lines of a file with any line ends. CR CR LF is one line end. Empty lines at the end
/// do not count, but text in front of the first line does.
fn lines(bytes: &[u8]) -> Vec<String> {
    lines_of(&String::from_utf8_lossy(bytes))
}

/// Returns true if the whole file has these line ends, with any text in its lines. A byte order
/// mark and UTF-16 do not count.
fn ends_in(bytes: &[u8], ends: LineEnds) -> bool {
    let found = decode_layout(bytes);
    ends.lay_out(&lines_of(&found).join("\n")) == found
}

fn lines_of(text: &str) -> Vec<String> {
    let text = with_single_cr(text).replace("\r\n", "\n").replace('\r', "\n");
    text.trim_end_matches('\n').split('\n').map(str::to_owned).collect()
}

/// Describes the line ends of a file in words.
fn describe(bytes: &[u8]) -> String {
    let text = decode_layout(bytes);
    let doubled = text.matches("\r\r\n").count();
    let text = with_single_cr(&text);
    let (crlf, lf, cr) = counts(&text);
    let ends: Vec<_> = [(doubled, "CR CR LF"), (crlf - doubled, "CR LF"), (lf, "LF"), (cr, "CR")]
        .into_iter()
        .filter_map(|(count, name)| (count > 0).then_some(name))
        .collect();
    let ends = if ends.is_empty() { "nothing".to_owned() } else { ends.join(" and ") };
    let without_last = text.trim_end_matches(['\r', '\n']);
    let last = &text[without_last.len()..];
    let last = match counts(last) {
        (0, 0, 0) => ", the last one in nothing",
        (1, 0, 0) | (0, 1, 0) | (0, 0, 1) => "",
        _ => ", with empty lines at the end",
    };
    format!("its lines end in {ends}{last}")
}

/// Counts the line ends: CR LF, LF alone and CR alone.
fn counts(text: &str) -> (usize, usize, usize) {
    let crlf = text.matches("\r\n").count();
    (crlf, text.matches('\n').count() - crlf, text.matches('\r').count() - crlf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_whatever_they_end_in() {
        for text in
            ["12\r\n3\r\n", "12\n3\n", "12\n3", "12\r3\r", "12\r\n3\r\n\r\n", "12\r\r\n3\r\r\n"]
        {
            assert_eq!(lines(text.as_bytes()), ["12", "3"], "{text:?}");
        }
        assert_ne!(lines(b"12 \n3\n"), ["12", "3"]);
    }

    #[test]
    fn piece_on_another_is_named_with_its_place() -> Result<(), Box<dyn std::error::Error>> {
        let mut position = maxconnect4::game().start();
        for mv in "6 6 6 6 6 6".split(' ') {
            position.play_text(mv)?;
        }
        let output = position.state().replacen('2', "1", 1).replace("\n1", "\n2");
        let fault = move_in_output(&position, &output, true).expect_err("a fault").to_string();
        assert!(fault.ends_with("in which `2` became `1` in row 1, column 6"), "{fault}");
        Ok(())
    }

    #[test]
    fn line_ends_are_judged_alone() {
        for text in ["12\r\n3\r\n", "12 \r\n\r\n3\r\n", "\u{feff}12\r\n3\r\n"] {
            assert!(ends_in(text.as_bytes(), LineEnds::CrLf), "{text:?}");
        }
        for text in ["12\r\n3", "12\r\n3\n", "12\r\r\n3\r\r\n", "12\r\n3\r\n\r\n", "12\r3\r"] {
            assert!(!ends_in(text.as_bytes(), LineEnds::CrLf), "{text:?}");
            assert!(!ends_in(text.as_bytes(), LineEnds::Lf), "{text:?}");
        }
        assert!(ends_in(b"12\n3\n", LineEnds::Lf));
    }

    #[test]
    fn ends_are_named() {
        for (text, words) in [
            ("12\r\n3\r\n", "its lines end in CR LF"),
            ("12\n3\n", "its lines end in LF"),
            ("12\r\r\n3\r\r\n", "its lines end in CR CR LF"),
            ("\u{feff}12\r\n3\r\n", "its lines end in CR LF"),
            ("12\r\n3", "its lines end in CR LF, the last one in nothing"),
            ("12\n3\r\n", "its lines end in CR LF and LF"),
            ("12\n3\n\n", "its lines end in LF, with empty lines at the end"),
            ("123", "its lines end in nothing, the last one in nothing"),
        ] {
            assert_eq!(describe(text.as_bytes()), words);
        }
    }
}
