//! The rules of a game for people who do not know it, part by part and with pictures.

use std::fmt::Write as _;

use plyground_durable::excerpt;
use serde::Serialize;

use crate::adapter::Text;
use crate::game::HostedGame;
use crate::page::Picture;
use crate::state::StateText;

/// One part of the rules: a turn, or the end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The heading, without a period.
    pub title: String,
    /// The text: a few plain sentences.
    pub text: String,
    /// The position that shows what the text says, if there is one.
    pub figure: Option<Figure>,
}

/// A position that explains a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The state file of the position, with `/` for the line ends.
    pub state: String,
    /// The content of the picture, as a sentence.
    pub caption: String,
    /// The cells that the picture marks.
    pub marks: Vec<Mark>,
}

/// A cell that a picture marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The number of the cell on the page.
    pub cell: usize,
    /// The meaning of the mark.
    pub kind: MarkKind,
}

/// The meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// The text is about this cell.
    Here,
    /// No piece may go there.
    No,
}

impl Lesson {
    /// Returns a part of the rules without a picture.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Lesson {
        Lesson { title: title.into(), text: text.into(), figure: None }
    }

    /// Adds a picture: the position of a state file, with `/` for the line ends.
    #[must_use]
    pub fn with_figure(mut self, state: impl Into<String>, caption: impl Into<String>) -> Lesson {
        let (state, caption) = (state.into(), caption.into());
        self.figure = Some(Figure { state, caption, marks: Vec::new() });
        self
    }

    /// Marks these cells of the picture.
    #[must_use]
    pub fn marked(mut self, kind: MarkKind, cells: impl IntoIterator<Item = usize>) -> Lesson {
        if let Some(figure) = &mut self.figure {
            figure.marks.extend(cells.into_iter().map(|cell| Mark { cell, kind }));
        }
        self
    }
}

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
