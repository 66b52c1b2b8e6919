//! `init`, `backup` and `doctor`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use plyground_cli::Failure;
use plyground_durable::output::{make_folder, write_whole};

use crate::care;
use crate::config::{FILE, TEMPLATE};
use crate::store::Store;

/// The folder of a league.
#[derive(Clone, Debug, Args)]
pub(super) struct FolderArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// The arguments of `backup`.
#[derive(Clone, Debug, Args)]
pub(super) struct BackupArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The folder of the copy; an earlier copy there is brought up to date
    #[arg(value_name = "COPY")]
    to: PathBuf,
}

pub(super) fn init(FolderArgs { folder }: &FolderArgs) -> Result<(), Failure> {
    make_folder(folder)?;
    Store::create(folder)?;
    let file = folder.join(FILE);
    if !file.exists() {
        write_whole(&file, TEMPLATE)?;
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}: change it, then `plyground league roster {} STUDENTS.csv`",
        file.display(),
        folder.display()
    )?;
    Ok(out.flush()?)
}

pub(super) fn back_up(BackupArgs { folder, to }: &BackupArgs) -> Result<(), Failure> {
    let uploads = care::back_up(folder, to)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: the league with {uploads} uploads", to.display())?;
    Ok(out.flush()?)
}

pub(super) fn doctor(FolderArgs { folder }: &FolderArgs) -> Result<(), Failure> {
    let findings = care::examine(folder);
    let mut out = io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{:5} {}", if finding.is_well { "ok" } else { "WRONG" }, finding.text)?;
    }
    out.flush()?;
    let wrong = findings.iter().filter(|finding| !finding.is_well).count();
    if wrong > 0 {
        return Err(Failure::Run(anyhow::anyhow!(
            "{wrong} of {} things are wrong",
            findings.len()
        )));
    }
    Ok(())
}
