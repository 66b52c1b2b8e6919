//! Two submissions that are alike, the passages that they share, and the page that shows them side by side.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use maud::{Markup, html};

use crate::html::page;

/// Two submissions that share more than chance explains.
#[derive(Clone, Debug, PartialEq)]
pub struct AlikePair {
    /// Their names.
    pub names: [String; 2],
    /// The part of the smaller one, from 0 to 1, that is in the other, too.
    pub share: f64,
    /// The passages that they have in common, the longest first.
    pub passages: Vec<Passage>,
}

/// A passage that two submissions have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The places of the passage, one in each submission.
    pub places: [Place; 2],
    /// The number of fingerprints.
    pub(super) prints: usize,
}

/// A place in a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, below the folder of the submission.
    pub file: PathBuf,
    /// The lines, from 1.
    pub lines: RangeInclusive<usize>,
    /// Their text, unless other passages are shown.
    pub(super) text: String,
}

impl AlikePair {
    /// The share in percent.
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

/// The passages of a pair that are shown; the others are counted.
pub(super) const SHOWN: usize = 30;

/// A page with all pairs, and the passages of each side by side.
pub fn comparison_page(pairs: &[AlikePair]) -> String {
    const TITLE: &str = "Submissions that are alike";
    let content = html! {
        h1 { (TITLE) }
        p {
            "These share more than chance explains. That is no verdict: read the passages, and ask. "
            "Code that everybody was given is left out with --starter."
        }
        @if pairs.is_empty() { p { "None." } }
        @for pair in pairs { (section(pair)) }
    };
    page(TITLE, STYLE, &content)
}

fn section(pair: &AlikePair) -> Markup {
    let [one, other] = &pair.names;
    let more = pair.passages.len().saturating_sub(SHOWN);
    html! {
        section {
            h2 { (one) " and " (other) ": " (pair.percent()) " %" }
            @for passage in pair.passages.iter().take(SHOWN) { (sides(passage)) }
            @if more > 0 { p { "and " (more) " more passages" } }
        }
    }
}

fn sides(passage: &Passage) -> Markup {
    html! { div class="sides" { @for place in &passage.places { div {
        p { (place) }
        pre { (place.text) }
    } } } }
}
