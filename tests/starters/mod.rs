//! The starter kits: written, built and held to the checks, as a student does it.
//!
//! A kit is tested where the tools of its language are. Without them its tests say so and do nothing,
//! or fail if `PLYGROUND_NEEDS_LANGUAGES` is set. With `PLYGROUND_NIGHTLY` every check is made, which
//! takes minutes; without it, those that say most in a few seconds.

mod kit;
mod maxconnect4;
mod network;
