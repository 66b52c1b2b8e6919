//! Reports of one submission: as text, as JSON in the format of Gradescope, and as a page for a browser in one
//! self-contained file; and the answers that its checks expect.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use maud::{Markup, html};
use plyground_explain::html::drawing;
use plyground_host::HostedGame;
use plyground_host::state::StateText;
use serde::Serialize;

use crate::grade::check::Visibility;
use crate::grade::draw::{DrawnCheck, Task};
use crate::grade::results::{
    CheckResult, CheckStatus, Finding, GradeResults, LeaderboardLine, PlayReview,
};
use crate::html_page;

/// The reader of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A student who handed the submission in. The report omits hidden checks, and has expected
    /// moves only if the check allows it.
    Student,
    /// An instructor. The report has everything.
    Instructor,
}

impl Reader {
    fn checks(self, results: &GradeResults) -> impl Iterator<Item = &CheckResult> {
        results.checks.iter().filter(move |check| self.may_see(check))
    }

    fn may_see(self, check: &CheckResult) -> bool {
        self == Reader::Instructor || check.visibility != Visibility::Hidden
    }

    /// Returns the expected moves of a finding, if the reader may see them.
    fn expected(self, check: &CheckResult, finding: &Finding) -> Option<String> {
        let may_see = self == Reader::Instructor || check.shows_expected;
        (may_see && !finding.expected.is_empty()).then(|| finding.expected.join(" or "))
    }
}

/// Returns the lines at the end of a report: the score and the notes.
fn closing_lines(results: &GradeResults, reader: Reader) -> Vec<String> {
    let score = format!("Score: {} of {}", results.score(), results.max_score());
    [score].into_iter().chain(notes(results, reader)).collect()
}

fn notes(results: &GradeResults, reader: Reader) -> Vec<String> {
    let hidden = match results.checks.iter().filter(|check| !reader.may_see(check)).count() {
        0 => None,
        1 => Some("One check is not shown here; the score counts it.".to_owned()),
        hidden => Some(format!("{hidden} checks are not shown here; the score counts them.")),
    };
    results.notes.iter().cloned().chain(hidden).collect()
}

/// The ends of standard error that a report has shown: a program often complains of the same in many positions.
type Complaints<'a> = HashSet<&'a str>;

/// Returns the text of a finding without its board, in lines.
fn finding_lines<'a>(
    check: &CheckResult,
    finding: &'a Finding,
    reader: Reader,
    shown: &mut Complaints<'a>,
) -> Vec<String> {
    let said = finding.said.lines().map(str::to_owned);
    let mut lines: Vec<String> = finding.situation().into_iter().chain(said).collect();
    let expected = reader.expected(check, finding).map(|moves| format!("expected: {moves}"));
    let played = finding.played.as_ref().map(|mv| format!("played: {mv}"));
    let moves: Vec<_> = expected.into_iter().chain(played).collect();
    if !moves.is_empty() {
        lines.push(moves.join("; "));
    }
    if finding.stderr.is_empty() {
        return lines;
    }
    if shown.insert(&finding.stderr) {
        lines.push("standard error ends:".to_owned());
        lines.extend(finding.stderr.lines().map(|line| format!("  {line}")));
    } else {
        lines.push("standard error ends as above".to_owned());
    }
    lines
}

/// Returns the results of one player: a line for each check, followed by its requirement and its
/// failures.
#[must_use]
pub fn results_text(name: &str, results: &GradeResults, reader: Reader) -> String {
    let widths = reader.checks(results).map(|check| check.name.chars().count());
    let width = widths.max().unwrap_or(0);
    let (mut text, mut shown) = (format!("{name}\n\n"), Complaints::default());
    for check in reader.checks(results) {
        let mark = match check.status() {
            CheckStatus::Passed => "ok  ",
            CheckStatus::Failed => "FAIL",
        };
        let CheckResult { name, score, max_score, summary, .. } = check;
        let line = format!("{mark}  {name:width$}  {score:>6} of {max_score:>3}  {summary}");
        text += line.trim_end();
        text += "\n";
        // Without a program, no demand is to blame: the reason stands at the end, and stays in sight.
        if results.not_started.is_some() {
            continue;
        }
        for line in check_text(check, reader, &mut shown).lines() {
            text += format!("        {line}").trim_end();
            text += "\n";
        }
    }
    text + "\n" + &in_lines(closing_lines(results, reader)) + &build_text(results)
}

