//! A rules program as a game: its positions as a [`Game`]; and its texts, state file, page and starter kit. The
//! rules themselves, a class in Python, are part of the kit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::{fmt, fs};

use plyground::hints::Term;
use plyground::proof::NoTactics;
use plyground::{Evaluator, Game, Outcome, Score, SearchHints, Side};
use plyground_durable::{excerpt, shown};

use super::message::{Board, Facts, MOST_TEXT, read_move};
use super::process::{Expansion, PASS};
use super::program::{MOST_CODES, RulesProgram};
use crate::adapter::{
    GameAdapter, Lesson, MoveText, MoveTooLong, Text, default_lesson, default_move_hint,
    default_text,
};
use crate::game::{HostedGame, Illegal};
use crate::page::{self, Ground, Layout, Picture};
use crate::starter::{KitTexts, Language, Programs, StarterKit};
use crate::state::{StateText, TextError};

/// A position of a rules program.
#[derive(Clone)]
pub struct RulesPosition {
    program: RulesProgram,
    facts: Arc<Facts>,
    /// The moves among which the position was reached.
    origin: Option<Arc<Expansion>>,
    expansion: OnceLock<Arc<Expansion>>,
}

/// A move of a rules program: a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulesMove(MoveText);

impl RulesPosition {
    pub(super) fn new(program: RulesProgram, facts: Arc<Facts>) -> RulesPosition {
        RulesPosition { program, facts, origin: None, expansion: OnceLock::new() }
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the moves of the position, which must not be over.
    fn expansion(&self) -> &Arc<Expansion> {
        self.expansion.get_or_init(|| self.program.expansion(&self.facts, self.origin.as_ref()))
    }

    /// Returns the end of the sentence that refuses `mv`: a legal move, and the form of a move if `mv` has another
    /// form.
    fn instead(&self, mv: RulesMove) -> String {
        let steps = &self.expansion().steps;
        let Some(legal) = steps.first().map(|step| step.mv) else { return String::new() };
        if form(legal.as_str()) == form(mv.0.as_str()) {
            return format!("; {legal} is");
        }
        match &self.program.0.description.hint {
            Some(hint) => format!(": expected {hint}; {legal} is legal"),
            None => format!(": expected a move such as {legal}"),
        }
    }

    /// Returns the position after `mv`, or `None` if `mv` is not legal.
    fn next(&self, mv: RulesMove) -> Option<RulesPosition> {
        if self.facts.outcome.is_some() {
            return None;
        }
        let expansion = self.expansion();
        let (step, _) = expansion.find(mv.0)?;
        Some(RulesPosition {
            program: self.program.clone(),
            facts: Arc::clone(&step.after),
            origin: Some(Arc::clone(expansion)),
            expansion: OnceLock::new(),
        })
    }
}

/// Returns the form of a move: `a` for a run of letters and `1` for one of digits.
fn form(mv: &str) -> String {
    let kind = |c: char| {
        if c.is_alphabetic() {
            'a'
        } else if c.is_ascii_digit() {
            '1'
        } else {
            c
        }
    };
    let mut form: Vec<char> = mv.chars().map(kind).collect();
    form.dedup();
    form.into_iter().collect()
}

impl Game for RulesPosition {
    type Move = RulesMove;
    type IllegalMove = Illegal;

    /// A placeholder; [`GameAdapter::game_name`](crate::GameAdapter::game_name) returns the name of the game.
    const NAME: &'static str = "rules";

    /// False, because the program names the side to move in every position.
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.facts.side
    }

    fn outcome(&self) -> Option<Outcome> {
        self.facts.outcome
    }

    fn legal_moves(&self) -> impl Iterator<Item = RulesMove> {
        let expansion = self.facts.outcome.is_none().then(|| Arc::clone(self.expansion()));
        let steps = expansion.as_ref().map_or(0, |expansion| expansion.steps.len());
        (0..steps).filter_map(move |index| {
            let step = expansion.as_ref()?.steps.get(index)?;
            Some(RulesMove(step.mv))
        })
    }

    fn check_legal(&self, mv: RulesMove) -> Result<(), Illegal> {
        if self.facts.outcome.is_some() {
            return Err(Illegal::new(format_args!("{mv} is not legal: the game is over")));
        }
        match self.expansion().find(mv.0) {
            Some(_) => Ok(()),
            None => Err(Illegal::new(format_args!("{mv} is not legal{}", self.instead(mv)))),
        }
    }

