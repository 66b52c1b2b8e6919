//! The results of grading, their points, and the rule for late submissions.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use plyground_durable::input::{TomlError, TomlFile};
use plyground_durable::{excerpt, nearest};
use plyground_host::external::Lack;
use plyground_host::{HostedPosition, Text};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::check::{Check, CheckKind, Visibility};
use super::draw::DrawnCheck;

/// The status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// The check earned all points.
    Passed,
    /// The check earned fewer points.
    Failed,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The name of the check.
    pub name: String,
    /// The number of points earned.
    pub score: f64,
    /// The greatest number of points.
    pub max_score: f64,
    /// The part of the points earned, from 0 to 1; `None` in results of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The readers who may see the result.
    pub visibility: Visibility,
    /// If true, students see the expected moves.
    pub shows_expected: bool,
    /// The description of the requirement.
    pub asks: String,
    /// The reason for the requirement.
    pub why: String,
    /// The sentence of the assignment that states the requirement.
    pub sentence: String,
    /// The outcome, in one line.
    pub summary: String,
    /// The failures.
    pub findings: Vec<Finding>,
}

/// A failure in a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The position as a state file with `/` for the line ends; empty if the finding has no
    /// position.
    pub state: String,
    /// The board of the position, as text for people.
    pub board: String,
    /// The sentence that names the side to move; empty if the finding has no position, or if the game is
    /// over in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub turn: String,
    /// The depth that the player was told; `None` if it was told none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<u32>,
    /// The description of the failure, in lines.
    pub said: String,
    /// The legal move that the player made, in a check that has right moves.
    pub played: Option<String>,
    /// The right moves, in a check that has them.
    pub expected: Vec<String>,
    /// The end of the program's standard error.
    pub stderr: String,
}

/// The outcome of a part of a check: the finding of a failure is boxed, so that outcomes stay small.
pub(super) type Outcome<T = ()> = Result<T, Box<Finding>>;

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaderboardLine {
    /// The quantity that is compared.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The sort order: `asc` if less is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The results of a submission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GradeResults {
    /// The results of the checks.
    pub checks: Vec<CheckResult>,
    /// The notes on the whole submission, one line each.
    pub notes: Vec<String>,
    /// The quantities that are compared with those of other submissions.
    pub leaderboard: Vec<LeaderboardLine>,
    /// The reason why the player could not be started, if it could not.
    pub not_started: Option<String>,
    /// The first fault, in one line, of a player that was started and never made a legal move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_moved: Option<String>,
    /// The things that may need a person's judgment, in a few words each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// The output of the build; empty if there was no build.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build_log: String,
    /// The review of the player's games against random moves, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<PlayReview>,
}

/// The mark of a submission whose time was over before all checks were made.
pub const OUT_OF_TIME: &str = "its time was over before all checks were done";

/// The points of a check that was made.
pub(super) struct Graded {
    /// The part of the points earned, from 0 to 1.
    pub(super) share: f64,
    /// The outcome, in one line.
    pub(super) summary: String,
    /// The failures.
    pub(super) findings: Vec<Finding>,
}

/// The number of parts of a point that are counted.
const FRACTION: f64 = 100.0;

impl CheckResult {
    pub(super) fn new(check: &Check, graded: Graded) -> CheckResult {
        let Graded { share, summary, findings } = graded;
        let share = share.clamp(0.0, 1.0);
        CheckResult {
            name: check.name.clone(),
            score: rounded(share * check.points),
            max_score: check.points,
            share: Some(share),
            visibility: check.visibility,
            shows_expected: check.expected,
            asks: check.asks.clone(),
            why: check.why.clone(),
            sentence: check.sentence.clone(),
            summary,
            findings,
        }
    }

    /// Returns the status: passed if all points were earned.
    pub fn status(&self) -> CheckStatus {
        if self.score >= self.max_score && (self.max_score > 0.0 || self.findings.is_empty()) {
            CheckStatus::Passed
        } else {
            CheckStatus::Failed
        }
    }
}

