//! The engine of the page without a server: it answers questions as text, is compiled to WebAssembly and runs in a
//! worker of the page.
//!
//! A question is JSON and carries a whole game, as for a server; the answers are JSON too, and come from
//! [`plyground_web::questions`]. The worker and the engine exchange only texts, so that the boundary is a few
//! functions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plyground::clock::Instant;
use plyground::search::{Checkpoint, SearchContext};
use plyground_host::{Constraints, EngineOptions, bench};
use plyground_web::questions::{
    About, AboutQuery, AnalysisQuery, AnalysisView, ChoiceQuery, ChoiceView, Chooser, Effort,
    Engines, ExplainQuery, GameToSave, Games, PastedText, PositionQuery, Refused, ReviewQuery,
    ReviewView, SearchView, Searching, ServedGame, Thinking, View, analyze, choose, review,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The size of the transposition table of a search, in MiB; any phone has that much memory.
const TABLE_MIB: usize = 64;

/// The number of games with a kept table: only the current game.
const ENGINES: usize = 1;

/// The time limit of an analysis. A user who has not looked at the result by then has left the page open.
const ANALYSIS_TIME: Duration = Duration::from_secs(10 * 60);

/// The time limit of a move of an engine player.
const MOVE_TIME: Duration = Duration::from_secs(2 * 60);

/// The games of the page, and the engines that answer its questions.
#[derive(Debug)]
pub struct Page {
    games: Games,
    engines: Engines,
}

impl Page {
    /// Creates the page with the games of this project and their books.
    ///
    /// # Errors
    ///
    /// Returns an error if a book that is part of the program is damaged.
    pub fn new() -> Result<Page, String> {
        let served = games::all().into_iter().map(|game| {
            let book = game.book().map_err(|error| error.to_string())?;
            Ok(ServedGame { game, book })
        });
        let games = Games::new(served.collect::<Result<_, String>>()?, true);
        let games = games.map_err(|refused| refused.to_string())?;
        Ok(Page { games, engines: Engines::new(ENGINES, TABLE_MIB) })
    }

    /// Answers a question in JSON by one text in JSON or, during a long search, by several texts. A text with `error`
    /// gives the reason why there is no answer.
    pub fn answer(&self, question: &str, tell: &mut dyn FnMut(&str)) {
        if let Err(why) = self.try_to_answer(question, tell) {
            tell(&json!({ "error": why }).to_string());
        }
    }

    fn try_to_answer(&self, question: &str, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
        let question = serde_json::from_str(question).map_err(|error| error.to_string())?;
        let games = &self.games;
        let answer = match question {
            Question::Game(asked) => text(About::new(games, &asked, |_| Vec::new())),
            Question::Position(asked) => {
                text(asked.game.replay(games).map(|replayed| View::new(&replayed, asked.from)))
            }
            Question::Explain(asked) => text(asked.explain(games, &SearchContext::default())),
            Question::Open(pasted) => text(pasted.open(games)),
            Question::Record(game) => text(game.record(games)),
            Question::Bench(asked) => text(self.bench(&asked.game)),
            Question::Choice(asked) => text(self.choose(&asked)),
            Question::Analysis(asked) => text(self.analyze(&asked, tell)),
            Question::Review(asked) => text(self.review(&asked, tell)),
        };
        tell(&answer?);
        Ok(())
    }

    fn choose(&self, asked: &ChoiceQuery) -> Result<ChoiceView, Refused> {
        let replayed = asked.game.replay(&self.games)?;
        let chooser = Chooser::new(&asked.player, &replayed, MOVE_TIME)?;
        let chosen = choose(&replayed, chooser, self.games.has_values(), |game| {
            let deadline = Deadline::after(chooser.time);
            Thinking {
                leased: self.engines.lease(&replayed.served, game),
                constraints: Constraints {
                    limit: None,
                    context: deadline.context(),
                    without_tactics: !game.has_tactics(),
                },
            }
        });
        chosen.ok_or_else(|| Refused::new("the game is over"))
    }

    /// Returns the depth, the nodes and the seconds of every position of the bench.
    fn bench(&self, game: &str) -> Result<Vec<(u32, u64, f64)>, Refused> {
        let game = &self.games.get(Some(game))?.game;
        let reports = bench(&**game, EngineOptions::default()).map(|report| {
            let report = report.map_err(|fault| Refused::new(fault.to_string()))?;
            Ok((report.depth, report.nodes, report.cpu.as_secs_f64()))
        });
        reports.collect()
    }

    /// Returns the last view of an analysis, after telling all earlier views.
    fn analyze(
        &self,
        asked: &AnalysisQuery,
        tell: &mut dyn FnMut(&str),
    ) -> Result<AnalysisView, Refused> {
        let replayed = asked.game.replay(&self.games)?;
        let deadline = Deadline::after(ANALYSIS_TIME);
        let searching = Searching {
            leased: self.engines.lease(&replayed.served, &replayed.position.game()),
            context: deadline.context(),
            effort: &|| Effort::alone(1),
        };
        Ok(last_view(tell, |on_view| {
            analyze(&replayed, (asked.ply, &asked.earlier), searching, on_view);
        }))
    }

    /// Returns the last view of a review, after telling all earlier views.
    fn review(
        &self,
        asked: &ReviewQuery,
        tell: &mut dyn FnMut(&str),
    ) -> Result<ReviewView, Refused> {
        let replayed = asked.game.replay(&self.games)?;
        let leased = self.engines.lease(&replayed.served, &replayed.position.game());
        let context = Deadline::after(ANALYSIS_TIME).context();
        Ok(last_view(tell, |on_view| review(&replayed, leased, context, on_view)))
    }
}

/// Returns the last view of a search, after telling all earlier views.
fn last_view<V: SearchView>(
    tell: &mut dyn FnMut(&str),
    search: impl FnOnce(&mut dyn FnMut(&V)),
) -> V {
    let mut last = V::default();
    search(&mut |view| {
        last = view.clone();
        if let Ok(text) = serde_json::to_string(view) {
            tell(&text);
        }
    });
    last.end();
    last
}

fn text(answer: Result<impl Serialize, Refused>) -> Result<String, String> {
    let answer = answer.map_err(|refused| refused.to_string())?;
    serde_json::to_string(&answer).map_err(|error| error.to_string())
}

/// A request to run the bench of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BenchQuery {
    /// The name of the game.
    game: String,
}

