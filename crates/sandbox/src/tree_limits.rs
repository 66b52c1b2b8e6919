//! What holds the limits of a program's processes together.

use std::fmt;
use std::path::PathBuf;

#[cfg(unix)]
use crate::cgroup;

/// What holds the limits of all processes of a program together: control groups of version 2 where some
/// are delegated to the host, and accounting by the supervisor where not.
///
/// As text, it is one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLimits {
    /// The folder in which each sandbox has a control group, if there is one. The kernel measures CPU time
    /// there, stops all processes at once, and kills them.
    pub groups: Option<PathBuf>,
    /// Whether the kernel limits the memory of a group, with all that it keeps for the processes.
    pub memory: bool,
    /// Whether the kernel limits the number of processes and threads in a group.
    pub processes: bool,
    /// Why something is left to accounting, if it is.
    pub why: Option<String>,
    /// What would help, in one line, if that is known.
    pub remedy: Option<String>,
}

impl fmt::Display for TreeLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut held, mut accounted) = (vec!["CPU time", "freeze", "kill"], Vec::new());
        for (name, is_held) in [("processes", self.processes), ("memory", self.memory)] {
            if is_held { held.insert(0, name) } else { accounted.insert(0, name) }
        }
        match &self.groups {
            Some(folder) => {
                write!(f, "cgroup v2 ({}) in {}", held.join(", "), folder.display())?;
                if !accounted.is_empty() {
                    write!(f, ", accounting ({})", accounted.join(", "))?;
                }
            }
            None => write!(f, "accounting")?,
        }
        self.why.as_ref().map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}

/// Returns what holds the limits of the programs that this process starts.
///
/// A process that is alone in a control group delegated to it moves to one of its own there when this is
/// called, or the first sandbox is made.
#[cfg(unix)]
#[must_use]
pub fn tree_limits() -> TreeLimits {
    cgroup::home_limits()
}

/// Returns what holds the limits of programs: nothing, where no programs run.
#[cfg(not(unix))]
#[must_use]
pub fn tree_limits() -> TreeLimits {
    TreeLimits::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_one_line() {
        let why = Some("it is not delegated".to_owned());
        let accounting = TreeLimits { why: why.clone(), ..TreeLimits::default() };
        assert_eq!(accounting.to_string(), "accounting: it is not delegated");
        let whole = TreeLimits {
            groups: Some("/tree/x".into()),
            memory: true,
            processes: true,
            ..TreeLimits::default()
        };
        let text = "cgroup v2 (memory, processes, CPU time, freeze, kill) in /tree/x";
        assert_eq!(whole.to_string(), text);
        let part = TreeLimits { memory: false, why, ..whole };
        let text = "cgroup v2 (processes, CPU time, freeze, kill) in /tree/x, accounting (memory): \
                    it is not delegated";
        assert_eq!(part.to_string(), text);
    }
}
