//! The texts and formats of the command line.

use network::{ChipEval, Color, ForcedWins, Move, Position, Rules, Square, parse_state};
use plyground::cli::Program;
use plyground::external::ProcessLimits;
use plyground::player::{JavaProgram, NotReady};
use plyground::search::MAX_DEPTH;
use plyground::state::{Fault, StateText};
use plyground::{Game, Score, Side};

use crate::board::{draw, draw_plain};
use crate::java;

/// Network under the rules of one of the two assignments.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// Which assignment's rules.
    pub rules: Rules,
}

/// The first move of the third game of a match, as the assignment's own referee has it.
const TIE_BREAK_SQUARE: (u8, u8) = (1, 1);

impl Program for Network {
    type Game = Position;
    type Evaluator = ChipEval;
    type Tactics = ForcedWins;

    const ABOUT: &'static str = "Plays and analyses Network";
    const TITLE: &'static str = "Network game";
    const MAX_DEPTH: u32 = MAX_DEPTH;
    const EXAMPLE_FILE: &'static str = "inputs/network/ten-plies.txt";
    const MOVE: &'static str = "a square such as 34, or two such as 34-56";
    const BENCH: &'static [(&'static str, u32)] = &[
        ("......../......../......../......../......../......../......../......../W", 6),
        ("......../......../WW.....W/......../..W..B../.WB...../....B.../..B.B.../W", 7),
        (".B....../WW.B..../......../.......W/...WB.W./......../.....B../....B.../W", 7),
        ("....B.../..WWBW../..B...B./..W.WW../WB...BB./..WB..WW/.....B../....B.../W", 4),
    ];

    fn start(&self) -> Position {
        Position::new(self.rules)
    }

    fn evaluator(&self) -> ChipEval {
        ChipEval
    }

    fn tactics(&self, book: bool) -> ForcedWins {
        ForcedWins { book }
    }

    /// As people count chips and plies while chips are added; later only the plies from now.
    fn forced_win(&self, position: &Position, winner: Side, plies: u32) -> String {
        let color = self.rules.color(winner);
        let chip = position.chips(color).len() + plies.div_ceil(2) as usize;
        if chip > Position::CHIPS || !position.fits_turn() {
            return format!("{color} wins within {plies} plies");
        }
        let ply = position.occupied().len() + plies as usize;
        format!("{color} wins by chip {chip} (ply {ply})")
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, Fault> {
        parse_state(text, self.rules)
    }

    fn format_state(&self, position: &Position) -> String {
        position.to_string()
    }

    fn doubt(&self, position: &Position) -> Option<String> {
        let [first, second] = Side::BOTH.map(|side| self.rules.color(side));
        (!position.fits_turn()).then(|| {
            format!(
                "{} is to move and {first} began, but {first} has {} chips and {second} {}",
                position.to_move(),
                position.chips(first).len(),
                position.chips(second).len()
            )
        })
    }

    fn board(&self, position: &Position) -> String {
        draw_plain(position)
    }

    fn prompt(&self, position: &Position) -> String {
        let color = position.to_move();
        if position.in_hand(color) > 0 {
            format!("{color}, choose a square for a chip")
        } else {
            format!("{color}, choose a chip and where it steps")
        }
    }

    fn announce(&self, position: &Position, mv: Move) -> String {
        let verb = if mv.from().is_some() { "steps" } else { "adds" };
        format!("{} {verb} {mv}", position.to_move())
    }

    fn turn(&self, position: &Position) -> String {
        format!("{} is to move.", position.to_move())
    }

    fn ending(&self, position: &Position) -> String {
        self.reason(position)
    }

    fn result(&self, position: &Position) -> String {
        match winner(position) {
            Some(color) => format!("{color} wins."),
            None => "Nobody wins.".to_owned(),
        }
    }

    /// Plies to the end: positive when the mover wins, negative when he loses.
    fn value(&self, proven: Score) -> i32 {
        proven.plies_to_end().unwrap_or_default()
    }

    fn rules(&self) -> String {
        self.rules.to_string()
    }

    fn with_rules(&self, rules: &str) -> Option<Network> {
        rules.parse().ok().map(|rules| Network { rules })
    }

    fn side_name(&self, side: Side) -> String {
        self.rules.color(side).to_string()
    }

    fn drawing(&self, position: &Position, last: Option<Move>) -> String {
        draw(position, last)
    }

    fn reason(&self, position: &Position) -> String {
        let to_move = position.to_move();
        let Some(winner) = winner(position) else { return "nobody has won".to_owned() };
        let Some(network) = position.network(winner) else {
            return format!("{to_move} has no legal move");
        };
        let squares: Vec<String> = network.iter().map(Square::to_string).collect();
        let network = format!("network of {winner} {}", squares.join("-"));
        let loser = winner.other();
        if position.network(loser).is_some() {
            format!("{network}, completed by {loser} together with his own")
        } else if winner == to_move {
            format!("{network}, completed by {loser}")
        } else {
            network
        }
    }

    fn checks(&self) -> &'static str {
        match self.rules {
            Rules::Berkeley => include_str!("checks.toml"),
            Rules::Usf => include_str!("checks-usf.toml"),
        }
    }

    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        limits: &ProcessLimits,
    ) -> Result<Vec<String>, NotReady> {
        java::command(java, self.rules, depth, limits).map_err(|error| error.not_ready())
    }

    /// A `ComputerPlayer` has methods for neither.
    fn java_is_told_all(&self) -> bool {
        self.rules == Rules::Berkeley
    }

    fn tie_break_opening(&self) -> Vec<Move> {
        let (x, y) = TIE_BREAK_SQUARE;
        Square::new(x, y).map(Move::Add).into_iter().collect()
    }
}

/// The color that has won, if the game is over.
fn winner(position: &Position) -> Option<Color> {
    let outcome = position.outcome()?;
    outcome.winner().map(|side| position.rules().color(side))
}
