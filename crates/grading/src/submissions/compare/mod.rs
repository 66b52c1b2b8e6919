//! Pairs of submissions that share more than chance and starter code explain.
//!
//! The sources become tokens that renaming and comments do not change. Every run of [`RUN`] tokens has a
//! hash, and the least of each [`WINDOW`] hashes is kept as a fingerprint (Schleimer, Wilkerson and Aiken,
//! *Winnowing: Local Algorithms for Document Fingerprinting*, 2003). A passage of `RUN + WINDOW - 1` tokens
//! that two submissions have in common is found at any place. The result is for a person to look at; it is
//! not a verdict.
//!
//! Starter code and common idioms do not count:
//!
//! 1. code that more than half of the class has, and the starter code that the caller names;
//! 2. code that more than three submissions, and more than a tenth of the class, have. Submissions that
//!    share two thirds of the rest of the larger of them are a ring, and count as two submissions here.
//!
//! Members of a ring share nearly everything, including code that the rest of the class does not have;
//! students who wrote their own programs on the same starter code share that code alone. Therefore a ring of
//! any size is seen, up to half of the class. The comparison names the submissions of which more than half
//! does not count, so that nothing is hidden. Only starter code that at most half of the class has, and that
//! is two thirds of each program, looks like a ring.

mod sources;
mod tokens;

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use maud::{Markup, html};
use plyground_durable::one_line;

use self::sources::{FEWEST, Print, RUN, SourceFile, WINDOW, common_code, own_code};
use crate::html_page;

pub(crate) use self::sources::source_hashes;
pub use self::sources::{CommonCode, Sources, class_sources, starter_sources};

/// The least part of the smaller submission that a pair must share, in any class.
const LEAST: f64 = 0.2;

/// The number of median deviations above the median of all pairs that is more than chance.
const DEVIATIONS: f64 = 6.0;

/// Returns the comparison of a class.
pub fn comparison(class: &[Sources], starter: &[Sources]) -> Comparison {
    let given: BTreeSet<u64> = starter.iter().flat_map(Sources::hashes).collect();
    let written: Vec<BTreeSet<u64>> =
        class.iter().map(|sources| &sources.hashes() - &given).collect();
    let own = own_code(&written);
    let is_empty = |it: &&Sources| it.files.is_empty() && it.left_out.is_empty();
    Comparison {
        pairs: alike(class, &own),
        common: common_code(class, &written, &own),
        without_sources: class.iter().filter(is_empty).map(|it| it.name.clone()).collect(),
    }
}

/// Returns the pairs that share more than chance and the starter code of the class explain, the pairs with
/// the most in common first.
fn alike(class: &[Sources], own: &[BTreeSet<u64>]) -> Vec<AlikePair> {
    let mut pairs = Vec::new();
    for (first, one) in own.iter().enumerate() {
        for (second, other) in own.iter().enumerate().skip(first + 1) {
            let shared: BTreeSet<u64> = one.intersection(other).copied().collect();
            let share = shared.len() as f64 / one.len().min(other.len()).max(1) as f64;
            pairs.push((first, second, share, shared));
        }
    }
    let bound = more_than_chance(pairs.iter().map(|&(_, _, share, _)| share).collect());
    pairs.retain(|(_, _, share, shared)| *share >= bound && shared.len() >= FEWEST);
    pairs.sort_by(|(_, _, one, _), (_, _, other, _)| other.total_cmp(one));
    let mut left = MOST_OF_PAGE;
    let pair = |(first, second, share, shared): (usize, usize, f64, BTreeSet<u64>)| {
        let (one, other) = (&class[first], &class[second]);
        let names = [one, other].map(|sources| sources.name.clone());
        let (passages, count) = passages(one, other, &shared, &mut left);
        AlikePair { names, share, passages, count }
    };
    pairs.into_iter().map(pair).collect()
}

/// Returns the share at which a pair stands out from all pairs, most of which did not work together.
fn more_than_chance(mut shares: Vec<f64>) -> f64 {
    let median = |numbers: &mut Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers.get(numbers.len() / 2).copied().unwrap_or_default()
    };
    // With fewer than ten pairs, the median itself may be a pair that worked together.
    if shares.len() < 10 {
        return LEAST;
    }
    let middle = median(&mut shares);
    let mut deviations = shares.iter().map(|share| (share - middle).abs()).collect();
    (middle + DEVIATIONS * median(&mut deviations)).clamp(LEAST, 0.8)
}

