//! `network serve` as its page sees it, and a person with a browser.

mod answers;
#[path = "../../common/browser.rs"]
mod browser;
mod page;
#[path = "../../common/served.rs"]
mod served;

use served::Served;

fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_network"), "")
}
