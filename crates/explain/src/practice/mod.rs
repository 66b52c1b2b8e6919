//! Questions about searches, drawn from a seed, with their answers.

pub use html::{page, sheet, text};
pub use question::{BestMoveQuestion, Practice, Question, TreeQuestion};
pub use sketch::{Sketch, SketchNode};

mod html;
mod question;
mod sketch;
