//! Drafts of the checks of a game, made from the statistics of random games.

use std::fmt::Write;

use plyground::Game;
use plyground_host::HostedGame;

use super::check::unfit_key;
use super::check_file::parse_checks;
use super::draw::{Effort, chance_of, draw_with};

/// The number of random games.
const GAMES: usize = 200;

/// The number of moves that a check tries in the positions in which they are illegal.
const TRIED: usize = 8;

/// The seed of the trials.
const SEED: u64 = 1;

/// The effort for the positions of a check. If the effort is not enough, the check becomes a
/// comment.
const TRIAL: Effort = Effort { games: 20_000, without_any: 2_000, searched: 1_000 };

/// The greatest number of legal moves, as a median, for a check with a search of four plies.
const FEW_MOVES: usize = 12;

/// The statistics of random games.
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

    /// Returns the line with the moves that were made.
    fn moves(&self) -> String {
        let moves: Vec<_> =
            self.moves.iter().map(|mv| toml::Value::from(mv.as_str()).to_string()).collect();
        format!("moves = [{}]", moves.join(", "))
    }

    /// Returns the rule for positions in the middle of games.
    fn middle(&self, count: usize) -> String {
        let length = self.length(10);
        format!("draw = {{ count = {count}, after = [{}, {}] }}", length / 4, length * 3 / 4)
    }

    /// Returns rules for positions that can show the depth of a player's search, the stricter rules
    /// first.
    fn tests_of_sight(&self, count: usize, plies: usize, more: &str) -> Vec<String> {
        let last = self.length(90).saturating_sub(plies);
        let first = match self.has_points {
            // Points decide nothing before the end.
            true => self.length(10).saturating_sub(plies + 3).min(last),
            false => (self.length(10) / 2).min(last),
        };
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

/// The draft of a check.
struct Draft {
    comment: &'static str,
    name: &'static str,
    points: u32,
    kind: String,
    asks: &'static str,
    why: &'static str,
    /// The alternative lines for the positions; the first line that works is used.
    draws: Vec<String>,
}

impl Draft {
    fn text(&self, draw: &str) -> String {
        let Draft { comment, name, points, kind, asks, why, .. } = self;
        let draw = if draw.is_empty() { String::new() } else { format!("{draw}\n") };
        format!(
            "# {comment}\n[[check]]\nname = \"{name}\"\npoints = {points}\n{kind}\nasks = \"{asks}\"\n\
            why = \"{why}\"\nsentence = \"{SENTENCE}\"\n{draw}"
        )
    }

    /// Returns the text of the check, as a comment if no positions are found.
    fn written(&self, game: &dyn HostedGame) -> String {
        let mut fault = String::new();
        for draw in &self.draws {
            let text = self.text(draw);
            match trial(game, &text) {
                Ok(()) => return text,
                Err(why) => fault = why,
            }
        }
        let text = self.text(self.draws.last().map_or("", String::as_str));
        let lines = text.lines().map(|line| format!("# {}\n", line.trim_start_matches("# ")));
        format!("# Not used: {fault}\n{}", lines.collect::<String>())
    }
}

/// The placeholder for the sentence of the assignment.
const SENTENCE: &str = "(quote the sentence of your assignment)";

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
    let drafts = drafts(&facts);
    for (index, draft) in drafts.iter().enumerate() {
        on_draft(index, drafts.len(), draft.name);
        text.push('\n');
        text.push_str(&draft.written(game));
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

fn drafts(facts: &Facts) -> Vec<Draft> {
    let mut drafts = drafts_of_play();
    drafts.extend(drafts_of_sight(facts));
    drafts.push(Draft {
        comment: "The time for a move, in CPU time or on the clock, whichever is less.",
        name: "a move takes ten seconds at most",
        points: 5,
        kind: "kind = \"time\"\ndepth = 2\nlimit = \"10s\"\npositions = [\"\"]".to_owned(),
        asks: "At depth 2 the player moves within ten seconds, at the start and in a middle game.",
        why: "Games must come to an end.",
        draws: vec![facts.middle(2)],
    });
    drafts.extend(drafts_of_files(facts));
    drafts.extend(drafts_of_opinions(facts));
    drafts
}

fn drafts_of_play() -> Vec<Draft> {
    vec![
        Draft {
            comment: "Games against random moves. A player that fails in a game loses it.",
            name: "only legal moves are chosen",
            points: 20,
            kind: "kind = \"faultless\"\ndepth = 2\ngames = 10".to_owned(),
            asks: "In ten games against random moves, every move is legal and in time.",
            why: "The referee grants the win to the opponent of a player that makes an illegal move.",
            draws: vec![String::new()],
        },
        Draft {
            comment: "Points begin above the share `from` of games won, and `share` earns all. A draw is not won: \
                      lower both if many games end in one.",
            name: "random play is beaten",
            points: 20,
            kind: "kind = \"beats-random\"\ndepth = 2\ngames = 60\nfrom = 0.6\nshare = 0.9"
                .to_owned(),
            asks: "The player wins nine of ten games against random moves.",
            why: "Any reasonable search and evaluation does.",
            draws: vec![String::new()],
        },
    ]
}

fn drafts_of_sight(facts: &Facts) -> Vec<Draft> {
    let sees = |plies: u32| format!("kind = \"sees\"\ndepth = {plies}\nplies = {plies}");
    let mut drafts = vec![
        Draft {
            comment: "Positions in which some moves are right, as the rules alone show within `plies`.",
            name: "a search of one ply is right",
            points: 10,
            kind: sees(1),
            asks: "Told depth 1, the player makes a move that is right as far as one ply shows.",
            why: "A search of one ply sees it. Points begin above the share that random moves get right.",
            draws: facts.tests_of_sight(8, 1, ""),
        },
        Draft {
            comment: "The same with the reply of the opponent.",
            name: "a search of two plies is right",
            points: 15,
            kind: sees(2),
            asks: "Told depth 2, the player makes a move that is right as far as two plies show.",
            why: "A search of two plies sees it. Points begin above the share that random moves get right.",
            draws: facts.tests_of_sight(8, 2, ""),
        },
        Draft {
            comment: "This probe finds players that look a ply more or less ahead than they are told; all \
                other checks\n# then correct the depth.",
            name: "the depth is the number of plies searched",
            points: 5,
            kind: "kind = \"counts-depth\"\nplies = 2".to_owned(),
            asks: "Told depth 2, the player sees two plies ahead, and told depth 1 it does not.",
            why: "Players are compared at the same depth.",
            draws: facts.tests_of_sight(6, 2, ", needed = true"),
        },
    ];
    if facts.choices <= FEW_MOVES {
        drafts.push(Draft {
            comment: "With `needed`, a search with one ply less misses the right moves.",
            name: "a search of four plies is right",
            points: 15,
            kind: sees(4),
            asks: "Told depth 4, the player makes a move that is right as far as four plies show.",
            why: "A search of four plies sees it. Points begin above the share that random moves get right.",
            draws: facts.tests_of_sight(8, 4, ", needed = true"),
        });
    }
    drafts
}

fn drafts_of_files(facts: &Facts) -> Vec<Draft> {
    let kind = |kind: &str| format!("kind = \"{kind}\"\ndepth = 2");
    let at_end = || vec!["draw = { count = 2 }".to_owned()];
    let mut drafts = vec![
        Draft {
            comment: "This check and the next checks of files are for players `file:...`; others \
                skip them. Files have\n# the form above, with CR LF at the end of every line.",
            name: "state files are read",
            points: 3,
            kind: kind("reads-files"),
            asks: "The program reads a state file and writes the position after a legal move.",
            why: "The other checks use LF for a program that reads only LF: this costs only its own points.",
            draws: vec![facts.middle(3)],
        },
        Draft {
            comment: "The symbols and blanks of the file, whatever its line ends.",
            name: "the file has the format of the input",
            points: 4,
            kind: kind("file-format"),
            asks: "The file that is written has the lines of the input with one move made.",
            why: "The program of the opponent reads it.",
            draws: vec![facts.middle(3)],
        },
        Draft {
            comment: "The line ends of the file.",
            name: "the lines end as in the input",
            points: 1,
            kind: kind("line-ends"),
            asks: "Every written line ends as the lines of the input do.",
            why: "It belongs to the format.",
            draws: vec![facts.middle(2)],
        },
        Draft {
            comment: "Positions in which the game is over are drawn by playing games to their end.",
            name: "no file is written when the game is over",
            points: 1,
            kind: kind("writes-nothing-when-over"),
            asks: "Given a position in which the game is over, the program writes no file.",
            why: "There is no move to make.",
            draws: at_end(),
        },
    ];
    if facts.has_limit {
        drafts.push(Draft {
            comment: "For players `file:PROGRAM one-move {in} {out} {depth}` whose program also plays a person, with \
                the\n# arguments `interactive {in} computer-next {depth}`, as in the assignment of Max-Connect4. The \
                person types\n# these moves again and again; list all moves of the game.",
            name: "the program plays a person to the end of the game",
            points: 0,
            kind: format!("{}\n{}", kind("interactive"), facts.moves()),
            asks: "The program plays the last moves of a game against a person, who may make a bad move, and saves the \
                   positions in `computer.txt` and `human.txt`.",
            why: "The points are 0, which leaves the check out, until you know that your assignment asks for this.",
            draws: vec!["draw = { count = 2 }".to_owned()],
        });
    }
    if facts.has_points {
        drafts.push(Draft {
            comment: "The points of both players, before the move and after it.",
            name: "the score is printed",
            points: 4,
            kind: kind("prints-score"),
            asks: "The points of both players are printed before the move, and again after it.",
            why: "The search needs them, too.",
            draws: vec![facts.middle(4)],
        });
        drafts.push(Draft {
            comment: "The program prints the points and exits.",
            name: "a finished game is left alone",
            points: 3,
            kind: kind("stops-when-over"),
            asks: "Given a position in which the game is over, the program prints the points and exits.",
            why: "There is no move to make.",
            draws: at_end(),
        });
    }
    drafts
}

fn drafts_of_opinions(facts: &Facts) -> Vec<Draft> {
    vec![
        Draft {
            comment: "This check and the next are for players of the line protocol, `line:...`, and Java \
                classes; others\n# skip them.",
            name: "legal moves are accepted",
            points: 5,
            kind: "kind = \"accepts-legal\"".to_owned(),
            asks: "The player accepts legal moves, as its own and as its opponent's.",
            why: "Both sides keep a board of their own, and must agree.",
            draws: vec![facts.middle(4)],
        },
        Draft {
            comment: "These moves are tried in the positions in which they are illegal. Add moves \
                that your rules forbid.",
            name: "illegal moves are refused",
            points: 10,
            kind: format!("kind = \"refuses-illegal\"\n{}", facts.moves()),
            asks: "The player refuses illegal moves, as its own and as its opponent's.",
            why: "The assignment begins with the rules.",
            draws: vec![facts.middle(4)],
        },
    ]
}

#[cfg(test)]
mod tests {
    use plyground_host::SharedGame;
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::check::{KINDS, KindRow};
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
