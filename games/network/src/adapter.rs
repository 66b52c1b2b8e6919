//! The texts of the game, its rules for people, its page and its starter kits.

use anstream::adapter::strip_str;
use plyground::{Game, Side};
use plyground_host::external::{JavaProgram, NotReady, ProgramCommand};
use plyground_host::page::{
    Count, Edges, Ground, Layout, Owner, Path, Picture, Piece, Stroke, StrokeKind, Threat, Zone,
};
use plyground_host::state::{StateText, TextError};
use plyground_host::{
    GameAdapter, HostedGame, KitTexts, Language, Lesson, MarkKind, MoveText, SharedGame,
    StarterKit, Text, Variants, default_text, host, starter_files,
};
use plyground_sandbox::SandboxPolicy;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::color::{Color, Rules};
use crate::eval::ChipEval;
use crate::java;
use crate::moves::{Move, Notation, Square, SquareSet};
use crate::position::Position;
use crate::state::{draw, parse_state};
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

impl GameAdapter for Network {
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

    fn move_hint(&self) -> String {
        "a square such as 34, or two such as 34-56".to_owned()
    }

    fn lessons(&self) -> Vec<Lesson> {
        lessons(self.rules)
    }

    fn side_name(&self, side: Side) -> String {
        self.rules.color(side).to_string()
    }

    fn text(&self, position: &Position, text: Text<Move>) -> String {
        let color = position.to_move();
        match text {
            Text::Board => strip_str(&draw(position, None)).to_string(),
            Text::Drawing(last) => draw(position, last),
            Text::Prompt if position.in_hand(color) > 0 => {
                format!("{color}, choose a square for a chip")
            }
            Text::Prompt => format!("{color}, choose a chip and where it steps"),
            Text::Announcement(mv @ Move::Add(_)) => format!("{color} adds {mv}"),
            Text::Announcement(mv @ Move::Step { .. }) => format!("{color} steps {mv}"),
            Text::Reason => reason(position),
            Text::Result => match winner(position) {
                Some(color) => format!("{color} wins."),
                None => "Nobody wins.".to_owned(),
            },
            Text::Doubt if !position.fits_turn() => self.doubt(position),
            Text::ForcedWin { winner, plies } => {
                forced_win(position, self.rules.color(winner), plies)
            }
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        let side = Square::SIDE;
        let numbers = |first: u8| (first..first + side).map(|number| number.to_string()).collect();
        let letters = (0..side).map(|row| char::from(b'A' + row).to_string());
        let names = |square| NOTATIONS.map(|(_, notation)| notation.write_square(square)).to_vec();
        let pieces = Side::BOTH.map(|side| piece(self.rules.color(side)));
        Some(Layout {
            grounds: Square::all().map(|square| ground(self.rules, square)).collect(),
            hatched: true,
            notations: NOTATIONS.map(|(name, _)| name).to_vec(),
            names: Square::all().map(names).collect(),
            edges: Edges {
                top: numbers(0),
                left: numbers(0),
                bottom: numbers(1),
                right: letters.collect(),
            },
            zones: Color::BOTH.into_iter().flat_map(zones).collect(),
            pieces,
            legend: "A small ring is where a side would win at once.",
            ..Layout::of_squares(side.into(), side.into(), pieces.map(|piece| piece.symbol))
        })
    }

    fn picture(&self, position: &Position) -> Picture {
        let rules = position.rules();
        let owner = |square| position.chip_at(square).map(|color| Owner::from(rules.side(color)));
        let in_hand = |side| Count {
            name: "in hand",
            value: position.in_hand(rules.color(side)) as u32,
            as_pieces: true,
        };
        Picture {
            cells: Square::all().map(owner).collect(),
            lines: Color::BOTH.into_iter().flat_map(|color| lines(position, color)).collect(),
            threats: threats(position),
            counts: Side::BOTH.map(|side| vec![in_hand(side)]),
            ..Picture::default()
        }
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        Path { from: mv.from().map(Square::index), to: Some(mv.to().index()) }
    }

    /// Returns the move of a chip from `from` to `to`; while chips are added, the add to `to`.
    fn move_at(&self, position: &Position, from: Option<usize>, to: usize) -> Option<Move> {
        let to = Square::from_index(to)?;
        if position.in_hand(position.to_move()) > 0 {
            return Some(Move::Add(to));
        }
        // Without `from`, `to` is the chip to be moved, chosen first.
        let from = from.map_or(Some(to), Square::from_index)?;
        Some(Move::Step { from, to })
    }

    fn move_names(&self, mv: Move) -> Vec<String> {
        NOTATIONS.map(|(_, notation)| notation.write_move(mv)).to_vec()
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        NOTATIONS.iter().find_map(|(_, notation)| notation.parse_move(text).ok())
    }

    fn actions(&self) -> usize {
        Square::COUNT * (1 + Square::COUNT)
    }

    fn action(&self, _: &Position, mv: Move) -> Option<usize> {
        let before = mv.from().map_or(0, |from| Square::COUNT * (1 + from.index()));
        Some(before + mv.to().index())
    }

    fn move_of_action(&self, position: &Position, action: usize) -> Option<Move> {
        let to = Square::from_index(action % Square::COUNT)?;
        let mv = match (action / Square::COUNT).checked_sub(1) {
            None => Move::Add(to),
            Some(from) => Move::Step { from: Square::from_index(from)?, to },
        };
        position.check_legal(mv).is_ok().then_some(mv)
    }

    fn write_planes(&self, position: &Position, own: &mut [u8], others: &mut [u8]) {
        let color = position.to_move();
        position.chips(color).iter().for_each(|square| own[square.index()] = 1);
        position.chips(color.other()).iter().for_each(|square| others[square.index()] = 1);
    }

    fn random_move(&self, position: &Position, rng: &mut StdRng) -> Option<Move> {
        if position.outcome().is_some() {
            return None;
        }
        loop {
            let mv = random_candidate(position, rng);
            // Under rules that forbid networks of both colors, a step that makes both is no candidate.
            if mv.from().is_none()
                || self.rules == Rules::Berkeley
                || position.check_legal(mv).is_ok()
            {
                return Some(mv);
            }
        }
    }
}

impl HostedGame for Network {
    fn about(&self) -> String {
        "Plays and analyzes Network".to_owned()
    }