/// Returns the longest passages with these fingerprints, and the number of all passages. The texts have at
/// most `left` bytes, and reduce `left`.
fn passages(
    one: &Sources,
    other: &Sources,
    shared: &BTreeSet<u64>,
    left: &mut usize,
) -> (Vec<Passage>, usize) {
    let mut places: HashMap<u64, (usize, Print)> = HashMap::new();
    for (file, source) in other.files.iter().enumerate() {
        for print in source.prints.iter().filter(|print| shared.contains(&print.hash)) {
            places.entry(print.hash).or_insert((file, *print));
        }
    }
    let mut stretches = Vec::new();
    for source in &one.files {
        let mut last: Option<Stretch<'_>> = None;
        for print in &source.prints {
            let Some(&(file, partner)) = places.get(&print.hash) else { continue };
            if last.as_mut().is_some_and(|stretch| stretch.goes_on(file, *print, partner)) {
                continue;
            }
            stretches.extend(last.take());
            last = Some(Stretch {
                files: [source, &other.files[file]],
                file,
                first: [*print, partner],
                last: [*print, partner],
                prints: 1,
            });
        }
        stretches.extend(last);
    }
    stretches.sort_by_key(|stretch| std::cmp::Reverse(stretch.prints));
    let most = MOST_OF_PAIR.min(*left);
    let mut room = most;
    let shown = stretches.iter().take(SHOWN).map(|stretch| stretch.passage(&mut room)).collect();
    *left -= most - room;
    (shown, stretches.len())
}

/// Fingerprints that follow each other in both submissions.
struct Stretch<'s> {
    /// The files in the two submissions.
    files: [&'s SourceFile; 2],
    /// The index of the other submission's file.
    file: usize,
    first: [Print; 2],
    last: [Print; 2],
    prints: usize,
}

impl Stretch<'_> {
    /// Adds the next fingerprint and returns true, if the fingerprint is near the last fingerprint
    /// in both files.
    fn goes_on(&mut self, file: usize, print: Print, partner: Print) -> bool {
        let next = [print, partner];
        let is_near = |(next, last): (&Print, &Print)| {
            (last.token..last.token + RUN + WINDOW).contains(&next.token)
        };
        let goes_on = file == self.file && next.iter().zip(&self.last).all(is_near);
        if goes_on {
            self.last = next;
            self.prints += 1;
        }
        goes_on
    }

    /// Returns the passage, without its texts if there is no room for them.
    fn passage(&self, room: &mut usize) -> Passage {
        let mut places = [0, 1].map(|side| {
            let (first, last) = (self.first[side].lines.0, self.last[side].lines.1);
            let text = self.files[side].text_of((first, last));
            Place { file: self.files[side].path.clone(), lines: first + 1..=last + 1, text }
        });
        let rest = room.checked_sub(places.iter().map(|place| place.text.len()).sum());
        if rest.is_none() {
            places.iter_mut().for_each(|place| place.text = String::new());
        }
        *room = rest.unwrap_or_default();
        Passage { places }
    }
}

/// The comparison of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The pairs that share more than chance explains, the pairs with the most in common first.
    pub pairs: Vec<AlikePair>,
    /// The code that does not count, if it is more than half of a submission.
    pub common: Vec<CommonCode>,
    /// The names of the submissions without source files.
    pub without_sources: Vec<String>,
}

/// Two submissions that share more than chance explains.
#[derive(Clone, Debug, PartialEq)]
pub struct AlikePair {
    /// The names of the submissions.
    pub names: [String; 2],
    /// The part of the smaller submission, from 0 to 1, that is also in the other submission.
    pub share: f64,
    /// The longest passages that the submissions have in common, the longest first.
    pub passages: Vec<Passage>,
    /// The number of all passages.
    count: usize,
}

/// A passage that two submissions have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The places of the passage, one in each submission.
    pub places: [Place; 2],
}

/// A place in a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, below the folder of the submission.
    pub file: PathBuf,
    /// The lines, from 1.
    pub lines: RangeInclusive<usize>,
    /// The beginning of the text; empty if longer passages take the room.
    text: String,
}

impl AlikePair {
    /// Returns the share in percent.
    pub fn percent(&self) -> u32 {
        (self.share * 100.0).round() as u32
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}-{}", self.file.display(), self.lines.start(), self.lines.end())
    }
}

