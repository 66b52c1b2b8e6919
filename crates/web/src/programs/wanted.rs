//! The name by which the page requests a program of the server.

use crate::refusal::Refusal;

/// The prefix of such a name.
const KIND: &str = "player:";

/// A program that the page requests: `player:NAME`, or `player:NAME,depth=N`. The operator of the server
/// gives the names; only the depth goes from the page into a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WantedProgram {
    pub(crate) name: String,
    /// The depth in plies that the program is to be told.
    pub(crate) depth: Option<u32>,
}

impl WantedProgram {
    /// Reads the name of a player on the page; returns `None` if the player is not a program.
    ///
    /// # Errors
    ///
    /// Returns an error if the depth is not a positive number.
    pub(crate) fn read(player: &str) -> Result<Option<WantedProgram>, Refusal> {
        let Some(rest) = player.strip_prefix(KIND) else { return Ok(None) };
        let Some((name, depth)) = rest.split_once(",depth=") else {
            return Ok(Some(WantedProgram { name: rest.to_owned(), depth: None }));
        };
        let depth = depth.parse().ok().filter(|&depth: &u32| depth > 0);
        let depth = depth.ok_or_else(|| Refusal::input("expected a depth of 1 or more"))?;
        Ok(Some(WantedProgram { name: name.to_owned(), depth: Some(depth) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_depth_are_read() {
        let read = |text: &str| WantedProgram::read(text).map_err(drop);
        let wanted = |name: &str, depth| Ok(Some(WantedProgram { name: name.to_owned(), depth }));
        assert_eq!(read("player:bob"), wanted("bob", None));
        assert_eq!(read("player:bob,depth=5"), wanted("bob", Some(5)));
        for other in ["human", "machine:depth=2", "line:cat", "bob"] {
            assert_eq!(read(other), Ok(None), "{other}");
        }
        for wrong in ["player:bob,depth=0", "player:bob,depth=x", "player:bob,depth=-1"] {
            assert_eq!(read(wrong), Err(()), "{wrong}");
        }
    }
}
