//! The line ends of state files.

/// The end of every line of a state file that is written for a program, the last line included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// CR LF, as in the files of the assignments.
    #[default]
    CrLf,
    /// LF, as on Unix.
    Lf,
}

impl LineEnds {
    /// Returns a file of these lines, which LF separates.
    #[must_use]
    pub fn lay_out(self, lines: &str) -> String {
        let end = match self {
            LineEnds::CrLf => "\r\n",
            LineEnds::Lf => "\n",
        };
        lines.lines().flat_map(|line| [line, end]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_ended() {
        assert_eq!(LineEnds::CrLf.lay_out("12\n3"), "12\r\n3\r\n");
        assert_eq!(LineEnds::Lf.lay_out("12\n3\n"), "12\n3\n");
    }
}
