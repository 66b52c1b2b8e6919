//! The players of both assignments: Berkeley's, and USF's engine and human players; and the session of USF's
//! assignment, which asks for the number of humans and plays a game.

use std::fmt;
use std::io::{self, IsTerminal};

use plyground::search::MAX_DEPTH;
use plyground::{Game, Side};
use plyground_durable::excerpt;
use plyground_host::player::{Answer, Console, Input, Player, ProposedMove, Turn};
use plyground_host::referee::{self, Conduct, Event, Interrupted, Observer};
use plyground_host::{
    ChosenMove, Constraints, Ending, EngineOptions, Fault, HostedEngine, HostedPosition, MoveText,
    Reason, Strength, host_position,
};
use thiserror::Error;

use crate::adapter::{Network, game};
use crate::color::{Color, PlayerNumber, Rules};
use crate::legal::WhyIllegal;
use crate::moves::{Move, Notation, NotationError, Square};
use crate::position::Position;

/// A player of Berkeley's game that keeps its own board and chooses moves by search.
///
/// Tell the player every move of the game, in order: its opponent's with
/// [`opponent_move`](MachinePlayer::opponent_move), its own by asking for one with
/// [`choose_move`](MachinePlayer::choose_move) or by imposing one with
/// [`force_move`](MachinePlayer::force_move). The board is empty in the beginning, White moves
/// first, and the players take turns. `docs/architecture.md` has an example.
#[derive(Debug)]
pub struct MachinePlayer {
    color: Color,
    position: Position,
    machine: Machine,
}

impl MachinePlayer {
    /// Makes a player of `color` on an empty board that chooses its search depth itself.
    ///
    /// It looks for forced wins, and searches one ply, then two, and so on, for as long as
    /// [`DEFAULT_TIME`](plyground_host::DEFAULT_TIME) of wall-clock time, or until it has proven that one
    /// side wins. If it probably has a forced win, it searches for up to four seconds. That is always
    /// within the five seconds of the assignment. White wins from the empty board, by the eighth chip; see
    /// [`ForcedWins`](crate::ForcedWins).
    #[must_use]
    pub fn new(color: Color) -> MachinePlayer {
        MachinePlayer::with_strength(color, Strength::Default)
    }

    /// Makes a player of `color` on an empty board that looks exactly `depth` plies ahead in every
    /// position, without a limit of time.
    ///
    /// A ply is a move of one side: with 1 it sees the positions after its own move, with 2 also
    /// the opponent's replies. 0 counts as 1, and more than [`MAX_DEPTH`] as [`MAX_DEPTH`].
    #[must_use]
    pub fn with_depth(color: Color, depth: u32) -> MachinePlayer {
        MachinePlayer::with_strength(color, Strength::Depth(depth.clamp(1, MAX_DEPTH)))
    }

    fn with_strength(color: Color, strength: Strength) -> MachinePlayer {
        let rules = Rules::Berkeley;
        let machine = Machine::new(rules, strength);
        MachinePlayer { color, position: Position::new(rules), machine }
    }

    /// Returns the color that the player plays.
    #[must_use]
    pub fn color(&self) -> Color {
        self.color
    }

    /// Returns the player's board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Chooses a legal move, makes it on the player's board, and returns it.
    ///
    /// The move has the greatest minimax value at the depth searched. The value of a position in which the
    /// game is over is a win or a loss; an earlier win and a later loss are worth more, and any win is worth
    /// more than any position in which the game goes on, which [`ChipEval`](crate::ChipEval) values at the
    /// horizon. A move that wins at once is always taken, and at depth 2 or more a move that lets the
    /// opponent win at once is never taken if there is another.
    ///
    /// Returns `None`, and changes nothing, if the game is over or if it is not the player's turn.
    pub fn choose_move(&mut self) -> Option<Move> {
        if self.position.to_move() != self.color {
            return None;
        }
        self.machine.play(&mut self.position).map(|(mv, _)| mv)
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal.
    ///
    /// Returns true if the move is legal. It is illegal if it is not the opponent's turn, if the game is
    /// over, and if the rules forbid it ([`Position::check_legal`](Game::check_legal)); the player then
    /// stays unchanged.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.play(self.color.other(), mv)
    }

    /// Makes `mv` on the player's board as its own move, if it is legal.
    ///
    /// Returns true if the move is legal. It is illegal if it is not the player's turn, if the game is over,
    /// and if the rules forbid it; the player then stays unchanged.
    pub fn force_move(&mut self, mv: Move) -> bool {
        self.play(self.color, mv)
    }

