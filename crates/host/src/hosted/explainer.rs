//! The search that people look at, for a typed game.

use std::collections::HashMap;

use plyground::Evaluator;
use plyground::trace::{Counts, Entered, Found, Observer, Recorder, Source, Tree, search};

use super::{Hosted, MoveOf};
use crate::explanation::{ExplainRequest, Explanation, Terms};
use crate::move_text::MoveText;
use crate::page::Path;
use crate::program::Program;

/// Records a search, and what people see of it.
struct Writer<'a, P: Program> {
    game: &'a Hosted<P>,
    evaluator: &'a P::Evaluator,
    recorder: Recorder<MoveOf<P>>,
    paths: Vec<Path>,
    terms: Terms,
}

impl<P: Program> Observer<P::Game> for Writer<'_, P> {
    fn enter(&mut self, entered: &Entered<'_, P::Game>) -> bool {
        let goes_on = self.recorder.enter(entered);
        if self.recorder.is_recording() {
            let path = entered.from.map(|(position, mv)| self.game.0.path(position, mv));
            self.paths.push(path.unwrap_or_default());
        }
        goes_on
    }

    fn cut(&mut self, position: &P::Game, moves: &[(MoveOf<P>, P::Game)]) {
        self.recorder.cut(position, moves);
        let new = self.recorder.count() - self.paths.len();
        let paths = moves.iter().take(new).map(|&(mv, _)| self.game.0.path(position, mv));
        self.paths.extend(paths);
    }

    fn leave(&mut self, position: &P::Game, found: &Found<MoveOf<P>>) {
        if found.source == Source::Evaluation && self.recorder.is_recording() {
            let terms = self.evaluator.terms(position);
            self.terms.push(self.recorder.count() - 1, &terms);
        }
        self.recorder.leave(position, found);
    }
}

/// Searches a position and records what `request` asks for. Returns `None` if the search would be too large.
pub(super) fn explain<P: Program>(
    game: &Hosted<P>,
    root: &P::Game,
    request: &ExplainRequest,
) -> Option<Explanation> {
    let ExplainRequest { options, most_nodes, most_visited } = *request;
    let evaluator = &game.0.evaluator();
    let counts = Counts::search(root, evaluator, &options, most_visited)?;
    let recorder = Recorder::new(counts.plies_within(most_nodes));
    let (paths, terms) = (Vec::new(), Terms::default());
    let mut writer = Writer { game, evaluator, recorder, paths, terms };
    search(root, evaluator, &options, &mut writer)?;
    let Writer { recorder, paths, terms, .. } = writer;
    let (mut moves, mut numbers) = (Vec::new(), HashMap::new());
    let tree = Tree::from(recorder).map(|mv| {
        let text = MoveText::of(&mv);
        *numbers.entry(text).or_insert_with(|| {
            moves.push(text);
            (moves.len() - 1) as u16
        })
    });
    let position = game.position(root.clone());
    Some(Explanation { position, options, counts, tree, moves, paths, terms })
}
