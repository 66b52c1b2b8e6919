//! The openings as work that tasks share: each has first moves, or replies to them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cpu_time::ThreadTime;
use network::{Move, Position, Rules};
use plyground_cli::{Failure, Job, Prepared};
use plyground_durable::output::check_writable;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};

use super::question::{Fact, Facts, parse_fact};
use super::tree::{Extent, Tree};
use super::work::{Keeping, Work};
use super::{OpeningsArgs, conclude};
use crate::opening::moves_text;
use crate::sharing::{Part, check_shareable};
use crate::start::read_start;

struct OpeningsJob {
    args: OpeningsArgs,
    start: Position,
    /// The questions before the work.
    tree: Tree,
    pieces: Vec<Piece>,
}

/// A piece of the work: a first move, or one reply to it if all replies are asked about.
struct Piece {
    name: String,
    /// The index of the first move.
    first: usize,
    mv: Move,
    reply: Option<Move>,
}

/// Makes the shared work on the questions about openings.
pub(crate) fn job(rules: Rules, args: &OpeningsArgs) -> Result<Box<dyn Job>, Failure> {
    check_shareable("openings", args.file.as_deref(), &args.threads, args.journal.as_deref())?;
    let start = read_start(rules, args.file.as_deref(), args.chips)?;
    let tree = args.tree(&start)?;
    let pieces = pieces(&tree);
    Ok(Box::new(OpeningsJob { args: args.clone(), start, tree, pieces }))
}

/// Returns the pieces of the questions that need a search.
fn pieces(tree: &Tree) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (first, found) in tree.firsts.iter().enumerate() {
        if tree.is_settled(found) {
            continue;
        }
        let open = found.questions.iter().filter(|question| question.verdict().is_none());
        let replies: Vec<Option<Move>> = match tree.extent {
            Extent::Firsts => vec![None],
            Extent::Replies | Extent::Least => {
                open.map(|question| question.moves.last().copied()).collect()
            }
        };
        for reply in replies {
            let moves: Vec<Move> = [found.mv].into_iter().chain(reply).collect();
            let name = piece_name(pieces.len(), &moves_text(&moves).replace(' ', "_"));
            pieces.push(Piece { name, first, mv: found.mv, reply });
        }
    }
    pieces
}

impl OpeningsJob {
    /// Returns the result of a piece, if it is done.
    fn part(
        &self,
        folder: &WorkFolder,
        piece: &Piece,
    ) -> Result<Option<Part<(Position, Fact)>>, WorkError> {
        Part::read(folder, &piece.name, |line| parse_fact(&self.start, line))
    }
}

impl Workload for OpeningsJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok(self.pieces.iter().map(|piece| piece.name.clone()).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let failed = |why: &dyn ToString| PieceError::Failed(why.to_string());
        let found = self.pieces.iter().find(|other| other.name == piece);
        let piece = found.ok_or_else(|| failed(&"there is no such opening"))?;
        let begun = ThreadTime::now();
        let replies = piece.reply.map_or_else(|| self.args.reply.clone(), |reply| vec![reply]);
        let Tree { chips, extent, .. } = self.tree;
        let tree = Tree::new(&self.start, &[piece.mv], &replies, chips, extent);
        let tree = tree.map_err(|fault| failed(&fault))?;
        let work =
            Work::new(tree, self.args.table.mib, Arc::clone(stop), Keeping::List(Vec::new()));
        let done = work.in_turn().map_err(|error| failed(&error))?;
        let Some((tree, Keeping::List(lines))) = done else { return Ok(None) };
        let nodes = tree.firsts.iter().map(|first| first.nodes()).sum();
        Part::new(begun, nodes, lines).to_bytes().map(Some)
    }
}

impl Job for OpeningsJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let OpeningsJob { args, start, tree, .. } = self;
        let lines = [
            "openings".to_owned(),
            format!("network {} {}", start.rules(), start.to_string().replace('\n', "/")),
            format!("chips {}, {:?}", args.chips, tree.extent),
            format!("first {}", moves_text(&args.first)),
            format!("replies {}", moves_text(&args.reply)),
            format!("table of {} MiB", args.table.mib),
        ];
        lines.map(|line| line + "\n").concat()
    }

    fn namesake(&self) -> &Path {
        let OpeningsArgs { csv, file, .. } = &self.args;
        csv.as_deref().or(file.as_deref()).unwrap_or(Path::new("openings"))
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.args.csv.as_deref().map_or(Ok(()), check_writable)?;
        Ok(Prepared::default())
    }

    /// Prints the same as `openings` does with all facts in a journal; questions of missing pieces are
    /// open.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let (mut facts, mut tree, mut cpu) = (Facts::default(), self.tree.clone(), Duration::ZERO);
        for piece in &self.pieces {
            let Some(part) = self.part(folder, piece)? else { continue };
            for (position, fact) in &part.found {
                facts.add(position, fact.chip, fact.won);
            }
            tree.firsts[piece.first].nodes_elsewhere += part.nodes;
            cpu += part.cpu();
        }
        tree.learn(&facts);
        conclude(&self.args, &self.start, &tree, cpu)
    }
}