/// Returns the lines, each with its end.
fn in_lines(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Returns the output of the build for the end of a report, or an empty text.
fn build_text(results: &GradeResults) -> String {
    let log = results.build_log.trim_end();
    if log.is_empty() { String::new() } else { format!("\nThe build:\n\n{log}\n") }
}

/// Returns the requirement and the failures of a check.
fn check_text<'a>(check: &'a CheckResult, reader: Reader, shown: &mut Complaints<'a>) -> String {
    let CheckResult { asks, why, sentence, .. } = check;
    let mut text = format!("asked: {asks}\nwhy: {why}\nassignment: \"{sentence}\"\n");
    for finding in &check.findings {
        let lines = in_lines(finding_lines(check, finding, reader, shown));
        text += &format!("\n{}{lines}", finding.board);
    }
    text
}

/// Returns the instructor's record of the drawn positions: the seed to draw them again, and each
/// position by its moves, with the right moves.
#[must_use]
pub fn answers_text(checks: &[DrawnCheck], seed: u64) -> String {
    let mut text = format!("--seed {seed}\n");
    for DrawnCheck { check, tasks } in checks.iter().filter(|drawn| !drawn.tasks.is_empty()) {
        let _ = writeln!(text, "\n{}", check.name);
        for Task { moves, right, .. } in tasks {
            let words = |moves: &[_]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
            let moves: String = words(moves).join(" ");
            text += &format!("  after {}", if moves.is_empty() { "no moves" } else { &moves });
            if !right.is_empty() {
                text += &format!(": {}", words(right).join(" or "));
            }
            text += "\n";
        }
    }
    text
}

/// The message of results without a score, which sends the student to the instructor.
const FAILED: &str = "The autograder has failed, not the submission: tell the instructor, who can \
    run it again.";

/// The facts that an autograder adds to the results.
#[derive(Clone, Debug, PartialEq)]
pub struct AutograderFacts {
    /// The time that grading took, in seconds.
    pub execution_time: f64,
    /// The status of the submission's preparation.
    pub status: String,
}

/// The format of all texts, in the words of Gradescope.
const TEXT: &str = "text";

/// The fields of Gradescope's `results.json`.
#[derive(Serialize)]
struct Results<'a> {
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_time: Option<f64>,
    output: String,
    output_format: &'static str,
    test_output_format: &'static str,
    test_name_format: &'static str,
    visibility: Visibility,
    /// The visibility of the autograder's own output, which is for the instructor.
    stdout_visibility: Visibility,
    /// The data for other programs, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    extra_data: BTreeMap<&'static str, &'a str>,
    tests: Vec<Test<'a>>,
    leaderboard: &'a [LeaderboardLine],
}

#[derive(Serialize)]
struct Test<'a> {
    name: &'a str,
    number: String,
    score: f64,
    max_score: f64,
    status: CheckStatus,
    output: String,
    visibility: Visibility,
}

/// Returns the text of `results.json`, for students. Gradescope shows hidden checks to the
/// instructor alone, but a student may get the file itself, so the file has only the points of
/// hidden checks.
#[must_use]
pub fn results_json(results: &GradeResults) -> String {
    json(&fields(results))
}

/// Returns the text of `results.json` with the facts that an autograder adds.
#[must_use]
pub fn autograder_json(results: &GradeResults, facts: &AutograderFacts) -> String {
    let execution_time = Some((facts.execution_time * MILLISECONDS).round() / MILLISECONDS);
    let extra_data = BTreeMap::from([("status", &*facts.status)]);
    json(&Results { execution_time, extra_data, ..fields(results) })
}

