//! A book that tasks build.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use plyground::Game;
use plyground::checksum::fnv1a;
use plyground_arena::book::SharedBook;
use plyground_durable::output::write_whole;
use plyground_durable::work::{WorkFolder, Workload};
use plyground_host::SharedGame;

use super::job::Job;
use crate::book::{BookBuildArgs, request};
use crate::failure::Failure;

struct BookJob {
    title: String,
    out: PathBuf,
    book: SharedBook,
}

/// Shares the build of a book.
pub(super) fn job(game: &SharedGame, args: BookBuildArgs) -> Result<Box<dyn Job>, Failure> {
    if !args.shard.is_whole() || args.partial || args.jobs.get() > 1 {
        let fault = "expected book build without --shard, --partial and --jobs, for tasks share it";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let request = request(&**game, &args)?;
    let base = request.base.as_ref().map_or(0, |base| fnv1a(base.as_bytes()));
    let lines = [
        "book".to_owned(),
        format!("{} {}", game.name(), game.rules()),
        format!("from {:016x}", request.start.key()),
        format!("{} plies, {:?}", request.plies, request.coverage),
        format!("base {base:016x}"),
        format!("table of {} MiB", request.table_mib),
    ];
    let title = lines.map(|line| line + "\n").concat();
    Ok(Box::new(BookJob { title, out: args.out, book: SharedBook::new(request) }))
}

impl Job for BookJob {
    fn workload(&self) -> &dyn Workload {
        &self.book
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn namesake(&self) -> &Path {
        &self.out
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        // A part of a book would be taken for the whole.
        let Some(book) = self.book.book(folder)? else { return Ok(()) };
        write_whole(&self.out, book.as_bytes())?;
        writeln!(io::stdout(), "{} positions in {}", book.count()?, self.out.display())?;
        Ok(())
    }
}
