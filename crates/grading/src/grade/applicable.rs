//! The keys of a check that cannot apply to a game, which are found before anything is drawn.

use plyground::Game;
use plyground_host::HostedGame;

use super::check::{Check, CheckKind, DrawRule, Situation};

/// A key of a check, and why it cannot apply.
type Unfit = (&'static str, String);

/// Returns the first key that cannot apply to the game, with what it needs, if there is one.
pub(super) fn unfit_key(game: &dyn HostedGame, check: &Check) -> Option<Unfit> {
    unfit_number(game, check).or_else(|| unfit_kind(game, check)).or_else(|| {
        let rule = check.draw.as_ref()?;
        let fault = unfit_rule(game, check, rule)?;
        Some(("draw", fault))
    })
}

fn unfit_number(game: &dyn HostedGame, check: &Check) -> Option<Unfit> {
    if !check.points.is_finite() || check.points < 0.0 {
        return Some(("points", "expected points, 0 or more".to_owned()));
    }
    let keys = &check.keys;
    let greatest = game.max_depth();
    for (key, number) in [("depth", keys.depth), ("plies", keys.plies)] {
        if number.is_some_and(|number| !(1..=greatest).contains(&number)) {
            return Some((key, format!("expected `{key}` from 1 to {greatest}")));
        }
    }
    if keys.games == Some(0) {
        return Some(("games", "expected `games` of at least 1".to_owned()));
    }
    if check.kind == CheckKind::BeatsRandom
        && !(0.0 <= keys.from && keys.from < keys.share && keys.share <= 1.0)
    {
        return Some(("share", "expected a `share` above `from`, both from 0 to 1".to_owned()));
    }
    None
}

fn unfit_kind(game: &dyn HostedGame, check: &Check) -> Option<Unfit> {
    let row = check.kind.row();
    let kind = row.name;
    let of_kind = |fault: String| Some(("kind", format!("a check of kind `{kind}` {fault}")));
    if row.needs_points && game.start().points().is_none() {
        return of_kind(format!("needs a game with points, and {} has none", game.name()));
    }
    if check.kind == CheckKind::RefusesIllegal && check.keys.moves.is_empty() {
        return Some(("moves", "expected at least one move to try".to_owned()));
    }
    let is_placed = !check.positions.is_empty() || check.draw.is_some();
    if row.situation != Situation::Games {
        return if is_placed { None } else { of_kind("needs `positions` or `draw`".to_owned()) };
    }
    let key = if check.draw.is_some() { "draw" } else { "positions" };
    let fault = format!("a check of kind `{kind}` plays whole games: it has no `{key}`");
    is_placed.then_some((key, fault))
}

fn unfit_rule(game: &dyn HostedGame, check: &Check, rule: &DrawRule) -> Option<String> {
    let (start, name) = (game.start(), game.name());
    if rule.count == 0 {
        return Some("expected `count` of at least 1".to_owned());
    }
    let is_about_scores = [
        ("points", rule.points.is_some()),
        ("lead", rule.lead.is_some()),
        ("gap", rule.gap.is_some()),
        ("final-gap", rule.final_gap > 0),
    ];
    let used = is_about_scores.iter().find(|(_, is_used)| *is_used);
    if let Some((key, _)) = used.filter(|_| start.points().is_none()) {
        return Some(format!("`{key}` needs a game with points, and {name} has none"));
    }
    let is_about_right_moves = [
        ("right", rule.right.is_some()),
        ("gap", rule.gap.is_some()),
        ("final-gap", rule.final_gap > 0),
        ("needed", rule.needed),
        ("further", rule.further),
    ];
    let used = is_about_right_moves.iter().find(|(_, is_used)| *is_used);
    if let Some((key, _)) = used.filter(|_| check.keys.plies.is_none()) {
        return Some(format!("`{key}` is only for the kinds `sees` and `counts-depth`"));
    }
    if rule.final_gap > 0 && rule.gap.is_none() {
        return Some("`final-gap` needs `gap`".to_owned());
    }
    if rule.gap.is_some() && !game.is_solvable() {
        return Some(format!(
            "`gap` needs a game that a search can follow to its end, and the rules of {name} do not \
            say that it ends soon"
        ));
    }
    let [least, most] = rule.after;
    // In the last position the game is over.
    let last = start.plies_left().map(|plies| plies.saturating_sub(1));
    let is_late = !check.is_about_ends() && last.is_some_and(|last| least > last);
    if least > most || is_late {
        let upper = last.map_or_else(String::new, |last| format!(" of at most {last}"));
        return Some(format!("expected `after` with two numbers{upper}, the lesser first"));
    }
    None
}
