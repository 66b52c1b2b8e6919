//! The cause of a program's crash, read from its standard error.

/// The most characters of a line that are repeated.
const LONGEST: usize = 120;

/// The beginning of the traceback of a Python exception. The exception follows it, not indented.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// The words that mark a line as an error, in any programming language.
const SIGNS: [&str; 6] = ["exception", "error", "panicked", "fault", "abort", "terminate called"];

/// Returns the line that names the cause, shortened, or `None` if nothing was printed.
pub(crate) fn crash_cause(errors: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(errors);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let of_python = lines
        .iter()
        .position(|line| line.starts_with(TRACEBACK))
        .and_then(|at| lines[at + 1..].iter().find(|line| !line.starts_with(char::is_whitespace)));
    let says_so = |line: &&&str| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign))
    };
    let line = of_python.or_else(|| lines.iter().find(says_so)).or_else(|| lines.last())?;
    let plain = line.trim().chars().filter(|c| !c.is_control());
    Some(plain.take(LONGEST).collect()).filter(|plain: &String| !plain.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_with_the_cause_is_found() {
        for (errors, cause) in [
            (
                "thinking\nTraceback (most recent call last):\n  File \"x\", line 1\n    a error\nKeyError: 3\n",
                "KeyError: 3",
            ),
            (
                "depth 3\nException in thread \"main\" java.lang.Error: no\n\tat X\n",
                "Exception in thread \"main\" java.lang.Error: no",
            ),
            ("one\ntwo\x1b[0m\n\n", "two[0m"),
        ] {
            assert_eq!(crash_cause(errors.as_bytes()).as_deref(), Some(cause));
        }
        assert_eq!(crash_cause(b"\n \x07\n"), None);
        assert!(crash_cause(&[b'x'; 1_000]).is_some_and(|cause| cause.len() == LONGEST));
    }
}
