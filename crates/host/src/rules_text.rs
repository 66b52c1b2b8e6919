//! The rules of a game as text for a terminal, and the pictures of its lessons.

use std::fmt::Write as _;

use plyground_durable::excerpt;

use crate::adapter::{Figure, Lesson, Text};
use crate::game::HostedGame;
use crate::page::Picture;
use crate::state::StateText;

impl Figure {
    /// Returns the picture of the position in `game`.
    ///
    /// # Errors
    ///
    /// Returns the fault of the state file as one line.
    pub fn picture(&self, game: &dyn HostedGame) -> Result<Picture, String> {
        let position = game.parse_state(&StateText::new(self.state.clone()));
        let fault = |fault| format!("{}: {fault}", excerpt(&self.state));
        position.map(|position| position.picture()).map_err(fault)
    }
}

/// Returns the rules of `game` as text for a terminal that is `width` characters wide, with boards.
#[must_use]
pub fn rules_text(game: &dyn HostedGame, width: usize) -> String {
    let mut text = String::new();
    for Lesson { title, text: body, figure } in game.lessons() {
        let _ = writeln!(text, "{title}\n{}", filled(&body, width));
        let Some(Figure { state, caption, .. }) = figure else { continue };
        let Ok(position) = game.parse_state(&StateText::new(state)) else { continue };
        let _ = writeln!(text, "{}{}", position.text(Text::Drawing(None)), filled(&caption, width));
    }
    text
}

/// Fills words into lines of at most `width` characters; ends with a line end.
#[must_use]
pub fn filled(text: &str, width: usize) -> String {
    let (mut lines, mut at) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let gap = if at == 0 { "" } else { " " };
        if at > 0 && at + 1 + length > width {
            lines.push('\n');
            at = 0;
        } else {
            lines.push_str(gap);
            at += gap.len();
        }
        lines.push_str(word);
        at += length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_lines() {
        assert_eq!(filled("one two  three four", 9), "one two\nthree\nfour\n");
        assert_eq!(filled("a-word-that-is-long", 5), "a-word-that-is-long\n");
    }
}
