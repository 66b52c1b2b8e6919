//! Reports as pages for a browser, each in one self-contained file.

use maud::{Markup, html};
use plyground_explain::html::drawing;
use plyground_host::HostedGame;
use plyground_host::state::StateText;

use super::tables::{ClassLine, has_manual, has_rule};
use super::text::{Reader, closing_lines, finding_lines};
use crate::grade::results::{CheckResult, CheckStatus, Finding, GradeResults, PlayReview};
use crate::html_page;

/// The style sheet of the pages.
const STYLE: &str = include_str!("page.css");

/// Returns the page of one submission.
#[must_use]
pub fn results_page(
    game: &dyn HostedGame,
    name: &str,
    results: &GradeResults,
    reader: Reader,
) -> String {
    let body = html! {
        h1 { (name) }
        @for line in closing_lines(results, reader) { p { (line) } }
        @for check in failed_first(results, reader) { (check_section(game, check, reader)) }
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
                    figcaption { pre { (finding.said) } }
                }
            }
        }
    }
}

/// Returns the checks that the reader may see, the failed ones first.
fn failed_first(results: &GradeResults, reader: Reader) -> Vec<&CheckResult> {
    let mut checks: Vec<&CheckResult> = reader.checks(results).collect();
    checks.sort_by_key(|check| check.status() == CheckStatus::Passed);
    checks
}

