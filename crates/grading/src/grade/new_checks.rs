//! Drafts of the checks of a game, made from the statistics of random games.

use std::fmt::Write;

use plyground::Game;
use plyground_host::HostedGame;

use super::check::{KINDS, KindRow, unfit_key};
use super::check_file::parse_checks;
use super::draw::{Effort, chance_of, draw_with};

const GAMES: usize = 200;

/// The number of moves that a check tries in the positions in which they are illegal.
const TRIED: usize = 8;

const SEED: u64 = 1;

/// The effort for the positions of a check. If the effort is not enough, the check becomes a
/// comment.
const TRIAL: Effort = Effort { games: 20_000, without_any: 2_000, searched: 1_000 };

/// The greatest number of legal moves, as a median, for a check with a search of [`MANY_PLIES`].
const FEW_MOVES: usize = 12;
const MANY_PLIES: usize = 4;

struct Facts {
    /// The lengths of the games in plies, in ascending order.
    lengths: Vec<usize>,
    /// The number of legal moves in the middle of a game, as the median of the games.
    choices: usize,
    /// Moves that were made in the games.
    moves: Vec<String>,
    has_points: bool,
    /// If true, the rules set a limit on the length of a game.
    has_limit: bool,
}

impl Facts {
    fn of(game: &dyn HostedGame) -> Facts {
        let mut rng = chance_of(SEED, game, "new checks");
        let (mut lengths, mut choices, mut moves) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..GAMES {
            let (played, _) = game.start().after_random_moves(&mut rng, usize::MAX);
            let half = &played[..played.len() / 2];
            let middle = half.iter().fold(game.start(), |position, &mv| position.after(mv));
            lengths.push(played.len());
            choices.push(middle.legal_moves().count());
            for mv in played.iter().map(ToString::to_string) {
                if moves.len() < TRIED && !moves.contains(&mv) {
                    moves.push(mv);
                }
            }
        }
        lengths.sort_unstable();
        choices.sort_unstable();
        let has_points = game.start().points().is_some();
        let has_limit = game.start().plies_left().is_some();
        Facts { lengths, choices: choices[GAMES / 2], moves, has_points, has_limit }
    }

    /// Returns the length that this share of the games, in percent, does not exceed.
    fn length(&self, percent: usize) -> usize {
        self.lengths[(GAMES * percent / 100).min(GAMES - 1)]
    }

    /// Returns true if a draft is for such a game.
    fn fit(&self, draft: &str) -> bool {
        let kind = KINDS.iter().find(|row| word(draft, "kind") == Some(row.name));
        let is_fit = |row: &KindRow| {
            (self.has_points || !row.needs_points) && (self.has_limit || !row.needs_limit())
        };
        kind.is_some_and(is_fit) && (self.choices <= FEW_MOVES || plies(draft) < MANY_PLIES)
    }

    /// Returns the text of a draft with moves and positions of the game. Of several texts with different rules for
    /// positions, the first that works is used.
    fn texts(&self, draft: &str) -> Vec<String> {
        let moves: Vec<_> =
            self.moves.iter().map(|mv| toml::Value::from(mv.as_str()).to_string()).collect();
        let text = draft.replace(MOVES, &format!("moves = [{}]", moves.join(", ")));
        let Some(rule) = word(draft, "draw") else { return vec![text] };
        let (kind, count) = rule.split_once(' ').unwrap_or((rule, "1"));
        let draws = match kind {
            "seen" => self.tests_of_sight(count, plies(draft), ""),
            "needed" => self.tests_of_sight(count, plies(draft), ", needed = true"),
            _ => vec![self.middle(count)],
        };
        let with = |draw: String| text.replace(&format!("draw = \"{rule}\""), &draw);
        draws.into_iter().map(with).collect()
    }

    /// Returns the rule for positions in the middle of games.
    fn middle(&self, count: &str) -> String {
        let length = self.length(10);
        format!("draw = {{ count = {count}, after = [{}, {}] }}", length / 4, length * 3 / 4)
    }

    /// Returns rules for positions that can show the depth of a player's search, the stricter rules
    /// first.
    fn tests_of_sight(&self, count: &str, plies: usize, more: &str) -> Vec<String> {
        let last = self.length(90).saturating_sub(plies);
        // Points decide nothing before the end.
        let late = self.length(10).saturating_sub(plies + 3);
        let begin = if self.has_points { late } else { self.length(10) / 2 };
        let first = begin.min(last);
        let many = (self.choices / 3).max(3);
        let rule = |moves, right, more: &str| {
            format!(
                "draw = {{ count = {count}, after = [{first}, {last}], moves = {moves}, \
                right = {right}{more} }}"
            )
        };
        let mut rules = vec![rule(many, many / 2, more), rule(2, 1, more)];
        if self.has_points {
            rules.push(rule(2, 1, &format!(", lead = 1{more}")));
            rules.push(rule(2, 1, &format!(", gap = 1{more}")));
        }
        rules
    }
}

