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
        actions = dict(position.actions())
        assert len(actions) == len(position.legal_moves())
        assert all(position.action(mv) == action < game.actions for action, mv in actions.items())
        position = position.play(actions[max(actions)])


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
    with pytest.raises(ValueError, match="expected a depth from 1 to"):
        engine.best_move(game.start(), depth=0)
    with pytest.raises(ValueError, match="expected seconds"):
        engine.best_move(game.start(), seconds=-1)
    with pytest.raises(ValueError):
        plyground.Engine(plyground.game("network")).solve(plyground.game("network").start())
    with pytest.raises(ValueError, match="MiB"):
        plyground.Engine(game, table=0)


def test_batches_are_positions_of_random_games():
    for name in plyground.GAMES:
        game = plyground.game(name)
        batch = plyground.random_positions(game, 500, seed=3)
        again = plyground.random_positions(game, 500, seed=3)
        assert all(np.array_equal(getattr(batch, part), getattr(again, part)) for part in ("planes", "turn", "ply"))
        assert batch.ply[0] == 0 and batch.planes[0].sum() == 0
        assert (batch.planes.sum(axis=1) <= 1).all()
        one, later = batch.planes[1], batch.ply[:10]
        assert one[1].sum() == 1 and one[0].sum() == 0
        assert list(later) == list(range(10))
    assert (batch.turn < 2).all()


def test_board_is_a_drawing():
    drawing = plyground.game("network").start().play("01")._repr_svg_()
    assert drawing.startswith("<svg") and drawing.count("<rect") == 64 and drawing.count("<circle") == 1
