//! What is in the file of a journal.

use std::path::Path;

use super::{CLOSED, JournalLoss, SEPARATOR};
use crate::excerpt::excerpt;
use crate::sealed_line::{seal, unseal};

/// What is in the file of a journal.
pub(super) struct Contents<T> {
    pub(super) entries: Vec<T>,
    /// The length of the whole lines, in bytes.
    pub(super) whole: usize,
    /// How many whole lines there are.
    pub(super) lines: usize,
    /// Whether the last run ended in order.
    pub(super) is_closed: bool,
    /// The numbers of the lines that are not as they were written.
    damaged: Vec<usize>,
    /// The number of the last line, if it has no end.
    cut_off: Option<usize>,
    /// How many lines there were more.
    missing: usize,
}

/// What a line says.
enum Said<T> {
    Title,
    Entry(T),
    /// The run ended, with the line of this number.
    Closed(usize),
    Nothing,
}

impl<T> Contents<T> {
    /// Reads the journal of `work`.
    ///
    /// # Errors
    ///
    /// What its first line is, if nothing in it is of this work.
    pub(super) fn read(
        bytes: &[u8],
        work: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Contents<T>, String> {
        // Lines are ended last, so what has no end was cut off.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let mut contents = Contents::nothing(whole);
        let first_line = || {
            let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
            Err(excerpt(&String::from_utf8_lossy(line)))
        };
        if whole == 0 {
            let title = seal("", work, SEPARATOR);
            return if title.as_bytes().starts_with(bytes) { Ok(contents) } else { first_line() };
        }
        let lines = bytes[..whole - 1].split(|&byte| byte == b'\n');
        let mut is_of_this_work = false;
        for (number, line) in (1..).zip(lines) {
            let said = read_line(number, line, work, &parse);
            is_of_this_work |= !matches!(said, Said::Nothing);
            contents.add(number, said);
        }
        contents.cut_off = (whole < bytes.len()).then_some(contents.lines + 1);
        if is_of_this_work { Ok(contents) } else { first_line() }
    }

    fn nothing(whole: usize) -> Contents<T> {
        let (entries, damaged) = (Vec::new(), Vec::new());
        Contents { entries, whole, lines: 0, is_closed: true, damaged, cut_off: None, missing: 0 }
    }

    fn add(&mut self, number: usize, said: Said<T>) {
        self.lines = number;
        self.is_closed = false;
        match said {
            Said::Title => {}
            Said::Entry(entry) => self.entries.push(entry),
            Said::Closed(at) => {
                self.is_closed = true;
                self.missing = self.missing.max(at.saturating_sub(number));
            }
            Said::Nothing => self.damaged.push(number),
        }
    }

    /// What was in it once.
    pub(super) fn loss(&self, path: &Path) -> Option<JournalLoss> {
        JournalLoss {
            path: path.to_owned(),
            damaged: self.damaged.clone(),
            cut_off: self.cut_off,
            missing: self.missing,
            is_unclosed: !self.is_closed,
        }
        .if_any()
    }
}

fn read_line<T>(
    number: usize,
    line: &[u8],
    work: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Said<T> {
    let Ok(line) = str::from_utf8(line) else { return Said::Nothing };
    if number == 1 {
        let is_title = unseal("", line, SEPARATOR) == Some(work);
        return if is_title { Said::Title } else { Said::Nothing };
    }
    let Some(line) = unseal(work, line, SEPARATOR) else { return Said::Nothing };
    match line.strip_prefix(CLOSED).and_then(|rest| rest.strip_prefix(' ')) {
        Some(at) => at.parse().map_or(Said::Nothing, Said::Closed),
        None => parse(line).map_or(Said::Nothing, Said::Entry),
    }
}
