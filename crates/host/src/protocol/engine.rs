//! The engine's end of the line protocol: our own players as programs for other referees, and their `info`
//! lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plyground::Game;
use plyground_durable::excerpt;

use super::message::{BestMoveLine, ProgramInfo, ReadAhead, START, VERSION, first_word};
use crate::fault::Fault;
use crate::game::{HostedPosition, SharedGame};
use crate::player::{Answer, Player, Turn};
use crate::state::StateText;

/// Plays by the [line protocol](super) until the input ends or says `quit`. The game begins with the rules of `game`;
/// the referee may name others.
///
/// `seat` makes a player for a game by its rules, with the number of plies to look ahead, if the referee sets one, and
/// a flag. The player moves at once when the flag is raised, because `quit` or the end of the input has come.
pub fn serve<'a>(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    game: &SharedGame,
    seat: impl FnMut(&SharedGame, Option<u32>, &Arc<AtomicBool>) -> Box<dyn Player + 'a>,
) -> io::Result<()> {
    let (own, game) = (game, SharedGame::clone(game));
    let heard = &ReadAhead::of(input);
    let mut engine = Engine { position: game.start(), own, game, seat, player: None, heard };
    while let Some(line) = heard.next_line()? {
        if first_word(&line) == "quit" {
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
    /// The game by the rules of the command line.
    own: &'t SharedGame,
    /// The game by the rules of the referee.
    game: SharedGame,
    seat: S,
    /// The player of this game, and the depth for which it was made.
    player: Option<(Option<u32>, Box<dyn Player + 'a>)>,
    position: HostedPosition,
    /// The lines that are read while the player thinks.
    heard: &'t ReadAhead,
}

impl<'a, S> Engine<'_, 'a, S>
where
    S: FnMut(&SharedGame, Option<u32>, &Arc<AtomicBool>) -> Box<dyn Player + 'a>,
{
    /// Returns the answer to a line, if there is one.
    fn answer(&mut self, line: &str) -> Option<String> {
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "isready" => Some("readyok".to_owned()),
            "protocol" => Some(format!("protocol {VERSION}")),
            "newgame" => self.begin(words).err(),
            "position" => self.set_position(words).err(),
            "go" => self.go(words),
            // The end of a game needs no action.
            "gameover" => None,
            _ => Some(format!("info error unknown: {}", excerpt(line.trim()))),
        }
    }

    /// Begins the game that the referee names. If the game is unknown, begins the game of the command line, and returns
    /// the answer that reports the error.
    fn begin<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> Result<(), String> {
        self.player = None;
        let asked = self.asked(words.next(), words.next());
        self.game = asked.as_ref().map_or_else(|_| SharedGame::clone(self.own), SharedGame::clone);
        self.position = self.game.start();
        asked.map(drop)
    }

    /// Returns the game of this name by these rules. An old referee may leave out either.
    fn asked(&self, name: Option<&str>, rules: Option<&str>) -> Result<SharedGame, String> {
        if let Some(name) = name.filter(|&name| name != self.own.name()) {
            let (own, name) = (self.own.name(), excerpt(name));
            return Err(format!("info error this is an engine for {own}, not for {name}"));
        }
        let Some(rules) = rules else { return Ok(SharedGame::clone(self.own)) };
        let unknown = || format!("info error there are no rules called {}", excerpt(rules));
        self.own.with_rules(rules).ok_or_else(unknown)
    }

    /// Sets the position, or returns the answer that reports the error.
    fn set_position<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> Result<(), String> {
        let mut position = match words.next() {
            None | Some(START) => self.game.start(),
            Some(word) => self
                .game
                .parse_state(&StateText::new(word.to_owned()))
                .map_err(|fault| format!("info error in the position, {fault}"))?,
        };
        let moves = words.skip_while(|&word| word == "moves");
        for word in moves {
            let illegal = |why: String| format!("illegal {} {why}", excerpt(word));
            let mv = position.parse_move(word).ok_or_else(|| illegal("is no move".to_owned()))?;
            position.play(mv).map_err(|why| illegal(why.to_string()))?;
        }
        self.position = position;
        Ok(())
    }

    /// Returns the answer to `go`, unless it is no longer wanted.
    fn go<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> Option<String> {
        let (mut depth, mut limit): (_, Option<Duration>) = (None, None);
        while let (Some(name), Some(number)) = (words.next(), words.next()) {
            match name {
                "depth" => depth = number.parse().ok(),
                // A search works during all the time that passes, so the shorter of both limits holds.
                "cpu" | "wall" => {
                    let time = number.parse().ok().map(Duration::from_millis);
                    limit = limit.into_iter().chain(time).min();
                }
                _ => {}
            }
        }
        if self.position.outcome().is_some() {
            return Some("resign".to_owned());
        }
        let mut player = match self.player.take() {
            Some((made_for, player)) if made_for == depth => player,
            _ => (self.seat)(&self.game, depth, self.heard.stop()),
        };
        let answer =
            self.heard.while_thinking(|| player.choose_move(&Turn::new(&self.position, limit)));
        self.player = Some((depth, player));
        Some(match answer {
            Ok(Answer::Move(mv)) => BestMoveLine(mv).to_string(),
            // No move was found, and none is wanted any more.
            Err(_) if self.heard.stop().load(Ordering::Relaxed) => return None,
            Ok(Answer::TakeBack) | Err(Fault::Quit) => "resign".to_owned(),
            Err(fault) => format!("info {fault}\nresign"),
        })
    }
}

/// The first word of an `info` line.
pub(super) const KEYWORD: &str = "info";

/// The number of `info` lines that are kept.
const MOST: usize = 20;

/// The number of characters of each line that are kept.
const LONGEST: usize = 200;

/// The last `info` lines of a program. Clones share them, so that one thread may read them while
/// another hears the program.
#[derive(Clone, Debug, Default)]
pub struct InfoLines(Arc<Mutex<Heard>>);

/// The lines that have been heard.
#[derive(Debug, Default)]
struct Heard {
    lines: VecDeque<String>,
    /// The facts in the lines about the search for the move of this turn, or else of the last.
    said: ProgramInfo,
}

impl InfoLines {
    /// Adds a line, without its first word, if it is an `info` line.
    pub(super) fn hear(&self, line: &str) {
        let line = line.trim_start();
        let Some(rest) = line.strip_prefix(KEYWORD).filter(|rest| begins_anew(rest)) else {
            return;
        };
        let mut heard = self.lock();
        heard.said.hear(rest);
        if heard.lines.len() == MOST {
            heard.lines.pop_front();
        }
        heard.lines.push_back(rest.trim().chars().take(LONGEST).collect());
    }

    /// Forgets the facts about the search for an earlier move.
    pub(super) fn begin_turn(&self) {
        self.lock().said = ProgramInfo::default();
    }

    /// Returns the facts that the program has reported about the search for its last move.
    #[must_use]
    pub fn said(&self) -> ProgramInfo {
        self.lock().said.clone()
    }

    /// Returns the lines, the oldest first, with line ends between them.
    #[must_use]
    pub fn text(&self) -> String {
        self.lock().lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        // A thread that panics leaves nothing here half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns `true` if a word ends before this text.
fn begins_anew(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::engine::{EngineOptions, Strength};
    use crate::player::EnginePlayer;
    use crate::toy::toy;

    /// The answer to the last line of a conversation.
    const GOODBYE: &str = "info error unknown: goodbye\n";

    /// Returns the answers of an engine whose input ends when it has given all of them.
    fn conversation(said: impl AsRef<[u8]>) -> String {
        let (input, mut questions) = io::pipe().expect("a pipe");
        let (mut answers, output) = io::pipe().expect("a pipe");
        let seat = |game: &SharedGame, depth: Option<u32>, _: &_| -> Box<dyn Player> {
            let strength = Strength::Depth(depth.unwrap_or(9));
            Box::new(EnginePlayer::new(game.engine(EngineOptions::default()), strength))
        };
        let said = [said.as_ref(), b"\ngoodbye\n"].concat();
        std::thread::scope(|scope| {
            scope.spawn(|| serve(io::BufReader::new(input), output, &toy(), seat));
            questions.write_all(&said).expect("a listener");
            let mut text = Vec::new();
            let mut bytes = [0; 1 << 12];
            while let Ok(length @ 1..) = answers.read(&mut bytes) {
                text.extend_from_slice(&bytes[..length]);
                if text.ends_with(GOODBYE.as_bytes()) {
                    text.truncate(text.len() - GOODBYE.len());
                    break;
                }
            }
            drop(questions);
            String::from_utf8(text).expect("text")
        })
    }

    #[test]
    fn an_engine_answers_what_it_is_asked() {
        let said =
            "newgame tictactoe standard\nisready\nposition startpos moves 5 2\ngo wall 60000\n";
        assert_eq!(conversation(said), "readyok\nbestmove 1 depth 5 score 29995 bound exact\n");
        let said = "\r\nposition XX./OO./.../X moves\r\nwhat?\r\ngo depth 1\r\nquit\r\nisready\r\n";
        let answers = "info error unknown: what?\nbestmove 3 depth 1 score 29999 bound exact\n";
        assert_eq!(conversation(said), answers);
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
        let answers = conversation(b"isready\n\xff\xfe\nisready\n");
        assert!(answers.starts_with("readyok\ninfo error unknown: "), "{answers}");
        assert!(answers.ends_with("\nreadyok\n"), "{answers}");
        let long = conversation("what ".repeat(10_000));
        assert!(long.len() < 200, "{long}");
    }

    #[test]
    fn an_engine_knows_its_game_and_the_protocol() {
        assert_eq!(conversation("protocol\n"), "protocol 1\n");
        let answers = conversation("newgame chess standard first\nnewgame tictactoe odd first\n");
        let expected = "info error this is an engine for tictactoe, not for chess\n\
                        info error there are no rules called odd\n";
        assert_eq!(answers, expected);
        assert_eq!(conversation("newgame\ngameover 1-0 by the rules\n"), "");
    }

    #[test]
    fn who_has_no_move_resigns() {
        assert_eq!(conversation("position XXX/OO./.../O\ngo\n"), "resign\n");
    }

    #[test]
    fn last_lines_are_kept() {
        let info = InfoLines::default();
        for line in ["bestmove 4", "information", "info", " info depth 3"] {
            info.hear(line);
        }
        assert_eq!(info.text(), "\ndepth 3");
        (0..MOST).for_each(|number| info.hear(&format!("info {number}")));
        assert_eq!(info.text().lines().next(), Some("0"));
    }

    #[test]
    fn turn_has_what_is_said_in_it() {
        let info = InfoLines::default();
        info.hear("info depth 5 nodes 10");
        info.hear("info depth 6");
        assert_eq!((info.said().depth, info.said().nodes), (Some(6), Some(10)));
        info.begin_turn();
        info.hear("bestmove 4 depth 9");
        assert!(info.said().is_empty());
    }
}
