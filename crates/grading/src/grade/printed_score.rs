//! The score that a program prints, in the wording of its author.

use plyground_durable::excerpt;

/// Checks that a program has printed the score before the move, and the score after it; `None` if it made no legal
/// move.
pub(super) fn scores(
    printed: &str,
    before: Option<[i32; 2]>,
    after: Option<[i32; 2]>,
) -> [Result<(), String>; 2] {
    let Some(before) = before else { return [Ok(()), Ok(())] };
    let statements = Statements::of(printed, before);
    let (says_first, says_once) = (statements.first(), statements.only());
    let says_then = match after {
        // Without a legal move, whose points another check has taken, any second statement is enough.
        None => says_first && statements.0.len() > 1,
        Some(after) => {
            let statements = Statements::of(printed, after);
            // A single statement that is not the score before the move may be the score after it.
            statements.then() || !says_first && statements.only()
        }
    };
    let part = |is_there, when: &str, score: Option<[i32; 2]>, found: Option<&Statement>| {
        if is_there {
            return Ok(());
        }
        let score = score.map_or("the score".to_owned(), in_words);
        let found = found.map(|found| format!("; found: {}", excerpt(&found.line)));
        Err(format!("expected, printed {when} the move: {score}{}", found.unwrap_or_default()))
    };
    // If the move changes nothing, a single statement may be the one before it or the one after it.
    let is_either = says_once && after == Some(before);
    let when = if is_either { "both before and after" } else { "after" };
    // Where a program prints other numbers as well, the line with most of them is probably the score.
    let found = statements.0.iter().rev().max_by_key(|it| it.numbers);
    let rest = statements.0.get(1..).unwrap_or_default();
    let last = rest.iter().max_by_key(|it| it.numbers);
    [part(says_first, "before", Some(before), found), part(says_then, when, after, last)]
}

pub(super) fn in_words([first, second]: [i32; 2]) -> String {
    format!("the score, {first} to {second}")
}

/// The greatest number of further numbers in a statement of the score, such as a difference.
const MOST_OTHERS: usize = 2;

/// The greatest number of lines of statistics behind the score.
const MOST_STATISTICS: usize = 2;

/// The greatest number of lines in one statement.
const MOST_LINES: usize = 4;

/// The greatest number of lines in a statement with the board between the points of the players.
const MOST_LINES_WITH_A_BOARD: usize = 20;

/// The words that mark a statement of the score.
const WORDS: [&str; 3] = ["score", "point", "pts"];

/// Those of them that are units.
const UNITS: [&str; 2] = ["point", "pts"];

/// The words that mark a line about a move, which completes no score.
const MOVE_WORDS: [&str; 2] = ["move", "column"];

/// The words that name a side by its player: in one move, the computer may be either.
const ROLES: [&str; 3] = ["computer", "human", "opponent"];

/// The most numbers in a line of a score: a line with more and without a letter is a row of a
/// board, or its edge.
const MOST_OF_A_SCORE: usize = 4;

/// The most digits in a number of a score: a longer run of digits is a row of a board.
const LONGEST_NUMBER: usize = 4;

/// The signs between the cells of a row of a board, which may leave empty cells blank.
const FRAMES: [char; 4] = ['|', '[', ']', ','];

/// The least number of these signs in a row of a board.
const FEWEST_FRAMES: usize = 5;

/// The sign at both ends of a row of a board that is not divided into cells.
const SIDE: char = '|';

/// The fewest signs in an edge of a board.
const SHORTEST_EDGE: usize = 5;

/// The statements of a score in a text, in order.
pub(super) struct Statements(Vec<Statement>);

struct Statement {
    /// If true, the statement has the wanted score.
    is_right: bool,
    /// The line in which the statement begins.
    line: String,
    /// The number of numbers in this line.
    numbers: usize,
    /// If true, the line may be a score; if false, it is a line of statistics.
    may_be_score: bool,
}

