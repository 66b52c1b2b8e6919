//! The referee: every way in which a game can end, and what is recorded of it.

use std::collections::VecDeque;
use std::io::{self, Cursor};
use std::thread::sleep;
use std::time::Duration;

use network::Rules;
use plyground::{Game, Side};
use plyground_host::Fault;
use plyground_host::player::{Answer, Console, EnginePlayer, Human, Lines, Player, Random, Turn};
use plyground_host::record::{GameRecord, PlayerRecord};
use plyground_host::referee::{Conduct, Event, Interrupted, Observer, PlayedGame, Silent, play};
use plyground_host::state::StateText;
use plyground_host::{Ending, EngineOptions, HostedPosition, MoveText, Reason, Strength};

/// A player that answers what it was told to.
struct Script {
    answers: VecDeque<Result<Answer, Fault>>,
    accepts: bool,
    told: Vec<String>,
}

impl Script {
    fn new(answers: impl IntoIterator<Item = Result<Answer, Fault>>) -> Script {
        Script { answers: answers.into_iter().collect(), accepts: true, told: Vec::new() }
    }

    fn moves(moves: &str) -> Script {
        Script::new(moves.split_whitespace().map(|text| Ok(Answer::Move(mv(text).into()))))
    }
}

impl Player for Script {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        self.answers.pop_front().unwrap_or(Err(Fault::NoMove))
    }

    fn opponent_move(&mut self, _: &HostedPosition, mv: MoveText) -> bool {
        self.told.push(format!("opponent {mv}"));
        self.accepts
    }

    fn force_move(&mut self, _: &HostedPosition, mv: MoveText) -> bool {
        self.told.push(format!("forced {mv}"));
        true
    }

    fn allows_take_back(&self) -> bool {
        true
    }

    fn taken_back(&mut self, _: &HostedPosition) {
        self.told.push("taken back".to_owned());
    }

    fn game_over(&mut self, ending: &Ending) {
        self.told.push(ending.result().to_owned());
    }
}

fn mv(text: &str) -> MoveText {
    text.parse().expect("a move")
}

fn position(rules: Rules, state: &str) -> HostedPosition {
    let text = StateText::new(state.to_owned());
    network::game(rules).parse_state(&text).expect("a position")
}

fn start() -> HostedPosition {
    network::game(Rules::Berkeley).start()
}

fn machine(depth: u32) -> EnginePlayer<'static> {
    let engine = network::game(Rules::Berkeley).engine(EngineOptions::default());
    EnginePlayer::new(engine, Strength::Depth(depth))
}

fn play_from(
    start: &HostedPosition,
    first: &mut Script,
    second: &mut Script,
    conduct: &Conduct,
) -> PlayedGame {
    play(start, [first, second], conduct, &mut Silent).expect("a game")
}

/// The ending of a game in which White answers this after a move of each.
fn after_two_moves(answer: Result<Answer, Fault>) -> PlayedGame {
    let first = [Ok(Answer::Move(mv("33").into())), answer];
    let mut second = Script::moves("44 41");
    play_from(&start(), &mut Script::new(first), &mut second, &Conduct::default())
}

#[track_caller]
fn assert_forfeit(game: &PlayedGame, by: Side, word: &str) {
    let Reason::Forfeit { by: loser, fault } = &game.ending.reason else {
        panic!("{:?}", game.ending);
    };
    assert_eq!((*loser, game.ending.winner), (by, Some(by.other())));
    assert!(fault.to_string().starts_with(word), "{fault}");
}

#[test]
fn an_illegal_move_loses_and_is_not_made() {
    let game = after_two_moves(Ok(Answer::Move(mv("44").into())));
    assert_forfeit(&game, Side::First, "illegal move, 44: there is a chip of Black on 44");
    assert_eq!(game.moves.len(), 2);
    assert_eq!(game.ending.result(), "0-1");
    let mut second = Script::moves("07");
    let game = play_from(&start(), &mut Script::moves("33"), &mut second, &Conduct::default());
    assert_forfeit(&game, Side::Second, "illegal move, 07");
    assert_eq!(game.ending.result(), "1-0");
}

#[test]
fn no_move_quitting_and_dying_lose() {
    let died = || Fault::Died { how: "signal 9".to_owned() };
    for (fault, text) in [
        (Fault::NoMove, "no move"),
        (Fault::Quit, "quit"),
        (Fault::EndOfInput, "no move, the input has ended"),
        (died(), "crash, signal 9"),
    ] {
        assert_forfeit(&after_two_moves(Err(fault)), Side::First, text);
    }
}

/// A player that takes longer than it may.
struct Sleeper;

impl Player for Sleeper {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        sleep(turn.limit.unwrap_or_default() + Duration::from_millis(1));
        turn.position.legal_moves().next().map(|mv| Answer::Move(mv.into())).ok_or(Fault::NoMove)
    }
}

