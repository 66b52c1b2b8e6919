//! The move in the file that a program has written.

use plyground::Game;

use crate::fault::Fault;
use crate::move_text::MoveText;
use crate::position::HostedPosition;
use crate::state::StateText;

/// Returns the move that leads from `position` to the one in `text`. Only symbols matter, not their layout.
///
/// If `lenient` is true, slips are accepted: the next player is missing, is still the one that has moved, or
/// is something else, or other characters, such as commas, separate the symbols.
///
/// # Errors
///
/// Returns the fault by which a player with this output loses.
pub fn move_in_output(
    position: &HostedPosition,
    text: &str,
    lenient: bool,
) -> Result<MoveText, Fault> {
    let found = symbols(text);
    let own_name = last_line(&position.state());
    let mut nearly = None;
    for mv in position.legal_moves() {
        let after = position.after(mv).state();
        let next_player = last_line(&after);
        let (after, next_player) = (symbols(&after), next_player.len());
        if found == after {
            return Ok(mv);
        }
        let cells = &after[..after.len() - next_player];
        let known: String = found.chars().filter(|&symbol| after.contains(symbol)).collect();
        if found == cells {
            nearly = Some((mv, "the next player is missing in its output"));
        } else if found.strip_prefix(cells) == Some(&own_name) {
            nearly = Some((mv, "the next player in its output is itself"));
        } else if found.starts_with(cells) {
            nearly = Some((mv, "something else follows the board in its output"));
        } else if known.starts_with(cells) {
            nearly = Some((mv, "other symbols are in the board in its output"));
        }
    }
    match nearly {
        Some((mv, _)) if lenient => Ok(mv),
        Some((_, why)) => Err(illegal(why.to_owned())),
        None => Err(illegal(describe(position, text))),
    }
}

fn illegal(why: String) -> Fault {
    Fault::IllegalMove { why }
}

/// Returns the reason why the text is not that of a position after a legal move.
fn describe(position: &HostedPosition, text: &str) -> String {
    let state = position.state();
    let layout = StateText::from_lines(&state);
    let text = StateText::new(text.to_owned());
    let has_all = text.symbols().count() == layout.symbols().count();
    let text = if has_all { StateText::new(layout.with_symbols(text.as_str())) } else { text };
    match position.game().parse_state(&text) {
        Ok(after) if after == *position => "its output is the position before the move".to_owned(),
        Ok(_) => "no legal move leads to the position in its output".to_owned(),
        Err(fault) => format!("its output is no position, {fault}"),
    }
}

fn symbols(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn last_line(text: &str) -> String {
    symbols(text.lines().next_back().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::toy;

    /// Reads the output of a program that was to move on an empty board.
    fn read(text: &str, lenient: bool) -> Result<String, String> {
        let mv = move_in_output(&toy().start(), text, lenient);
        mv.map(|mv| mv.to_string()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn layout_does_not_matter() {
        for text in
            ["...\n.X.\n...\nO\n", "...\r\n.X.\r\n...\r\nO", "....X....O", " . . .\n\n.X....O\n\n"]
        {
            assert_eq!(read(text, false), Ok("5".to_owned()), "{text:?}");
        }
    }

    #[test]
    fn slips_matter_to_all_but_the_lenient() {
        for (text, why) in [
            ("....X....", "is missing"),
            ("....X....X", "is itself"),
            ("....X....?", "something else follows"),
            ("....X....O\nScore: 0", "something else follows"),
            (".,.,.\n.,X,.\n.,.,.\nO\n", "other symbols"),
        ] {
            assert_eq!(read(text, true), Ok("5".to_owned()));
            let fault = read(text, false).expect_err("a fault");
            assert!(fault.starts_with("illegal move, ") && fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn faults_say_what_is_wrong() {
        for (text, why) in [
            (".........X", "its output is the position before the move"),
            ("X...X....O", "no legal move leads to the position in its output"),
            ("hello", "its output is no position"),
            // A blank to some, but not to the readers of state files.
            ("\u{b}.X..X...O", "its output is no position"),
            (".........\u{b}X", "its output is no position"),
        ] {
            let fault = read(text, true).expect_err("a fault");
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }
}
