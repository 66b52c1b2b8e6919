//! The engine of the page without a server: questions and answers as text, to be compiled to
//! WebAssembly and run in a worker of the page.
//!
//! A question is JSON and carries a whole game, as for a server; so do the answers, which come from
//! [`plyground_page`]. What passes between the worker and this is a text at a time, so the boundary is
//! a few functions (`boundary.rs`).

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod boundary;
mod deadline;
mod page;
mod question;

pub use page::Page;
