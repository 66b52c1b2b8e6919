//! Network: its rules, state files and notations, the evaluation, searches and the assignments' players.
//! Here are state files, and squares and moves as text; and the players of the USF assignment, used as a program
//! would use them.

mod rules;
mod samples;
mod search;

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use network::naive::Board;
use network::{
    ChipEval, Color, ComputerPlayer, HumanPlayer, MachinePlayer, Move, NoMove, Notation,
    NotationError, PlayerNumber, Position, Rules, parse_state,
};
use plyground::{AlphaBeta, Game, Limits, Outcome, Search};
use plyground_host::player::{Console, Lines};
use plyground_host::state::StateText;
use rand::prelude::*;

use samples::every_move;

const ROWS: &str =
    "...B..B.\nW..B..B.\nWB..W.W.\n...WB.B.\n.W.B....\n.B.WW.W.\n.B....W.\n........\n";

fn state(last: &str) -> String {
    format!("{ROWS}{last}")
}

fn read(text: &str) -> Position {
    let text = StateText::new(text.to_owned());
    parse_state(&text, Rules::Berkeley).unwrap_or_else(|fault| panic!("{fault}\n{text:?}"))
}

fn refusal(text: &str) -> String {
    match parse_state(&StateText::new(text.to_owned()), Rules::Berkeley) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(fault) => fault.to_string(),
    }
}

/// The text with its row `y` replaced.
fn with_row(y: usize, row: &str) -> String {
    let text = state("B\n");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[y] = row;
    lines.join("\n")
}

#[test]
fn state_file_is_rows_and_the_color_to_move() {
    let position = read(&state("B\n"));
    assert_eq!(position.to_move(), Color::Black);
    assert_eq!(position.chips(Color::White).len(), 10);
    assert_eq!(position.in_hand(Color::Black), 0);
    assert_eq!(position.to_string(), state("B"));
    assert_eq!(read(&state("W")).to_move(), Color::White);
}

#[test]
fn color_to_move_is_the_same_under_both_rules() {
    for (last, color) in [("B", Color::Black), ("W", Color::White)] {
        let position = parse_state(&StateText::new(state(last)), Rules::Usf);
        assert_eq!(position.map(|position| position.to_move()), Ok(color));
    }
}

#[test]
fn random_positions_survive_a_file() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..2_000 {
        let position = samples::any_phase(&mut rng);
        let text = StateText::from_lines(&position.to_string());
        assert_eq!(parse_state(&text, position.rules()), Ok(position));
    }
}

#[test]
fn blanks_and_empty_lines_at_the_ends_do_not_matter() {
    let expected = read(&state("B\n"));
    let blanks: String = state("B\n").chars().map(|symbol| format!(" {symbol}\t")).collect();
    for text in [blanks, format!("\n \n{}\n\t\n\n", state("B")), format!("\r\n{}", state("B"))] {
        assert_eq!(read(&text), expected, "{text:?}");
    }
}

#[test]
fn faults_of_the_text_are_located() {
    let color = "expected the color to move, `W` or `B`";
    let rows = "expected 8 rows of 8 cells";
    let cases = [
        (with_row(2, "WB..x.W."), "3:5: expected `.`, `W` or `B`, found `x`".to_owned()),
        (with_row(2, "wB..W.W."), "3:1: expected `.`, `W` or `B`, found `w`".into()),
        (with_row(0, " . .. 0 "), "1:7: expected `.`, `W` or `B`, found `0`".into()),
        (with_row(4, ".W.B..."), "5:8: expected a row of 8 cells, found 7".into()),
        (with_row(4, ".W.B. . . .W"), "5:12: expected a row of 8 cells, found 9".into()),
        (String::new(), format!("1:1: {rows}, found an empty file")),
        (format!("{}B\n", &ROWS[..63]), format!("8:1: {rows}, found 7 rows")),
        (ROWS.into(), format!("8:9: {color}, found the end of the file")),
        (state("........\nB"), format!("9:1: {color}, after 8 rows, found another row")),
        (state("b"), format!("9:1: {color}, found `b`")),
        (state(" WB"), "9:3: expected the end of the line after `W`, found `B`".into()),
        (
            state("W\n\n  ?"),
            "11:3: expected the end of the file after its last line, found `?`".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), expected, "{text:?}");
        // The kind of line end is no reason to count differently.
        assert_eq!(refusal(&text.replace('\n', "\r\n")), expected, "{text:?}");
        assert_eq!(refusal(&text.replace('\n', "\r")), expected, "{text:?}");
    }
}