#[test]
fn a_late_move_loses() -> Result<(), Interrupted> {
    let limit = Duration::from_millis(5);
    let conduct = Conduct { wall_limit: Some(limit), ..Conduct::default() };
    let game = play(&start(), [&mut Sleeper, &mut Sleeper], &conduct, &mut Silent)?;
    assert_forfeit(&game, Side::First, "wall limit of 5ms exceeded");
    assert!(game.moves.is_empty());
    Ok(())
}

/// A late player whose own time is known to be less: others kept it from running.
struct Kept;

impl Player for Kept {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        Sleeper.choose_move(turn)
    }

    fn turn_time(&self) -> Option<Duration> {
        Some(Duration::from_millis(7))
    }
}

#[test]
fn only_who_measures_a_player_judges_its_time() -> Result<(), Interrupted> {
    let conduct =
        Conduct { wall_limit: Some(Duration::from_millis(5)), ply_cap: 4, ..Conduct::default() };
    let game = play(&start(), [&mut Kept, &mut Kept], &conduct, &mut Silent)?;
    assert!(game.moves.iter().all(|played| played.wall == Duration::from_millis(7)));
    assert_eq!(game.moves.len(), 4);
    Ok(())
}

#[test]
fn a_machine_that_cannot_reach_its_depth_in_time_loses() -> Result<(), Interrupted> {
    let conduct = Conduct { wall_limit: Some(Duration::from_millis(20)), ..Conduct::default() };
    let mut deep = machine(200);
    let game = play(&start(), [&mut deep, &mut Random::new(1)], &conduct, &mut Silent)?;
    assert_forfeit(&game, Side::First, "wall limit");
    Ok(())
}

#[test]
fn the_ply_cap_is_a_draw() {
    let conduct = Conduct { ply_cap: 4, ..Conduct::default() };
    let (mut first, mut second) = (Script::moves("33 34 35"), Script::moves("44 45 46"));
    let game = play_from(&start(), &mut first, &mut second, &conduct);
    assert_eq!(game.ending, Ending { winner: None, reason: Reason::PlyCap { plies: 4 } });
    assert_eq!(game.ending.result(), "1/2-1/2");
    assert_eq!(game.moves.len(), 4);
    assert_eq!(first.told, ["opponent 44", "opponent 45", "1/2-1/2"]);
    assert_eq!(Conduct::default().ply_cap, 200);
}

/// White's step 31-71 gives both colors a network.
const DOUBLE: &str = "..B...../..WW..W./W.B.B.../WB..W.../..W.W.../.BW.BB.W/.B....../...B..B./W";
/// Black's step 53-30 gives White a network.
const HANDED: &str = ".B....B./WB....../....W.../.WW..BW./..B.W..W/.BW...../....BWW./..B.B.B./B";

#[test]
fn a_double_network_loses_under_the_berkeley_rules() {
    let start = position(Rules::Berkeley, DOUBLE);
    let mut white = Script::moves("31-71");
    let game = play_from(&start, &mut white, &mut Script::moves(""), &Conduct::default());
    assert_eq!(game.ending, Ending { winner: Some(Side::Second), reason: Reason::Rules });
}

#[test]
fn a_double_network_is_illegal_under_the_usf_rules() {
    let start = position(Rules::Usf, DOUBLE);
    let mut white = Script::moves("31-71");
    let game = play_from(&start, &mut Script::moves(""), &mut white, &Conduct::default());
    assert_forfeit(&game, Side::Second, "illegal move, 31-71: both players would have a network");
}

#[test]
fn a_network_handed_to_the_opponent_is_a_legal_way_to_lose() {
    for rules in [Rules::Berkeley, Rules::Usf] {
        let start = position(rules, HANDED);
        let (mut mover, mut other) = (Script::moves("53-30"), Script::moves(""));
        let game = match start.side_to_move() {
            Side::First => play_from(&start, &mut mover, &mut other, &Conduct::default()),
            Side::Second => play_from(&start, &mut other, &mut mover, &Conduct::default()),
        };
        let winner = Some(start.side_to_move().other());
        assert_eq!(game.ending, Ending { winner, reason: Reason::Rules });
        assert_eq!(game.moves.len(), 1);
    }
}

#[test]
fn who_has_no_legal_move_loses() {
    // Black has two chips in hand, and nowhere to put them.
    let blocked = "......../..B..B../..B..B../......../......../..B..B../..B..B../......../W";
    let start = position(Rules::Berkeley, blocked);
    let mut white = Script::moves("01");
    let game = play_from(&start, &mut white, &mut Script::moves(""), &Conduct::default());
    assert_eq!(game.ending, Ending { winner: Some(Side::First), reason: Reason::Rules });
}

