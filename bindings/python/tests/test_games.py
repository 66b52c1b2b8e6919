"""Games, positions and values are those of the engine."""

import pickle
from pathlib import Path

import numpy as np
import plyground
import pytest

DATA = Path(__file__).parents[3] / "tests"


def exact_rows():
    lines = (DATA / "maxconnect4/data/exact.txt").read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def test_exact_values():
    game = plyground.game("maxconnect4")
    engine = plyground.Engine(game)
    rows = exact_rows()
    assert len(rows) == 136
    for text, value, columns in rows:
        position = game.position(text)
        if (position.plies_left or 0) > 20:
            continue
        solved = engine.solve(position)
        assert solved.is_complete
        assert solved.value.is_exact and solved.value.points == float(value), text
        expected = {
            str(column): float(value) for column, value in enumerate(columns.split(","), 1) if value != "x"
        }
        assert {line.move: line.value.points for line in solved.moves} == expected, text


def test_perft():
    assert plyground.game("maxconnect4").start().perft(6) == 7**6
    lines = (DATA / "network/data/perft.txt").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert len(rows) > 3
    for board, side, counts in rows:
        position = plyground.game("network").position(f"{board}/{side}")
        for depth, count in enumerate(counts.split(",")[:3], 1):
            assert position.perft(depth) == int(count), board


@pytest.mark.parametrize("name", plyground.GAMES)
def test_depths_have_the_value_of_minimax(name):
    game = plyground.game(name)
    engine = plyground.Engine(game, table=4)
    position = game.start()
    for ply in range(4):
        position = position.play(position.legal_moves()[ply])
    for depth in (1, 2, 3):
        assert engine.analyze(position, depth=depth).value == engine.minimax(position, depth)


@pytest.mark.parametrize("name", plyground.GAMES)
def test_positions_are_values(name):
    game = plyground.game(name)
    position = game.start().play(game.start().legal_moves()[0])
    again = game.position(position.text)
    assert position == again and hash(position) == hash(again)
    assert position != game.start()
    assert pickle.loads(pickle.dumps(position)) == position
    assert pickle.loads(pickle.dumps(game)) == game
    assert game.position(position.text.replace("\n", "/")) == position
    assert len({position, again, game.start()}) == 2


@pytest.mark.parametrize("name", plyground.GAMES)
@pytest.mark.parametrize("usf", [False, True])
def test_planes_are_the_state_file(name, usf):
    game = plyground.game(name, {"maxconnect4": "5x4", "network": "usf"}[name] if usf else None)
    symbols = {"maxconnect4": "12", "network": "WB"}[name]
    position = game.start()
    for ply in range(12):
        *rows, mover = position.text.splitlines()
        for plane, symbol in zip(position.planes(), mover + symbols.replace(mover, ""), strict=True):
            assert plane.tolist() == [[int(cell == symbol) for cell in row] for row in rows]
        moves = position.legal_moves()
        position = position.play(moves[ply * 7 % len(moves)])


@pytest.mark.parametrize("name", plyground.GAMES)
def test_actions_number_moves(name):
    game = plyground.game(name)
    position = game.start()
    # In Network the side that can step may do so without end.
    for _ in range(60):
        if position.is_over:
            break
        actions = position.legal_actions()
        assert [position.text_of(action) for action in actions] == position.legal_moves()
        assert [position.action_of(mv) for mv in position.legal_moves()] == actions
        assert np.flatnonzero(position.mask()).tolist() == sorted(actions)
        last = max(actions)
        assert position.play_action(last) == position.play(position.text_of(last))
        position = position.play_action(last)


def test_move_of_the_wrong_type_is_told_the_remedy():
    start = plyground.game("maxconnect4").start()
    with pytest.raises(TypeError, match=r"play_action\(4\) plays the action 4, and play\(\"4\"\) the move `4`"):
        start.play(4)
    with pytest.raises(TypeError, match="expected a move as text, found list"):
        start.play([])
    for action in (7, -1, 10**30):
        with pytest.raises((ValueError, TypeError), match="expected"):
            start.play_action(action)
    with pytest.raises(ValueError, match="expected one of the legal actions 0, 1, 2, 3, 4, 5, 6; found 7"):
        start.text_of(7)
    assert start.play_action(np.int64(3)) == start.play("4")


