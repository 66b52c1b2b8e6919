//! State files: a game, then the text.

use plyground::Game;
use plyground_host::HostedPosition;
use plyground_host::state::StateText;

use crate::source::Source;
use crate::told::assert_told;

/// A state that is read is written as the same, in whatever layout; a fault has a place in the
/// text.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let text = StateText::new(source.text());
    match game.parse_state(&text) {
        Ok(position) => {
            let plain = StateText::new(position.state());
            assert_eq!(game.parse_state(&plain).as_ref(), Ok(&position));
            let same_layout = StateText::new(text.with_symbols(&position.state()));
            assert_eq!(game.parse_state(&same_layout).as_ref(), Ok(&position));
            assert_eq!(same_layout.with_symbols(&position.state()), same_layout.as_str());
            look_at(&position);
        }
        Err(fault) => {
            assert_told(&fault);
            let lines = text.as_str().split(['\r', '\n', '/']);
            let longest = lines.clone().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!((1..=lines.count()).contains(&fault.line), "{fault}");
            assert!((1..=longest + 1).contains(&fault.column), "{fault}");
        }
    }
}

/// Everything that can be shown of a position can be shown of this one.
fn look_at(position: &HostedPosition) {
    let shown = [position.board(), position.drawing(None), position.turn(), position.prompt()];
    assert!(shown.iter().all(|text| !text.is_empty()));
    assert_eq!(position.perft(0), 1);
    let cells = position.picture().cells.len();
    for mv in position.legal_moves() {
        assert!(position.check_legal(mv).is_ok() && !position.announce(mv).is_empty());
        let path = position.path(mv);
        assert!([path.from, path.to].into_iter().flatten().all(|cell| cell < cells), "{mv}");
        if let Some(to) = path.to.filter(|_| cells > 0) {
            assert_eq!(position.move_at(path.from, to), Some(mv));
        }
    }
    assert_eq!(position.is_over(), position.legal_moves().next().is_none());
    if position.is_over() {
        let told = [position.ending(), position.result(), position.reason()];
        assert!(told.iter().all(|text| !text.is_empty()));
    }
}