    fn play(&mut self, color: Color, mv: Move) -> bool {
        self.position.to_move() == color && self.position.play(mv).is_ok()
    }
}

/// A player of USF's game that keeps its own board and chooses moves by search.
///
/// Tell the player every move of the opponent with
/// [`opponent_move`](ComputerPlayer::opponent_move), and ask for its own with
/// [`get_move`](ComputerPlayer::get_move). Player 1 moves first.
#[derive(Debug)]
pub struct ComputerPlayer {
    number: PlayerNumber,
    position: Position,
    machine: Machine,
}

impl ComputerPlayer {
    /// Makes a player on an empty board. It thinks about a move for
    /// [`DEFAULT_TIME`](plyground_host::DEFAULT_TIME), less if it knows the winner, and up to four seconds
    /// if it probably has a forced win. Player 1 wins from the empty board, by the eighth piece; see
    /// [`ForcedWins`](crate::ForcedWins).
    #[must_use]
    pub fn new(number: PlayerNumber) -> ComputerPlayer {
        let rules = Rules::Usf;
        let machine = Machine::new(rules, Strength::Default);
        ComputerPlayer { number, position: Position::new(rules), machine }
    }

    /// Returns the number of the player.
    #[must_use]
    pub fn number(&self) -> PlayerNumber {
        self.number
    }

    /// Chooses a legal move, makes it on the player's board, and returns it. Returns `None`, and changes
    /// nothing, if the game is over or it is not the player's turn.
    pub fn get_move(&mut self) -> Option<Move> {
        self.choose().map(|(mv, _)| mv)
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal and the opponent's turn.
    /// Returns true if the move was made.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.position.to_move() != self.number.color() && self.position.play(mv).is_ok()
    }

    fn choose(&mut self) -> Option<(Move, ChosenMove)> {
        let is_own_turn = self.position.to_move() == self.number.color();
        is_own_turn.then(|| self.machine.play(&mut self.position))?
    }
}

impl Player for ComputerPlayer {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        let (_, ChosenMove { mv, value, depth, .. }) = self.choose().ok_or(Fault::NoMove)?;
        Ok(Answer::Move(ProposedMove { mv, value: Some(value), depth }))
    }

    fn opponent_move(&mut self, _: &HostedPosition, mv: MoveText) -> bool {
        mv.as_str().parse().is_ok_and(|mv| ComputerPlayer::opponent_move(self, mv))
    }
}

/// A player of USF's game who types moves. The wording comes from the assignment.
///
/// The player keeps a board, by which it recognizes bad moves. Tell it every move of the opponent with
/// [`opponent_move`](HumanPlayer::opponent_move), and ask for its own with
/// [`get_move`](HumanPlayer::get_move). Player 1 moves first.
#[derive(Debug)]
pub struct HumanPlayer {
    number: PlayerNumber,
    position: Position,
    console: Console,
}

/// The reason that a human player makes no move.
#[derive(Debug, Error)]
pub enum NoMove {
    /// The input has ended.
    #[error("the input has ended")]
    EndOfInput,
    /// The game is over, or it is the opponent's turn.
    #[error("it is not the turn of player {0}")]
    NotTheirTurn(PlayerNumber),
    /// The console cannot be read or written.
    #[error("cannot talk to the player: {0}")]
    Console(#[from] io::Error),
}

impl HumanPlayer {
    /// Makes a player at `console` with an empty board.
    #[must_use]
    pub fn new(number: PlayerNumber, console: Console) -> HumanPlayer {
        HumanPlayer { number, position: Position::new(Rules::Usf), console }
    }

    /// Returns the number of the player.
    #[must_use]
    pub fn number(&self) -> PlayerNumber {
        self.number
    }

