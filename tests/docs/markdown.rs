//! The pages in Markdown, what of them the tests look at, and a run of their examples.
//!
//! A block marked `console` holds commands behind `$ ` and what they print, standard error
//! included. The blocks of a page are run one after the other in a folder that has a copy of `inputs`.
//! In the output, `...` alone on a line stands for any lines up to the first that is like the one
//! after it, and `[..]` for anything within a line; blanks at the end of a line do not count.
//!
//! With `UPDATE_GOLDEN=1` the true output is put in place of a wrong one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use snapbox::Assert;

use crate::common::project;

/// The files and folders with pages, from the folder of the project. Each game has one as well.
const PLACES: [&str; 8] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs",
    "games/network/java/README.md",
    "research/README.md",
    "results",
];

/// A page of the project.
pub struct Page {
    /// Its path from the folder of the project, with `/` between the names.
    pub path: String,
    pub text: String,
}

/// The text between two lines of three backquotes.
pub struct Block {
    /// The language that the first of the two lines names.
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

/// All pages, in the order of their paths.
pub fn pages() -> io::Result<Vec<Page>> {
    let root = project();
    let mut files = Vec::new();
    for place in PLACES {
        collect(&root.join(place), &mut files)?;
    }
    for game in fs::read_dir(root.join("games"))? {
        let page = game?.path().join("README.md");
        files.extend(page.exists().then_some(page));
    }
    files.sort();
    let page = |file: PathBuf| {
        let path = file.strip_prefix(&root).expect("a path in the project");
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        Ok(Page { path: names.join("/"), text: fs::read_to_string(&file)? })
    };
    files.into_iter().map(page).collect()
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if place.is_dir() {
        for entry in fs::read_dir(place)? {
            collect(&entry?.path(), files)?;
        }
    } else if place.extension().is_some_and(|extension| extension == "md") {
        files.push(place.to_owned());
    }
    Ok(())
}

impl Page {
    /// Returns the targets of the links and pictures.
    pub fn links(&self) -> Vec<String> {
        let target = |event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            _ => None,
        };
        parser(&self.text).filter_map(target).collect()
    }

    /// The names by which links lead to the headings.
    pub fn anchors(&self) -> Vec<String> {
        let mut titles: Vec<String> = Vec::new();
        let mut title: Option<String> = None;
        for event in parser(&self.text) {
            match (event, &mut title) {
                (Event::Start(Tag::Heading { .. }), _) => title = Some(String::new()),
                (Event::End(TagEnd::Heading(_)), _) => titles.extend(title.take()),
                (Event::Text(text) | Event::Code(text), Some(title)) => title.push_str(&text),
                _ => {}
            }
        }
        let slugs: Vec<String> = titles.iter().map(|title| slug(title)).collect();
        let anchor = |(index, slug): (usize, &String)| {
            let before = slugs[..index].iter().filter(|other| *other == slug).count();
            if before == 0 { slug.clone() } else { format!("{slug}-{before}") }
        };
        slugs.iter().enumerate().map(anchor).collect()
    }

    /// The texts between single backquotes.
    pub fn code(&self) -> Vec<String> {
        let code = |event| match event {
            Event::Code(text) => Some(text.to_string()),
            _ => None,
        };
        parser(&self.text).filter_map(code).collect()
    }

    /// The blocks between lines of three backquotes.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines();
        while let Some(line) = lines.next() {
            let Some(language) = line.strip_prefix(FENCE) else { continue };
            let inside = lines.by_ref().take_while(|line| *line != FENCE);
            let text = inside.map(|line| format!("{line}\n")).collect();
            blocks.push(Block { language: language.to_owned(), text });
        }
        blocks
    }

    /// The commands of all blocks marked `console`, in order.
    pub fn examples(&self) -> Vec<Example> {
        let blocks = self.blocks();
        let consoles = blocks.iter().filter(|block| block.language == "console");
        consoles.flat_map(Block::examples).collect()
    }
}

impl Block {
    /// The commands, in order; what comes before the first does not count.
    fn examples(&self) -> Vec<Example> {
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

    /// The commands of a block of examples or of shell, each on a line, comments left out.
    pub fn commands(&self) -> Vec<String> {
        match self.language.as_str() {
            "console" => self.examples().into_iter().map(|example| example.command).collect(),
            "sh" => {
                let text = self.text.replace("\\\n", " ");
                let command = |line: &str| line.split(" #").next().unwrap_or_default().to_owned();
                text.lines().map(command).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the name of a heading in links, as GitHub and mdBook make it.
pub fn slug(title: &str) -> String {
    let kept = |symbol: char| match symbol {
        ' ' => Some('-'),
        '-' | '_' => Some(symbol),
        _ => symbol.is_alphanumeric().then_some(symbol),
    };
    title.to_lowercase().chars().filter_map(kept).collect()
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Runs the command in the shell, and returns its output without blanks before line ends.
fn run(command: &str, programs: &Path, folder: &Path) -> io::Result<String> {
    let path = env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

fn copy_inputs(folder: &Path) -> io::Result<()> {
    for game in fs::read_dir(project().join("inputs"))? {
        let game = game?;
        let copy = folder.join("inputs").join(game.file_name());
        fs::create_dir_all(&copy)?;
        for file in fs::read_dir(game.path())? {
            let file = file?;
            fs::copy(file.path(), copy.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// Runs the examples of a page in a folder of their own, with the programs of the folder `programs`, and
/// returns the differences.
pub fn check(page: &Page, programs: &Path) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    copy_inputs(folder.path())?;
    let mut text = page.text.clone();
    let mut faults = Vec::new();
    for Example { command, output } in page.examples() {
        let actual = run(&command, programs, folder.path())?;
        let compared =
            Assert::new().try_eq(Some(&command), actual.clone().into(), (&output).into());
        if let Err(fault) = compared {
            let shown = format!("$ {command}\n{output}");
            text = text.replacen(&shown, &format!("$ {command}\n{actual}"), 1);
            faults.push(format!("{}: $ {command}\n{fault}", page.path));
        }
    }
    if env::var_os("UPDATE_GOLDEN").is_some() && !faults.is_empty() {
        fs::write(project().join(&page.path), text)?;
        faults.clear();
    }
    Ok(faults)
}
