//! What the page shows of a game and of a position.

use std::collections::BTreeMap;

use plyground::perfect::plies_to_end;
use plyground::{Game, Score, Side, Value};
use plyground_host::page::{Layout, Path, Picture};
use plyground_host::state::StateText;
use plyground_host::{Ending, HostedGame, HostedPosition, MoveText};
use serde::{Deserialize, Serialize};

use crate::games::{Games, with_rules};
use crate::refused::Refused;
use crate::replayed_game::{GameLine, ReplayedGame};
use crate::score_view::ScoreView;

/// A game, apart from any position.
#[derive(Debug, Serialize)]
pub struct About {
    name: &'static str,
    title: String,
    rules: String,
    rule_sets: Vec<String>,
    sides: [String; 2],
    /// What a person types to move.
    move_hint: String,
    max_depth: u32,
    /// Whether there is perfect play.
    perfect: bool,
    /// Whether anybody may learn what moves are worth.
    analysis: bool,
    /// The programs of other people that can be played with.
    programs: Vec<ProgramName>,
    /// The number that one point is in a score.
    point: i32,
    layout: Layout,
    /// A new game.
    start: GameLine,
    /// All games on the page.
    games: Vec<GameName>,
}

/// Which game is to be described.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AboutQuery {
    /// The name of the game; the first one if it is not said.
    pub game: Option<String>,
    /// The name of the rules; the usual ones if it is not said.
    pub rules: Option<String>,
}

/// What the page says of a program in a list.
#[derive(Debug, Serialize)]
pub struct ProgramName {
    /// What it is called.
    pub name: String,
    /// Whether it must be told how many plies to look ahead.
    pub needs_depth: bool,
}

#[derive(Debug, Serialize)]
struct GameName {
    name: &'static str,
    title: String,
}

impl About {
    /// The description of a game, with the programs that can be played with in it.
    ///
    /// # Errors
    ///
    /// When there is no such game.
    pub fn new(
        games: &Games,
        asked: &AboutQuery,
        programs: impl FnOnce(&dyn HostedGame) -> Vec<ProgramName>,
    ) -> Result<About, Refused> {
        let served = games.get(asked.game.as_deref())?;
        let game = match &asked.rules {
            Some(rules) => with_rules(served, rules)?,
            None => served.game.clone(),
        };
        let start = game.start();
        let no_page = || Refused::new(format!("{} has no page", game.name()));
        let names = games
            .iter()
            .map(|served| GameName { name: served.game.name(), title: served.game.title() });
        Ok(About {
            name: game.name(),
            title: game.title(),
            rules: game.rules(),
            rule_sets: game.rule_sets(),
            sides: Side::BOTH.map(|side| game.side_name(side)),
            move_hint: game.move_hint(),
            max_depth: game.max_depth(),
            perfect: games.has_values() && plies_to_end(&start).is_ok(),
            analysis: games.has_values(),
            programs: programs(&*game),
            point: game.point(),
            layout: game.layout().ok_or_else(no_page)?,
            start: GameLine::of_start(&start),
            games: names.collect(),
        })
    }
}

/// Which position is to be shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionQuery {
    /// The last position of this game.
    pub game: GameLine,
    /// The cell of the piece that is about to be moved.
    pub from: Option<usize>,
}

/// A position, what may be done in it, and how it came about.
#[derive(Debug, Serialize)]
pub struct View {
    /// The state file.
    state: String,
    /// The side to move, as [`Side::index`].
    side: usize,
    /// Whose turn it is, as a sentence.
    turn: String,
    #[serde(flatten)]
    picture: Picture,
    moves: Vec<MoveView>,
    /// Why cells cannot be chosen, where the rules have something to say.
    reasons: BTreeMap<usize, String>,
    /// The moves so far.
    played: Vec<MadeMove>,
    over: Option<Over>,
    /// Why the position can hardly come from a game.
    doubt: Option<String>,
}

/// A move and its cells.
#[derive(Clone, Debug, Serialize)]
pub struct MoveView {
    #[serde(rename = "move")]
    mv: MoveText,
    /// The move in each notation.
    names: Vec<String>,
    #[serde(flatten)]
    path: Path,
    /// Whether the move is a pass, which has no cells.
    pass: bool,
    /// The side that makes it, as [`Side::index`].
    side: usize,
}

impl MoveView {
    /// A legal move in `position`.
    #[must_use]
    pub fn new(position: &HostedPosition, mv: MoveText) -> MoveView {
        MoveView {
            mv,
            names: position.game().move_names(mv),
            path: position.path(mv),
            pass: position.is_pass(mv),
            side: position.side_to_move().index(),
        }
    }
}

/// A move of the game.
#[derive(Debug, Serialize)]
struct MadeMove {
    #[serde(flatten)]
    mv: MoveView,
    /// The move as a sentence, without the period.
    text: String,
}