impl Statements {
    /// Looks for statements of this score, given as the first player's number and the second's.
    pub(super) fn of(printed: &str, score: [i32; 2]) -> Statements {
        let texts: Vec<&str> = printed.lines().collect();
        let lines: Vec<Line> = texts.iter().map(|text| Line::of(text)).collect();
        let has_words = lines.iter().any(|line| line.has_word);
        let mut statements = Vec::new();
        let mut index = 0;
        while index < lines.len() {
            let begins = lines[index].begins(has_words, lines.get(index + 1));
            let length = if begins { length(&lines[index..], score) } else { None };
            if begins {
                let (is_right, line) = (length.is_some(), texts[index].trim().to_owned());
                let numbers = lines[index].numbers.len();
                let may_be_score = !has_words || lines[index].may_be_score();
                statements.push(Statement { is_right, line, numbers, may_be_score });
            }
            index += length.unwrap_or(1);
        }
        Statements(statements)
    }

    /// Returns true if the first statement is of the score.
    pub(super) fn first(&self) -> bool {
        self.0.first().is_some_and(|it| it.is_right)
    }

    /// Returns true if the second or the last statement is of the score. Statistics, which cannot be a score, may
    /// follow the last one.
    pub(super) fn then(&self) -> bool {
        let rest = self.0.get(1..).unwrap_or_default();
        let mut last = rest.iter().rev().take(MOST_STATISTICS + 1);
        let last = last.find(|it| it.is_right || it.may_be_score);
        rest.first().into_iter().chain(last).any(|it| it.is_right)
    }

    /// Returns true if there is exactly one statement and it is of the score.
    pub(super) fn only(&self) -> bool {
        matches!(self.0.as_slice(), [only] if only.is_right)
    }
}

struct Line {
    numbers: Vec<i64>,
    /// The first number after the name of each player, its points.
    by_name: [Option<i64>; 2],
    /// The numbers after the last word that marks a statement.
    behind_word: Vec<i64>,
    has_word: bool,
    /// If true, the last word is a unit, which follows its number.
    is_unit: bool,
    has_letter: bool,
    has_role: bool,
    is_move: bool,
    is_row: bool,
    /// If true, the line has signs alone, as the edge of a board has.
    is_edge: bool,
    is_blank: bool,
}

impl Line {
    fn of(text: &str) -> Line {
        let lower = text.to_lowercase();
        let has_letter = text.chars().any(char::is_alphabetic);
        let numbers = numbers(text);
        let by_name = by_name(&lower);
        let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
        let shown = text.trim();
        let is_between_sides = shown.strip_prefix(SIDE).and_then(|it| it.strip_suffix(SIDE));
        let is_framed = FRAMES.iter().any(|&frame| text.matches(frame).count() >= FEWEST_FRAMES)
            || is_between_sides.is_some_and(|inner| !inner.contains(SIDE));
        let is_row = !has_letter
            && (numbers.len() > MOST_OF_A_SCORE || longest > LONGEST_NUMBER || is_framed);
        let ends = WORDS.iter().filter_map(|word| Some((lower.rfind(word)? + word.len(), word)));
        let (end, word) = ends.max().unzip();
        let is_unit = word.is_some_and(|word| UNITS.contains(word));
        let behind_word = end.map_or_else(Vec::new, |end| self::numbers(&lower[end..]));
        let signs = shown.chars().filter(|c| !c.is_whitespace());
        let is_edge = !shown.contains(char::is_alphanumeric) && signs.count() >= SHORTEST_EDGE;
        let (has_word, is_blank) = (end.is_some(), shown.is_empty());
        let has_role = ROLES.iter().any(|role| lower.contains(role));
        let is_move = !has_word && MOVE_WORDS.iter().any(|word| lower.contains(word));
        Line {
            numbers,
            by_name,
            behind_word,
            has_word,
            is_unit,
            has_letter,
            has_role,
            is_move,
            is_row,
            is_edge,
            is_blank,
        }
    }

    /// Returns true if the line names a player, or has two numbers behind its word or with its unit.
    fn may_be_score(&self) -> bool {
        let names_player = self.has_role || self.by_name.iter().any(Option::is_some);
        names_player || self.behind_word.len() > 1 || self.is_unit && self.numbers.len() > 1
    }

    /// Returns true if a statement begins in this line: the line has a word that marks a statement,
    /// unless the text has no such words, and a number follows in this line or the next.
    fn begins(&self, has_words: bool, next: Option<&Line>) -> bool {
        let has_numbers = |line: &Line| !line.is_row && !line.numbers.is_empty();
        if has_words {
            self.has_word && (has_numbers(self) || next.is_some_and(has_numbers))
        } else {
            has_numbers(self)
        }
    }
}