    /// Asks for a move until the answer is a legal one, with the reason after every bad one;
    /// makes it on the player's board, and returns it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no move; nothing is changed then.
    pub fn get_move(&mut self) -> Result<Move, NoMove> {
        let (number, color) = (self.number, self.number.color());
        if self.position.outcome().is_some() || self.position.to_move() != color {
            return Err(NoMove::NotTheirTurn(number));
        }
        let what = if self.position.in_hand(color) > 0 {
            "row and column position to place piece"
        } else {
            "row and column position of piece to move, then of its new place"
        };
        loop {
            let prompt = format!("Player {number}: Enter {what}:");
            let Input::Line(line) = self.console.ask(&prompt, None)? else {
                return Err(NoMove::EndOfInput);
            };
            match self.understand(&line) {
                Ok(mv) => {
                    self.position.play_unchecked(mv);
                    return Ok(mv);
                }
                Err(why) => self.console.show(&format!("Player {number}: Bad move!\n{why}\n"))?,
            }
        }
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal and the opponent's turn.
    /// Returns true if the move was made.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.position.to_move() != self.number.color() && self.position.play(mv).is_ok()
    }

    /// Returns the legal move that a line stands for, or the reason that it is a bad one.
    fn understand(&self, line: &str) -> Result<Move, String> {
        let unreadable = || format!("Cannot read a position in: {}", excerpt(line.trim()));
        let mv = Notation::Usf.parse_move(line).map_err(|error| match error {
            NotationError::OffBoard { .. } => "Position is off the board".to_owned(),
            NotationError::Unreadable { .. } => unreadable(),
        })?;
        let illegal = match self.position.check_legal(mv) {
            Ok(()) => return Ok(mv),
            Err(illegal) => illegal,
        };
        let reason = match illegal.why {
            WhyIllegal::Corner { .. } => "Position in corner",
            WhyIllegal::OpponentGoal { .. } => "Position in opponent goal",
            WhyIllegal::Occupied { .. } => "Position already occupied",
            WhyIllegal::GroupOfThree { .. } => "Position would form clump",
            WhyIllegal::BothNetworks => "Move would create networks for both players",
            WhyIllegal::EmptyOrigin { .. } | WhyIllegal::NotYourChip { .. } => {
                "No piece of yours there"
            }
            WhyIllegal::SamePlace => "Piece must move to a different position",
            // The line has one position where two are expected, or two where one is.
            WhyIllegal::StillHasChipsInHand { .. }
            | WhyIllegal::NoChipsInHand
            | WhyIllegal::GameOver => return Err(unreadable()),
        };
        Err(reason.to_owned())
    }
}

impl Player for HumanPlayer {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        match self.get_move() {
            Ok(mv) => Ok(Answer::Move(MoveText::of(&mv).into())),
            Err(NoMove::EndOfInput) => Err(Fault::EndOfInput),
            Err(NoMove::NotTheirTurn(_)) => Err(Fault::NoMove),
            Err(NoMove::Console(error)) => Err(Fault::Died { how: error.to_string() }),
        }
    }

    fn opponent_move(&mut self, _: &HostedPosition, mv: MoveText) -> bool {
        mv.as_str().parse().is_ok_and(|mv| HumanPlayer::opponent_move(self, mv))
    }
}

/// An engine that chooses moves of typed positions.
pub(crate) struct Machine {
    game: Network,
    engine: Box<dyn HostedEngine>,
    strength: Strength,
}

impl Machine {
    /// Makes an engine for these rules that plays at this strength.
    pub(crate) fn new(rules: Rules, strength: Strength) -> Machine {
        let engine = game(rules).engine(EngineOptions::default());
        Machine { game: Network { rules }, engine, strength }
    }

    /// Chooses a move, makes it in `position`, and returns it with the engine's report; `None` if the game
    /// is over.
    pub(crate) fn play(&mut self, position: &mut Position) -> Option<(Move, ChosenMove)> {
        let hosted = host_position(&self.game, *position);
        let chosen = self.engine.choose(&hosted, self.strength, &Constraints::default());
        let chosen = chosen.ok()??;
        let mv = chosen.mv.as_str().parse().ok()?;
        position.play(mv).ok()?;
        Some((mv, chosen))
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("strength", &self.strength).finish_non_exhaustive()
    }
}

const HUMANS_PROMPT: &str = "Enter the number of human players (0, 1 or 2): ";
const BAD_HUMANS: &str = "The number of human players must be 0, 1 or 2\n";
const END_OF_INPUT: &str = "End of input: the session ends here.\n";

/// Runs the session of the USF assignment, which plays a game on standard input and output. At a terminal it
/// plays one game; from a pipe or a file, more games follow as long as there is input after the last.
pub fn usf_session() -> Result<(), Interrupted> {
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
            // Only a human needs to see the board before the first move.
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
    format!("Player {number} takes {mv} for a bad move, but it is legal\n")
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
