//! What the badly behaved players and the tests of them share.

use maxconnect4::{Position, Size, format_state, parse_state};
use plyground::external::Texts;
use plyground::state::{Fault, StateText};

/// Max-Connect4 as programs read and write it.
#[derive(Clone, Copy, Debug)]
pub struct Standard;

impl Texts<Position> for Standard {
    fn rules(&self) -> String {
        "standard".to_owned()
    }

    fn start(&self) -> Position {
        Position::empty(Size::STANDARD)
    }

    fn format_state(&self, position: &Position) -> String {
        format_state(position)
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, Fault> {
        parse_state(text, Size::STANDARD)
    }
}