impl MadeMove {
    /// The move `mv` that was made in the position `before`.
    fn new(before: &HostedPosition, mv: MoveText) -> MadeMove {
        let is_forced_pass = before.is_pass(mv) && before.legal_moves().count() == 1;
        let why = if is_forced_pass { ", having no other move" } else { "" };
        MadeMove { mv: MoveView::new(before, mv), text: before.announce(mv) + why }
    }
}

/// How a game ended.
#[derive(Debug, Serialize)]
struct Over {
    winner: Option<usize>,
    result: String,
    reason: String,
    score: ScoreView,
}

impl View {
    /// The view of the last position of a game, in which the piece on the cell `from` is about to
    /// be moved.
    #[must_use]
    pub fn new(replayed: &ReplayedGame, from: Option<usize>) -> View {
        let ReplayedGame { past, position, .. } = replayed;
        let over = over(replayed);
        let (moves, reasons) = match over {
            Some(_) => (Vec::new(), BTreeMap::new()),
            None => {
                let moves = position.legal_moves().map(|mv| MoveView::new(position, mv));
                (moves.collect(), reasons(position, from))
            }
        };
        View {
            state: StateText::from_lines(&position.state()).as_str().to_owned(),
            side: position.side_to_move().index(),
            turn: position.turn(),
            picture: position.picture(),
            moves,
            reasons,
            played: past.iter().map(|(before, mv)| MadeMove::new(before, *mv)).collect(),
            over,
            doubt: if past.is_empty() { position.doubt() } else { None },
        }
    }
}

/// Why the cells that are no choice are none.
fn reasons(position: &HostedPosition, from: Option<usize>) -> BTreeMap<usize, String> {
    let cells = position.game().layout().map_or(0, |layout| layout.columns * layout.rows);
    let reason = |cell| {
        let mv = position.move_at(from, cell)?;
        let illegal = position.check_legal(mv).err()?.to_string();
        // A person that points at the cell need not be told the move.
        let reason = illegal.strip_prefix(&format!("{mv}: ")).unwrap_or(&illegal);
        Some((cell, reason.to_owned()))
    };
    (0..cells).filter_map(reason).collect()
}

fn over(replayed: &ReplayedGame) -> Option<Over> {
    let ReplayedGame { position, past, .. } = replayed;
    let score = |value| ScoreView::new(&*position.game(), position.side_to_move(), value);
    if let (Some(outcome), Some(value)) = (position.outcome(), position.final_value()) {
        return Some(Over {
            winner: outcome.winner().map(Side::index),
            result: position.result(),
            reason: position.reason(),
            score: score(value),
        });
    }
    replayed.is_at_cap().then(|| Over {
        winner: Ending::ply_cap(0).winner.map(Side::index),
        result: "It is a draw.".to_owned(),
        reason: format!("not over after {} moves", past.len()),
        score: score(Value::Exact(Score::ZERO)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::games;

    fn view(moves: &[&str]) -> serde_json::Value {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        let start = "..../X".to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves };
        let replayed = line.replay(&games()).expect("a game");
        serde_json::to_value(View::new(&replayed, None)).expect("JSON")
    }

    #[test]
    fn pass_is_a_move_without_cells() {
        let view = view(&["0", "2", "1"]);
        let pass = &view["moves"][0];
        assert_eq!(view["moves"].as_array().map(Vec::len), Some(1));
        assert_eq!((&pass["move"], &pass["pass"]), (&"-".into(), &true.into()));
        assert!(pass["from"].is_null() && pass["to"].is_null(), "{pass}");
    }

    #[test]
    fn played_pass_says_why() {
        let view = view(&["0", "2", "1", "-"]);
        assert_eq!(view["played"][3]["text"], "Player 2 passes, having no other move");
        assert_eq!(view["played"][3]["pass"], true);
        assert_eq!(view["cells"], serde_json::json!(["first", "first", "second", null]));
    }

    #[test]
    fn end_of_a_game_has_an_exact_score() {
        let over = &view(&["0", "2", "1", "-", "3"])["over"];
        assert_eq!((&over["winner"], &over["score"]["bound"]), (&0.into(), &"exact".into()));
        assert_eq!(over["score"]["first"], 200);
    }

    #[test]
    fn games_are_named() {
        let about = |game: Option<&str>, rules: Option<&str>| {
            let [game, rules] = [game, rules].map(|name| name.map(str::to_owned));
            About::new(&games(), &AboutQuery { game, rules }, |_| Vec::new())
        };
        let described = about(None, Some("short")).expect("a game");
        let described = serde_json::to_value(described).expect("JSON");
        assert_eq!(described["games"][1]["name"], "tictactoe");
        assert_eq!(
            (&described["name"], &described["layout"]["columns"]),
            (&"row".into(), &3.into())
        );
        assert_eq!(described["start"]["start"], ".../X");
        for (game, rules) in [("chess", None), ("row", Some("long"))] {
            assert!(about(Some(game), rules).is_err());
        }
    }
}
