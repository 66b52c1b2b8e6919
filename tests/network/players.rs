//! The players of the USF assignment, used as a program would use them.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use network::{
    Color, ComputerPlayer, HumanPlayer, Move, NoMove, Notation, PlayerNumber, Position, Rules,
};
use plyground::Game;
use plyground_host::player::{Console, Lines};

/// Keeps what is written.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::ErrorKind::Other)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("paper")).into_owned()
    }
}

fn human(number: PlayerNumber, input: &'static str) -> (HumanPlayer, Paper) {
    let paper = Paper::default();
    let console = Console::new(Lines::new(Cursor::new(input)), paper.clone(), true);
    (HumanPlayer::new(number, console), paper)
}

fn mv(text: &str) -> Move {
    Notation::Usf.parse_move(text).expect("a move")
}

#[test]
fn player_numbers_are_1_and_2() {
    assert_eq!(PlayerNumber::try_from(1), Ok(PlayerNumber::One));
    assert_eq!(PlayerNumber::try_from(2), Ok(PlayerNumber::Two));
    for number in [0, 3] {
        let error = PlayerNumber::try_from(number).expect_err("no such player");
        assert_eq!(error.to_string(), format!("there is no player {number}: expected 1 or 2"));
    }
    assert_eq!(PlayerNumber::One.color(), Color::Black);
    assert_eq!(PlayerNumber::of_color(Color::White), PlayerNumber::Two);
}

#[test]
fn human_player_asks_until_move_is_legal() -> Result<(), NoMove> {
    let (mut player, paper) = human(PlayerNumber::One, "A1\nB1\nd4\n");
    assert_eq!(player.get_move()?, mv("D4"));
    let prompt = "Player 1: Enter row and column position to place piece:";
    let expected = format!(
        "{prompt}Player 1: Bad move!\nPosition in corner\n\
         {prompt}Player 1: Bad move!\nPosition in opponent goal\n{prompt}"
    );
    assert_eq!(paper.text(), expected);
    assert!(matches!(player.get_move(), Err(NoMove::NotTheirTurn(PlayerNumber::One))));
    Ok(())
}

#[test]
fn human_player_knows_moves_of_opponent() {
    let (mut player, paper) = human(PlayerNumber::Two, "D4\nD5\n");
    assert!(matches!(player.get_move(), Err(NoMove::NotTheirTurn(_))));
    assert!(!player.opponent_move(mv("A1")));
    assert!(player.opponent_move(mv("D4")));
    assert!(!player.opponent_move(mv("D5")), "it is the turn of player 2");
    assert_eq!(player.get_move().ok(), Some(mv("D5")));
    assert!(paper.text().contains("Player 2: Bad move!\nPosition already occupied\n"));
    assert!(player.opponent_move(mv("F4")));
    assert!(matches!(player.get_move(), Err(NoMove::EndOfInput)));
}

#[test]
fn computer_player_makes_legal_moves_in_its_turn() {
    let mut computer = ComputerPlayer::new(PlayerNumber::Two);
    assert_eq!(computer.get_move(), None);
    assert!(!computer.opponent_move(mv("D1")), "the opponent's goal");
    assert!(computer.opponent_move(mv("D4")));
    let mut position = Position::new(Rules::Usf);
    position.play(mv("D4")).expect("a legal move");
    let answer = computer.get_move().expect("a move");
    assert_eq!(position.play(answer), Ok(()));
    assert_eq!(computer.get_move(), None);
}
