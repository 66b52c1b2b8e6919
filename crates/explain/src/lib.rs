//! Searches to look at, and questions about them.
//!
//! [`plyground::trace`] searches, and [`plyground_host::Explanation`] is what it finds behind text. This
//! crate shows it, and prints nothing itself: as [text](text::text), as a graph for Graphviz
//! ([`dot::dot`]), as [JSON](json::json), and as a [page](html::page) in one file. The
//! [modules](page::MODULES) of that page are those of the server's page, too, which gets its
//! [data](block::Block) by a request.
//!
//! All scores are as the side to move at the root sees them.

pub mod block;
pub mod board;
pub mod comparison;
pub mod dot;
pub mod html;
pub mod json;
pub mod page;
pub mod practice;
mod question;
pub mod text;
mod viewpoint;
mod why;

pub use comparison::Comparison;
pub use question::ExplainQuestion;
pub use viewpoint::{Relation, Seen, Viewpoint};
pub use why::why;