#[test]
fn faults_of_the_chips_are_located() {
    let cases = [
        (with_row(7, ".......B"), "8:8: expected `.` in a corner, found a chip"),
        (with_row(3, "...WB.BB"), "4:8: expected `.` or `W` in a goal of White, found `B`"),
        (with_row(7, " . W ......"), "8:4: expected `.` or `B` in a goal of Black, found `W`"),
        (with_row(7, ".....B.."), "8:6: expected at most 10 chips of Black, found 11"),
        (
            with_row(1, "W....BB."),
            "1:7: expected at most one neighbor of its color for a chip of Black, found two",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}

#[test]
fn every_notation_reads_what_it_writes() {
    for notation in [Notation::Berkeley, Notation::Usf] {
        for mv in every_move() {
            let text = notation.write_move(mv);
            assert_eq!(notation.parse_move(&text), Ok(mv), "{text}");
        }
    }
    for mv in every_move() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
}

#[test]
fn texts_of_the_assignments() {
    let add: Move = "34".parse().unwrap();
    let step: Move = "34-56".parse().unwrap();
    assert_eq!((add.to().x(), add.to().y()), (3, 4));
    assert_eq!((step.from().map(|from| (from.x(), from.y())), step.to().x()), (Some((3, 4)), 5));
    assert_eq!("[add to 34]".parse(), Ok(add));
    assert_eq!("[step from 34 to 56]".parse(), Ok(step));
    assert_eq!(" 34 - 56 ".parse(), Ok(step));
}

#[test]
fn usf_letters_are_rows_and_case_and_blanks_do_not_matter() {
    let add: Move = "30".parse().unwrap();
    let step: Move = "30-41".parse().unwrap();
    for text in ["A4", "a4", "A 4", " a  4 "] {
        assert_eq!(Notation::Usf.parse_move(text), Ok(add), "{text}");
    }
    for text in ["A4 B5", "A4B5", "a4b5", "a 4 b 5"] {
        assert_eq!(Notation::Usf.parse_move(text), Ok(step), "{text}");
    }
    assert_eq!(Notation::Usf.write_move(step), "A4 B5");
}

fn refusal_in(notation: Notation, text: &str) -> String {
    notation.parse_move(text).expect_err(text).to_string()
}

#[test]
fn squares_off_the_board_are_named() {
    for (text, square) in [("38", "38"), ("93", "93"), ("34-85", "85"), ("[add to 80]", "80")] {
        let expected = format!("square {square} is off the board");
        assert_eq!(refusal_in(Notation::Berkeley, text), expected);
    }
    let texts = [("A9", "A9"), ("A0", "A0"), ("i4", "I4"), ("A4 B12", "B12"), ("C999", "C999")];
    for (text, square) in texts {
        let expected = NotationError::OffBoard { square: square.to_owned() };
        assert_eq!(Notation::Usf.parse_move(text), Err(expected));
    }
}

#[test]
fn other_texts_are_refused_with_what_was_expected() {
    let texts = [
        "",
        "3",
        "345",
        "3 4",
        "a4",
        "34-",
        "-34",
        "34-5",
        "34-56-12",
        "34 56",
        "[add 34]",
        "[add to 34",
        "[step from 34 to]",
        "[add to 3 4]",
        "٣٤",
        "3\u{e9}",
    ];
    for text in texts {
        assert_eq!(
            refusal_in(Notation::Berkeley, text),
            format!(
                "cannot read a move in `{text}`: expected a square such as `34`, or two such as \
                 `34-56`"
            )
        );
    }
    for text in ["", "A", "4", "4A", "AB", "A4 B", "A4 B5 C6", "A-4", "A4-B5", "É4", "quit"] {
        assert_eq!(
            refusal_in(Notation::Usf, text),
            format!(
                "cannot read a move in `{text}`: expected a position such as `A4`, or two such as \
                 `A4 B5`"
            )
        );
    }
}

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
fn players_have_the_colors_of_their_goals() {
    assert_eq!(PlayerNumber::One.to_string(), "1");
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

/// A game of random moves that goes on after `plies` of them, or `None` if it has ended.
fn random_game(plies: usize, rng: &mut StdRng) -> Option<(Vec<Move>, Position)> {
    let (mut moves, mut position) = (Vec::new(), Position::new(Rules::Berkeley));
    for _ in 0..plies {
        let mv = samples::random_move(&position, rng);
        position.play_unchecked(mv);
        moves.push(mv);
        if position.outcome().is_some() {
            return None;
        }
    }
    Some((moves, position))
}

/// Positions of all phases with the moves that lead there.
fn random_games(count: usize, rng: &mut StdRng) -> Vec<(Vec<Move>, Position)> {
    let mut games = Vec::new();
    while games.len() < count {
        let plies = rng.random_range(0..40);
        games.extend(random_game(plies, rng));
    }
    games
}

/// A player to move after these moves.
fn seated(moves: &[Move], position: &Position, depth: u32) -> MachinePlayer {
    let color = position.to_move();
    let mut player = MachinePlayer::with_depth(color, depth);
    set_up(&mut player, moves);
    player
}

fn set_up(player: &mut MachinePlayer, moves: &[Move]) {
    let mut mover = Color::White;
    for &mv in moves {
        let accepted =
            if mover == player.color() { player.force_move(mv) } else { player.opponent_move(mv) };
        assert!(accepted, "{mv}");
        mover = mover.other();
    }
}

fn wins(position: &Position, mv: Move) -> bool {
    position.after(mv).outcome() == Some(Outcome::Win(position.side_to_move()))
}

fn has_win(position: &Position) -> bool {
    position.legal_moves().any(|mv| wins(position, mv))
}

/// Returns `true` if the opponent cannot win with the next move.
fn is_safe(position: &Position, mv: Move) -> bool {
    let next = position.after(mv);
    match next.outcome() {
        Some(outcome) => outcome.winner() == Some(position.side_to_move()),
        None => !has_win(&next),
    }
}

#[test]
fn statements_1_and_2_legal_moves_are_accepted_and_illegal_ones_refused() {
    let mut rng = StdRng::seed_from_u64(1);
    for (moves, position) in random_games(60, &mut rng) {
        let board = Board::from_text(&position.to_string(), false).unwrap();
        let legal: Vec<String> = board.legal_moves().into_iter().map(|mv| mv.text()).collect();
        let mut mover = MachinePlayer::with_depth(position.to_move(), 1);
        let mut opponent = MachinePlayer::with_depth(position.to_move().other(), 1);
        set_up(&mut mover, &moves);
        set_up(&mut opponent, &moves);
        for mv in every_move().filter(|mv| !legal.contains(&mv.to_string())) {
            assert!(!mover.force_move(mv) && !opponent.opponent_move(mv), "{mv}\n{position}");
        }
        for name in &legal {
            let mv: Move = name.parse().expect("a move");
            // Whose turn it is matters, too.
            assert!(!mover.opponent_move(mv) && !opponent.force_move(mv), "{mv}\n{position}");
        }
        assert_eq!((mover.position(), opponent.position()), (&position, &position));
        let mv: Move = legal.choose(&mut rng).expect("a legal move").parse().expect("a move");
        assert!(mover.force_move(mv) && opponent.opponent_move(mv));
        assert_eq!(
            (mover.position(), opponent.position()),
            (&position.after(mv), &position.after(mv))
        );
    }
}

#[test]
fn statement_3_only_legal_moves_are_chosen() {
    let mut rng = StdRng::seed_from_u64(3);
    for (index, (moves, position)) in random_games(150, &mut rng).into_iter().enumerate() {
        let mut player = seated(&moves, &position, 1 + index as u32 % 3);
        let chosen = player.choose_move().expect("a game that goes on");
        let board = Board::from_text(&position.to_string(), false).unwrap();
        let legal: Vec<String> = board.legal_moves().into_iter().map(|mv| mv.text()).collect();
        assert!(legal.contains(&chosen.to_string()), "{chosen}\n{position}");
        assert_eq!(player.position(), &position.after(chosen));
        assert_eq!(player.choose_move(), None, "it is the opponent's turn");
    }
}

#[test]
fn statement_4_a_win_is_taken_at_once() {
    let mut rng = StdRng::seed_from_u64(4);
    let mut seen = 0;
    while seen < 150 {
        let plies = rng.random_range(10..50);
        let Some((moves, position)) = random_game(plies, &mut rng) else { continue };
        if !has_win(&position) {
            continue;
        }
        let depth = 1 + seen % 4;
        let chosen = seated(&moves, &position, depth).choose_move().expect("a move");
        assert!(wins(&position, chosen), "depth {depth}: {chosen}\n{position}");
        seen += 1;
    }
}

#[test]
fn statement_4_holds_for_the_default_player() {
    let mut rng = StdRng::seed_from_u64(40);
    let mut seen = 0;
    while seen < 20 {
        let Some((moves, position)) = random_game(24, &mut rng) else { continue };
        if has_win(&position) {
            let mut player = MachinePlayer::new(position.to_move());
            set_up(&mut player, &moves);
            let chosen = player.choose_move().expect("a move");
            assert!(wins(&position, chosen), "{chosen}\n{position}");
            seen += 1;
        }
    }
}

#[test]
fn statement_5_a_loss_is_avoided_where_it_can_be() {
    let mut rng = StdRng::seed_from_u64(5);
    let mut seen = 0;
    while seen < 150 {
        let plies = rng.random_range(10..50);
        let Some((moves, position)) = random_game(plies, &mut rng) else { continue };
        let safe = position.legal_moves().filter(|&mv| is_safe(&position, mv)).count();
        let is_threatened = safe > 0 && safe < position.legal_moves().count();
        if has_win(&position) || !is_threatened {
            continue;
        }
        let depth = 2 + seen % 2;
        let chosen = seated(&moves, &position, depth).choose_move().expect("a move");
        assert!(is_safe(&position, chosen), "depth {depth}: {chosen}\n{position}");
        seen += 1;
    }
}

#[test]
fn sooner_wins_come_first() {
    let mut rng = StdRng::seed_from_u64(55);
    let mut search = AlphaBeta::new(ChipEval, plyground::search::Options::default());
    let mut seen = 0;
    while seen < 30 {
        let plies = rng.random_range(8..20);
        let Some((moves, position)) = random_game(plies, &mut rng) else { continue };
        let report = search.best(&position, &Limits::depth(3)).expect("a game that goes on");
        if report.score().plies_to_end() != Some(3) {
            continue;
        }
        // Deeper searches see slower wins, too, and must not prefer them.
        let chosen = seated(&moves, &position, 5).choose_move().expect("a move");
        let next = position.after(chosen);
        let replies_lose = next.legal_moves().all(|reply| {
            let after = next.after(reply);
            let won = Some(Outcome::Win(position.side_to_move()));
            after.outcome().map_or_else(|| has_win(&after), |outcome| Some(outcome) == won)
        });
        assert!(replies_lose, "{chosen}\n{position}");
        seen += 1;
    }
}

/// Returns `true` if the machine, looking two plies ahead, wins a game against random moves.
fn beats_random(color: Color, seed: u64) -> bool {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut machine = MachinePlayer::with_depth(color, 2);
    let mut position = Position::new(Rules::Berkeley);
    for _ in 0..200 {
        let mv = if position.to_move() == color {
            machine.choose_move().expect("a game that goes on")
        } else {
            let mv = samples::random_move(&position, &mut rng);
            assert!(machine.opponent_move(mv));
            mv
        };
        position.play(mv).expect("a legal move");
        if let Some(outcome) = position.outcome() {
            return outcome == Outcome::Win(Rules::Berkeley.side(color));
        }
    }
    false
}

#[test]
fn statement_6_random_is_beaten() {
    for seed in 0..30 {
        assert!(beats_random(Color::White, seed), "White, seed {seed}");
        assert!(beats_random(Color::Black, seed), "Black, seed {seed}");
    }
}
