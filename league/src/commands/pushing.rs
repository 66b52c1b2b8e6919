//! `push`: an upload from the command line.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use plyground_cli::Failure;
use plyground_durable::FileError;

use super::token;
use crate::work::Client;

/// The arguments of `push`.
#[derive(Clone, Debug, Args)]
pub(super) struct PushArgs {
    /// The address of the league
    #[arg(value_name = "URL")]
    url: String,

    /// A zip, a file or a folder
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,

    /// The file with your link, or with its last part; without it, the variable PLYGROUND_LEAGUE_TOKEN
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
}

pub(super) fn push(args: &PushArgs) -> Result<(), Failure> {
    let client = Client::new(&args.url, &token(args.token.as_ref())?)?;
    let mut files = Vec::new();
    let name = args.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    gather(&args.program, &name, &mut files).map_err(FileError::at(&args.program, "read it"))?;
    let answer = client.push(&files)?;
    let mut out = io::stdout().lock();
    write!(out, "{answer}")?;
    Ok(out.flush()?)
}

/// Reads the files of a program. Hidden files and folders are left out.
fn gather(path: &Path, name: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    if !path.is_dir() {
        files.push((name.to_owned(), fs::read(path)?));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let below = entry.file_name().to_string_lossy().into_owned();
        // A link may lead anywhere.
        if !below.starts_with('.') && !entry.file_type()?.is_symlink() {
            gather(&entry.path(), &format!("{name}/{below}"), files)?;
        }
    }
    Ok(())
}
