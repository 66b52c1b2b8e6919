//! One run of a program.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One run of a program in a [`Sandbox`](crate::Sandbox).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The content of the input file, if there is one.
    pub(crate) input: Option<String>,
    /// The first words of the lines that the supervisor passes on, or `None` if the host
    /// does not talk to the program.
    pub(crate) keywords: Option<Vec<String>>,
    /// The first words of lines that the supervisor passes on as well, and that count apart.
    #[serde(default)]
    pub(crate) asides: Vec<String>,
    /// How much of the output file the host wants when the program has ended, in bytes.
    pub(crate) output: Option<u64>,
    /// How much of what the program prints the host wants then, in bytes.
    pub(crate) printed: Option<u64>,
    /// The CPU time of the run, if it is limited.
    pub(crate) cpu: Option<Duration>,
}

impl Launch {
    /// Returns the launch of a program. `words` are the program and its arguments. `cpu` limits the
    /// CPU time of the run.
    ///
    /// The program has no standard input, and what it prints is dropped.
    #[must_use]
    pub fn new(words: Vec<String>, cpu: Option<Duration>) -> Launch {
        let asides = Vec::new();
        Launch { words, input: None, keywords: None, asides, output: None, printed: None, cpu }
    }

    /// Connects the program's standard input and output with the host.
    ///
    /// The host hears the lines whose first word is among `keywords`. The program may print
    /// anything else as well.
    #[must_use]
    pub fn talking(self, keywords: &[&str]) -> Launch {
        let keywords = keywords.iter().map(|&word| word.to_owned()).collect();
        Launch { keywords: Some(keywords), ..self }
    }

    /// Passes on the lines as well whose first word is among these, if the host
    /// [talks](Launch::talking) to the program. However many they are, they keep no other line from
    /// being heard.
    #[must_use]
    pub fn with_asides(self, asides: &[&str]) -> Launch {
        Launch { asides: asides.iter().map(|&word| word.to_owned()).collect(), ..self }
    }

    /// Puts a file named [`INPUT`](crate::INPUT) with this content into the program's folder.
    #[must_use]
    pub fn with_input(self, input: String) -> Launch {
        Launch { input: Some(input), ..self }
    }

    /// Keeps the first `most` bytes of the file named [`OUTPUT`](crate::OUTPUT) for the host.
    #[must_use]
    pub fn with_output(self, most: u64) -> Launch {
        Launch { output: Some(most), ..self }
    }

    /// Keeps the first `most` bytes of what the program prints for the host.
    #[must_use]
    pub fn with_printed(self, most: u64) -> Launch {
        Launch { printed: Some(most), ..self }
    }
}