/// A question. The names of the kinds are the names of the paths of a server.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", content = "about", rename_all = "lowercase")]
enum Question {
    /// The description of a game.
    Game(AboutQuery),
    /// The view of a position.
    Position(PositionQuery),
    /// The move of an engine player or a random player.
    Choice(ChoiceQuery),
    /// The values of the moves.
    Analysis(AnalysisQuery),
    /// The mistakes of a game.
    Review(ReviewQuery),
    /// The tree of a search, to show step by step.
    Explain(ExplainQuery),
    /// The contents of a text.
    Open(PastedText),
    /// The record of a game.
    Record(GameToSave),
    /// The speed of the engine. The page does not request it; `measure` does.
    Bench(BenchQuery),
}

/// A checkpoint that ends a search after some time. The worker has no other thread that could end the search, so the
/// search itself reads the clock.
#[derive(Debug)]
struct Deadline {
    started: Instant,
    time: Duration,
    stop: Arc<AtomicBool>,
}

impl Deadline {
    /// Creates a deadline that sets `stop` at the first checkpoint after `time` from now.
    fn after(time: Duration) -> Deadline {
        Deadline { started: Instant::now(), time, stop: Arc::default() }
    }

    /// Returns the context of searches that end at the deadline.
    fn context(self) -> SearchContext {
        let stop = Arc::clone(&self.stop);
        SearchContext { checkpoint: Some(Arc::new(self)), ..stop.into() }
    }
}

