//! What the page shows of a position.

use std::collections::BTreeMap;

use serde::Serialize;

use super::game_line::{Course, GameLine, with_rules};
use super::on_page::{Layout, OnPage, Path, Picture};
use super::refusal::Refusal;
use crate::game::{Game, Side};
use crate::perfect::plies_to_end;
use crate::referee::Ending;
use crate::state::StateText;

/// The game, apart from any position.
#[derive(Debug, Serialize)]
pub(super) struct About {
    name: &'static str,
    title: &'static str,
    rules: String,
    rule_sets: Vec<String>,
    sides: [String; 2],
    /// What a person types to move.
    move_hint: &'static str,
    max_depth: u32,
    /// Whether there is perfect play.
    perfect: bool,
    layout: Layout,
    /// A new game.
    start: GameLine,
}

impl About {
    pub(super) fn new<P: OnPage>(program: &P, rules: Option<&str>) -> Result<About, Refusal> {
        let program = match rules {
            Some(rules) => &with_rules(program, rules)?,
            None => program,
        };
        let start = program.start();
        Ok(About {
            name: P::Game::NAME,
            title: P::TITLE,
            rules: program.rules(),
            rule_sets: program.rule_sets(),
            sides: Side::BOTH.map(|side| program.side_name(side)),
            move_hint: P::MOVE,
            max_depth: P::MAX_DEPTH,
            perfect: plies_to_end(&start).is_ok(),
            layout: program.layout(),
            start: GameLine::of_start(program, &start),
        })
    }
}

/// A position, what may be done in it, and how it came about.
#[derive(Debug, Serialize)]
pub(super) struct View {
    /// The state file.
    state: String,
    /// The side to move, as [`Side::index`].
    side: usize,
    /// Whose turn it is, as a sentence.
    turn: String,
    #[serde(flatten)]
    picture: Picture,
    moves: Vec<MoveView>,
    /// Why cells can not be chosen, where the rules have something to say.
    reasons: BTreeMap<usize, String>,
    /// The moves so far.
    played: Vec<Played>,
    over: Option<Over>,
    /// Why the position can hardly come from a game.
    doubt: Option<String>,
}

/// A move and its cells.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MoveView {
    #[serde(rename = "move")]
    pub(super) mv: String,
    pub(super) names: Vec<String>,
    #[serde(flatten)]
    pub(super) path: Path,
    pub(super) side: usize,
}

impl MoveView {
    /// The legal move `mv` in `position`.
    pub(super) fn new<P: OnPage>(
        program: &P,
        position: &P::Game,
        mv: <P::Game as Game>::Move,
    ) -> MoveView {
        MoveView {
            mv: mv.to_string(),
            names: program.names(mv),
            path: program.path(position, mv),
            side: position.side_to_move().index(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Played {
    #[serde(flatten)]
    mv: MoveView,
    /// The move as a sentence.
    text: String,
}

#[derive(Debug, Serialize)]
struct Over {
    winner: Option<usize>,
    result: String,
    reason: String,
}

impl View {
    /// The view of the last position of a game, in which the piece on the cell `from` is about to
    /// be moved.
    pub(super) fn new<P: OnPage>(course: &Course<P>, from: Option<usize>) -> View {
        let Course { program, past, position } = course;
        let over = over(course);
        let moves = match over {
            Some(_) => Vec::new(),
            None => position
                .legal_moves()
                .map(|mv| MoveView::new(program, position, mv))
                .collect::<Vec<_>>(),
        };
        let reasons = if over.is_some() { BTreeMap::new() } else { reasons(course, from) };
        let played = past.iter().map(|(before, mv)| Played {
            mv: MoveView::new(program, before, *mv),
            text: program.announce(before, *mv),
        });
        View {
            state: StateText::from_lines(&program.format_state(position)).as_str().to_owned(),
            side: position.side_to_move().index(),
            turn: program.turn(position),
            picture: program.picture(position),
            moves,
            reasons,
            played: played.collect(),
            over,
            doubt: if past.is_empty() { program.doubt(position) } else { None },
        }
    }
}

/// Why the cells that are no choice are none.
fn reasons<P: OnPage>(course: &Course<P>, from: Option<usize>) -> BTreeMap<usize, String> {
    let Course { program, position, .. } = course;
    let layout = program.layout();
    let cells = 0..layout.columns * layout.rows;
    let reason = |cell| {
        let mv = program.move_at(position, from, cell)?;
        let illegal = position.check_legal(mv).err()?.to_string();
        // The move itself need not be named to somebody who points at it.
        let reason = illegal.strip_prefix(&format!("{mv}: ")).unwrap_or(&illegal);
        Some((cell, reason.to_owned()))
    };
    cells.filter_map(reason).collect()
}

fn over<P: OnPage>(course: &Course<P>) -> Option<Over> {
    let Course { program, position, past } = course;
    if let Some(outcome) = position.outcome() {
        return Some(Over {
            winner: outcome.winner().map(Side::index),
            result: program.result(position),
            reason: program.reason(position),
        });
    }
    course.is_at_cap().then(|| Over {
        winner: Ending::ply_cap(0).winner.map(Side::index),
        result: "It is a draw.".to_owned(),
        reason: format!("not over after {} moves", past.len()),
    })
}