/// Returns the note that names the checks that do not apply to the player.
pub(super) fn not_counted(checks: &[&DrawnCheck]) -> Option<String> {
    // A student does not learn the name of a check that is not visible.
    let shown = checks.iter().filter(|drawn| drawn.check.visibility == Visibility::Visible);
    let names: Vec<&str> = shown.map(|drawn| &*drawn.check.name).collect();
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    Some(format!("Not for players of this kind, and not counted: {names}"))
}

/// Rounds a number of points. Sums are rounded too, because a sum of decimal fractions is not
/// exact.
pub(super) fn rounded(points: f64) -> f64 {
    (points * FRACTION).round() / FRACTION
}

impl GradeResults {
    /// Returns the sum of the points earned.
    pub fn score(&self) -> f64 {
        // The empty sum of floating-point numbers is a negative zero.
        rounded(self.checks.iter().fold(0.0, |sum, check| sum + check.score))
    }

    /// Checks that each score is from 0 to the greatest number of points of its check.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first check with an impossible score.
    pub fn check_scores(&self) -> Result<(), String> {
        let is_possible =
            |check: &CheckResult| (0.0..=rounded(check.max_score)).contains(&check.score);
        match self.checks.iter().find(|check| !is_possible(check)) {
            None => Ok(()),
            Some(CheckResult { name, score, max_score, .. }) => {
                let name = excerpt(name);
                Err(format!("`{name}`: expected a score from 0 to {max_score}, found {score}"))
            }
        }
    }

    /// Returns these results with the present points of the checks; `None` if a part of old points is not known. The
    /// key of the grade says that nothing else is different.
    pub fn by_points_of(&self, checks: &[DrawnCheck]) -> Option<GradeResults> {
        let mut results = self.clone();
        for result in &mut results.checks {
            let Check { points, .. } =
                checks.iter().map(|it| &it.check).find(|it| it.name == result.name)?;
            if result.max_score != *points {
                (result.score, result.max_score) = (rounded(result.share? * points), *points);
            }
        }
        Some(results)
    }

    /// Returns the sum of the greatest numbers of points.
    pub fn max_score(&self) -> f64 {
        rounded(self.checks.iter().fold(0.0, |sum, check| sum + check.max_score))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointsFile {
    #[serde(default)]
    points: BTreeMap<Spanned<String>, Spanned<f64>>,
    #[serde(default)]
    visibility: BTreeMap<Spanned<String>, Visibility>,
    #[serde(default)]
    expected: BTreeMap<Spanned<String>, bool>,
}

/// Changes the points and the visibility of checks, and the visibility of expected moves, according
/// to a TOML file. Checks that the file does not name are unchanged.
///
/// ```toml
/// [points]
/// "beats a random player" = 20
/// "time" = 0
///
/// [visibility]
/// "time" = "after_due_date"  # or "visible", "hidden", "after_published"
///
/// [expected]
/// "the last four moves are seen" = true
/// ```
///
/// # Errors
///
/// Returns an error if the file cannot be read, names an unknown check, or has negative points.
pub fn read_points(path: &Path, checks: &mut [Check]) -> Result<(), TomlError> {
    let source = TomlFile::read(path)?;
    let file: PointsFile = source.parse()?;
    for (name, points) in &file.points {
        let value = *points.get_ref();
        if !value.is_finite() || value < 0.0 {
            return Err(source.fault(points.span(), "expected points, 0 or more".to_owned()));
        }
        named(&source, checks, name)?.points = value;
    }
    for (name, visibility) in &file.visibility {
        named(&source, checks, name)?.visibility = *visibility;
    }
    for (name, expected) in &file.expected {
        named(&source, checks, name)?.expected = *expected;
    }
    Ok(())
}

/// Keeps only the checks with these names, and the checks that they depend on.
///
/// # Errors
///
/// Returns the fault, as one line, if one of the names is not the name of a check.
pub fn select_checks(checks: &mut Vec<Check>, names: &[String]) -> Result<(), String> {
    if let Some(name) = names.iter().find(|name| checks.iter().all(|check| check.name != **name)) {
        return Err(unknown_name(name, checks));
    }
    for check in checks.iter_mut().filter(|check| !names.contains(&check.name)) {
        check.points = 0.0;
    }
    keep_probes_and(checks, |check| names.contains(&check.name));
    Ok(())
}

/// Leaves out the checks that are worth nothing, except the checks on which a check with points
/// depends.
pub fn leave_out_worthless(checks: &mut Vec<Check>) {
    keep_probes_and(checks, |check| check.points > 0.0);
}

/// Keeps the checks that are wanted, and the probes on which these depend.
fn keep_probes_and(checks: &mut Vec<Check>, is_wanted: impl Fn(&Check) -> bool) {
    let wanted: Vec<CheckKind> =
        checks.iter().filter(|check| is_wanted(check)).map(|check| check.kind).collect();
    checks.retain(|check| match check.kind {
        _ if is_wanted(check) => true,
        CheckKind::CountsDepth => wanted.iter().any(|kind| kind.row().asks_for_search),
        CheckKind::PrintsScore => wanted.contains(&CheckKind::StopsWhenOver),
        CheckKind::FileFormat => wanted.contains(&CheckKind::Interactive),
        kind => kind.row().is_probe,
    });
}

fn named<'a>(
    source: &TomlFile<'_>,
    checks: &'a mut [Check],
    name: &Spanned<String>,
) -> Result<&'a mut Check, TomlError> {
    match checks.iter().position(|check| check.name == *name.get_ref()) {
        Some(at) => Ok(&mut checks[at]),
        None => Err(source.fault(name.span(), unknown_name(name.get_ref(), checks))),
    }
}

