"""Labels are those of the engine, whatever the number of threads."""

import multiprocessing
import pickle

import numpy as np
import plyground
import pyarrow.parquet
import pytest
from plyground import _labels

GAME = plyground.game("maxconnect4", "5x4")


def test_labels_are_exact():
    data = plyground.dataset(GAME, 200, seed=1, plies=(6, 18), every_move=True, chunk=64)
    labels, engine = data.to_numpy(), plyground.Engine(GAME)
    assert len(labels) == 200 and labels.exact.all() and labels.ply.min() == 6 and labels.ply.max() == 18
    assert len(set(labels.text)) == 200
    for index, text in enumerate(labels.text):
        position = GAME.position(text)
        assert np.array_equal(labels.planes[index], position.planes())
        assert np.array_equal(labels.mask[index], position.mask())
        assert labels.turn[index] == position.turn
        solved = engine.solve(position)
        assert labels.score[index] == solved.value.score and labels.value[index] == solved.value.points
        values = {position.action_of(line.move): line.value for line in solved.moves}
        best = [action for action, value in values.items() if value == solved.value]
        assert np.flatnonzero(labels.best[index]).tolist() == sorted(best)
        for action in range(GAME.actions):
            value = labels.values[index][action]
            assert np.isnan(value) if action not in values else value == values[action].points


def test_book_has_the_same_labels():
    game = plyground.game("maxconnect4")
    labels = plyground.dataset(game, 20, seed=1, plies=(2, 6)).to_numpy()
    engine = plyground.Engine(game)
    for index in range(3):
        solved = engine.analyze(game.position(labels.text[index]), depth=1)
        assert {line.move for line in solved.moves} >= {str(one + 1) for one in np.flatnonzero(labels.best[index])}
    assert labels.exact.all() and labels.best.any(axis=1).all() and (labels.best <= labels.mask).all()


def test_rows_do_not_depend_on_threads():
    rows = [plyground.dataset(GAME, 300, seed=4, threads=threads, chunk=50) for threads in (1, 3)]
    one, other = (data.to_numpy() for data in rows)
    assert one.text == other.text
    assert np.array_equal(one.score, other.score) and np.array_equal(one.best, other.best)
    assert [len(part) for part in rows[0]] == [50] * 6
    again = pickle.loads(pickle.dumps(rows[0]))
    assert again == rows[0] and again.to_numpy().text == one.text and len(again) == 300
    assert plyground.dataset(GAME, 300, seed=5).to_numpy().text != one.text


def test_estimates_need_no_end():
    game = plyground.game("network")
    with pytest.raises(ValueError, match="limit"):
        plyground.dataset(game, 10, seed=1)
    labels = plyground.dataset(game, 10, seed=1, exact=False, depth=2, plies=(4, 10)).to_numpy()
    assert labels.mask.shape == (10, game.actions) and labels.best.any(axis=1).all()


def test_arguments_are_checked():
    for arguments, why in (
        ({"threads": 1000000}, "expected threads from 1 to 1024, found 1000000"),
        ({"depth": 3}, "expected depth only with exact=False, found depth=3"),
        ({"exact": False, "depth": 99}, "expected depth from 1 to 20, found 99"),
        ({"plies": (10, 5)}, "expected a greatest number of plies of at least 10, found 5"),
        ({"plies": (-1, 4)}, "expected plies from 0 to 19, found -1"),
        # All games are over after 20 plies.
        ({"plies": (10, 60)}, "expected plies from 0 to 19, found 60"),
        ({"plies": (20, 20)}, "expected plies from 0 to 19, found 20"),
        ({"chunk": 0}, "expected chunk to be at least 1, found 0"),
        ({"table": 0}, "expected table from 1 to"),
    ):
        with pytest.raises(ValueError, match=why):
            plyground.dataset(GAME, 10, 1, **arguments)
    for plies in (10, "2-9", (1, 2, 3), [1]):
        with pytest.raises(TypeError, match=r"expected plies as a pair \(least, most\), found"):
            plyground.dataset(GAME, 10, 1, plies=plies)
    assert plyground.dataset(GAME, 10, 1, plies=[2, 19]) == plyground.dataset(GAME, 10, 1, plies=(2, 19))
    with pytest.raises(ValueError, match="expected plies from 0 to 10000, found 10001"):
        plyground.dataset(plyground.game("network"), 10, 1, exact=False, plies=(1, 10001))
    with pytest.raises(ValueError, match="expected n from 0 to"):
        plyground.dataset(GAME, -1, 1)
    with pytest.raises(ValueError, match="ask for fewer, for other plies, or with unique=False"):
        plyground.dataset(GAME, 1000, 1, plies=(1, 1)).to_numpy()
    assert len(plyground.dataset(GAME, 100, 1, plies=(1, 1), unique=False).to_numpy()) == 100


