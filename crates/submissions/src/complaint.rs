//! The first error in the output of a compiler.

use plyground_durable::shown;

/// The greatest length of a reported line, in characters.
const LONGEST: usize = 200;

/// The beginnings of the lines by which Python reports an error.
const PYTHON: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];

/// Returns the first error in the output of a compiler, as one line; empty if there is no output.
pub(crate) fn first_complaint(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        line.contains("error") || line.contains("undefined reference")
    };
    let at = lines.iter().position(is_error);
    let line = at.or(lines.len().checked_sub(1)).map_or("", |at| lines[at]).trim();
    let line = match at.filter(|_| PYTHON.iter().any(|start| line.starts_with(start))) {
        Some(at) => {
            lines[..at].iter().rev().find_map(|line| python_place(line)).unwrap_or_default() + line
        }
        None => line.to_owned(),
    };
    // A source can make a compiler print characters that a terminal would obey.
    let short: String = shown(&line).chars().take(LONGEST).collect();
    short.trim_start_matches("./").to_owned()
}

/// Returns the place in `File "./play.py", line 3` as other compilers write it.
fn python_place(line: &str) -> Option<String> {
    let (file, rest) = line.trim().strip_prefix("File \"")?.split_once('"')?;
    let number: String =
        rest.strip_prefix(", line ")?.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("{file}:{number}: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_error_is_told() {
        for (printed, line) in [
            (
                "$ make\ng++ -c a.cpp\na.cpp:3:5: error: 'x'\nmake: *** [all] Error 1\n",
                "a.cpp:3:5: error: 'x'",
            ),
            ("./A.java:1: error: no\n  class\n1 error\n", "A.java:1: error: no"),
            (
                "  File \"./play.py\", line 3\n    print \"x\"\n    ^\nSyntaxError: Missing parentheses\n",
                "play.py:3: SyntaxError: Missing parentheses",
            ),
            ("nothing\nto do \x1b[31m\n\n", r"to do \u{1b}[31m"),
            ("", ""),
        ] {
            assert_eq!(first_complaint(printed), line);
        }
        assert_eq!(first_complaint(&"error ".repeat(100)).len(), LONGEST);
    }
}