/// Returns the message about a name that no check has, with the nearest name, or else with all names.
fn unknown_name(name: &str, checks: &[Check]) -> String {
    let found = format!("expected the name of a check, found `{}`", excerpt(name));
    match nearest(name, checks.iter().map(|check| check.name.as_str())) {
        Some(near) => format!("{found}: the nearest is `{}`", excerpt(near)),
        None => {
            let names: Vec<_> = checks.iter().map(|check| format!("`{}`", check.name)).collect();
            format!("{found}: the names are {}", names.join(", "))
        }
    }
}

/// The greatest length of the description of a finding, in bytes: reports repeat the files of programs,
/// which may have any length.
const LONGEST_SAID: usize = 4_000;

impl Finding {
    pub(super) fn at(position: &HostedPosition, said: String) -> Finding {
        let (state, board) = (position.state_word(), position.text(Text::Board));
        let turn = if position.is_over() { String::new() } else { position.text(Text::Turn) };
        Finding { state, board, turn, ..Finding::of_no_position(said) }
    }

    /// Returns the sentences that complete the board: the side to move, the depth that the player was told, and the
    /// state as one word, which `state` and `analyze` take. The result is `None` if there is nothing to say.
    #[must_use]
    pub fn situation(&self) -> Option<String> {
        let turn = Some(self.turn.clone()).filter(|turn| !turn.is_empty());
        let told = self.told.map(|depth| format!("The depth told is {depth}."));
        let state = Some(&self.state).filter(|state| !state.is_empty());
        let state = state.map(|state| format!("State: {state}"));
        let sentences: Vec<String> = turn.into_iter().chain(told).chain(state).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    pub(super) fn of_no_position(said: impl Into<String>) -> Finding {
        let mut said = said.into();
        if said.len() > LONGEST_SAID {
            let whole = said.len();
            let end = (0..=LONGEST_SAID).rev().find(|&at| said.is_char_boundary(at));
            said.truncate(end.unwrap_or(0));
            said += &format!("... ({whole} bytes)");
        }
        Finding { said, ..Finding::default() }
    }
}

/// The review of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayReview {
    /// The summary, in lines.
    pub summary: Vec<String>,
    /// The mistakes to learn from, each with its position.
    pub mistakes: Vec<Finding>,
}

/// The middle of the mark of a grade that the lack of a module, a package or a newer Java has made.
const NOT_THERE: &str = "is not there: install it";

/// Returns the mark of a grade that a lack has made. `folder` has the files of the submission, if they are known.
pub(super) fn not_there(lack: &Lack, folder: Option<&Path>) -> String {
    let place = match (lack.is_beside(), folder) {
        (false, _) if matches!(lack, Lack::Module(_)) => {
            "for all users, unless it is a file that the student forgot"
        }
        (false, _) => "for all users",
        (true, Some(_)) => "among the files handed in",
        (true, None) => {
            "among the files handed in, or write `./` before it if a file of the program is meant"
        }
    };
    format!("{lack} {NOT_THERE} {place}, and grade again")
}