/// Writes down what happens.
#[derive(Default)]
struct Notes(Vec<String>);

impl Observer for Notes {
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.0.push(match event {
            Event::Start { .. } => "start".to_owned(),
            Event::Moved { ply, played, .. } => format!("{ply} {}", played.mv),
            Event::Rejected { by, mv } => format!("{by:?} rejects {mv}"),
            Event::TakenBack { position } => format!("back at {:?}", position.side_to_move()),
            Event::End { ending, .. } => ending.result().to_owned(),
        });
        Ok(())
    }
}

#[test]
fn a_rejected_legal_move_is_reported_and_stands() -> Result<(), Interrupted> {
    let (mut first, mut second) = (Script::moves("33 35"), Script::moves("44"));
    second.accepts = false;
    let mut notes = Notes::default();
    let game = play(&start(), [&mut first, &mut second], &Conduct::default(), &mut notes)?;
    let expected = "start,1 33,Second rejects 33,2 44,3 35,Second rejects 35,1-0";
    assert_eq!(notes.0.join(","), expected);
    let rejected: Vec<bool> = game.moves.iter().map(|played| played.rejected).collect();
    assert_eq!(rejected, [true, false, true]);
    Ok(())
}

#[test]
fn moves_are_taken_back_in_pairs() -> Result<(), Interrupted> {
    let first = [
        Ok(Answer::Move(mv("33").into())),
        Ok(Answer::TakeBack),
        Ok(Answer::Move(mv("36").into())),
        Err(Fault::Quit),
    ];
    let (mut first, mut second) = (Script::new(first), Script::moves("44 45"));
    let mut notes = Notes::default();
    let game = play(&start(), [&mut first, &mut second], &Conduct::default(), &mut notes)?;
    assert_eq!(notes.0.join(","), "start,1 33,2 44,back at First,1 36,2 45,0-1");
    assert_eq!(second.told, ["opponent 33", "taken back", "opponent 36", "0-1"]);
    assert_eq!(game.moves.iter().map(|played| played.mv).collect::<Vec<_>>(), [mv("36"), mv("45")]);
    Ok(())
}

#[test]
fn a_take_back_where_there_is_nothing_to_take_back_is_no_move() {
    let mut first = Script::new([Ok(Answer::TakeBack)]);
    let game = play_from(&start(), &mut first, &mut Script::moves(""), &Conduct::default());
    assert_forfeit(&game, Side::First, "no move");
}

#[test]
fn an_opening_is_forced_on_both_players() -> Result<(), Interrupted> {
    let conduct = Conduct { opening: vec![mv("11"), mv("55")], ..Conduct::default() };
    let (mut first, mut second) = (Script::moves("33"), Script::moves(""));
    let game = play_from(&start(), &mut first, &mut second, &conduct);
    assert_eq!(first.told[..2], ["forced 11", "opponent 55"]);
    assert_eq!(second.told[..2], ["opponent 11", "forced 55"]);
    let forced: Vec<bool> = game.moves.iter().map(|played| played.forced).collect();
    assert_eq!(forced, [true, true, false]);

    let conduct = Conduct { opening: vec![mv("10")], ..Conduct::default() };
    let players: [&mut dyn Player; 2] = [&mut Random::new(1), &mut Random::new(2)];
    let refused = play(&start(), players, &conduct, &mut Silent);
    assert!(matches!(refused, Err(Interrupted::Opening { why }) if why.contains("goal of Black")));
    Ok(())
}

/// A human who types this, and the fault by which they lose against a random player.
fn typed(input: &'static str) -> Result<PlayedGame, Interrupted> {
    let console = Console::new(Lines::new(Cursor::new(input)), io::sink(), false);
    let mut human = Human::new(console);
    play(&start(), [&mut human, &mut Random::new(7)], &Conduct::default(), &mut Silent)
}

#[test]
fn a_human_may_err_and_ask_but_not_stop() -> Result<(), Interrupted> {
    let game = typed("help\nhint\nmoves\nundo\n\n99\n10\nfoo\n33\nquit\n")?;
    assert_forfeit(&game, Side::First, "quit");
    assert_eq!((game.moves.len(), game.moves[0].mv), (2, mv("33")));
    let game = typed("33\nundo\n 34 \r\n")?;
    assert_forfeit(&game, Side::First, "no move, the input has ended");
    assert_eq!((game.moves.len(), game.moves[0].mv), (2, mv("34")));
    Ok(())
}

fn recorded(game: &PlayedGame) -> GameRecord {
    let player = |name: &str| PlayerRecord { name: name.to_owned(), player: "random".to_owned() };
    GameRecord::of(game, [player("Ann \"the fox\""), player("B\u{f6}b")])
}

