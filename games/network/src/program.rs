//! The texts and formats of the program.

use plyground::{Game, Side};
use plyground_host::external::{JavaProgram, NotReady, ProgramCommand};
use plyground_host::page::{Layout, Path, Picture};
use plyground_host::state::{StateText, TextError};
use plyground_host::{Program, SharedGame, StarterKit, Variants, host};
use plyground_sandbox::SandboxPolicy;

use crate::board::{draw, draw_plain};
use crate::color::Color;
use crate::eval::ChipEval;
use crate::java;
use crate::moves::Move;
use crate::page;
use crate::position::Position;
use crate::rules::Rules;
use crate::square::Square;
use crate::starters;
use crate::state::parse_state;
use crate::tactics::ForcedWins;

/// The positions of the bench and their depths, from the start of a game into the step phase.
const BENCH: [(&str, u32); 4] = [
    ("......../......../......../......../......../......../......../......../W", 6),
    ("......../......../WW.....W/......../..W..B../.WB...../....B.../..B.B.../W", 7),
    (".B....../WW.B..../......../.......W/...WB.W./......../.....B../....B.../W", 7),
    ("....B.../..WWBW../..B...B./..W.WW../WB...BB./..WB..WW/.....B../....B.../W", 4),
];

/// The first move of the third game of a match, as in the assignment's own referee.
const TIE_BREAK_SQUARE: (u8, u8) = (1, 1);

/// Returns Network under these rules.
#[must_use]
pub fn game(rules: Rules) -> SharedGame {
    host(Network { rules })
}

/// Network under the rules of one of the two assignments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    /// The rules of the assignment.
    pub rules: Rules,
}

impl Program for Network {
    type Game = Position;
    type Evaluator = ChipEval;
    type Tactics = ForcedWins;

    fn start(&self) -> Position {
        Position::new(self.rules)
    }

    fn evaluator(&self) -> ChipEval {
        ChipEval
    }

    fn tactics(&self, prepared: bool) -> ForcedWins {
        ForcedWins { book: prepared }
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        parse_state(text, self.rules)
    }

    fn format_state(&self, position: &Position) -> String {
        position.to_string()
    }

    fn about(&self) -> String {
        "Plays and analyzes Network".to_owned()
    }

    fn title(&self) -> String {
        "Network game".to_owned()
    }

    fn move_hint(&self) -> String {
        "a square such as 34, or two such as 34-56".to_owned()
    }

    fn bench(&self) -> Vec<(String, u32)> {
        BENCH.map(|(state, depth)| (state.to_owned(), depth)).to_vec()
    }

    fn rules(&self) -> String {
        self.rules.to_string()
    }

    fn with_rules(&self, rules: &str) -> Option<Network> {
        rules.parse().ok().map(|rules| Network { rules })
    }

    fn rule_sets(&self) -> Vec<String> {
        Rules::BOTH.map(|rules| rules.to_string()).to_vec()
    }

    fn variants(&self) -> Option<Variants> {
        Some(Variants {
            option: "rules",
            value_name: "berkeley|usf",
            help: "Whose rules: USF's Black moves first, and nobody may complete both networks",
            expected: "`berkeley` or `usf`".to_owned(),
            default: Rules::default().to_string(),
            only_solving: false,
        })
    }

    fn tie_break_opening(&self) -> Vec<Move> {
        let (x, y) = TIE_BREAK_SQUARE;
        Square::new(x, y).map(Move::Add).into_iter().collect()
    }

    fn side_name(&self, side: Side) -> String {
        self.rules.color(side).to_string()
    }

    fn board(&self, position: &Position) -> String {
        draw_plain(position)
    }

    fn drawing(&self, position: &Position, last: Option<Move>) -> String {
        draw(position, last)
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
            format!("{network}, completed by {loser} together with its own")
        } else if winner == to_move {
            format!("{network}, completed by {loser}")
        } else {
            network
        }
    }

    fn result(&self, position: &Position) -> String {
        match winner(position) {
            Some(color) => format!("{color} wins."),
            None => "Nobody wins.".to_owned(),
        }
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

    /// Counts chips and plies from the start of the game, as people do, while chips are added; later only
    /// the plies from now.
    fn forced_win(&self, position: &Position, winner: Side, plies: u32) -> String {
        let color = self.rules.color(winner);
        let chip = position.chips(color).len() + plies.div_ceil(2) as usize;
        if chip > Position::CHIPS || !position.fits_turn() {
            return format!("{color} wins within {plies} plies");
        }
        let ply = position.occupied().len() + plies as usize;
        format!("{color} wins by chip {chip} (ply {ply})")
    }

    fn checks(&self) -> &'static str {
        match self.rules {
            Rules::Berkeley => include_str!("checks.toml"),
            Rules::Usf => include_str!("checks-usf.toml"),
        }
    }

    fn starters(&self) -> &'static [StarterKit] {
        match self.rules {
            Rules::Berkeley => starters::BERKELEY,
            Rules::Usf => starters::USF,
        }
    }

    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        policy: &SandboxPolicy,
    ) -> Result<ProgramCommand, NotReady> {
        java::command(java, self.rules, depth, policy).map_err(|error| error.not_ready())
    }

    /// Returns false for USF: its `ComputerPlayer` has no methods for a depth or for moves that it did not
    /// choose.
    fn java_is_told_all(&self) -> bool {
        self.rules == Rules::Berkeley
    }

    fn layout(&self) -> Option<Layout> {
        Some(page::layout(self.rules))
    }

    fn picture(&self, position: &Position) -> Picture {
        page::picture(position)
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        Path { from: mv.from().map(Square::index), to: Some(mv.to().index()) }
    }

    fn move_at(&self, position: &Position, from: Option<usize>, to: usize) -> Option<Move> {
        page::move_at(position, from, to)
    }

    fn names(&self, mv: Move) -> Vec<String> {
        page::names(mv)
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        page::read_move(text)
    }
}

/// Returns the color that has won, if the game is over.
fn winner(position: &Position) -> Option<Color> {
    let outcome = position.outcome()?;
    outcome.winner().map(|side| position.rules().color(side))
}