impl GradeResults {
    /// Returns true if the system lacked something that the program needs: another grade may differ, though
    /// nothing of the submission has changed.
    pub fn is_lacking(&self) -> bool {
        self.marks.iter().any(|mark| mark.contains(NOT_THERE))
    }
}

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// A rule for late submissions, such as `10% a day, 2 free days`: two days cost nothing, three days and an hour
/// cost 20 %, since a day that has begun counts, and thirty days cost 100 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateRule {
    /// The part of the points that a unit of time costs, in percent.
    percent: f64,
    /// The unit, in seconds.
    unit: u64,
    /// The time that costs nothing, in seconds.
    free: u64,
}

impl LateRule {
    /// Returns the part of the points that this much lateness costs, in percent: at most 100.
    pub fn percent(&self, late: Duration) -> f64 {
        let seconds = late.as_secs() + u64::from(late.subsec_nanos() > 0);
        let units = seconds.saturating_sub(self.free).div_ceil(self.unit);
        (self.percent * units as f64).min(100.0)
    }
}

impl FromStr for LateRule {
    type Err = String;

    fn from_str(text: &str) -> Result<LateRule, String> {
        read_rule(text).ok_or_else(|| {
            let found = excerpt(text);
            format!("expected a rule such as `10% a day, 2 free days`, found `{found}`")
        })
    }
}

fn read_rule(text: &str) -> Option<LateRule> {
    let (cost, free) = text.split_once(',').unwrap_or((text, "0 free days"));
    let (percent, unit) = cost.split_once('%')?;
    let percent = percent.trim().parse().ok().filter(|it| (0.0..=100.0).contains(it))?;
    let ["a" | "an" | "per" | "each" | "every", unit] = words(unit)? else { return None };
    let [count, "free", free_unit] = words(free)? else { return None };
    let free = count.parse::<u64>().ok()?.checked_mul(seconds(free_unit)?)?;
    Some(LateRule { percent, unit: seconds(unit)?, free })
}

/// Splits a text into exactly `N` words.
fn words<const N: usize>(text: &str) -> Option<[&str; N]> {
    text.split_whitespace().collect::<Vec<_>>().try_into().ok()
}

