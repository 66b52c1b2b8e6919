//! The rules of a game for people who do not know it, part by part and with pictures.

use serde::Serialize;

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