/// The drafts of all checks. `moves = "some"` stands for moves of random games, and the words of `draw` for a rule:
/// `middle`, `seen` or `needed`, and the number of positions.
const DRAFTS: &str = include_str!("new_checks.toml");

/// The line of a draft that moves of random games replace.
const MOVES: &str = "moves = \"some\"";

/// Returns the text of a key of a draft, if the draft has the key.
fn word<'d>(draft: &'d str, key: &str) -> Option<&'d str> {
    let mut values = draft.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
    values.next()?.strip_suffix('"')
}

/// Returns the number of plies of a draft; 0 if the draft has no such key.
fn plies(draft: &str) -> usize {
    let number = draft.lines().find_map(|line| line.strip_prefix("plies = ")?.parse().ok());
    number.unwrap_or(0)
}

/// Returns the first of these texts of a check that works for the game, or the last as a comment.
fn working(game: &dyn HostedGame, texts: &[String]) -> String {
    let mut fault = String::new();
    for text in texts {
        match trial(game, text) {
            Ok(()) => return text.clone(),
            Err(why) => fault = why,
        }
    }
    let lines = texts.last().into_iter().flat_map(|text| text.lines());
    let lines = lines.map(|line| format!("# {}\n", line.trim_start_matches("# ")));
    format!("# Not used: {fault}\n{}", lines.collect::<String>())
}

/// Checks that a check applies to the game and that its positions can be drawn.
fn trial(game: &dyn HostedGame, text: &str) -> Result<(), String> {
    let checks = parse_checks(text).map_err(|error| error.to_string())?;
    if let Some((_, fault)) = checks.iter().find_map(|check| unfit_key(game, check)) {
        return Err(fault);
    }
    draw_with(game, &checks, SEED, TRIAL).map(drop).map_err(|error| error.why)
}

/// Returns a file of checks, with comments, for a game without checks. The checks follow from the state
/// format, the lengths of games and the numbers of moves. Calls `on_draft` before each check with the
/// number of earlier checks, the number of all checks, and the name.
pub fn new_checks(game: &dyn HostedGame, on_draft: &mut dyn FnMut(usize, usize, &str)) -> String {
    let facts = Facts::of(game);
    let mut text = heading(game, &facts);
    let drafts: Vec<_> = DRAFTS.split("\n\n").filter(|draft| facts.fit(draft)).collect();
    for (index, draft) in drafts.iter().enumerate() {
        on_draft(index, drafts.len(), word(draft, "name").unwrap_or_default());
        text.push('\n');
        text.push_str(working(game, &facts.texts(draft)).trim_end());
        text.push('\n');
    }
    text
}

fn heading(game: &dyn HostedGame, facts: &Facts) -> String {
    let points = match facts.has_points {
        true => {
            "The game has points: the keys `points`, `lead`, `gap` and `final-gap` of `draw` apply."
        }
        false => {
            "The game has no points. The keys `points`, `lead`, `gap` and `final-gap` of `draw` need them, as do the\n\
            # kinds `prints-score` and `stops-when-over`."
        }
    };
    let mut text = format!(
        "# Checks of an assignment about {}, for `grade --checks FILE`. The manual has all kinds and keys \
        (Checks\n# in a file). Change names, points, words and numbers as you like, and quote your assignment.\n\
        #\n# Nine of ten random games have {} plies or more, and nine of ten have {} or fewer. In the middle \
        of a\n# game there are {} legal moves (median).\n#\n# {points}\n#\n\
        # Programs read and write positions as state files. This is the start; the last line is the side to \
        move:\n#\n",
        game.name(),
        facts.length(10),
        facts.length(90),
        facts.choices,
    );
    for line in game.start().state().lines() {
        // Writing to a `String` never fails.
        let _ = writeln!(text, "#     {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use plyground_host::SharedGame;
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::draw_checks;

    fn used(game: &SharedGame) -> Vec<String> {
        let text = new_checks(&**game, &mut |_, _, _| ());
        let checks = parse_checks(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(checks.iter().find_map(|check| unfit_key(&**game, check)), None);
        // Other seeds find positions, too.
        draw_checks(&**game, &checks, 2).expect("positions");
        checks.iter().map(|check| check.kind.row().name.to_owned()).collect()
    }

    #[test]
    fn every_game_has_checks_of_all_kinds_to_begin_with() {
        let games = [toy(), network::game(network::Rules::Berkeley), maxconnect4::game()];
        for game in games {
            let used = used(&game);
            let has_points = game.start().points().is_some();
            let has_limit = game.start().plies_left().is_some();
            let fits = |kind: &&KindRow| {
                (has_points || !kind.needs_points) && (has_limit || !kind.needs_limit())
            };
            for kind in KINDS.iter().filter(fits) {
                let (name, kind) = (game.name(), kind.name);
                assert!(used.iter().any(|used| used == kind), "{name} lacks {kind}: {used:?}");
            }
        }
    }
}