@pytest.mark.parametrize("name", plyground.GAMES)
def test_arrays_of_the_caller_are_filled(name):
    game = plyground.game(name)
    position = game.start().play_action(game.start().legal_actions()[0])
    planes, mask = position.planes(), position.mask()
    assert planes.flags.writeable and mask.flags.writeable and planes.dtype == np.uint8 and mask.dtype == np.int8
    for kind in (np.uint8, np.int8, np.bool_, np.float32):
        out = np.full((3, *planes.shape), 1, kind)
        part = out[1]
        assert position.planes(part) is part and position.planes(out=part) is part
        assert np.array_equal(out[1], planes) and (out[0] == 1).all() and (out[2] == 1).all()
        out = np.full(mask.shape, 1, kind)
        assert np.array_equal(position.mask(out), mask)
    for out, why in (
        (np.zeros(planes.size, np.uint8), "shape"),
        (np.zeros(planes.shape[::-1], np.uint8).T, "contiguous"),
    ):
        with pytest.raises(ValueError, match=why):
            position.planes(out)
    frozen = np.zeros(planes.shape, np.uint8)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        position.planes(frozen)
    for out in (np.zeros(planes.shape, np.complex128), [0]):
        with pytest.raises(TypeError, match="uint8"):
            position.planes(out)


def test_returns_are_those_of_the_winner():
    game = plyground.game("maxconnect4", "4x4")
    for seed in range(20):
        record = plyground.play(game, "random", "random", seed=seed)
        history = plyground.History(game)
        for move in record["moves"]:
            assert history.position.returns() == (0, 0)
            history.push(move["move"])
        winner = {"1-0": (1, -1), "0-1": (-1, 1), "1/2-1/2": (0, 0)}[record["end"]["result"]]
        assert history.position.is_over and history.position.returns() == winner


@pytest.mark.parametrize("name", plyground.GAMES)
def test_history_goes_back(name):
    history = plyground.History(plyground.game(name))
    start = history.position
    actions = [start.legal_actions()[0], start.legal_actions()[1]]
    for action in actions:
        history.push_action(action)
    assert history.ply == len(history) == 2 and history.start == start
    assert pickle.loads(pickle.dumps(history)) == history
    last = history.moves[-1]
    assert history.pop() == last and history.position == start.play_action(actions[0])
    history.pop()
    assert history.position == start
    with pytest.raises(IndexError, match="start"):
        history.pop()
    with pytest.raises(ValueError):
        history.push("x")
    assert history.ply == 0


def test_wrong_input_is_a_value_error():
    game = plyground.game("maxconnect4")
    with pytest.raises(ValueError, match='expected one of the games maxconnect4, network, found `chess`'):
        plyground.game("chess")
    with pytest.raises(ValueError, match='found `9x9`'):
        plyground.game("maxconnect4", "9x9")
    with pytest.raises(ValueError, match="1:5: expected a row of 7 cells"):
        game.position("0120")
    engine = plyground.Engine(game)
    with pytest.raises(ValueError, match="expected a position of maxconnect4"):
        engine.best_move(plyground.game("network").start())
    for depth in (0, -1, 43, 10**30):
        with pytest.raises(ValueError, match=f"expected depth from 1 to 42, found {depth}"):
            engine.best_move(game.start(), depth=depth)
    with pytest.raises(TypeError, match="expected depth from 1 to 42, a whole number; found str"):
        engine.best_move(game.start(), depth="3")
    with pytest.raises(ValueError, match="expected seconds as a number, 0 or more, found -1"):
        engine.best_move(game.start(), seconds=-1)
    with pytest.raises(ValueError, match="expected threads from 1 to 1024, found 1000000"):
        plyground.Engine(game, threads=1000000)
    with pytest.raises(ValueError, match="expected seed from 0 to"):
        plyground.random_positions(game, 10, seed=-1)
    with pytest.raises(ValueError, match="expected jobs from 1 to"):
        plyground.match(game, "random", "random", jobs=0)
    with pytest.raises(ValueError):
        plyground.Engine(plyground.game("network")).solve(plyground.game("network").start())
    with pytest.raises(ValueError, match="expected table from 1 to"):
        plyground.Engine(game, table=0)