def test_positions_of_ones_own_get_the_same_labels():
    data = plyground.dataset(GAME, 120, seed=1, plies=(6, 18), every_move=True).to_numpy()
    positions = [GAME.position(text) for text in data.text]
    order = [5, 0, 5, 119, *range(120), 5]
    for threads in (1, 3):
        chosen = (positions[index] for index in order)
        labels = plyground.label(chosen, every_move=True, threads=threads)
        assert labels.text == [data.text[index] for index in order]
        for name in ("planes", "mask", "best", "turn", "ply", "value", "score", "exact"):
            assert np.array_equal(getattr(labels, name), getattr(data, name)[order]), name
        assert np.array_equal(labels.values, data.values[order], equal_nan=True)
    assert np.array_equal(labels.ply, labels.planes.sum(axis=(1, 2, 3)))
    batch = plyground.random_positions(GAME, 15, seed=1)
    assert plyground.label(batch, exact=False, depth=2).text == [batch[index].text.replace("\n", "/") for index in range(15)]


def test_estimates_of_positions_are_those_of_their_depth():
    game = plyground.game("network")
    data = plyground.dataset(game, 10, seed=1, exact=False, plies=(4, 10)).to_numpy()
    positions = [game.position(text) for text in data.text]
    labels = plyground.label(positions, exact=False)
    assert np.array_equal(labels.score, data.score) and np.array_equal(labels.best, data.best)
    assert np.array_equal(labels.ply, data.ply) and labels.values is None


def test_position_that_has_no_label_is_named():
    start, over = GAME.start(), GAME.start()
    while not over.is_over:
        over = over.play(over.legal_moves()[0])
    other = plyground.game("maxconnect4").start()
    for positions, error, why in (
        ([start, start, over], ValueError, "expected positions in which the game goes on: it is over in position 2"),
        ([start, other], ValueError, "position 1 is of maxconnect4 standard, and earlier positions are of maxconnect4 5x4"),
        ([], ValueError, "expected positions, found none"),
        ([start, start.text], TypeError, r"found str at index 1; game.position\(text\) reads a text"),
        (["4455"], TypeError, "found str at index 0"),
        (start, TypeError, r"expected positions, found one: label\(\[position\]\)"),
    ):
        with pytest.raises(error, match=why):
            plyground.label(positions)
    for arguments, why in (
        ({"depth": 3}, "expected depth only with exact=False, found depth=3"),
        ({"exact": False, "depth": 99}, "expected depth from 1 to 20, found 99"),
        ({"threads": 0}, "expected threads from 1 to 1024, found 0"),
        ({"table": 0}, "expected table from 1 to"),
    ):
        with pytest.raises(ValueError, match=why):
            plyground.label([start], **arguments)
    with pytest.raises(ValueError, match="expected exact=False: the rules do not limit the length of a game of network"):
        plyground.label([plyground.game("network").start()])


def test_parquet_has_the_same_rows(tmp_path):
    data = plyground.dataset(GAME, 150, seed=2, every_move=True, chunk=64)
    labels, path = data.to_numpy(), tmp_path / "labels.parquet"
    data.to_parquet(path)
    assert [file.name for file in tmp_path.iterdir()] == ["labels.parquet"]
    table = pyarrow.parquet.read_table(path)
    assert table.schema.metadata[b"game"] == b"maxconnect4" and table.schema.metadata[b"rules"] == b"5x4"
    rows = table.to_pydict()
    assert rows["text"] == labels.text and rows["score"] == labels.score.tolist()
    assert rows["planes"] == labels.planes.reshape(150, -1).tolist()
    for index in range(150):
        legal = np.flatnonzero(labels.mask[index])
        assert rows["legal"][index] == legal.tolist()
        assert rows["best"][index] == np.flatnonzero(labels.best[index]).tolist()
        assert rows["values"][index] == labels.values[index][legal].tolist()


NAMES = ("planes", "mask", "best", "turn", "ply", "value", "score", "exact", "values")


def are_same(one, other):
    assert one.game == other.game and one.text == other.text
    for name in NAMES:
        array, same = getattr(one, name), getattr(other, name)
        assert (array is None) == (same is None), name
        if array is not None:
            assert array.dtype == same.dtype and np.array_equal(array, same, equal_nan=name == "values"), name
    return True


