//! Players that a command tries at different depths.

use std::path::Path;

use super::failure::Failure;
use super::play::check_strength;
use super::program::Program;
use crate::perfect::plies_to_end;
use crate::player::PlayerSpec;
use crate::submissions::is_among;

/// In the text of a player, stands for how many moves it is to look ahead.
pub(super) const DEPTH: &str = "{depth}";

/// How many moves a player is to look ahead that must be told and is free to choose.
const UNSAID_DEPTH: u32 = 2;

/// The player of this text at this depth.
pub(super) fn spec_at(text: &str, depth: Option<u32>) -> Result<PlayerSpec, Failure> {
    let filled = text.replace(DEPTH, &depth.unwrap_or(UNSAID_DEPTH).to_string());
    filled.parse().map_err(|error: crate::player::UnknownPlayer| {
        Failure::Usage(format!("player `{}`: {error}", text.escape_debug()))
    })
}

/// Refuses a folder for output among the submissions of a class: the next time it would be one.
pub(super) fn check_outside(out: &Path, class: &Path) -> Result<(), Failure> {
    if is_among(out, class) {
        let (out, class) = (out.display(), class.display());
        let fault =
            format!("{out}: expected a folder outside of {class}, which has the submissions");
        return Err(Failure::Usage(fault));
    }
    Ok(())
}

/// Refuses a player that the game does not have, and one that needs somebody.
pub(super) fn check<P: Program>(program: &P, spec: &PlayerSpec) -> Result<(), Failure> {
    match spec {
        PlayerSpec::Human => {
            return Err(Failure::Usage(
                "human: expected a player that needs nobody at the keyboard".to_owned(),
            ));
        }
        PlayerSpec::Perfect { .. } => {
            plies_to_end(&program.start())?;
        }
        _ => {}
    }
    check_strength::<P>(spec)
}