/// The number of milliseconds in a second.
const MILLISECONDS: f64 = 1e3;

/// Returns the results for an autograder that failed for a reason that is no submission's fault.
#[must_use]
pub fn failed_json() -> String {
    let results = GradeResults { notes: vec![FAILED.to_owned()], ..GradeResults::default() };
    json(&fields(&results))
}

fn fields(results: &GradeResults) -> Results<'_> {
    let reader = Reader::Student;
    let tests = results.checks.iter().enumerate().map(|(index, check)| Test {
        name: &check.name,
        number: (index + 1).to_string(),
        score: check.score,
        max_score: check.max_score,
        status: check.status(),
        output: if reader.may_see(check) {
            // A student reads one test at a time.
            let text = check_text(check, reader, &mut Complaints::default());
            format!("{}\n{text}", check.summary)
        } else {
            String::new()
        },
        visibility: check.visibility,
    });
    Results {
        score: results.score(),
        execution_time: None,
        output: notes(results, reader).join("\n") + &build_text(results),
        output_format: TEXT,
        test_output_format: TEXT,
        test_name_format: TEXT,
        visibility: Visibility::Visible,
        stdout_visibility: Visibility::Hidden,
        extra_data: BTreeMap::new(),
        tests: tests.collect(),
        leaderboard: &results.leaderboard,
    }
}

fn json(results: &Results<'_>) -> String {
    // Strings, numbers and lists of these always have a JSON text.
    serde_json::to_string_pretty(results).unwrap_or_default() + "\n"
}

/// The style sheet of the pages.
pub(super) const STYLE: &str = include_str!("page.css");

/// Returns the page of one submission.
#[must_use]
pub fn results_page(
    game: &dyn HostedGame,
    name: &str,
    results: &GradeResults,
    reader: Reader,
) -> String {
    let mut shown = Complaints::default();
    // The failed ones come first.
    let mut checks: Vec<&CheckResult> = reader.checks(results).collect();
    checks.sort_by_key(|check| check.status() == CheckStatus::Passed);
    let body = html! {
        h1 { (name) }
        @for line in closing_lines(results, reader) { p { (line) } }
        @for check in checks { (check_section(game, check, reader, &mut shown)) }
        @if let Some(review) = &results.review { (review_section(game, review)) }
        @if !results.build_log.is_empty() {
            section {
                h2 { "The build" }
                pre { (results.build_log) }
            }
        }
    };
    html_page(&format!("{name}: {}", game.title()), STYLE, &body)
}

/// Returns the review of the games, with the boards of its mistakes.
fn review_section(game: &dyn HostedGame, review: &PlayReview) -> Markup {
    html! {
        section {
            h2 { "Its games against random moves, reviewed" }
            pre { (review.summary.join("\n")) }
            @for finding in &review.mistakes {
                figure {
                    (board(game, finding))
                    figcaption { pre {
                        @if let Some(situation) = finding.situation() { (situation) "\n" }
                        (finding.said)
                    } }
                }
            }
        }
    }
}

fn check_section<'a>(
    game: &dyn HostedGame,
    check: &'a CheckResult,
    reader: Reader,
    shown: &mut Complaints<'a>,
) -> Markup {
    let status = match check.status() {
        CheckStatus::Passed => "passed",
        CheckStatus::Failed => "failed",
    };
    html! {
        section class=(status) {
            h2 { (check.name) }
            p { strong { (status) ", " (check.score) " of " (check.max_score) " points" } }
            p { (check.summary) }
            dl {
                dt { "Asked" } dd { (check.asks) }
                dt { "Why" } dd { (check.why) }
                dt { "In the assignment" } dd { q { (check.sentence) } }
            }
            @for finding in &check.findings {
                figure {
                    (board(game, finding))
                    figcaption { pre { (finding_lines(check, finding, reader, shown).join("\n")) } }
                }
            }
        }
    }
}

