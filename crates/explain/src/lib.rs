//! Searches explained step by step, and practice questions about them.
//!
//! [`plyground::trace`] searches, and [`plyground_host::Explanation`] holds the result with moves as text.
//! This crate formats it, and prints nothing itself: as [text](text::text), as a graph for Graphviz
//! ([`html::dot`]), as [JSON](json::json), and as a [page](html::page) in one file. The server's page uses the
//! same [modules](html::MODULES) as that page, and gets its [data](block::Block) by a request.
//!
//! All scores are as the side to move at the root sees them.

pub mod block;
pub mod comparison;
pub mod html;
pub mod json;
pub mod practice;
pub mod question;
pub mod text;

pub use comparison::{Comparison, Relation, Seen, Viewpoint, why};
pub use question::ExplainQuestion;