fn seconds(unit: &str) -> Option<u64> {
    match unit {
        "hour" | "hours" => Some(HOUR),
        "day" | "days" => Some(DAY),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::grade::parse_checks;

    #[test]
    fn finding_repeats_no_more_than_a_page_of_a_program() {
        let finding = Finding::of_no_position("é".repeat(LONGEST_SAID));
        assert!(finding.said.len() < LONGEST_SAID + 30, "{}", finding.said.len());
        assert!(finding.said.ends_with("... (8000 bytes)"), "{}", finding.said);
        assert_eq!(Finding::of_no_position("short").said, "short");
    }

    #[test]
    fn sums_are_numbers_of_points() {
        let check = |score| CheckResult {
            name: "a".to_owned(),
            score,
            max_score: score,
            ..CheckResult::default()
        };
        for (checks, sums) in [(vec![check(0.1), check(0.2)], "0.3 of 0.3"), (vec![], "0 of 0")] {
            let results = GradeResults { checks, ..GradeResults::default() };
            assert_eq!(format!("{} of {}", results.score(), results.max_score()), sums);
        }
    }

    fn read(text: &str) -> Result<Vec<(String, f64)>, String> {
        let rest = "kind = 'faultless'\ndepth = 1\ngames = 1\nasks = ''\nwhy = ''\nsentence = ''\n";
        let checks = format!(
            "[[check]]\nname = 'a b'\npoints = 1\n{rest}[[check]]\nname = 'c'\npoints = 2\n{rest}"
        );
        let mut checks = parse_checks(&checks).expect("checks");
        let folder = fixtures::folder(&[("p.toml", text)]);
        let read = read_points(&folder.path().join("p.toml"), &mut checks);
        read.map_err(|error| error.to_string())?;
        leave_out_worthless(&mut checks);
        Ok(checks.into_iter().map(|check| (check.name, check.points)).collect())
    }

    #[test]
    fn weights_are_changed() {
        let points = read("[points]\n'a b' = 5\nc = 0\n");
        assert_eq!(points, Ok(vec![("a b".to_owned(), 5.0)]));
    }

    #[test]
    fn depth_is_counted_only_for_checks_that_go_by_it() {
        let reasons = "asks = ''\nwhy = ''\nsentence = ''\n";
        let text = format!(
            "[[check]]\nname = 'a'\npoints = 0\nkind = 'counts-depth'\nplies = 2\n{reasons}\
            [[check]]\nname = 'b'\npoints = 0\nkind = 'reads-files'\ndepth = 2\n{reasons}\
            [[check]]\nname = 'c'\npoints = 1\nkind = 'file-format'\ndepth = 2\n{reasons}\
            [[check]]\nname = 'd'\npoints = 1\nkind = 'sees'\ndepth = 2\nplies = 2\n{reasons}"
        );
        for (last, left) in [(1.0, "abcd"), (0.0, "bc")] {
            let mut checks = parse_checks(&text).expect("checks");
            checks[3].points = last;
            leave_out_worthless(&mut checks);
            let names: String = checks.iter().map(|check| check.name.as_str()).collect();
            assert_eq!(names, left);
        }
    }

    #[test]
    fn fault_is_named_with_its_place() {
        for (text, part) in [
            ("[points]\nd = 5\n", "found `d`: the names are `a b`, `c`"),
            (
                "[points]\n'a  c' = 5\n",
                "p.toml:2:1: expected the name of a check, found `a  c`: the nearest is `a b`",
            ),
            ("[points]\nc = -5\n", "p.toml:2:5: expected points"),
            ("[points]\nc = 'x'\n", "p.toml:2:5: invalid type"),
            ("[visibility]\nd = 'hidden'\n", "p.toml:2:1: expected the name of a check"),
            ("[visibility]\nc = 'gone'\n", "p.toml:2:5: unknown variant `gone`"),
            ("[expected]\nc = 1\n", "p.toml:2:5: invalid type"),
            ("[point]\nc = 1\n", "p.toml:1:2: unknown field `point`"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }

    #[test]
    fn rules_are_read() {
        let percent = |rule: &str, hours: u64| {
            rule.parse::<LateRule>().expect(rule).percent(Duration::from_secs(hours * HOUR))
        };
        assert_eq!(percent("10% a day", 1), 10.0);
        let two_free = "10% a day, 2 free days";
        assert_eq!([48, 73, 720].map(|hours| percent(two_free, hours)), [0.0, 20.0, 100.0]);
        assert_eq!(percent("2.5 % per hour, 1 free hour", 3), 5.0);
        assert_eq!(percent("100% a day, 1 free day", 24), 0.0);
        let wrong = "|10|10% day|10% a year|-1% a day|101% a day|5% a day, 2|5% a day, 2 days";
        for rule in wrong.split('|') {
            let error = rule.parse::<LateRule>().expect_err(rule);
            assert!(error.contains("such as `10% a day, 2 free days`"), "{error}");
        }
    }

    #[test]
    fn lack_is_marked() {
        let folder = Some(Path::new("."));
        let [module, newer] = [Lack::Module("numpy".into()), Lack::Newer("java".into())];
        let package = Lack::Package("chalk".into());
        for (lack, folder, start) in [
            (module, None, "the module `numpy` of Python is not there: install it for"),
            (newer, None, "a newer `java` is not there: install it for all users"),
            (package.clone(), None, "the package `chalk` of JavaScript is not there"),
            (package, folder, "the package `chalk` of JavaScript is not there"),
        ] {
            let mark = not_there(&lack, folder);
            assert!(mark.starts_with(start), "{mark}");
            assert_eq!(mark.contains("`./`"), lack.is_beside() && folder.is_none(), "{mark}");
            let results = GradeResults { marks: vec![mark], ..GradeResults::default() };
            assert!(results.is_lacking() && !GradeResults::default().is_lacking());
        }
    }
}
