//! The runtime tables of positions, each of which a task measures.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plyground_arena::timing::{
    RuntimeError, RuntimeFile, RuntimeObserver, RuntimeRow, RuntimeTable, tabulate,
};
use plyground_durable::input::STDIN;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};
use plyground_host::SharedGame;

use super::job::{Job, Prepared};
use crate::failure::Failure;
use crate::timing::{Kept, NAME, Tables, TimingArgs, TimingTarget};

/// Positions to time. One is a piece with all its depths: their times belong together, and when to
/// stop depends on them.
struct TimingJob {
    game: SharedGame,
    args: TimingArgs,
    targets: Vec<TimingTarget>,
}

/// Shares the measuring of positions.
pub(super) fn job(game: &SharedGame, args: TimingArgs) -> Result<Box<dyn Job>, Failure> {
    if args.files.iter().any(|file| file.as_os_str() == STDIN) {
        let fault = "expected timing of files, for tasks share them";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let targets = TimingTarget::all(&**game, &args)?;
    Ok(Box::new(TimingJob { game: SharedGame::clone(game), args, targets }))
}

impl TimingJob {
    /// The pieces, in the order of the files.
    fn names(&self) -> impl Iterator<Item = String> {
        self.targets.iter().enumerate().map(|(index, target)| piece_name(index, &target.name))
    }

    /// The table that a task has measured, if it has.
    fn measured(
        &self,
        folder: &WorkFolder,
        piece: &str,
        target: &TimingTarget,
    ) -> Result<Option<RuntimeTable>, WorkError> {
        let Some(text) = folder.result(piece)? else { return Ok(None) };
        let table =
            RuntimeTable::from_csv(&text).map_err(|fault| folder.wrong_result(piece, &fault))?;
        let position = target.position.state_word();
        if table.rows().iter().any(|row| row.position != position) {
            let why = format_args!("expected rows of {position}");
            return Err(folder.wrong_result(piece, &why));
        }
        Ok(Some(table))
    }
}

/// Keeps the rows that are measured.
#[derive(Default)]
struct Rows(RuntimeTable);

impl RuntimeObserver for Rows {
    fn begin(&mut self, _: u32, _: u32) {}

    fn row(&mut self, row: &RuntimeRow, _: bool) -> Result<(), RuntimeError> {
        self.0.insert(row.clone());
        Ok(())
    }
}

impl Workload for TimingJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok(self.names().collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let target = self.names().zip(&self.targets).find(|(name, _)| name == piece);
        let none = || PieceError::Failed("there is no such position".to_owned());
        let (_, target) = target.ok_or_else(none)?;
        let mut rows = Rows::default();
        let plan = self.args.plan(&target.position, stop);
        match tabulate(&plan, &RuntimeTable::default(), &mut rows) {
            Ok(_) => Ok(Some(rows.0.to_csv().into_bytes())),
            Err(RuntimeError::Stopped { .. }) => Ok(None),
            Err(error) => Err(PieceError::Failed(error.to_string())),
        }
    }
}

impl Job for TimingJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let args = &self.args;
        let lines = [
            "timing".to_owned(),
            format!("{} {}", self.game.name(), self.game.rules()),
            format!("{}, table of {} MiB", args.search, args.table),
            format!("depths {:?}, {:?} at most", args.depths, args.max_cpu),
            format!("runs {:?}", args.runs),
        ];
        let positions = self.names().zip(&self.targets);
        let positions = positions.map(|(name, it)| format!("{name} {}", it.position.state_word()));
        lines.into_iter().chain(positions).map(|line| line + "\n").collect()
    }

    fn namesake(&self) -> &Path {
        let csv = self.args.csv.as_deref();
        let of_one = csv.filter(|path| !path.to_string_lossy().contains(NAME));
        of_one.unwrap_or(Path::new("timing"))
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.targets.iter().try_for_each(TimingTarget::check)?;
        Ok(Prepared::default())
    }

    /// Shows what `timing` shows of rows that it knows, position by position.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let mut tables = Tables::new(io::stdout().lock(), &self.args);
        for (piece, target) in self.names().zip(&self.targets) {
            let Some(measured) = self.measured(folder, &piece, target)? else { continue };
            let mut kept = Kept::open(target, RuntimeFile::open_lockless)?;
            measured.rows().iter().for_each(|row| kept.table.insert(row.clone()));
            kept.keep()?;
            tables.show(&self.args.plan(&target.position, &Arc::default()), &mut kept)?;
        }
        Ok(())
    }
}