    fn play_unchecked(&mut self, mv: RulesMove) {
        if let Some(next) = self.next(mv) {
            *self = next;
        }
    }

    fn key(&self) -> u64 {
        self.facts.key
    }

    fn is_pass(&self, mv: RulesMove) -> bool {
        mv.0.as_str() == PASS
    }

    fn plies_left(&self) -> Option<u32> {
        self.facts.plies_left
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.facts.points
    }

    fn margin(&self) -> i32 {
        self.facts.margin()
    }

    fn after(&self, mv: RulesMove) -> RulesPosition {
        self.next(mv).unwrap_or_else(|| self.clone())
    }
}

impl SearchHints for RulesPosition {
    const MOVE_CODES: usize = MOST_CODES;

    fn move_code(&self, mv: RulesMove) -> usize {
        if self.facts.outcome.is_some() {
            return 0;
        }
        self.expansion().find(mv.0).map_or(0, |(_, code)| code.into())
    }
}

impl PartialEq for RulesPosition {
    fn eq(&self, other: &RulesPosition) -> bool {
        self.facts.text == other.facts.text
    }
}

impl Eq for RulesPosition {}

/// Writes the lines of the state file except the last, which names the side to move.
impl fmt::Display for RulesPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &*self.facts.text;
        let rows = text.rsplit_once('/').map_or(text, |(rows, _)| rows);
        f.write_str(&rows.replace('/', "\n"))
    }
}

impl fmt::Debug for RulesPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.facts.text, self.facts.words())
    }
}

impl FromStr for RulesMove {
    type Err = MoveTooLong;

    fn from_str(text: &str) -> Result<RulesMove, MoveTooLong> {
        read_move(text).map(RulesMove).ok_or(MoveTooLong)
    }
}

impl fmt::Display for RulesMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The evaluation by the program: the margin in points, and the program's judgment.
#[derive(Clone, Copy, Debug)]
pub struct RulesScore;

/// The weight of the judgment of a position in the order of moves, beside the statistics of the search.
const ORDER_WEIGHT: i32 = 16;

impl Evaluator<RulesPosition> for RulesScore {
    fn evaluate(&self, position: &RulesPosition) -> Score {
        let facts = position.facts();
        Score::estimate(facts.margin() * RulesPosition::POINT + facts.score)
    }

    fn terms(&self, position: &RulesPosition) -> Vec<Term> {
        let facts = position.facts();
        let points = facts.points.map(|points| Term::of_points(position, points));
        let judgment = Term { name: "the program's score", counts: [facts.score, 0], weight: 1 };
        points.into_iter().chain([judgment]).collect()
    }

    /// Puts a winning move first, and the others in the order of the evaluations of their positions.
    fn order(&self, position: &RulesPosition, _: RulesMove, next: &RulesPosition) -> i32 {
        match next.facts.outcome.and_then(Outcome::winner) {
            Some(winner) if winner == position.facts.side => 1_000_000,
            _ if next.facts.side == position.facts.side => self.evaluate(next).get() * ORDER_WEIGHT,
            _ => -self.evaluate(next).get() * ORDER_WEIGHT,
        }
    }
}

/// The symbol of an empty cell.
const EMPTY: char = '.';
/// The symbol of a cell that is for neither side.
const DEAD: char = '#';

impl GameAdapter for RulesProgram {
    type Game = RulesPosition;
    type Evaluator = RulesScore;
    type Tactics = NoTactics;

