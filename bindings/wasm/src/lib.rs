//! The engine of the page without a server: questions and answers as text, compiled to WebAssembly and run in
//! a worker of the page.
//!
//! A question is JSON and carries a whole game, as for a server; the answers are JSON too, and come from
//! [`plyground_web::questions`]. The worker and the engine exchange one text at a time, so that the
//! boundary is a few functions (`boundary.rs`).

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod boundary;
mod page;

pub use page::Page;