/// The appearance of the page.
const STYLE: &str = ":root { color-scheme: light dark; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 90rem; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: 1rem 0; }
.sides > div { min-width: 0; border: 1px solid #888; border-radius: 4px; padding: .5rem; }
pre { margin: 0; overflow-x: auto; font-size: .8rem; } h2 { font-size: 1.2rem; }";

/// The greatest number of passages of a pair that are shown. The others are only counted.
const SHOWN: usize = 30;

/// The greatest number of bytes of the texts of a pair. One passage of any characters fits.
const MOST_OF_PAIR: usize = 1 << 20;

/// The greatest number of bytes of a page, and of the texts of all pairs together.
const MOST_OF_PAGE: usize = 16 << 20;

/// Returns a page with all pairs, with the passages of each pair side by side, and with the code that does
/// not count. If the pairs or passages
/// have no room on the page, the page shows those with the most in common, and counts the others.
pub fn comparison_page(comparison: &Comparison) -> String {
    let Comparison { pairs, common, .. } = comparison;
    const TITLE: &str = "Submissions that are alike";
    let mut left = Some(MOST_OF_PAGE);
    let sections: Vec<Markup> = pairs
        .iter()
        .map(section)
        .take_while(|section| {
            left = left.and_then(|left| left.checked_sub(section.0.len()));
            left.is_some()
        })
        .collect();
    let more = pairs.len() - sections.len();
    let content = html! {
        h1 { (TITLE) }
        p {
            "These share more than chance explains. That is no verdict: read the passages, and ask. "
            "--starter leaves out code that all students were given."
        }
        @for code in common { p { (code.to_string()) } }
        @if pairs.is_empty() { p { "None." } }
        @for section in &sections { (section) }
        @if more > 0 { p { "and " (more) " more pairs, which have less in common: the command lists them" } }
    };
    html_page(TITLE, STYLE, &content)
}

fn section(pair: &AlikePair) -> Markup {
    let [one, other] = pair.names.each_ref().map(|name| one_line(name));
    let has_text = |passage: &&Passage| passage.places.iter().all(|place| !place.text.is_empty());
    let passages: Vec<&Passage> = pair.passages.iter().filter(has_text).collect();
    let more = pair.count - passages.len();
    html! {
        section {
            h2 { (one) " and " (other) ": " (pair.percent()) " %" }
            @for passage in passages { (sides(passage)) }
            @if more > 0 { p { "and " (more) " more passages" } }
        }
    }
}

fn sides(passage: &Passage) -> Markup {
    html! { div class="sides" { @for place in &passage.places { div {
        p { (one_line(&place.to_string())) }
        pre { (place.text) }
    } } } }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::sources::{MOST_LINES, MOST_OF_LINE};
    use super::tokens::MOST_OF_FILE;
    use super::*;
    use crate::fixtures;

    const ONE: &str = include_str!("../../../tests/compare/one.py");
    const OTHER: &str = include_str!("../../../tests/compare/other.py");

    /// Returns the sources of a submission with one file, whose name has a hidden character.
    fn sources(name: &str, text: &str) -> Sources {
        let file = SourceFile::new("\u{202e}a.py".into(), text.to_owned());
        Sources { name: name.to_owned(), files: vec![file], left_out: Vec::new() }
    }

    /// Returns the comparison of a class of these files.
    fn compared(class: &[(impl AsRef<str>, impl AsRef<str>)], starter: &[&str]) -> Comparison {
        let class = class.iter().map(|(name, text)| sources(name.as_ref(), text.as_ref()));
        let class: Vec<Sources> = class.collect();
        let starter: Vec<Sources> = starter.iter().map(|text| sources("", text)).collect();
        comparison(&class, &starter)
    }

    /// Returns the pairs of a class of these files, as names.
    fn pairs(class: &[(impl AsRef<str>, impl AsRef<str>)], starter: &[&str]) -> Vec<(String, u32)> {
        let pair = |pair: AlikePair| (pair.names.join(" "), pair.percent());
        compared(class, starter).pairs.into_iter().map(pair).collect()
    }

    /// Returns the functions of a source in reversed order.
    fn reordered(text: &str) -> String {
        let mut parts: Vec<&str> = text.split("\n\n\n").collect();
        parts.reverse();
        parts.join("\n\n\n")
    }

    fn renamed(text: &str) -> String {
        let names = ["board grid", "depth d", "best top", "player who", "score pts"];
        let pairs = names.iter().filter_map(|names| names.split_once(' '));
        pairs.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// Returns the text with a comment behind every line, and with other blanks.
    fn commented(text: &str) -> String {
        let lines =
            text.lines().map(|line| format!("{}  # my own idea\n\n", line.replace(" = ", "=")));
        lines.collect()
    }

    #[test]
    fn copies_are_found_whatever_was_changed_about_their_looks() {
        for (change, copy, least) in [
            ("none", ONE.to_owned(), 100),
            ("names", renamed(ONE), 100),
            ("comments", commented(ONE), 100),
            ("order", reordered(ONE), 75),
            ("all", commented(&reordered(&renamed(ONE))), 75),
        ] {
            let found = pairs(&[("ann", ONE), ("bob", OTHER), ("carl", &copy)], &[]);
            let [(names, percent)] = found.as_slice() else { panic!("{change}: {found:?}") };
            assert!(names == "ann carl" && *percent >= least, "{change}: {found:?}");
        }
    }

    /// Two files of the same blocks in opposite order: each block is a passage.
    #[test]
    fn texts_of_many_passages_are_taken_for_those_that_are_shown() {
        let blocks: Vec<String> = (0..200).map(invented).collect();
        let forward = sources("", &blocks.concat());
        let backward = sources("", &blocks.iter().rev().cloned().collect::<String>());
        let shared = forward.hashes();
        let mut left = MOST_OF_PAGE;
        let (passages, count) = passages(&forward, &backward, &shared, &mut left);
        assert!(count > 2 * SHOWN && passages.len() == SHOWN, "{count}");
        for place in passages.iter().flat_map(|passage| &passage.places) {
            assert_eq!(place.text.lines().count(), place.lines.clone().count(), "{place}");
        }
        // Pairs before this pair leave less room, and at last none.
        let used = MOST_OF_PAGE - left;
        for room in [used, used / 2, 0] {
            let mut left = room;
            let (passages, all) = super::passages(&forward, &backward, &shared, &mut left);
            let texts = passages.iter().flat_map(|passage| &passage.places).map(|it| it.text.len());
            assert!(all == count && passages.len() == SHOWN && left == 0, "{room}: {left}");
            assert!((1..=room).contains(&texts.sum()) || room == 0, "{room}");
        }
    }

    #[test]
    fn long_passages_are_shown_in_part() {
        let long = "1 + ".repeat(MOST_OF_LINE / 4) + "\u{e9}\u{202e}";
        let file = SourceFile::new("a.py".into(), format!("\ta\u{202e}\r\n{long}\n").repeat(300));
        let text = file.text_of((0, 599));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MOST_LINES + 1);
        assert_eq!(lines[0], "\ta\\u{202e}");
        assert_eq!(lines[1], format!("{} ... and 2 more characters", &long[..MOST_OF_LINE]));
        assert_eq!(lines[MOST_LINES], "... and 400 more lines");
        assert_eq!(file.text_of((1, 2)).lines().count(), 2);
    }

    /// Without a bound, each of several passages in a long line would repeat the whole line.
    #[test]
    fn pages_have_a_bound() {
        // Characters that take the most room on a page: escaped ones, and quotes.
        for filler in ["\u{e0100}", "\""] {
            let line = format!("# {}\n", filler.repeat(2 * MOST_OF_LINE));
            let block = |number| invented(number).replace('\n', &format!("\n{line}"));
            let blocks: Vec<String> = (0..61).map(block).collect();
            // The same blocks in another order: each is a passage.
            let class = [1, 17, 29].map(|step| {
                let order = (0..61).map(|place| place * step % 61);
                let text: String = order.map(|block| blocks[block].as_str()).collect();
                sources(&format!("ann\u{ffa0}{step}"), &text)
            });
            let pairs = comparison(&class, &[]).pairs;
            let text = |pair: &AlikePair| {
                let places = pair.passages.iter().flat_map(|passage| &passage.places);
                places.map(|place| place.text.len()).sum::<usize>()
            };
            let lengths: Vec<usize> = pairs.iter().map(text).collect();
            let is_right = |length: &usize| (1..=MOST_OF_PAIR).contains(length);
            assert!(lengths.len() == 3 && lengths.iter().all(is_right), "{lengths:?}");
            let many: Vec<AlikePair> = pairs.iter().cycle().take(60).cloned().collect();
            let many = Comparison { pairs: many, ..Comparison::default() };
            let page = comparison_page(&many);
            assert!(page.len() < MOST_OF_PAGE + 4_096, "{}", page.len());
            let shown = page.matches("<section>").count();
            let said = format!("and {} more pairs", many.pairs.len() - shown);
            assert!(shown >= 2 && page.contains(&said), "{shown}");
            assert!(page.contains("ann\\u{ffa0}1 and") && page.contains("<p>\\u{202e}a.py:1-"));
            assert!(page.contains(" more characters") && page.contains(" more passages"));
        }
    }

    #[test]
    fn code_that_all_were_given_does_not_count() {
        // Two students build on the same starter code, each with a program of their own.
        let half = ONE.len() / 2;
        let half = half + ONE[half..].find("\n\n\n").expect("a function");
        let given = &ONE[..half];
        let built = format!("{given}\n\n\n{OTHER}");
        assert_eq!(pairs(&[("ann", ONE), ("bob", &built)], &[]).len(), 1);
        assert_eq!(pairs(&[("ann", ONE), ("bob", &built)], &[given]), []);
        // Code that many submissions have in common does not count either, even if the starter code
        // is not named.
        let student = |seed| ("ann", format!("{given}\n\n\n{}", invented(seed)));
        let mut class: Vec<(&str, String)> = (0..6).map(student).collect();
        assert_eq!(pairs(&class, &[]), []);
        class.push(("bob", class[2].1.clone()));
        assert_eq!(pairs(&class, &[]), [("ann bob".to_owned(), 100)]);
    }

    /// Returns a class whose first students belong to a ring and use the first kit of starter code. Each other
    /// student uses a kit or none, and has a program of their own.
    fn class_with_ring(size: usize, ring: usize, kits: &[String]) -> Vec<(String, String)> {
        let student = |number: usize| {
            let lines = invented(number as u32);
            if number < ring {
                let few: String = lines.split_inclusive('\n').take(8).collect();
                let kit = kits.first().cloned().unwrap_or_default();
                return (format!("ring{number:02}"), format!("{kit}\n{}\n{few}", program()));
            }
            let kit = kits.get(number % 3).cloned().unwrap_or_default();
            (format!("{number:02}"), format!("{kit}\n{lines}\n{}", invented(500 + number as u32)))
        };
        (0..size).map(student).collect()
    }

    /// Returns the program of a ring.
    fn program() -> String {
        invented(900) + &invented(901)
    }

    /// Checks that exactly the rings are seen in classes of these sizes, each with the size of its ring, whatever kits
    /// the students use.
    fn check_rings(classes: &[(usize, usize)]) {
        // The kits are as long as the programs.
        let kits = [1_000, 1_010, 1_020].map(|seed| invented(seed) + &invented(seed + 1));
        let all_use_one = [0, 0, 0].map(|kit| kits[kit].clone());
        for (kits, least) in
            [(&[][..], 10), (&kits[..1], 10), (&all_use_one, 10), (&kits[..2], 20), (&kits, 30)]
        {
            // In smaller classes, three or fewer students would use a kit.
            for &(size, ring) in classes.iter().filter(|(size, _)| *size >= least) {
                let found = pairs(&class_with_ring(size, ring, kits), &[]);
                let is_right = |(names, percent): &(String, u32)| {
                    names.split(' ').all(|name| name.starts_with("ring")) && *percent >= 80
                };
                let (all, kits) = (ring * ring.saturating_sub(1) / 2, kits.len());
                let is_whole = found.len() == all && found.iter().all(is_right);
                assert!(is_whole, "{size} {ring} {kits}: {found:?}");
            }
        }
    }

    #[test]
    fn rings_are_seen_and_kits_are_not() {
        check_rings(&[(10, 0), (10, 4), (20, 10), (30, 4)]);
    }

    #[test]
    #[ignore = "long"]
    fn rings_of_any_size_are_seen_and_kits_are_not() {
        check_rings(&[(10, 5), (30, 0), (60, 0), (60, 10), (60, 30)]);
    }

    #[test]
    fn a_student_who_has_a_part_of_a_ring_is_seen() {
        let mut class = class_with_ring(20, 6, &[]);
        class.push(("zoe".to_owned(), invented(900) + &invented(600)));
        let found = pairs(&class, &[]);
        let of_zoe =
            found.iter().filter(|(names, percent)| names.ends_with(" zoe") && *percent > 40);
        assert_eq!((found.len(), of_zoe.count()), (15 + 6, 6), "{found:?}");
    }

    #[test]
    fn code_that_does_not_count_is_said_if_it_is_much() {
        // A ring of more than half of the class is like starter code.
        let class = class_with_ring(10, 6, &[]);
        let found = compared(&class, &[]);
        assert!(found.pairs.is_empty(), "{}", found.pairs.len());
        let [code] = found.common.as_slice() else { panic!("{:?}", found.common) };
        let names: Vec<&str> = code.shares.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.len() == 6 && names.iter().all(|name| name.starts_with("ring")), "{names:?}");
        let said = code.to_string();
        let start = "6 submissions have code in common that does not count: ";
        assert!(said.starts_with(start) && said.contains(" % of ring00"), "{said}");
        let page = comparison_page(&found);
        assert!(page.contains(&said), "{page}");
        // Code that is named, and little code, is not said.
        assert_eq!(compared(&class, &[&program()]).common, []);
        let class = class_with_ring(10, 0, &[invented(1_000)]);
        assert_eq!(compared(&class, &[]).common, []);
    }

    /// Returns a program that is like no other program.
    fn invented(seed: u32) -> String {
        const LINES: [&str; 8] = [
            "while a < 3: a += b",
            "if a in b: return c",
            "for a in b(c, 1): d[a] = e",
            "a.b(c, d=1)",
            "a = [b for b in c if b > 1]",
            "a[b] -= c * (d - 1)",
            "try: a = int(b) except: break",
            "a, b = c(d), not e",
        ];
        const ENDS: [&str; 8] =
            ["", " + a[1]", " - b(c)", " if not a", " or (b)", " % 2", ".a(b, 1)", " and [c]"];
        let mut state = seed + 1;
        let mut any = |words: [&'static str; 8]| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            words[(state >> 24) as usize % 8]
        };
        let line = |_| format!("{}{}{}\n", any(LINES), any(ENDS), any(ENDS));
        (0..80).map(line).collect()
    }

    #[test]
    fn passages_stand_side_by_side_and_are_escaped() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        for (name, text) in [("ann", ONE.to_owned()), ("bob", renamed(ONE))] {
            let folder = folder.path().join(name);
            fixtures::write(&folder, "src/a.py", format!("print('<b>')\n{text}"));
            fixtures::write(&folder, "notes.txt", ONE);
        }
        let paths = ["ann", "bob"].map(|name| (name, folder.path().join(name)));
        let class = class_sources(paths.iter().map(|(name, path)| (*name, path.as_path())));
        let found = comparison(&class, &[]);
        let [one, other] = &found.pairs[0].passages[0].places;
        assert_eq!((one.file.as_path(), &one.lines), (Path::new("src/a.py"), &other.lines));
        let page = comparison_page(&found);
        assert!(page.contains("ann and bob: 100 %") && page.contains("src/a.py:1-"), "{page}");
        assert!(!page.contains("<b>") && page.contains("&lt;b&gt;"), "{page}");
        Ok(())
    }

    /// A long comment line and the files of dependencies neither hide a copy nor slow the comparison.
    #[test]
    #[ignore = "long"]
    fn long_sources_are_compared_in_part_and_named() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let write = |path: &str, text: &str| fixtures::write(folder.path(), path, text);
        write("ann/a.py", ONE);
        write("bob/a.py", &format!("{ONE}\n# {}\n", "x ".repeat(MOST_OF_FILE / 2)));
        write("bob/node_modules/m/a.js", &"+".repeat(MOST_OF_FILE));
        for number in 0..4 {
            let text = format!("{number}{}", "+".repeat(MOST_OF_FILE - 1));
            write(&format!("carl/{number}.c"), &text);
        }
        write("eve/README.md", "The program is in the other folder.");
        let names = ["ann", "bob", "carl", "dan", "eve"];
        let paths = names.map(|name| (name, folder.path().join(name)));
        let class = class_sources(paths.iter().map(|(name, path)| (*name, path.as_path())));
        let found: Vec<_> =
            comparison(&class, &[]).pairs.into_iter().map(|pair| pair.names).collect();
        assert_eq!(found, [["ann", "bob"]]);
        let [ann, bob, carl, dan, eve] = class.as_slice() else { panic!("{}", class.len()) };
        assert_eq!((ann.left_out.len(), bob.files.len()), (0, 1));
        assert_eq!(bob.left_out, ["a.py is longer than 1 MiB, and only its beginning is compared"]);
        let too_much = "too much to compare: only 2 MiB of its sources are compared";
        assert_eq!(carl.left_out.last().map(String::as_str), Some(too_much));
        assert!(carl.files.iter().all(|file| file.prints.len() < 100));
        assert!(dan.left_out[0].starts_with("cannot be compared: "), "{:?}", dan.left_out);
        assert_eq!(comparison(&class, &[]).without_sources, [eve.name.as_str()]);
        Ok(())
    }
}