    fn title(&self) -> String {
        "Network".to_owned()
    }

    fn bench(&self) -> Vec<(String, u32)> {
        BENCH.map(|(state, depth)| (state.to_owned(), depth)).to_vec()
    }

    fn rules(&self) -> String {
        self.rules.to_string()
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        rules.parse().ok().map(game)
    }

    fn rule_sets(&self) -> Vec<String> {
        Rules::BOTH.map(|rules| rules.to_string()).to_vec()
    }

    fn variants(&self) -> Option<Variants> {
        Some(Variants {
            option: "rules",
            value_name: "berkeley|usf",
            help: "The rules: USF's Black moves first, and no move may complete both networks",
            expected: "`berkeley` or `usf`".to_owned(),
            default: Rules::default().to_string(),
            only_solving: false,
        })
    }

    fn tie_break_opening(&self) -> Vec<MoveText> {
        let (x, y) = TIE_BREAK_SQUARE;
        Square::new(x, y).map(|square| MoveText::of(&Move::Add(square))).into_iter().collect()
    }

    fn checks(&self) -> &'static str {
        match self.rules {
            Rules::Berkeley => include_str!("checks.toml"),
            Rules::Usf => include_str!("checks-usf.toml"),
        }
    }

    fn starters(&self) -> Vec<StarterKit> {
        match self.rules {
            Rules::Berkeley => berkeley_kits(),
            Rules::Usf => usf_kits(),
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

    fn has_java_players(&self) -> bool {
        true
    }

    fn java_given(&self) -> Vec<(&'static str, &'static str)> {
        java::given()
    }

    /// Returns false for USF: its `ComputerPlayer` has no methods for a depth or for moves that it did not
    /// choose.
    fn java_is_told_all(&self) -> bool {
        self.rules == Rules::Berkeley
    }
}

/// Returns a move that is legal by the rules about single squares and groups. Listing all moves takes ten
/// times as long.
fn random_candidate(position: &Position, rng: &mut StdRng) -> Move {
    let color = position.to_move();
    if position.in_hand(color) > 0 {
        let targets = position.add_targets(color);
        let index = rng.random_range(0..targets.len());
        return Move::Add(targets.iter().nth(index).expect("fewer than there are"));
    }
    let steps =
        || position.chips(color).iter().map(|from| (from, position.step_targets(color, from)));
    let mut index = rng.random_range(0..steps().map(|(_, targets)| targets.len()).sum());
    for (from, targets) in steps() {
        if let Some(to) = targets.iter().nth(index) {
            return Move::Step { from, to };
        }
        index -= targets.len();
    }
    unreachable!("fewer than there are")
}

impl Network {
    /// Returns the reason why a position, which does not fit the side to move, cannot come from a game.
    fn doubt(&self, position: &Position) -> String {
        let [first, second] = Side::BOTH.map(|side| self.rules.color(side));
        format!(
            "{} is to move and {first} began, but {first} has {} chips and {second} {}",
            position.to_move(),
            position.chips(first).len(),
            position.chips(second).len()
        )
    }
}

fn reason(position: &Position) -> String {
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

/// Returns the text of a forced win. While chips are added, it counts chips and plies from the start of the
/// game, as people do; later only the plies from now.
fn forced_win(position: &Position, winner: Color, plies: u32) -> String {
    let chip = position.chips(winner).len() + plies.div_ceil(2) as usize;
    if chip > Position::CHIPS || !position.fits_turn() {
        return format!("{winner} wins within {plies} plies");
    }
    let (all, ply) = (Position::CHIPS, position.occupied().len() + plies as usize);
    format!("{winner} wins by chip {chip} of its {all}, at move {ply} of the game at the latest")
}

/// Returns the color that has won, if the game is over.
fn winner(position: &Position) -> Option<Color> {
    let outcome = position.outcome()?;
    outcome.winner().map(|side| position.rules().color(side))
}

/// The ways to write a move, the canonical one first.
const NOTATIONS: [(&str, Notation); 2] = [("Berkeley", Notation::Berkeley), ("USF", Notation::Usf)];

/// Returns the goals of a color, each with its name.
fn zones(color: Color) -> [Zone; 2] {
    color.goals().map(|goal| Zone {
        text: format!("{color}'s goal"),
        cells: goal.iter().map(Square::index).collect(),
    })
}

fn ground(rules: Rules, square: Square) -> Ground {
    if SquareSet::CORNERS.contains(square) {
        return Ground::Dead;
    }
    let owns = |color: &Color| color.goals().iter().any(|goal| goal.contains(square));
    let owner = Color::BOTH.into_iter().find(owns);
    owner.map_or(Ground::Open, |color| Ground::of(rules.side(color)))
}

/// Returns the connections of the chips of `color`, and its network if the game has ended with one.
fn lines(position: &Position, color: Color) -> Vec<Stroke> {
    let owner = position.rules().side(color);
    let stroke = |kind, squares: &[Square]| Stroke {
        kind,
        side: owner.index(),
        cells: squares.iter().map(|square| square.index()).collect(),
    };
    let is_won = position.outcome().and_then(|outcome| outcome.winner()) == Some(owner);
    let network = if is_won { position.network(color) } else { None };
    let links = position.connections(color);
    let links = links.iter().map(|pair| stroke(StrokeKind::Link, pair));
    links.chain(network.map(|network| stroke(StrokeKind::Win, &network))).collect()
}

fn piece(color: Color) -> Piece {
    let (name, fill, mark) = match color {
        Color::White => ("white chip", "#fbfaf5", "#6f6a5e"),
        Color::Black => ("black chip", "#26282c", "#8b9099"),
    };
    Piece { name, fill, mark, symbol: color.letter(), turn_symbol: color.letter() }
}

/// The kits for Berkeley's rules.
fn berkeley_kits() -> Vec<StarterKit> {
    vec![
        StarterKit::new(
            "java",
            "player.MachinePlayer of CS 61B",
            starter_files!(
                "starters/berkeley": [
                    "README.md", "Makefile", "player/Board.java", "player/MachinePlayer.java",
                ],
                "java/given": ["player/Move.java", "player/Player.java"],
            ),
        ),
        KIT.kit(Language::Python, starter_files!("starters/python": ["board.py"])),
        KIT.kit(Language::Cpp, starter_files!("starters/cpp": ["board.cpp", "board.h"])),
    ]
}

/// The kit for USF's rules.
fn usf_kits() -> Vec<StarterKit> {
    vec![StarterKit::new(
        "java",
        "ComputerPlayer and Network of CS 245",
        starter_files!(
            "starters/usf": [
                "README.md", "Makefile", "Board.java", "ComputerPlayer.java", "HumanPlayer.java",
                "Network.java",
            ],
            "java/given": ["Move.java", "Player.java"],
        ),
    )]
}

const KIT: KitTexts = KitTexts {
    game: "network",
    rules: "berkeley",
    options: "",
    title: "Network",
    depth: 2,
    by_files: false,
    own_checks: false,
};

/// A position in which White has won.
const NETWORK: &str = "......../..B...B./...B.W../..W.W.BW/......B./W...BW.W/..B...../......../B";

/// The same position without the connection from 05 to 23.
const BROKEN: &str = "......../..B...B./...B.W../..W.W.BW/.B....B./W...BW.W/..B...../......../B";

/// A position in which White, the color to move, has two chips side by side.
const PAIR: &str = "......../......../.B...B../...WW.../......../.....B../......../......../W";

/// Returns the rules, part by part.
fn lessons(rules: Rules) -> Vec<Lesson> {
    let [first, second] = Side::BOTH.map(|side| rules.color(side));
    let start = Position::new(rules).to_string().replace('\n', "/");
    let both = match rules {
        Rules::Berkeley => "A player that completes both networks at once has lost.",
        Rules::Usf => "No move may complete both networks at once.",
    };
    vec![
        Lesson::new(
            "A turn",
            format!(
                "{first} moves first, and then {first} and {second} take turns. Each has ten chips. A turn adds \
                 one chip to an empty square. With all ten on the board, a turn moves one of them to another \
                 square, however far. Two sides of the board are White's goals, the other two are Black's."
            ),
        )
        .with_figure(
            start,
            "The goals: White plays from left to right, Black from top to bottom. A square has \
             the numbers of its column and its row, both from 0: 10 is in column 1 and row 0.",
        ),
        Lesson::new(
            "You win with a network",
            format!(
                "A network is a line from one of your goals to the other that goes from chip to chip, over six \
                 chips or more. Two chips are connected if they are in one row, column or diagonal with no chip \
                 between them. {both}"
            ),
        )
        .with_figure(NETWORK, "White has won: 05, 23, 43, 52, 55 and 75 are a network."),
        Lesson::new(
            "What breaks a network",
            "It turns at every chip between its ends, so going straight on through a chip does not count. It \
             passes no chip twice, and has one chip in each goal, at its ends. And a chip of the other color \
             between two chips breaks their connection: that is how you defend.",
        )
        .with_figure(BROKEN, "The black chip on 14 is between 05 and 23, so White has no network.")
        .marked(MarkKind::Here, [square(1, 4)]),
        Lesson::new(
            "Where you may not play",
            "The corners are not in play, and the goals of the other color are not yours. No three of your chips \
             may touch each other in a group, not even by their corners. On the page these squares are \
             hatched, and say why when you point at them.",
        )
        .with_figure(PAIR, "White may not play in the goals of Black, nor on a square next to its pair.")
        .marked(MarkKind::No, closed_squares()),
    ]
}

/// Returns the number of a square on the page.
fn square(x: u8, y: u8) -> usize {
    usize::from(y * Square::SIDE + x)
}

/// Returns the empty squares, except corners, on which White may not play in [`PAIR`].
fn closed_squares() -> Vec<usize> {
    let position = parse_state(&StateText::new(PAIR.to_owned()), Rules::Berkeley);
    let Ok(position) = position else { return Vec::new() };
    let is_closed = |&square: &Square| {
        position.chip_at(square).is_none()
            && !SquareSet::CORNERS.contains(square)
            && position.check_legal(Move::Add(square)).is_err()
    };
    Square::all().filter(is_closed).map(Square::index).collect()
}

/// Returns the squares on which either color would complete its network if it were to move.
fn threats(position: &Position) -> Vec<Threat> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    Color::BOTH.into_iter().flat_map(|color| threats_of(position, color)).collect()
}

fn threats_of(position: &Position, color: Color) -> Vec<Threat> {
    let rules = position.rules();
    let side = rules.side(color);
    let [white, black] = Color::BOTH.map(|color| position.chips(color));
    let Ok(turned) = Position::from_chips(rules, white, black, color) else { return Vec::new() };
    let wins = |mv: &Move| turned.after(*mv).outcome().and_then(|end| end.winner()) == Some(side);
    let mut cells: Vec<usize> =
        turned.legal_moves().filter(wins).map(|mv| mv.to().index()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.into_iter().map(|cell| Threat { side: side.index(), cell }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(state: &str) -> Position {
        parse_state(&StateText::new(state.to_owned()), Rules::Berkeley).expect("a state")
    }

    #[test]
    fn pictures_show_what_the_texts_say() {
        assert_eq!(position(NETWORK).outcome().and_then(|end| end.winner()), Some(Side::First));
        assert_eq!(position(BROKEN).outcome(), None);
        let closed = closed_squares();
        assert!(closed.contains(&square(2, 2)) && closed.contains(&square(1, 0)));
        assert!(!closed.contains(&square(0, 1)) && !closed.contains(&square(0, 0)));
        for rules in Rules::BOTH {
            for figure in lessons(rules).into_iter().filter_map(|lesson| lesson.figure) {
                parse_state(&StateText::new(figure.state), rules).expect("a state");
            }
        }
    }

    #[test]
    fn threat_is_where_a_network_would_be_complete() {
        let state = "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../B";
        let cells: Vec<_> =
            threats(&position(state)).into_iter().map(|one| (one.side, one.cell)).collect();
        assert!(cells.contains(&(0, square(7, 5))), "{cells:?}");
    }
}
