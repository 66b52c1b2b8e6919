//! Python 2: recognizing its scripts, and finding a program that runs them.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The reason why a script for Python 2 cannot be started.
pub(crate) const NO_PYTHON2: &str =
    "this is Python 2: install python2 or pypy, and prepare it again";

/// The programs that may run Python 2.
const PROGRAMS: [&str; 4] = ["python2", "python2.7", "pypy", "pypy2"];

/// Returns the first program of this system that runs Python 2. A program of such a name may fail to: it may
/// only tell how to install it, or be a newer version.
pub(crate) fn python2() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        PROGRAMS.into_iter().find(|program| {
            let mut command = Command::new(program);
            let quiet = command.args(["-c", "print 2"]).stdin(Stdio::null());
            let run = quiet.stdout(Stdio::null()).stderr(Stdio::null()).status();
            run.is_ok_and(|status| status.success())
        })
    })
}

/// Returns true if a script has a statement that only Python 2 has: `print "x"`, `except E, e:` or
/// `exec "x"`.
pub(crate) fn is_python2(text: &str) -> bool {
    let mut quotes: Option<&str> = None;
    for line in text.lines() {
        let is_within = quotes.is_some();
        // The inside of a string of several lines is no code.
        let mut rest = line;
        while let Some(at) = quotes.map_or_else(|| first_quotes(rest), |end| rest.find(end)) {
            quotes = match quotes {
                Some(_) => None,
                None => Some(if rest[at..].starts_with("\"\"\"") { "\"\"\"" } else { "'''" }),
            };
            rest = &rest[at + 3..];
        }
        if !is_within && line.split(';').any(is_old_statement) {
            return true;
        }
    }
    false
}

fn first_quotes(line: &str) -> Option<usize> {
    let comment = line.find('#').unwrap_or(line.len());
    ["\"\"\"", "'''"].iter().filter_map(|quotes| line.find(quotes)).min().filter(|at| *at < comment)
}

fn is_old_statement(statement: &str) -> bool {
    let statement = statement.trim();
    // A statement may follow a condition in the same line.
    let after = statement.rsplit_once(": ").map_or(statement, |(_, after)| after).trim();
    let is_print = [statement, after].iter().any(|statement| {
        ["print ", "exec "].iter().any(|word| {
            let rest = statement.strip_prefix(word).map(str::trim_start).unwrap_or_default();
            rest.starts_with(['"', '\'', '>', '%'])
                || rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    });
    let except = statement.strip_prefix("except ").and_then(|rest| rest.strip_suffix(':'));
    let is_except = except.is_some_and(|rest| rest.contains(',') && !rest.contains(['(', ')']));
    is_print || is_except
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_statements_are_told_from_new_ones() {
        for old in [
            "print 'usage'",
            "if x: print \"a\"",
            "  print x, y",
            "try: pass\nexcept IOError, e:\n",
            "x = 1; print >>sys.stderr, x",
        ] {
            assert!(is_python2(old), "{old}");
        }
        for new in [
            "print('usage')",
            "print (x)",
            "except (A, B):",
            "'''\nprint it\n'''\nprint(1)",
            "\"\"\"Usage:\n  print the board\n\"\"\"",
            "# print x",
            "printer = 1",
            "print = f",
        ] {
            assert!(!is_python2(new), "{new}");
        }
    }
}
