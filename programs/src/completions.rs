//! The texts about command lines for the system: completions for shells, and man pages.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use plyground_cli::{Failure, args_of};
use plyground_durable::output::{make_folder, write_whole};

/// The command that prints the completions of a program.
pub(crate) const COMPLETIONS: &str = "completions";

/// The command that writes man pages.
pub(crate) const MAN: &str = "man";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  plyground completions bash
  plyground completions zsh maxconnect4
  plyground completions powershell network";

const MAN_EXAMPLES: &str = "\
Examples:
  plyground man ~/.local/share/man";

/// The arguments of `completions`.
#[derive(Clone, Debug, Args)]
struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// The arguments of `man`.
#[derive(Clone, Debug, Args)]
struct ManArgs {
    /// The folder of man pages; the pages of commands are in its folder man1
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// The argument of `completions` for the name of a program.
const PROGRAM: &str = "program";

/// Returns the command that prints completions, for one of these programs, the last of them by default.
pub(crate) fn completions_command(programs: Vec<&'static str>) -> Command {
    let default = programs.last().copied().unwrap_or_default();
    let program = Arg::new(PROGRAM).value_name("PROGRAM").default_value(default);
    CompletionsArgs::augment_args(Command::new(COMPLETIONS))
        .about("Print a shell script that completes the commands and options of a program")
        .arg(program.value_parser(PossibleValuesParser::new(programs)).help("The program"))
        .after_help(COMPLETIONS_EXAMPLES)
}

/// Returns the command that writes man pages.
pub(crate) fn man_command() -> Command {
    ManArgs::augment_args(Command::new(MAN))
        .about("Write the man pages of all programs and their commands")
        .after_help(MAN_EXAMPLES)
}

/// Prints the completions of one of these programs.
pub(crate) fn completions(mut programs: Vec<Command>, matches: &ArgMatches) -> Result<(), Failure> {
    let args: CompletionsArgs = args_of(matches);
    let name = matches.get_one::<String>(PROGRAM).map_or("", String::as_str);
    let mut script = Vec::new();
    if let Some(program) = programs.iter_mut().find(|program| program.get_name() == name) {
        clap_complete::generate(args.shell, program, name, &mut script);
    }
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    Ok(out.flush()?)
}

/// Writes the man pages of these programs.
pub(crate) fn man(programs: Vec<Command>, matches: &ArgMatches) -> Result<(), Failure> {
    let args: ManArgs = args_of(matches);
    let folder = args.folder.join(SECTION);
    make_folder(&folder)?;
    for (name, page) in pages(programs)? {
        write_whole(&folder.join(format!("{name}.1")), page)?;
    }
    Ok(())
}

/// The folder of pages about commands, in a folder of man pages.
const SECTION: &str = "man1";

/// A man page: its name, and its text.
type Page = (String, Vec<u8>);

/// Returns a page for every command of these programs.
fn pages(programs: Vec<Command>) -> io::Result<Vec<Page>> {
    let names: Vec<String> = programs.iter().map(|program| program.get_name().to_owned()).collect();
    let mut pages = Vec::new();
    for program in programs {
        // The version is without the instructions of this build, because the reader's processor may be another.
        let mut program = program.version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
        program.build();
        add_pages(&mut pages, &program, &names)?;
    }
    Ok(pages)
}

/// Adds the page of a command and the pages of its subcommands. A subcommand that is also a program of its
/// own has its pages under the name of the program.
fn add_pages(pages: &mut Vec<Page>, command: &Command, programs: &[String]) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let other = inner.get_name();
        if programs.iter().any(|program| program == other) {
            let page = format!(".so {SECTION}/{other}.1\n");
            pages.push((format!("{name}-{other}"), page.into_bytes()));
        } else {
            add_pages(pages, inner, programs)?;
        }
    }
    let page = Man::new(command.clone()).source(concat!("Plyground ", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    page.manual("Plyground").render(&mut bytes)?;
    pages.push((name, bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_program_is_completed_in_every_shell() {
        for shell in Shell::value_variants() {
            for mut program in crate::programs() {
                let name = program.get_name().to_owned();
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut program, name.clone(), &mut script);
                let script = String::from_utf8_lossy(&script);
                assert!(script.contains("analyze") && script.contains("depth"), "{shell} {name}");
            }
        }
    }

    #[test]
    fn every_command_has_a_page() -> io::Result<()> {
        let pages = pages(crate::programs())?;
        for name in [
            "network",
            "network-verify-solution",
            "maxconnect4-grade-gradescope",
            "plyground-serve",
            "plyground-man",
        ] {
            assert!(pages.iter().any(|(page, _)| page == name), "{name}");
        }
        for (name, page) in pages {
            let text = String::from_utf8_lossy(&page);
            assert!(
                text.contains(".SH SYNOPSIS") || text.starts_with(".so man1/"),
                "{name}: {text}"
            );
            assert!(!text.contains("x86-64-v"), "{name}");
        }
        Ok(())
    }
}
