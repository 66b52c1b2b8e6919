//! As much of Markdown as the pages with examples need.

/// The pages whose examples are run, from the folder of the project.
pub const PAGES: [&str; 4] =
    ["README.md", "docs/instructors.md", "docs/page.md", "docs/students.md"];

/// What stands between two lines of three backquotes.
pub struct Block {
    /// What the first of the two lines says.
    pub language: String,
    /// The lines, each with its end.
    pub text: String,
}

/// A command and what it prints.
pub struct Example {
    pub command: String,
    /// The lines, each with its end.
    pub output: String,
}

const FENCE: &str = "```";
const PROMPT: &str = "$ ";

/// The blocks of a text.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix(FENCE) else { continue };
        let inside = lines.by_ref().take_while(|line| *line != FENCE);
        let text = inside.map(|line| format!("{line}\n")).collect();
        blocks.push(Block { language: language.to_owned(), text });
    }
    blocks
}

impl Block {
    /// The commands, in order; what comes before the first does not count.
    pub fn examples(&self) -> Vec<Example> {
        let mut examples: Vec<Example> = Vec::new();
        for line in self.text.lines() {
            if let Some(command) = line.strip_prefix(PROMPT) {
                examples.push(Example { command: command.to_owned(), output: String::new() });
            } else if let Some(example) = examples.last_mut() {
                example.output += line;
                example.output.push('\n');
            }
        }
        examples
    }
}
