//! The other end of the line protocol: our own players as somebody else's.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use plyground::Game;

use super::START;
use super::message::BestMoveLine;
use crate::fault::Fault;
use crate::game::HostedGame;
use crate::player::{Answer, Input, LineSource, Lines, Player, Turn};
use crate::position::HostedPosition;
use crate::state::StateText;

/// Plays by the [line protocol](super) until the input ends or says `quit`.
///
/// `seat` makes a player for a game, who is to look so many plies ahead if the referee says so.
///
/// # Errors
///
/// When the input cannot be read, or the output not be written.
pub fn serve<'a>(
    input: impl BufRead,
    mut output: impl Write,
    game: &dyn HostedGame,
    seat: impl FnMut(Option<u32>) -> Box<dyn Player + 'a>,
) -> io::Result<()> {
    let mut engine = Engine { game, seat, player: None, position: game.start() };
    let mut lines = Lines::new(input);
    while let Input::Line(line) = lines.next_line(None)? {
        if line.trim() == "quit" {
            break;
        }
        if let Some(answer) = engine.answer(&line) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}

struct Engine<'t, 'a, S> {
    game: &'t dyn HostedGame,
    seat: S,
    /// The player of this game, and the depth that it was made for.
    player: Option<(Option<u32>, Box<dyn Player + 'a>)>,
    position: HostedPosition,
}

impl<'a, S> Engine<'_, 'a, S>
where
    S: FnMut(Option<u32>) -> Box<dyn Player + 'a>,
{
    /// What is to be said to a line; nothing to one that is not known.
    fn answer(&mut self, line: &str) -> Option<String> {
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "isready" => Some("readyok".to_owned()),
            "newgame" => {
                self.player = None;
                None
            }
            "position" => self.set_position(words).err(),
            "go" => Some(self.go(words)),
            _ => None,
        }
    }

    /// The error is what to say.
    fn set_position<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> Result<(), String> {
        let mut position = match words.next() {
            None | Some(START) => self.game.start(),
            Some(word) => self
                .game
                .parse_state(&StateText::new(word.replace('/', "\n")))
                .map_err(|fault| format!("info error in the position, {fault}"))?,
        };
        let moves = words.skip_while(|&word| word == "moves");
        for word in moves {
            let illegal = |why: String| format!("illegal {word} {why}");
            let mv = position.parse_move(word).ok_or_else(|| illegal("is no move".to_owned()))?;
            position.play(mv).map_err(|why| illegal(why.to_string()))?;
        }
        self.position = position;
        Ok(())
    }

    fn go<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> String {
        let (mut depth, mut limit): (_, Option<Duration>) = (None, None);
        while let (Some(name), Some(number)) = (words.next(), words.next()) {
            match name {
                "depth" => depth = number.parse().ok(),
                // A search works all the time that passes, so that either limit is one of both.
                "cpu" | "wall" => {
                    let time = number.parse().ok().map(Duration::from_millis);
                    limit = limit.into_iter().chain(time).min();
                }
                _ => {}
            }
        }
        if self.position.outcome().is_some() {
            return "resign".to_owned();
        }
        if self.player.as_ref().is_none_or(|(made_for, _)| *made_for != depth) {
            self.player = Some((depth, (self.seat)(depth)));
        }
        let Some((_, player)) = &mut self.player else { return "resign".to_owned() };
        match player.choose_move(&Turn::new(&self.position, limit)) {
            Ok(Answer::Move(mv)) => BestMoveLine(mv).to_string(),
            Ok(Answer::TakeBack) | Err(Fault::Quit) => "resign".to_owned(),
            Err(fault) => format!("info {fault}\nresign"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineOptions, Strength};
    use crate::player::EnginePlayer;
    use crate::toy::toy;

    fn conversation(said: impl AsRef<[u8]>) -> String {
        let mut answers = Vec::new();
        let seat = |depth: Option<u32>| -> Box<dyn Player> {
            let strength = Strength::Depth(depth.unwrap_or(9));
            Box::new(EnginePlayer::new(toy().engine(EngineOptions::default()), strength))
        };
        serve(said.as_ref(), &mut answers, &*toy(), seat).expect("no failure in memory");
        String::from_utf8(answers).expect("text")
    }

    #[test]
    fn an_engine_answers_what_it_is_asked() {
        let said =
            "newgame tic-tac-toe standard\nisready\nposition startpos moves 5 2\ngo wall 60000\n";
        assert_eq!(conversation(said), "readyok\nbestmove 1 depth 5 score 29995 bound exact\n");
        let said = "\r\nposition XX./OO./.../X moves\r\nwhat?\r\ngo depth 1\r\nquit\r\nisready\r\n";
        assert_eq!(conversation(said), "bestmove 3 depth 1 score 29999 bound exact\n");
    }

    #[test]
    fn an_engine_objects() {
        let said =
            "position startpos moves 5 5\nisready\nposition startpos moves 5 x\nposition hm\n";
        let answers = conversation(said);
        let starts = ["illegal 5 ", "readyok", "illegal x ", "info error in the position, "];
        let lines: Vec<_> = answers.lines().collect();
        assert_eq!(lines.len(), starts.len(), "{answers}");
        assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{answers}");
    }

    #[test]
    fn a_line_that_is_no_text_is_not_known() {
        assert_eq!(conversation(b"isready\n\xff\xfe\nisready\n"), "readyok\nreadyok\n");
    }

    #[test]
    fn who_has_no_move_resigns() {
        assert_eq!(conversation("position XXX/OO./.../O\ngo\n"), "resign\n");
    }
}