fn some_games() -> Result<Vec<PlayedGame>, Interrupted> {
    let mut games = Vec::new();
    for seed in 0..6 {
        let mut machine = machine(2);
        let players: [&mut dyn Player; 2] = [&mut Random::new(seed), &mut machine];
        let conduct = Conduct { ply_cap: 10 + 5 * seed as u32, ..Conduct::default() };
        games.push(play(&start(), players, &conduct, &mut Silent)?);
    }
    for fault in [
        Fault::Quit,
        Fault::NoMove,
        Fault::EndOfInput,
        Fault::Died { how: "exit code 1".to_owned() },
        Fault::WallLimit { limit: Duration::from_millis(5_500) },
        Fault::IllegalMove { why: "44: taken".to_owned() },
    ] {
        games.push(after_two_moves(Err(fault)));
    }
    Ok(games)
}

#[test]
fn a_record_is_read_back_and_checked() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("game.jsonl");
    for game in some_games()? {
        let record = recorded(&game);
        record.save(&path)?;
        let text = std::fs::read_to_string(&path)?;
        let again = GameRecord::parse(&text)?;
        assert_eq!(again, record);
        let replayed = again.check(&*game.start.game())?;
        assert_eq!(replayed.position, game.position);
        assert_eq!(replayed.ending, game.ending);
        assert_eq!(replayed.moves.len(), game.moves.len());
        assert_eq!(text.lines().count(), game.moves.len() + 2);
    }
    Ok(())
}

/// Returns the complaint about the record of a game of two moves after replacing `from` by `to`.
fn complaint(from: &str, to: &str) -> String {
    let text = recorded(&after_two_moves(Err(Fault::Quit))).to_text().expect("a record");
    let tampered = text.replacen(from, to, 1);
    assert_ne!(text, tampered, "{from}");
    let checked = GameRecord::parse(&tampered).and_then(|record| record.check(&*start().game()));
    checked.err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn a_tampered_record_is_refused() {
    for (from, to, expected) in [
        ("\"move\":\"44\"", "\"move\":\"33\"", "3: illegal move: 33: there is a chip of White"),
        ("\"move\":\"44\"", "\"move\":\"x\"", "3: `x` is no move"),
        ("\"ply\":2", "\"ply\":3", "3: expected ply 2, found 3"),
        ("\"by\":\"second\"", "\"by\":\"first\"", "3: the other player is to move"),
        ("0-1", "1-0", "4: expected the result 0-1, found 1-0"),
        ("\"winner\":\"second\"", "\"winner\":null", "4: expected the result 1/2-1/2, found 0-1"),
        ("\"by\":\"first\",\"fault\"", "\"by\":\"second\",\"fault\"", "4: the ending does not"),
        ("\"kind\":\"forfeit\"", "\"kind\":\"rules\"", "4: the ending does not follow"),
        ("\"line\":\"end\"", "\"line\":\"stop\"", "4: not a line of a game record: unknown"),
        ("\"ply\"", "\"number\"", "2: not a line of a game record: unknown field `number`"),
        ("{\"line\":\"game\"", "{\"line\":\"move\"", "1: not a line of a game record"),
        ("{", "[", "1: not a line of a game record"),
    ] {
        let complaint = complaint(from, to);
        assert!(complaint.starts_with(expected), "{from} -> {to}: {complaint}");
    }
}

#[test]
fn names_of_a_record_are_lines() {
    let text = recorded(&after_two_moves(Err(Fault::Quit))).to_text().expect("a record");
    let name = r#""first":{"name":""#;
    let text = text.replacen(name, &format!("{name}{}\\n\\u001b[31m", "x".repeat(900)), 1);
    let record = GameRecord::parse(&text).expect("a record");
    let name = &record.header.first.name;
    assert!(name.chars().count() < 500 && name.contains(r"\n\u{1b}[31m"), "{name}");
    assert_eq!(GameRecord::parse(&record.to_text().expect("a record")).as_ref(), Ok(&record));
}

#[test]
fn a_record_cut_short_is_refused() {
    let text = recorded(&after_two_moves(Err(Fault::Quit))).to_text().expect("a record");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for length in 0..lines.len() {
        let error = GameRecord::parse(&lines[..length].concat()).expect_err("no ending");
        assert_eq!(error.line, length + 1);
        assert!(error.fault.ends_with("found the end of the file"), "{error}");
    }
    let more = text.clone() + lines[1];
    let error = GameRecord::parse(&more).expect_err("a move after the ending");
    assert_eq!(error.to_string(), "5: expected nothing after the ending");
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        // Whatever is left is refused or the same game, and never a panic.
        let parsed = GameRecord::parse(&text[..at]);
        assert!(parsed.is_err() || at + 1 == text.len(), "{at}");
    }
}
