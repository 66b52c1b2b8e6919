//! The session of the USF assignment: it asks for the number of humans, and plays a game.

use std::io::{self, IsTerminal};

use plyground::{Game, Side};
use plyground_host::player::{Console, Input, Player};
use plyground_host::referee::{self, Conduct, Event, Interrupted, Observer};
use plyground_host::{Ending, Fault, HostedPosition, MoveText, Reason};

use crate::adapter::game;
use crate::color::{PlayerNumber, Rules};
use crate::moves::{Move, Notation, Square};
use crate::players::{ComputerPlayer, HumanPlayer};
use crate::position::Position;

const HUMANS_PROMPT: &str = "Enter the number of human players (0, 1 or 2): ";
const BAD_HUMANS: &str = "The number of human players must be 0, 1 or 2\n";
const END_OF_INPUT: &str = "End of input: the session ends here.\n";

/// Plays a game on standard input and output. At a terminal it plays one game; from a pipe or a file, more
/// games follow as long as there is input after the last.
pub fn run() -> Result<(), Interrupted> {
    let console = Console::standard();
    loop {
        let Some(humans) = ask_humans(&console)? else {
            console.show(END_OF_INPUT)?;
            return Ok(());
        };
        let ending = play(&console, humans)?;
        if is_end_of_input(&ending) || io::stdin().is_terminal() || console.is_at_end()? {
            return Ok(());
        }
    }
}

/// Returns the number of human players, or `None` at the end of the input.
fn ask_humans(console: &Console) -> io::Result<Option<usize>> {
    loop {
        let Input::Line(line) = console.ask(HUMANS_PROMPT, None)? else { return Ok(None) };
        match line.trim() {
            "0" => return Ok(Some(0)),
            "1" => return Ok(Some(1)),
            "2" => return Ok(Some(2)),
            _ => console.show(BAD_HUMANS)?,
        }
    }
}

/// Plays a game with this number of humans; a single one is player 1.
fn play(console: &Console, humans: usize) -> Result<Ending, Interrupted> {
    let is_human = Side::BOTH.map(|side| side.index() < humans);
    let [mut first, mut second] = Side::BOTH.map(|side| -> Box<dyn Player> {
        let number = PlayerNumber::of_side(side);
        if is_human[side.index()] {
            Box::new(HumanPlayer::new(number, console.clone()))
        } else {
            Box::new(ComputerPlayer::new(number))
        }
    });
    let players: [&mut dyn Player; 2] = [&mut *first, &mut *second];
    let mut screen = Screen { console, is_human };
    let start = game(Rules::Usf).start();
    Ok(referee::play(&start, players, &Conduct::default(), &mut screen)?.ending)
}

fn is_end_of_input(ending: &Ending) -> bool {
    matches!(ending.reason, Reason::Forfeit { fault: Fault::EndOfInput, .. })
}

/// Shows a game in the form of the assignment.
struct Screen<'a> {
    console: &'a Console,
    /// If true, a human plays the side, by [`Side::index`].
    is_human: [bool; 2],
}

impl Observer for Screen<'_> {
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()> {
        let text = match *event {
            // Only a human must see the board before the first move.
            Event::Start { .. } if self.is_human == [false; 2] => return Ok(()),
            Event::Start { position } | Event::TakenBack { position } => board(position),
            Event::Moved { before, played, after, .. } => {
                let side = before.side_to_move();
                if self.is_human[side.index()] {
                    board(after)
                } else {
                    let (number, mv) = (PlayerNumber::of_side(side), usf_text(played.mv));
                    format!("Player {number}: {mv}\n{}", board(after))
                }
            }
            Event::Rejected { by, mv } => rejection(by, mv),
            Event::End { ending, .. } if is_end_of_input(ending) => END_OF_INPUT.to_owned(),
            Event::End { position, ending } => last_words(position, ending),
        };
        self.console.show(&text)
    }
}

/// Returns the board of the assignment: the pieces by their players' numbers.
fn board(position: &HostedPosition) -> String {
    let Some(position) = position.typed::<Position>() else { return String::new() };
    let numbers = (1..=Square::SIDE).map(|number| number.to_string()).collect::<Vec<_>>();
    let mut text = format!("  {}\n", numbers.join(" "));
    for (letter, y) in ('A'..).zip(0..Square::SIDE) {
        let squares = (0..Square::SIDE).filter_map(|x| Square::new(x, y));
        let cells = squares.map(|square| match position.chip_at(square) {
            Some(color) => PlayerNumber::of_color(color).to_string(),
            None => ".".to_owned(),
        });
        text += &format!("{letter}:{}\n", cells.collect::<Vec<_>>().join(" "));
    }
    text
}

fn rejection(by: Side, mv: MoveText) -> String {
    let (number, mv) = (PlayerNumber::of_side(by), usf_text(mv));
    format!("Player {number} takes {mv} for a bad move, which it is not\n")
}

/// Returns a move as the assignment writes it.
fn usf_text(mv: MoveText) -> String {
    let mv = mv.as_str().parse::<Move>();
    mv.map_or_else(|_| String::new(), |mv| Notation::Usf.write_move(mv))
}

/// Returns the text of the winner, the network, and the result.
fn last_words(position: &HostedPosition, ending: &Ending) -> String {
    let result = ending.result();
    let Some(winner) = ending.winner else {
        return format!("Nobody wins.\nResult: {result} (no end in sight)\n");
    };
    let [winner, loser] = [winner, winner.other()].map(PlayerNumber::of_side);
    let position = position.typed::<Position>();
    let network = position.and_then(|position| position.network(winner.color()));
    match (&ending.reason, network) {
        (Reason::Forfeit { fault, .. }, _) => {
            format!("Player {winner} wins!\nResult: {result} (Player {loser}: {fault})\n")
        }
        (_, Some(network)) => {
            let names = network.iter().map(|&square| Notation::Usf.write_square(square));
            let network = names.collect::<Vec<_>>().join(" ");
            format!("Player {winner} wins!\n{network}\nResult: {result} (network {network})\n")
        }
        (_, None) => {
            let reason = format!("Player {loser} has no legal move");
            format!("Player {winner} wins!\n{reason}\nResult: {result} ({reason})\n")
        }
    }
}