fn check_section(game: &dyn HostedGame, check: &CheckResult, reader: Reader) -> Markup {
    let (class, mark) = match check.status() {
        CheckStatus::Passed => ("passed", "passed"),
        CheckStatus::Failed => ("failed", "failed"),
    };
    html! {
        section class=(class) {
            h2 { (check.name) }
            p { strong { (mark) ", " (check.score) " of " (check.max_score) " points" } }
            p { (check.summary) }
            dl {
                dt { "Asked" } dd { (check.asks) }
                dt { "Why" } dd { (check.why) }
                dt { "In the assignment" } dd { q { (check.sentence) } }
            }
            @for finding in &check.findings {
                figure {
                    (board(game, finding))
                    figcaption { pre { (finding_lines(check, finding, reader).join("\n")) } }
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

/// Returns the page of a class, with a link to the page of every submission.
#[must_use]
pub fn class_page(game: &dyn HostedGame, seed: u64, lines: &[ClassLine], file: &str) -> String {
    let has_late = lines.iter().any(|line| line.late.is_some());
    let (has_rule, has_manual) = (has_rule(lines), has_manual(lines));
    let body = html! {
        h1 { (game.title()) ": grades" }
        p { "For the instructor. The positions were drawn with --seed " (seed) "." }
        (distribution(lines))
        (losses(lines))
        (to_look_at(lines, file))
        div class="scroll" tabindex="0" role="region" aria-label="Grades" {
            table {
                thead { tr {
                    th scope="col" { "Submission" } th scope="col" { "Name" }
                    th scope="col" { "Score" } th scope="col" { "Of" }
                    @if has_late { th scope="col" { "Late" } }
                    @if has_rule { th scope="col" { "After penalty" } }
                    @if has_manual { th scope="col" { "By hand" } th scope="col" { "Total" } }
                    th scope="col" { "Failed" }
                } }
                tbody { @for line in lines { tr {
                    th scope="row" {
                        @if line.is_absent { (line.submission()) }
                        @else { a href=(link(line.submission(), file)) { (line.submission()) } }
                    }
                    td { (line.student.name) }
                    td class="number" {
                        (line.results.score())
                        @if let Some(before) = line.before { " (was " (before) ")" }
                    }
                    td class="number" { (line.results.max_score()) }
                    @if has_late { td { (line.late.as_deref().unwrap_or_default()) } }
                    @if has_rule { td class="number" { @if let Some(left) = line.after_penalty() { (left) } } }
                    @if has_manual {
                        td class="number" { @if let Some(points) = line.manual { (points) } }
                        td class="number" { (line.total()) }
                    }
                    td { (line.failed()) }
                } } }
            }
        }
    };
    html_page(&format!("{}: grades", game.title()), STYLE, &body)
}

/// The number of equal parts into which scores are grouped.
const PARTS: usize = 10;

/// Returns a table of the number of submissions with scores in each part.
fn distribution(lines: &[ClassLine]) -> Markup {
    let mut counts = [0_usize; PARTS];
    for line in lines {
        let part = line.results.score() / line.results.max_score().max(f64::MIN_POSITIVE);
        counts[((part * PARTS as f64) as usize).min(PARTS - 1)] += 1;
    }
    let most = counts.into_iter().max().unwrap_or_default().max(1);
    html! {
        h2 { "Scores" }
        table {
            thead { tr { th scope="col" { "Percent" } th scope="col" { "Submissions" } } }
            tbody { @for (part, count) in counts.iter().enumerate().rev() { tr {
                th scope="row" class="number" { (part * 100 / PARTS) "–" ((part + 1) * 100 / PARTS) }
                td {
                    span class="bar" style={ "width: " (count * 20 * 10 / most / 10) "rem" } {}
                    " " (count)
                }
            } } }
        }
    }
}

/// Returns a table of the checks with lost points, those that cost the class most first.
fn losses(lines: &[ClassLine]) -> Markup {
    let mut losses: Vec<(&str, usize, f64)> = Vec::new();
    let started = lines.iter().filter(|line| line.results.not_started.is_none());
    for check in started.flat_map(|line| &line.results.checks) {
        let lost = check.max_score - check.score;
        if lost <= 0.0 {
            continue;
        }
        match losses.iter_mut().find(|(name, ..)| *name == check.name) {
            Some((_, count, points)) => (*count, *points) = (*count + 1, *points + lost),
            None => losses.push((&check.name, 1, lost)),
        }
    }
    losses.sort_by(|one, other| other.2.total_cmp(&one.2));
    html! { @if !losses.is_empty() {
        h2 { "What most lost points for" }
        table {
            thead { tr {
                th scope="col" { "Check" } th scope="col" { "Submissions" }
                th scope="col" { "Points lost by each" }
            } }
            tbody { @for (name, count, points) in losses { tr {
                th scope="row" { (name) }
                td class="number" { (count) }
                td class="number" { (format!("{:.1}", points / count as f64)) }
            } } }
        }
    } }
}

/// Returns a list of the submissions that may need a person's decision.
fn to_look_at(lines: &[ClassLine], file: &str) -> Markup {
    let marked: Vec<(&ClassLine, Vec<String>)> = lines
        .iter()
        .map(|line| (line, line.marks()))
        .filter(|(_, marks)| !marks.is_empty())
        .collect();
    html! {
        @if !marked.is_empty() {
            h2 { "Look at these" }
            ul { @for (line, marks) in marked { li {
                a href=(link(line.submission(), file)) { (line.submission()) } ": " (marks.join("; "))
            } } }
        }
        h2 { "Grades" }
    }
}

/// Returns the address of a file in the folder of a submission.
fn link(name: &str, file: &str) -> String {
    let encoded = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    format!("{}/{file}", encoded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::check::Visibility;
    use crate::grade::roster::RosterLine;

    fn results() -> GradeResults {
        let finding = Finding {
            state: "X../.O./.../X".to_owned(),
            board: "X..\n.O.\n...\n".to_owned(),
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
    fn what_failed_comes_first() {
        let mut results = results();
        let passed =
            CheckResult { name: "all well".to_owned(), score: 2.0, ..results.checks[0].clone() };
        results.checks.insert(0, passed);
        let page = results_page(&*toy(), "ann", &results, Reader::Student);
        assert!(page.find("a check") < page.find("all well"), "{page}");
    }

    #[test]
    fn page_of_a_class_shows_where_to_look() {
        let line = |name: &str, score: f64, alike: &[&str]| {
            let mut results = results();
            results.checks.truncate(1);
            results.checks[0].score = score;
            results.marks = if score == 1.0 { vec!["made again".to_owned()] } else { Vec::new() };
            ClassLine {
                student: RosterLine { submission: name.to_owned(), ..RosterLine::default() },
                results,
                alike: alike.iter().map(|&name| name.to_owned()).collect(),
                ..ClassLine::default()
            }
        };
        let lines =
            [line("ann", 1.0, &[]), line("bob", 2.0, &["<carl> (90 %)"]), line("dan", 2.0, &[])];
        let page = class_page(&*toy(), 1, &lines, "page.html");
        for part in [
            ">90–100</th><td><span class=\"bar\" style=\"width: 20rem\"></span> 2<",
            ">50–60</th><td><span class=\"bar\" style=\"width: 10rem\"></span> 1<",
            "<th scope=\"row\">a check</th><td class=\"number\">1</td><td class=\"number\">1.0<",
            "<a href=\"ann/page.html\">ann</a>: made again",
            "bob</a>: like &lt;carl&gt; (90 %)",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("dan</a>: ") && !page.contains("By hand"), "{page}");
    }

    #[test]
    fn names_are_addresses() {
        assert_eq!(link("ann lee/#1", "page.html"), "ann%20lee%2F%231/page.html");
    }
}