def test_name_of_a_game_is_told_the_remedy():
    game = plyground.game("maxconnect4")
    for function, *arguments in (
        (plyground.dataset, 10, 1),
        (plyground.match, "random", "random"),
        (plyground.random_positions, 10, 1),
        (plyground.Batch, 10),
        (plyground.Engine,),
        (lambda game: next(plyground.reachable(game, 1)),),
        (lambda game: next(plyground.exact(game, 1, 1)),),
    ):
        with pytest.raises(TypeError, match=r'^expected a Game: plyground.game\("maxconnect4"\)$'):
            function("maxconnect4", *arguments)
        with pytest.raises(TypeError, match="^expected a Game, found a Position: position.game is its game$"):
            function(game.start(), *arguments)
        with pytest.raises(TypeError, match="^expected a Game, found None$"):
            function(None, *arguments)
    for function, *arguments in ((plyground.play, "random", "random"), (plyground.History,)):
        with pytest.raises(TypeError, match=r'^expected a Game or a Position: plyground.game\("maxconnect4"\)$'):
            function("maxconnect4", *arguments)


def test_engine_takes_positions_of_its_game():
    engine = plyground.Engine(plyground.game("maxconnect4"))
    small = plyground.game("maxconnect4", "5x4")
    for search in (engine.best_move, engine.analyze, engine.solve, lambda position: engine.minimax(position, 2)):
        why = "^expected a position of maxconnect4 standard, the game of the engine, found one of"
        with pytest.raises(ValueError, match=f"{why} network"):
            search(plyground.game("network").start())
        with pytest.raises(ValueError, match=f"{why} maxconnect4 5x4$"):
            search(small.start())
        with pytest.raises(TypeError, match=r"^expected a Position, found text: game.position\(text\) reads it$"):
            search("4455")
        with pytest.raises(TypeError, match=r"^expected a Position, found a Game: game.start\(\) is its first one$"):
            search(small)


def test_random_positions_are_those_of_games():
    for name in plyground.GAMES:
        game = plyground.game(name)
        batch = plyground.random_positions(game, 500, seed=3)
        again = plyground.random_positions(game, 500, seed=3)
        planes = batch.planes()
        assert np.array_equal(planes, again.planes()) and np.array_equal(batch.turn, again.turn)
        assert batch.ply[0] == 0 and planes[0].sum() == 0
        assert (planes.sum(axis=1) <= 1).all()
        assert planes[1, 1].sum() == 1 and planes[1, 0].sum() == 0
        assert list(batch.ply[:10]) == list(range(10))
        assert (batch.turn < 2).all()
        for index in (0, 7, -1):
            assert np.array_equal(batch[index].planes(), planes[index])
            assert np.array_equal(batch[index].mask(), batch.mask()[index])
        with pytest.raises(IndexError):
            batch[500]


def test_board_is_a_drawing():
    position = plyground.game("network").start().play("01")
    drawing = position._repr_svg_()
    assert drawing.startswith("<svg") and drawing.count("<rect") == 64 and drawing.count("<circle") == 1
    assert position.svg() == drawing
    picture = position.image(20)
    assert picture.shape == (160, 160, 3) and picture.dtype == np.uint8
    before = plyground.game("network").start().image(20)
    changed = np.argwhere((picture != before).any(axis=2))
    # The square 01 is in column 0 and row 1.
    assert changed.min(axis=0)[0] >= 20 and changed.max(axis=0)[0] < 40 and changed.max() < 40
    with pytest.raises(ValueError, match="expected cell from 4 to 512, found 0"):
        position.image(0)


def test_results_are_values():
    game = plyground.game("maxconnect4", "4x4")
    engine = plyground.Engine(game, table=4, threads=1)
    analysis, choice = engine.analyze(game.start(), depth=4), engine.best_move(game.start(), depth=4)
    value, line = analysis.value, analysis.moves[0]
    for result in (analysis, choice, value, line):
        again = pickle.loads(pickle.dumps(result))
        assert again == result and hash(again) == hash(result) and len({again, result}) == 1
        assert not again != result and again != game.start() and repr(again) == repr(result)
    assert plyground.Value(game, "exact", 200) != plyground.Value(game, "at-least", 200)
    assert plyground.Value(game, "exact", 200).points == 2
    with pytest.raises(ValueError, match="expected exact, at-least, at-most or estimate as kind, found `x`"):
        plyground.Value(game, "x", 0)
    with pytest.raises(ValueError, match="expected score from -30000 to 30000"):
        plyground.Value(game, "exact", 30001)
    other = pickle.loads(pickle.dumps(engine))
    assert other.game == game and repr(other) == repr(engine)
    assert other.solve(game.start()).value == engine.solve(game.start()).value
