//! A game behind text: its engine, its texts, and chance. The referee has a file of its own.

mod referee;

use network::{Network, Position, Rules, game};
use plyground::search::{Limits, Scope};
use plyground::{Game, Side};
use plyground_host::page::Owner;
use plyground_host::player::{EnginePlayer, Player, Turn};
use plyground_host::toy::{Toy, toy};
use plyground_host::{
    AnalysisRequest, Constraints, EngineOptions, Fault, GameAdapter, HostedGame, IllegalAction,
    MoveText, OtherGame, SharedGame, StepOptions, StepResults, Strength, Text, default_text, host,
    host_position,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

/// Asserts that an engine of `game` refuses the start of `other` whatever it is asked.
fn assert_refused(game: &SharedGame, other: &SharedGame, why: &str) {
    let (mut engine, start) = (game.engine(EngineOptions::default()), other.start());
    let limits = Limits::depth(1);
    let chosen = engine.choose(&start, Strength::Depth(1), &Constraints::default());
    assert_eq!(chosen.expect_err("another game").to_string(), why);
    let solved = engine.solve_best(&start, limits.clone());
    assert_eq!(solved.expect_err("another game").to_string(), why);
    assert_eq!(engine.check_perfect(&start).expect_err("another game").to_string(), why);
    let told = [
        engine.analyze(&start, &AnalysisRequest::default(), &mut |_| ()).err(),
        engine.search(&start, &limits, Scope::BestMove, &mut |_| ()).err(),
        engine.minimax(&start, &limits).err(),
        engine.glance(&start, &limits).err(),
    ];
    for error in told {
        assert_eq!(error.as_ref().map(OtherGame::to_string).as_deref(), Some(why));
    }
    let mut player = EnginePlayer::new(engine, Strength::Depth(1));
    let fault = player.choose_move(&Turn::new(&start, None)).expect_err("another game");
    assert_eq!(fault, Fault::no_answer(why.to_owned()));
}

#[test]
fn position_of_another_game_is_an_error() {
    let [berkeley, usf] = Rules::BOTH.map(game);
    let why = "expected a position of network usf, found one of tictactoe standard";
    assert_refused(&usf, &toy(), why);
    let why = "expected a position of tictactoe standard, found one of network berkeley";
    assert_refused(&toy(), &berkeley, why);
    let why = "expected a position of network usf, found one of network berkeley";
    assert_refused(&usf, &berkeley, why);
}

/// Tests that a seed leads to the same moves behind the boundary as with the rules themselves.
#[test]
fn chance_is_the_same_behind_text() {
    for seed in 0..50 {
        let [mut rng, mut same] = [(); 2].map(|()| StdRng::seed_from_u64(seed));
        let mut position = Position::new(Rules::Berkeley);
        let mut hosted = game(Rules::Berkeley).start();
        for _ in 0..30 {
            let Some(mv) = position.legal_moves().choose(&mut rng) else { break };
            assert_eq!(hosted.legal_moves().choose(&mut same), Some(MoveText::of(&mv)));
            position.play_unchecked(mv);
            hosted.play_unchecked(MoveText::of(&mv));
        }
        let mut again = StdRng::seed_from_u64(seed);
        let (_, played) = game(Rules::Berkeley).start().after_random_moves(&mut again, 30);
        assert_eq!(played, hosted);
    }
}

/// Tests that the numbers that a game gives its moves and cells are those that follow from its page.
#[test]
fn numbers_are_those_of_the_page() {
    for rules in Rules::BOTH {
        let game = game(rules);
        let layout = game.layout().expect("a board");
        assert_eq!(game.actions(), layout.actions());
        let (mut position, mut rng) = (game.start(), StdRng::seed_from_u64(1));
        for _ in 0..40 {
            for mv in position.legal_moves() {
                let action = position.action(mv).expect("a number");
                assert_eq!(action, layout.action(position.path(mv)), "{mv}");
                assert_eq!(position.move_of_action(action), Some(mv));
            }
            let mut planes = vec![9; 2 * layout.cells()];
            position.write_planes(&mut planes);
            let mover = Owner::from(position.side_to_move());
            let cells = position.picture().cells;
            let own = cells.iter().map(|&owner| u8::from(owner == Some(mover)));
            let others = cells.iter().map(|owner| u8::from(owner.is_some_and(|it| it != mover)));
            assert_eq!(planes, own.chain(others).collect::<Vec<_>>());
            let Some(mv) = position.legal_moves().choose(&mut rng) else { break };
            position.play_unchecked(mv);
        }
    }
}

/// Tests that a batch plays none of its games on if one of the actions is illegal.
#[test]
fn batch_refuses_an_illegal_action() {
    let mut batch = game(Rules::Berkeley).batch(2);
    let (mut rewards, mut terminated, mut truncated) = ([9.0; 4], [true; 2], [true; 2]);
    let mut step = |actions: &[i64]| {
        let results = StepResults {
            rewards: &mut rewards,
            terminated: &mut terminated,
            truncated: &mut truncated,
        };
        let stepped = batch.step(actions, StepOptions::default(), results);
        (stepped, batch.plies().to_vec())
    };
    let refused = IllegalAction { index: 1, action: 0 };
    // The corners are dead.
    assert_eq!(step(&[9, 0]), (Err(refused), vec![0, 0]));
    assert_eq!(step(&[9, 9]), (Ok(()), vec![1, 1]));
    assert_eq!((rewards, terminated, truncated), ([0.0; 4], [false; 2], [false; 2]));
}

/// Tic-tac-toe that words two texts itself.
#[derive(Clone, Copy, Debug)]
struct Worded;

impl HostedGame for Worded {}

impl GameAdapter for Worded {
    type Game = <Toy as GameAdapter>::Game;
    type Evaluator = <Toy as GameAdapter>::Evaluator;
    type Tactics = <Toy as GameAdapter>::Tactics;

    fn start(&self) -> Self::Game {
        GameAdapter::start(&Toy)
    }

    fn evaluator(&self) -> Self::Evaluator {
        Toy.evaluator()
    }

    fn tactics(&self, prepared: bool) -> Self::Tactics {
        Toy.tactics(prepared)
    }

    fn parse_state(
        &self,
        text: &plyground_host::state::StateText,
    ) -> Result<Self::Game, plyground_host::state::TextError> {
        GameAdapter::parse_state(&Toy, text)
    }

    fn format_state(&self, position: &Self::Game) -> String {
        Toy.format_state(position)
    }

    fn text(&self, position: &Self::Game, text: Text<plyground_host::MoveOf<Self>>) -> String {
        match text {
            Text::Board => "nine squares\n".to_owned(),
            Text::Reason => "three in a row".to_owned(),
            other => default_text(self, position, other),
        }
    }
}

#[test]
fn texts_that_a_game_leaves_out_have_defaults() {
    let [toy, worded] = [toy(), host(Worded)].map(|game| game.start());
    let mv = toy.parse_move("5").expect("a move");
    let both = [
        (Text::Prompt, "Player 1, choose a move such as 1"),
        (Text::Announcement(mv), "Player 1 plays 5"),
        (Text::Turn, "Player 1 is to move."),
        (Text::Result, "It is a draw."),
        (Text::Doubt, ""),
        (Text::Values(vec![(mv, -3)]), "    5     -3\n"),
        (Text::Verdict(0), "With best play it is a draw."),
        (Text::Verdict(-4), "With best play Player 2 wins in 4 plies."),
        (Text::ForcedWin { winner: Side::First, plies: 5 }, "Player 1 wins within 5 plies"),
    ];
    for (text, expected) in both {
        assert_eq!(toy.text(text.clone()), expected);
        assert_eq!(worded.text(text), expected);
    }
    assert_eq!(toy.text(Text::Ending), "by the rules");
    // A text that is another one by default follows that.
    assert_eq!(worded.text(Text::Ending), "three in a row");
    assert_eq!(worded.text(Text::Drawing(Some(mv))), "nine squares\n");
    assert_eq!(toy.text(Text::Drawing(None)), toy.text(Text::Board));
}

#[test]
fn typed_position_is_hosted_by_its_game() {
    let hosted = host_position(&Network { rules: Rules::Usf }, Position::new(Rules::Usf));
    assert_eq!((hosted.game().name(), hosted.game().rules()), ("network", "usf".to_owned()));
    assert_eq!(hosted, game(Rules::Usf).start());
}