@pytest.mark.parametrize("name", plyground.GAMES)
@pytest.mark.parametrize("every_move", [False, True])
def test_labels_are_read_back(tmp_path, monkeypatch, name, every_move):
    monkeypatch.setattr(_labels, "ROW_GROUP", 16)
    game = plyground.game(name)
    made = {"exact": False, "depth": 2, "plies": (2, 6), "every_move": every_move}
    data = plyground.dataset(game, 40, seed=2, chunk=7, **made)
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    data.to_parquet(one)
    labels = data.to_numpy()
    labels[5:].to_parquet(str(other))
    assert are_same(plyground.Labels.from_parquet(one), labels)
    both = plyground.Labels.from_parquet(one, str(other))
    assert are_same(both, plyground.Labels.join([labels, labels[5:]])) and both.planes.flags.writeable
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.parquet", "other.parquet"]
    metadata = pyarrow.parquet.read_schema(other).metadata
    assert metadata[b"game"].decode() == name and metadata[b"rules"].decode() == game.rules and b"seed" not in metadata
    labels[:0].to_parquet(other)
    none = plyground.Labels.from_parquet(other)
    assert len(none) == 0 and none.planes.shape == labels[:0].planes.shape and are_same(none, labels[:0])


def test_files_that_are_no_labels_are_named(tmp_path):
    labels, path = plyground.dataset(GAME, 5, seed=2).to_numpy(), tmp_path / "labels.parquet"
    labels.to_parquet(path)
    table = pyarrow.parquet.read_table(path)
    pyarrow.parquet.write_table(table.drop_columns(["best"]), path)
    with pytest.raises(ValueError, match="labels.parquet: expected .* found one without the column `best`"):
        plyground.Labels.from_parquet(path)
    pyarrow.parquet.write_table(table.replace_schema_metadata({}), path)
    with pytest.raises(ValueError, match="without the name of a game in its metadata"):
        plyground.Labels.from_parquet(path)
    with pytest.raises(ValueError, match="expected labels to join, found none"):
        plyground.Labels.from_parquet()


def test_rows_are_chosen():
    labels = plyground.dataset(GAME, 50, seed=3, every_move=True).to_numpy()
    assert repr(labels) == "<Labels of 50 positions of maxconnect4>" and labels.game == GAME
    is_won = labels.value > 0
    for rows, numbers in (
        (slice(10), range(10)),
        (slice(-3, None), range(47, 50)),
        (slice(None, None, -1), range(49, -1, -1)),
        (is_won, np.flatnonzero(is_won)),
        (is_won.tolist(), np.flatnonzero(is_won)),
        (np.array([3, 3, -1]), [3, 3, 49]),
        ([7, 2], [7, 2]),
        ([], []),
    ):
        part = labels[rows]
        assert len(part) == len(part.planes) == len(numbers)
        assert part.text == [labels.text[number] for number in numbers]
        for name in NAMES:
            expected = getattr(labels, name)[np.array(numbers, int)]
            assert np.array_equal(getattr(part, name), expected, equal_nan=name == "values")
    assert np.shares_memory(labels[:10].planes, labels.planes)
    assert are_same(plyground.Labels.join([labels[:20], labels[20:]]), labels)
    assert are_same(pickle.loads(pickle.dumps(labels)), labels)
    for rows, error, why in (
        (3, TypeError, r"expected rows as a slice or an array, found 3: labels\[3:4\] has this row"),
        ([[3]], TypeError, "an array of one dimension, found 2"),
        (50, IndexError, "out of bounds"),
        ([50], IndexError, "out of bounds"),
        (is_won[:10], IndexError, "boolean"),
    ):
        with pytest.raises(error, match=why):
            labels[rows]


def test_labels_of_several_games_are_not_joined():
    games = [plyground.game("maxconnect4", rules) for rules in ("5x4", "standard")]
    one, other = (plyground.dataset(game, 5, seed=1).to_numpy() for game in games)
    with pytest.raises(ValueError, match="expected labels of one game, found plyground.game"):
        plyground.Labels.join([one, other])
    every = plyground.dataset(GAME, 5, seed=1, every_move=True).to_numpy()
    assert plyground.Labels.join([one, every]).values is None and plyground.Labels.join([every, one]).values is None


def solve(position):
    return plyground.Engine(position.game, table=1).solve(position)


def test_pool_of_processes_labels():
    batch = plyground.random_positions(GAME, 400, seed=1)
    positions = [batch[int(index)] for index in np.flatnonzero(batch.ply > 12)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(solve, positions, chunksize=20)
    assert [solved.value for solved in found] == [solve(position).value for position in positions]