    fn game_name(&self) -> &'static str {
        self.0.name
    }

    fn start(&self) -> RulesPosition {
        RulesPosition::new(self.clone(), self.0.description.start.clone())
    }

    fn evaluator(&self) -> RulesScore {
        RulesScore
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<RulesPosition, TextError> {
        let word = text.word();
        let refused = |found: String| {
            let expected = format!("a position of {}", self.0.name);
            TextError { line: 1, column: 1, expected, found }
        };
        if word.is_empty() {
            return Err(refused("an empty text".to_owned()));
        }
        if word.len() > MOST_TEXT {
            return Err(refused(format!("more than {MOST_TEXT} bytes")));
        }
        // A program may split a question at any blank of Unicode.
        if matches!(shown(&word), Cow::Owned(_)) || word.contains(char::is_whitespace) {
            return Err(refused(format!("a hidden character, `{}`", excerpt(&word))));
        }
        match self.read(&word) {
            Ok(facts) => Ok(RulesPosition::new(self.clone(), facts)),
            Err(why) => Err(refused(format!("another text: {why}"))),
        }
    }

    fn format_state(&self, position: &RulesPosition) -> String {
        position.facts().text.replace('/', "\n")
    }

    fn side_name(&self, side: Side) -> String {
        match &self.0.description.sides {
            Some(names) => names[side.index()].clone(),
            None => format!("Player {}", side.index() + 1),
        }
    }

    fn move_hint(&self) -> String {
        let hint = self.0.description.hint.clone();
        hint.unwrap_or_else(|| default_move_hint(self))
    }

    /// Returns the lessons of the program, and the default lesson unless the program has one of that title.
    fn lessons(&self) -> Vec<Lesson> {
        let own = self.0.description.lessons.iter();
        let mut lessons: Vec<Lesson> =
            own.map(|(heading, text)| Lesson::new(heading, text)).collect();
        let last = default_lesson(self);
        if lessons.iter().all(|lesson| lesson.title != last.title) {
            lessons.push(last);
        }
        lessons
    }

    fn text(&self, position: &RulesPosition, text: Text<RulesMove>) -> String {
        match text {
            Text::Board if self.0.description.shows => self.show(&position.facts().text),
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        let Board { columns, rows, symbols } = self.0.description.board?;
        Some(Layout::of_squares(columns, rows, symbols))
    }

    /// Shows the pieces of the two sides, dead cells, and any other symbol as a letter.
    fn picture(&self, position: &RulesPosition) -> Picture {
        let Some(Board { columns, rows, symbols }) = self.0.description.board else {
            return Picture::default();
        };
        let state = self.format_state(position);
        let mut picture = Picture::from_state(&state, symbols, position.facts().points);
        let cells: Vec<char> = state.lines().take(rows).flat_map(str::chars).collect();
        picture.cells.resize(columns * rows, None);
        if cells.contains(&DEAD) {
            let ground = |&cell: &char| if cell == DEAD { Ground::Dead } else { Ground::Open };
            picture.grounds = cells.iter().map(ground).collect();
            picture.grounds.resize(columns * rows, Ground::Open);
        }
        let is_letter = |cell: &char| ![EMPTY, DEAD, symbols[0], symbols[1]].contains(cell);
        if cells.iter().any(is_letter) {
            let label = |cell: &char| is_letter(cell).then(|| cell.to_string());
            picture.labels = cells.iter().map(label).collect();
            picture.labels.resize(columns * rows, None);
        }
        picture
    }

    /// Finds the squares in the text of a move: a piece goes to the last square and, if there are several, comes from
    /// the first.
    fn path(&self, _: &RulesPosition, mv: RulesMove) -> page::Path {
        let Some(board) = self.0.description.board else { return page::Path::default() };
        let squares = board.squares(&mv.to_string());
        match squares[..] {
            [] => page::Path::default(),
            [to] => page::Path { from: None, to: Some(to) },
            [from, .., to] => page::Path { from: Some(from), to: Some(to) },
        }
    }
}

impl HostedGame for RulesProgram {
    fn title(&self) -> String {
        let description = &self.0.description;
        description.title.clone().unwrap_or_else(|| description.name.clone())
    }

    /// Returns the title if the program has one.
    fn heading(&self) -> String {
        let description = &self.0.description;
        description.title.clone().unwrap_or_else(|| format!("{} game", description.name))
    }

    fn rules(&self) -> String {
        self.0.description.rule_set.clone()
    }

    fn outlast_faults(&self) {
        self.0.outlasts_faults.store(true, Ordering::Relaxed);
    }

    fn is_slow(&self) -> bool {
        true
    }

    /// Returns true if the command names a file in Python with `rules.py` beside it.
    fn has_starters(&self) -> bool {
        PythonCommand::of(self).is_some()
    }

    fn starters(&self) -> Vec<StarterKit> {
        python_kit(self).into_iter().collect()
    }
}

impl Board {
    /// Returns the cells of the squares that a text names, a letter for the column and a number for the row
    /// from the top, in order.
    fn squares(&self, text: &str) -> Vec<usize> {
        let (mut cells, mut rest) = (Vec::new(), text);
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let column = (letter.is_ascii_lowercase()).then(|| usize::from(letter as u8 - b'a'));
            let column = column.filter(|&column| column < self.columns);
            let row = rest[..digits].parse().ok().filter(|row| (1..=self.rows).contains(row));
            if let (Some(column), Some(row)) = (column, row) {
                cells.push((row - 1) * self.columns + column);
                rest = &rest[digits..];
            }
        }
        cells
    }
}