/// Returns the number of lines that state the score, if these lines begin with it. The score may
/// begin with the first number, or with the first number after the word, or be told by the names of the players.
fn length(lines: &[Line], score: [i32; 2]) -> Option<usize> {
    let first = lines.first()?;
    // A line must not state several scores. Two numbers before a unit are the score, or else two behind the word.
    let before = first.numbers.len().saturating_sub(first.behind_word.len());
    let fronts: &[&[i64]] = match first.behind_word.len() {
        _ if first.is_unit && before > 1 => &[&first.numbers],
        0 | 1 => &[&first.numbers, &first.behind_word],
        _ => &[&first.behind_word],
    };
    let ways = fronts.iter().filter_map(|front| stated(lines, front, score));
    ways.min().or_else(|| named(lines, score))
}

/// Returns the number of lines that state the score by the names of the players, if these lines begin with it. The
/// board may stand between the two.
fn named(lines: &[Line], score: [i32; 2]) -> Option<usize> {
    let mut found = [None; 2];
    for (index, line) in lines.iter().take(MOST_LINES_WITH_A_BOARD).enumerate() {
        // The points of player 2 may end the statement before.
        if line.is_move || index == 0 && line.by_name[0].is_none() {
            return None;
        }
        for (found, told) in found.iter_mut().zip(line.by_name) {
            *found = found.or(told.filter(|_| index == 0 || line.has_word));
        }
        if let [Some(first), Some(second)] = found {
            return ([first, second] == score.map(i64::from)).then_some(index + 1);
        }
    }
    None
}

/// Returns the number of lines that state the score, if these lines begin with it. The numbers of
/// the first line are `front`.
///
/// The numbers of a statement are in one line, or in lines of the same kind: all of them with words,
/// or none. So a board below `Score: 3` does not complete the statement, even if the rows of the
/// board have few numbers.
fn stated(lines: &[Line], front: &[i64], score: [i32; 2]) -> Option<usize> {
    let mut all: Vec<i64> = Vec::new();
    let (mut has_letter, mut has_role) = (None, false);
    for (index, line) in lines.iter().take(MOST_LINES).enumerate() {
        let numbers = if index == 0 { front } else { &line.numbers };
        let is_other = !numbers.is_empty() && has_letter.is_some_and(|it| it != line.has_letter);
        let is_end = index > 0 && line.is_move || line.is_edge && !all.is_empty();
        if line.is_row || is_other || is_end {
            return None;
        }
        if !numbers.is_empty() {
            has_letter = Some(line.has_letter);
        }
        all.extend(numbers);
        has_role |= line.has_role;
        let [first, second] = score;
        if !line.is_blank && (says(&all, score) || has_role && says(&all, [second, first])) {
            return Some(index + 1);
        }
    }
    None
}

/// Returns true if the numbers are the score, with or without the numbers of the players.
fn says(numbers: &[i64], score: [i32; 2]) -> bool {
    let [first, second] = score.map(i64::from);
    let ways: [&[i64]; 5] = [
        &[first, second],
        &[1, first, 2, second],
        &[first, 1, second, 2],
        &[2, second, 1, first],
        &[second, 2, first, 1],
    ];
    ways.iter().any(|way| numbers.starts_with(way) && numbers.len() <= way.len() + MOST_OTHERS)
}

/// Returns the numbers in a line, except numbers that are part of a name, as in `MaxConnect-4`,
/// `Player 1` and `player2`.
fn numbers(text: &str) -> Vec<i64> {
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        if !is_name(before) {
            numbers.extend(number[..end].parse::<i64>().ok());
        }
        rest = &number[end..];
        // The zero behind the point in `3.0` is not another number.
        if let Some(fraction) = rest.strip_prefix('.') {
            let digits = fraction.trim_start_matches('0');
            rest = if digits.starts_with(|c: char| c.is_ascii_digit()) { rest } else { digits };
        }
    }
    numbers
}