/// Returns the board of a finding as a drawing, or as text if the game has no drawings.
fn board(game: &dyn HostedGame, finding: &Finding) -> Markup {
    let state = StateText::new(finding.state.clone());
    let position = game.parse_state(&state).ok().filter(|_| !finding.state.is_empty());
    match position.and_then(|position| drawing(&position, &finding.board)) {
        Some(drawing) => drawing,
        None => html! { @if !finding.board.is_empty() { pre { (finding.board) } } },
    }
}

#[cfg(test)]
pub(super) mod tests {
    use plyground_host::toy::toy;

    use super::*;

    /// Returns results with a check that students may see and a check that students may not see.
    pub(in crate::grade::report) fn results() -> GradeResults {
        let finding = Finding {
            state: "X../.O./.../X".to_owned(),
            board: "X..\n.O.\n...\n".to_owned(),
            turn: "X is to move.".to_owned(),
            told: Some(4),
            said: "<script>alert(1)</script>".to_owned(),
            played: Some("5".to_owned()),
            expected: vec!["9".to_owned()],
            stderr: "Traceback & more".to_owned(),
        };
        let check = CheckResult {
            name: "a check".to_owned(),
            score: 1.0,
            max_score: 2.0,
            asks: "what".to_owned(),
            why: "because".to_owned(),
            sentence: "a sentence".to_owned(),
            summary: "1 of 2".to_owned(),
            findings: vec![finding],
            ..CheckResult::default()
        };
        let hidden = CheckResult {
            name: "a secret".to_owned(),
            visibility: Visibility::Hidden,
            ..check.clone()
        };
        GradeResults {
            checks: vec![check, hidden],
            build_log: "a.c: 1 < 2".to_owned(),
            ..GradeResults::default()
        }
    }

    #[test]
    fn page_says_what_the_reader_may_see_and_is_escaped() {
        let (game, results) = (toy(), results());
        let student = results_page(&*game, "ann", &results, Reader::Student);
        for part in [
            "a sentence",
            "X is to move. The depth told is 4. State: X../.O./.../X\n",
            "played: 5",
            "Traceback &amp; more",
            "&lt;script&gt;",
            "2 of 4",
            "a.c: 1 &lt; 2",
        ] {
            assert!(student.contains(part), "{part}");
        }
        for part in ["expected: 9", "a secret", "<script", "http"] {
            assert!(!student.contains(part), "{part}");
        }
        let instructor = results_page(&*game, "ann", &results, Reader::Instructor);
        assert!(instructor.contains("expected: 9") && instructor.contains("a secret"));
    }

    #[test]
    fn same_complaint_is_shown_once() {
        let mut results = results();
        let again = results.checks[0].findings[0].clone();
        results.checks[0].findings.push(again);
        let text = results_text("ann", &results, Reader::Instructor);
        assert_eq!(text.matches("Traceback").count(), 1, "{text}");
        assert_eq!(text.matches("standard error ends as above").count(), 2, "{text}");
        let json = results_json(&results);
        assert_eq!(json.matches("Traceback").count(), 1, "{json}");
    }

    #[test]
    fn program_that_is_not_started_has_one_reason() {
        let why = "not built, a.c:1: error".to_owned();
        let (notes, not_started) = (vec![format!("It cannot be started: {why}")], Some(why));
        let results = GradeResults { notes, not_started, ..results() };
        let text = results_text("ann", &results, Reader::Student);
        assert!(text.contains("FAIL  a check") && !text.contains("asked: "), "{text}");
        assert!(text.contains("It cannot be started: not built, a.c:1: error"), "{text}");
    }

    #[test]
    fn what_failed_comes_first() {
        let mut results = results();
        let passed =
            CheckResult { name: "all well".to_owned(), score: 2.0, ..results.checks[0].clone() };
        results.checks.insert(0, passed);
        let page = results_page(&*toy(), "ann", &results, Reader::Student);
        assert!(page.find("a check") < page.find("all well"), "{page}");
    }
}