/// The board of the kit, which asks the class.
const BOARD: &str = include_str!("../../starters/rules/board.py.in");

/// The program that removes the parts of the rules that students must not get.
const FOR_STUDENTS: &str = include_str!("../../starters/rules/for_students.py.in");

/// The file with the class of all rules, which lies beside the rules of a game.
const RULES: &str = "rules.py";

/// The default depth of a search, in plies.
const DEPTH: u32 = 4;

/// The words of a command that starts rules in Python.
struct PythonCommand {
    words: Vec<String>,
    /// The index of the word that names the file of the rules.
    at: usize,
}

impl PythonCommand {
    /// Returns the words of a command, if they name a file in Python with `rules.py` beside it.
    fn of(program: &RulesProgram) -> Option<PythonCommand> {
        let words = shlex::split(&program.0.command)?;
        let is_file = |word: &String| {
            let path = Path::new(word);
            word.ends_with(".py") && path.is_file() && path.with_file_name(RULES).is_file()
        };
        let at = words.iter().position(is_file)?;
        Some(PythonCommand { words, at })
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(&self.words[self.at])
    }

    /// Returns the files of the rules by their names, without the judgment of the instructor.
    fn files(&self) -> Option<BTreeMap<String, String>> {
        let interpreter = &self.words[..self.at];
        let (program, options) = match interpreter {
            [] => ("python3", interpreter),
            [program, options @ ..] => (program.as_str(), options),
        };
        let mut command = Command::new(program);
        command.args(options).args(["-c", FOR_STUDENTS]).arg(self.path()).stdin(Stdio::null());
        let output = command.stderr(Stdio::inherit()).output().ok()?;
        serde_json::from_slice(&output.stdout).ok().filter(|_| output.status.success())
    }
}

/// Makes the kit from the files of the rules. Returns `None` if the rules are not in Python, or not beside `rules.py`.
fn python_kit(program: &RulesProgram) -> Option<StarterKit> {
    let command = PythonCommand::of(program)?;
    let path = command.path();
    let file = path.file_name()?.to_str()?;
    let (mut files, class) = (command.files()?, fs::read_to_string(path.with_file_name(RULES)));
    let PythonCommand { words, at } = command;
    let mut arguments = words[at..].to_vec();
    file.clone_into(&mut arguments[0]);
    let quoted = arguments.iter().map(|word| serde_json::Value::from(word.as_str()).to_string());
    let board = BOARD
        .replace("@rules_file@", file)
        .replace("@arguments@", &quoted.collect::<Vec<_>>().join(", "));
    let start = shlex::try_join(words[..at].iter().chain(&arguments).map(String::as_str)).ok()?;
    let start = shlex::try_quote(&start).ok()?.replace('$', "$$");
    let (game, rules, title) = (program.0.name, program.rules(), program.title());
    let texts = KitTexts {
        game,
        rules: &rules,
        options: "",
        title: &title,
        depth: DEPTH,
        by_files: false,
        own_checks: true,
    };
    let programs = Programs {
        player: if file == "play.py" { game } else { "play" },
        referee: &format!("plyground --game {start}"),
        referees: "`plyground`",
    };
    let own = fs::read_to_string(&path).ok()?;
    let is_shorter = files.get(file).is_some_and(|text| *text != own);
    files.insert(RULES.to_owned(), class.ok()?);
    files.insert("board.py".to_owned(), board);
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut kit = texts.kit_with(Language::Python, &files, programs);
    if is_shorter {
        kit.notes.push(format!("{file} has no `score` and no part marked `# not for students`."));
    }
    let is_plain = kit.files.windows(2).all(|pair| pair[0].0 != pair[1].0);
    is_plain.then_some(kit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_found_in_moves() {
        let board = Board { columns: 5, rows: 12, symbols: ['X', 'O'] };
        for (text, cells) in [
            ("b3", &[11][..]),
            ("a1-e12", &[0, 59]),
            ("Nb3xc4+", &[11, 17]),
            ("pass", &[]),
            ("f1", &[]),
            ("a13", &[]),
            ("b3:c3:d3", &[11, 12, 13]),
        ] {
            assert_eq!(board.squares(text), cells, "{text}");
        }
    }
}