/// Returns the first number after the name of each player in a line in lower case: `player 1`, `p1`, or `1:`.
fn by_name(line: &str) -> [Option<i64>; 2] {
    let (mut found, mut player) = ([None; 2], None);
    let mut at = 0;
    while let Some(start) = line[at..].find(|c: char| c.is_ascii_digit()).map(|start| at + start) {
        let digits = line[start..].chars().take_while(char::is_ascii_digit).count();
        let (number, rest) = line[start..].split_at(digits);
        at = start + digits;
        let named = ["1", "2"].iter().position(|name| *name == number);
        let before = line[..start].trim_end_matches([' ', '#', '-', '_']);
        let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let is_name = ["player", "p"].contains(&word) || rest.starts_with(':');
        if let Some(named) = named.filter(|_| is_name) {
            player = Some(named);
        } else if let Some(slot) = player.and_then(|player: usize| found.get_mut(player))
            && slot.is_none()
        {
            *slot = number.parse().ok();
        }
    }
    found
}

/// Returns true if a number after this text is part of a name.
fn is_name(before: &str) -> bool {
    let ends_in_letter = |text: &str| text.ends_with(|c: char| c.is_alphabetic() || c == '_');
    let word = before.trim_end_matches([' ', '#', '-', '_']).to_lowercase();
    ends_in_letter(before)
        || before.strip_suffix('-').is_some_and(ends_in_letter)
        || word.ends_with("player")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(printed: &str) -> bool {
        Statements::of(printed, [3, 4]).first()
    }

    #[test]
    fn score_is_read_as_people_write_it() {
        for printed in [
            "MaxConnect-4 game\n | 0 1 2 0 1 2 1 |\nScore: Player 1 = 3, Player 2 = 4\n\nmove 1",
            "0012012\n1201201\nScore: 3 - 4\n",
            "Player 1's score: 3\nPlayer 2's score: 4\n",
            "Score\nplayer1 3\nplayer2 4\n",
            "Score: Player 1 = 3, Player2 = 4\n \n",
            "Score (1: 3, 2: 4)",
            "Red: 3, Green: 4\n",
            "MaxConnect-4\nPlayer 1 = 3\nPlayer 2 = 4\n",
            "Score 3.0 4.0 (difference 1)\n",
            "3 points for player 1, 4 points for player 2.\n",
            "After move 5 the score is:\n3 4\n",
            "Score:\n3\n4\n",
            "Player 1's score:\n3\nPlayer 2's score:\n4\n",
            "Move 13. Score: 3 to 4\n",
            "[Score] {1: 3, 2: 4}\n",
            "scores = [3, 4]\n",
            "Score: <3> | <4>\n",
            "(3, 4)\n",
            "Current score is (3 - 4)\n",
            "Human has 3 points\nComputer has 4 points\n",
            "Score: Computer - 4 Opponent - 3\n",
            "Player 1: 3 points; player 2: 4 points\n",
            "P1 score 3\nP2 score 4\n",
            "SCORE:\n  X: 3\n  O: 4\n",
            "[ ][ ][1][ ][ ][ ][ ]\n[ ][ ][1][2][ ][ ][2]\n(Player1) 3-4 (Player2)\n",
            "| | |1| |2| | |\n|1|2|1| |2| | |\n3 : 4\n",
            "P1: 3 pts (21 pieces)  P2: 4 pts (20 pieces)\n",
            "Score = -1 (1: 3, 2: 4)\n",
            "You: 3  Me: 4 points (21 of 42 pieces)\n",
            "Player 1 score: 3\n| 0 1 2 0 1 2 1 |\n| 1 1 2 2 1 2 1 |\nPlayer 2 score: 4\n",
            "Points of player 2 (o): 4 of 69, of player 1 (x): 3 of 69\n",
        ] {
            assert!(first(printed), "{printed}");
        }
    }

    #[test]
    fn other_numbers_are_no_score() {
        let all: Vec<String> = (0..70).map(|number| number.to_string()).collect();
        for printed in [
            all.join(" "),
            all.join("\n"),
            format!("Score: {}", all.join(" ")),
            format!("Score {}", all.join("\nScore ")),
            (0..70).map(|number| format!("Score: {} {}\n", number / 8, number % 8)).collect(),
            "Score: Player 1 = 4, Player 2 = 3\n".to_owned(),
            "P1: 4 pts (3 pieces)  P2: 3 pts (4 pieces)\n".to_owned(),
            "Player 1 score: 3\nmove 5\nPlayer 2 score: 4\n".to_owned(),
            "Score: Player 1 = 13, Player 2 = 4\n".to_owned(),
            "0012034\n3434343\n".to_owned(),
            String::new(),
        ] {
            assert!(!first(&printed), "{printed}");
            let statements = Statements::of(&printed, [3, 4]);
            assert!(!statements.then(), "{printed}");
        }
    }

    #[test]
    fn board_completes_no_score() {
        for board in [
            " -----------------\n |       4       |\n | 1 2           |\n",
            "      4\n  1 2 1\n",
            "Board:\n. . . 4 . . .\n",
            "| |4| | |\n",
            "move 5: Player 1, column 4\n",
            "move: Player 1, column 4\n",
        ] {
            for score in ["Player Score: 3\n", "Score is 3\n\n"] {
                let printed = format!("{score}{board}");
                assert!(!first(&printed), "{printed}");
            }
        }
        assert!(!first("Score:\n3\n -----------------\n   4\n"));
    }

    #[test]
    fn score_after_the_move_is_the_next_or_the_last() {
        let printed = "Score: 3, 4\nmove 13: Player 1, column 7\nScore: 5, 4\n";
        assert!(Statements::of(printed, [5, 4]).then());
        assert!(!Statements::of(printed, [3, 4]).then());
        assert!(!Statements::of("Score: 3, 4\n", [3, 4]).then());
        assert!(Statements::of("Score: A = 3, B = 4\n", [3, 4]).only());
        assert!(!Statements::of(printed, [5, 4]).only());
        let statistics =
            "Score: 3, 4\nScores of columns: 1 2 3\nScore: 5, 4\nscore evaluations: 4321\n";
        assert!(Statements::of(statistics, [5, 4]).then());
        let several = "score 3 4\nscore 6 4\nscore 5 4\nscore 7 4\n";
        assert!(!Statements::of(several, [5, 4]).then());
        let lines =
            "P1 score: 6\nP2 score: 4\nP1 score: 5\nP2 score: 4\nP1 score: 7\nP2 score: 4\n";
        let several = format!("Score: 3 4\n{lines}");
        assert!(!Statements::of(&several, [5, 4]).then());
        assert!(Statements::of(&several, [7, 4]).then());
        let lines = "Player 1 score: 3\nPlayer 2 score: 4\nPlayer 1 score: 5\nPlayer 2 score: 4\n";
        assert!(Statements::of(lines, [3, 4]).first() && Statements::of(lines, [5, 4]).then());
        let several = "4 3 score 3 4\n";
        assert!(Statements::of(several, [3, 4]).first());
        assert!(!Statements::of(several, [4, 3]).first());
    }

    #[test]
    fn score_that_is_printed_once_and_unchanged_is_printed_at_one_end() {
        let missing = |after, printed| scores(printed, Some([3, 4]), Some(after));
        for (after, when) in [([3, 4], "both before and after"), ([5, 4], "after")] {
            let [first, then] = missing(after, "Score: 3, 4\n");
            assert_eq!(first, Ok(()));
            let said = then.expect_err("one statement is missing");
            assert!(said.starts_with(&format!("expected, printed {when} the move: ")), "{said}");
        }
        let [first, then] = missing([5, 4], "Score: 5, 4\n");
        assert!(first.is_err_and(|said| said.contains("printed before the move")) && then.is_ok());
        // The student sees the line that was read.
        let [first, then] = missing([5, 4], "Score: 4 to 3\n\nmove 5\nScore: 4 to 5\n");
        let end = |part: Result<(), String>| part.expect_err("numbers in another order");
        let before = "expected, printed before the move: the score, 3 to 4; found: Score: 4 to 3";
        let after = "expected, printed after the move: the score, 5 to 4; found: Score: 4 to 5";
        assert_eq!([first, then].map(end), [before, after]);
        let without_move = |printed| scores(printed, Some([3, 4]), None)[1].clone();
        assert_eq!(without_move("Score: 3, 4\nmove 5\nScore: 5, 4\n"), Ok(()));
        assert!(without_move("Score: 3, 4\n").is_err());
        assert!(without_move("depth is 3\nError in line 7\n").is_err());
        let printed = "Current player: 1\nPlayer 1: 4, Player 2: 3\nCurrent player: 2\n";
        for part in missing([5, 4], printed).map(end) {
            assert!(part.ends_with("found: Player 1: 4, Player 2: 3"), "{part}");
        }
    }
}
