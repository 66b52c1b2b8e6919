//! The key of a grade, which stands for everything that the grade depends on.

use std::path::Path;

use super::grader::{Examinee, Grader};
use plyground_arena::contents::ContentHash;
use plyground_arena::submissions::SubmissionFolder;

/// The version of the grading. It changes when the same checks of the same program may give another
/// grade.
const VERSION: &str = concat!("grade 3, plyground ", env!("CARGO_PKG_VERSION"));

/// Returns the key of a grade: a hash of the content of the submission's folder, the player, all
/// checks with their positions, and the limits. As long as the key is the same, the grade is the
/// same, except for effects of chance and time.
#[must_use]
pub fn grade_key(grader: &Grader, examinee: &Examinee, submission: &SubmissionFolder) -> String {
    let Grader { game, checks, programs, seed, total, gate: _ } = grader;
    let mut hash = ContentHash::default();
    hash.add(VERSION);
    hash.add(game.name());
    hash.add(game.rules());
    hash.add_debug(checks);
    hash.add_debug(&(&programs.limits, programs.level()));
    hash.add_debug(&(&programs.visible, &programs.environment, programs.ponder));
    hash.add_debug(&(seed, total));
    hash.add(examinee.player.to_string());
    if let Some(prepared) = &submission.prepared {
        hash.add_debug(&(prepared.status, &prepared.why, &prepared.folder, &prepared.start));
    }
    hash.add_tree(Path::new(&submission.files()));
    hash.word()
}
