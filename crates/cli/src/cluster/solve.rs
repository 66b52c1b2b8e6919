//! A position that tasks solve: by a book of the positions that follow from it.

use std::path::Path;
use std::sync::Arc;

use plyground::book::{Coverage, Shard};
use plyground::perfect::plies_to_end;
use plyground_arena::book::{BookRequest, SharedBook};
use plyground_durable::input::STDIN;
use plyground_durable::work::{WorkFolder, Workload};
use plyground_host::{HostedPosition, SharedGame};

use super::job::Job;
use crate::SolveArgs;
use crate::args::load_or_start;
use crate::failure::Failure;
use crate::solve::show;

/// So many plies after the position there are many more positions than tasks.
const PLIES: u32 = 4;

struct SolveJob {
    game: SharedGame,
    args: SolveArgs,
    position: HostedPosition,
    book: SharedBook,
}

/// Shares the solution of a position.
pub(super) fn job(game: &SharedGame, args: SolveArgs) -> Result<Box<dyn Job>, Failure> {
    if args.threads.get() > 1 || args.file.as_ref().is_some_and(|file| file.as_os_str() == STDIN) {
        let fault = "expected solve of a file, without --threads, for tasks share it";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let position = load_or_start(&**game, args.file.as_deref())?;
    let left = plies_to_end(&position)?;
    let book = SharedBook::new(BookRequest {
        start: position.clone(),
        plies: PLIES.min(left),
        coverage: Coverage::Every,
        shard: Shard::WHOLE,
        base: None,
        jobs: args.threads,
        table_mib: args.table.mib,
        partial: false,
    });
    Ok(Box::new(SolveJob { game: SharedGame::clone(game), args, position, book }))
}

impl Job for SolveJob {
    fn workload(&self) -> &dyn Workload {
        &self.book
    }

    fn title(&self) -> String {
        let lines = [
            "solve".to_owned(),
            format!("{} {}", self.game.name(), self.game.rules()),
            self.position.state_word(),
            format!("table of {} MiB", self.args.table.mib),
        ];
        lines.map(|line| line + "\n").concat()
    }

    fn namesake(&self) -> &Path {
        self.args.file.as_deref().unwrap_or(Path::new("solve"))
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        // Without all of it to solve the rest would take as long as to solve all.
        let Some(book) = self.book.book(folder)? else { return Ok(()) };
        show(&*self.game, &self.args, &self.position, Some(book), Arc::default())
    }
}
