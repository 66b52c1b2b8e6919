//! `network serve` as its page sees it, and a person with a browser.

mod answers;
mod page;

use crate::common::served::Served;

fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_network"), "")
}
