//! What the lines of a state file end in.

/// What the lines of a state file that is written for a program end in, the last one included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// As in the files of the assignments.
    #[default]
    CrLf,
    /// As on Unix.
    Lf,
}

impl LineEnds {
    /// A file of these lines, which are separated by LF.
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
