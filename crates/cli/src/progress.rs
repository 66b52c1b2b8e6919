//! Progress lines on standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The time between two drawings of a line. Drawing costs CPU time of this process, but less than a
/// thousandth at this pace.
const TICK: Duration = Duration::from_millis(250);

/// Prints a line on standard error. If standard error is closed, the work goes on without the line.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Returns a style of indicatif for a template that is known to be valid.
pub fn style(template: &str) -> ProgressStyle {
    // The templates are constants of this program: the fallback is never seen.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Returns a bar of `length` steps on standard error, drawn until it is finished or dropped. The
/// bar is hidden unless standard error is a terminal.
pub fn bar(length: u64, style: ProgressStyle) -> ProgressBar {
    ticking(ProgressBar::new(length), style)
}

/// Returns a line like [`bar`] for work of unknown length.
pub fn spinner(style: ProgressStyle) -> ProgressBar {
    ticking(ProgressBar::new_spinner(), style)
}

fn ticking(line: ProgressBar, style: ProgressStyle) -> ProgressBar {
    line.set_style(style);
    // A hidden line needs no thread that draws it.
    if !line.is_hidden() {
        line.enable_steady_tick(TICK);
    }
    line
}
