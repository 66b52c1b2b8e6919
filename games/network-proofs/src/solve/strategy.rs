//! The files of a proof: the strategy and the table of answers.

use std::io::{self, Write};
use std::path::Path;

use network::solution::{Frame, PAIRS, index};
use plyground_cli::Failure;
use plyground_durable::output::write_whole;

use super::problem::Problem;
use crate::opening::RepliedOpening;
use crate::strategy::{Strategy, Unproven};

/// Writes the answers to all replies, and, if `book` is given, the table of answers that is built into the
/// program.
pub(super) fn write_strategy(
    path: &Path,
    book: Option<&Path>,
    problem: &Problem,
    mut strategy: Strategy,
) -> Result<(), Failure> {
    let Problem { start, opening, replies, chips } = problem;
    let unproven = |why: Unproven| Failure::Run(why.into());
    opening.enter(start, &mut strategy).map_err(|why| Failure::Run(why.into()))?;
    let (text, answers) = strategy.text(start, *chips as usize).map_err(unproven)?;
    write_whole(path, text)?;
    writeln!(io::stdout(), "{}: {answers} answers", path.display())?;
    book.map_or(Ok(()), |path| write_book(path, replies, &strategy))
}

/// Writes the answers to all pairs of replies to the opening of the solution.
fn write_book(path: &Path, replies: &[RepliedOpening], strategy: &Strategy) -> Result<(), Failure> {
    let mut book = vec![0; PAIRS];
    let mut known = 0;
    for pair in replies.iter().flat_map(|reply| reply.mirrored()) {
        let frame = Frame::of(&pair).filter(|frame| frame.follows_opening(&pair));
        let Some(frame) = frame else { continue };
        let place = index(frame.others()).and_then(|place| book.get_mut(place));
        let (Some(byte), Some(answer)) = (place, strategy.answer(&pair)) else { continue };
        known += usize::from(*byte == 0);
        *byte = frame.inside(answer.to()).index() as u8;
    }
    write_whole(path, &book)?;
    writeln!(io::stdout(), "{}: {known} of {PAIRS} pairs", path.display())?;
    Ok(())
}