impl Checkpoint for Deadline {
    fn pass(&self) {
        self.stop.fetch_or(self.started.elapsed() >= self.time, Ordering::Relaxed);
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod boundary {
    //! The functions by which the worker of the page and the engine call each other. All texts are UTF-8.
    //!
    //! A few functions with numbers can pass the texts of questions and answers. So there are no generated bindings,
    //! which would need a generator of the same version.

    use std::panic;
    use std::sync::{LazyLock, Mutex, PoisonError};
    use std::time::Duration;

    use getrandom::Error;
    use plyground::clock::set_clock;

    use super::Page;

    // The functions that the worker supplies.
    #[link(wasm_import_module = "worker")]
    unsafe extern "C" {
        /// Returns the milliseconds since a fixed moment.
        safe fn now() -> f64;

        /// Fills memory with unpredictable bytes.
        fn fill(start: *mut u8, length: usize);

        /// Takes an answer.
        fn tell(start: *const u8, length: usize);

        /// Takes the message of a panic of the engine.
        fn fault(start: *const u8, length: usize);
    }

    static PAGE: LazyLock<Result<Page, String>> = LazyLock::new(Page::new);

    /// The memory into which the worker writes its question.
    static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());

    /// Prepares for questions. The worker must call this once, before all other functions.
    #[unsafe(no_mangle)]
    pub extern "C" fn begin() {
        set_clock(|| Duration::from_secs_f64((now() / 1e3).max(0.0)));
        panic::set_hook(Box::new(|what| {
            let text = what.to_string();
            // SAFETY: the text lives until the worker has taken it.
            unsafe { fault(text.as_ptr(), text.len()) };
        }));
        LazyLock::force(&PAGE);
    }

    /// Makes room for a question of `length` bytes, which the worker may write until the next call.
    #[unsafe(no_mangle)]
    pub extern "C" fn question(length: usize) -> *mut u8 {
        let mut question = QUESTION.lock().unwrap_or_else(PoisonError::into_inner);
        question.clear();
        question.resize(length, 0);
        question.as_mut_ptr()
    }

    /// Answers the question, and returns after the last answer.
    #[unsafe(no_mangle)]
    pub extern "C" fn answer() {
        let question =
            std::mem::take(&mut *QUESTION.lock().unwrap_or_else(PoisonError::into_inner));
        let question = String::from_utf8_lossy(&question);
        // SAFETY: the text lives until the worker has taken it.
        let mut told = |text: &str| unsafe { tell(text.as_ptr(), text.len()) };
        match &*PAGE {
            Ok(page) => page.answer(&question, &mut told),
            Err(why) => told(&serde_json::json!({ "error": why }).to_string()),
        }
    }

    /// The source of random bytes that getrandom calls on a target without a system.
    #[unsafe(no_mangle)]
    unsafe extern "Rust" fn __getrandom_v03_custom(
        start: *mut u8,
        length: usize,
    ) -> Result<(), Error> {
        // SAFETY: the caller owns this memory, and the worker fills it before anything reads it.
        unsafe { fill(start, length) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn told(question: &Value) -> Vec<Value> {
        let page = Page::new().expect("whole books");
        let mut told = Vec::new();
        page.answer(&question.to_string(), &mut |text| {
            told.push(serde_json::from_str(text).expect("JSON"));
        });
        told
    }

    fn line(game: &str, moves: &[&str]) -> Value {
        let about = told(&json!({ "ask": "game", "about": { "game": game } })).remove(0);
        let mut line = about["start"].clone();
        line["moves"] = json!(moves);
        line
    }

    #[test]
    fn both_games_are_described_and_played() {
        for (game, mv) in [("maxconnect4", "4"), ("network", "33")] {
            let game = line(game, &[mv]);
            let view = told(&json!({ "ask": "position", "about": { "game": game } })).remove(0);
            assert_eq!(view["played"][0]["move"], mv);
            let asked = json!({ "game": game, "player": "machine:depth=2" });
            let choice = told(&json!({ "ask": "choice", "about": asked })).remove(0);
            assert!(choice["move"].is_string(), "{choice}");
        }
    }

    /// `site/boards.json` is part of the page that the build makes. `UPDATE_GOLDEN=1` writes it.
    #[test]
    fn empty_boards_are_those_of_the_games() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/site/boards.json");
        let page = Page::new().expect("whole books");
        let boards = plyground_web::questions::empty_boards(&page.games);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(path, format!("{boards}\n")).expect("the file is written");
        }
        let kept = std::fs::read_to_string(path).expect("the file");
        assert_eq!(kept.trim_end(), boards);
    }

    #[test]
    fn perfect_machine_goes_by_the_book() {
        let asked = json!({ "game": line("maxconnect4", &[]), "player": "machine:perfect" });
        let choice = told(&json!({ "ask": "choice", "about": asked })).remove(0);
        assert_eq!(choice["source"], "book");
    }

    #[test]
    fn analysis_is_told_step_by_step_and_then_ends() {
        let start = "0222101/1121211/2222221/1111111/2222222/2111111/1";
        let game = json!({ "rules": "standard", "start": start, "moves": [] });
        let asked = json!({ "game": game, "ply": 0 });
        let told = told(&json!({ "ask": "analysis", "about": asked }));
        let last = told.last().expect("an end");
        assert!(told.len() > 1);
        assert!(told.iter().rev().skip(1).all(|view| view["done"] == false));
        assert_eq!((&last["done"], &last["complete"]), (&json!(true), &json!(true)));
    }

    #[test]
    fn search_is_explained() {
        let search = json!({ "depth": 2, "order": "good", "table": false, "minimax": false });
        let asked = json!({ "game": line("network", &["33"]), "ply": 1, "search": search });
        let block = told(&json!({ "ask": "explain", "about": asked })).remove(0);
        assert_eq!(block["head"]["comparison"]["depth"], 2, "{block}");
        assert!(block["data"].as_str().is_some_and(|data| !data.is_empty()));
    }

    #[test]
    fn what_cannot_be_answered_is_refused_in_words() {
        for (question, why) in [
            (json!({ "ask": "game", "about": { "game": "chess" } }), "no game called `chess`"),
            (json!({ "ask": "programs", "about": {} }), "unknown variant `programs`"),
            (json!({ "ask": "position", "about": { "game": line("network", &["00"]) } }), "00"),
            (json!(7), "invalid type"),
        ] {
            let told = told(&question);
            let error = told[0]["error"].as_str().expect("a refusal");
            assert!(told.len() == 1 && error.contains(why), "{error}");
        }
    }

    #[test]
    fn flag_is_raised_after_the_time_and_not_before() {
        for (time, is_over) in [(Duration::ZERO, true), (Duration::MAX, false)] {
            let deadline = Deadline::after(time);
            assert!(!deadline.stop.load(Ordering::Relaxed));
            deadline.pass();
            assert_eq!(deadline.stop.load(Ordering::Relaxed), is_over);
        }
    }
}
