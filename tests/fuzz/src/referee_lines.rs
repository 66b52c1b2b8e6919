//! The line protocol as an engine hears it: a game, then what a referee says.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plyground::Game;
use plyground_host::player::{Answer, Player, Turn};
use plyground_host::protocol::serve;
use plyground_host::{Fault, SharedGame};

use crate::source::Source;
use crate::told::assert_told;

/// Plays the first legal move.
struct FirstMove;

impl Player for FirstMove {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let mv = turn.position.legal_moves().next().ok_or(Fault::NoMove)?;
        Ok(Answer::Move(mv.into()))
    }
}

/// The answers that an engine may give, by their first words.
const ANSWERS: [&str; 7] =
    ["readyok", "protocol ", "bestmove ", "resign", "illegal ", "info error ", "info "];

/// Every answer is a line of the protocol, and every `isready` has its own.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let mut output = Vec::new();
    let seat = |_: &SharedGame, _: Option<u32>, _: &Arc<AtomicBool>| -> Box<dyn Player> {
        Box::new(FirstMove)
    };
    let input = std::io::Cursor::new(source.0.to_vec());
    serve(input, &mut output, game, seat).expect("memory does not fail");
    let output = String::from_utf8(output).expect("answers in UTF-8");
    for line in output.lines() {
        assert!(ANSWERS.iter().any(|answer| line.starts_with(answer)), "{line:?}");
        assert_told(&line);
    }
    let text = source.text();
    let heard = text.lines().take_while(|line| line.trim() != "quit");
    let asked = heard.filter(|line| line.split_ascii_whitespace().next() == Some("isready"));
    assert_eq!(output.lines().filter(|line| *line == "readyok").count(), asked.count());
}
