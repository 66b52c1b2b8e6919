"""Players, matches, records, and what interrupts them."""

import functools
import subprocess
import sys
import textwrap

import numpy as np
import plyground
import pytest

GAME = plyground.game("maxconnect4")


def test_records_survive_the_text():
    record = plyground.play(GAME, "machine:depth=2", "random", seed=5)
    text = plyground.record_to_text(record)
    assert plyground.record_from_text(text) == record
    again = plyground.play(GAME, "machine:depth=2", "random", seed=5)
    assert [move["move"] for move in again["moves"]] == [move["move"] for move in record["moves"]]
    record["moves"][1]["move"] = "8"
    with pytest.raises(ValueError, match="3: illegal move: column 8 does not exist"):
        plyground.record_to_text(record)


def test_illegal_move_loses():
    record = plyground.play(GAME, lambda position: "9", "random")
    assert record["end"]["result"] == "0-1" and record["moves"] == []


def test_exception_of_a_player_goes_on():
    def broken(position):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        plyground.play(GAME, broken, "random")
    with pytest.raises(KeyError, match="broken"):
        plyground.match(GAME, "random", broken, pairs=2, jobs=2)


class Cheat:
    """A player that makes a move of another game."""

    def __call__(self, position):
        return "e2e4"


def test_faults_are_counted():
    result = plyground.match(GAME, "random", Cheat(), pairs=2)
    assert (result.won, result.lost, result.faults) == (4, 0, (0, 4))
    assert result.elo[0] == result.elo[2] == float("inf") and 0 < result.elo[1] < 100
    assert plyground.match(GAME, Cheat(), "random", pairs=1).faults == (2, 0)
    assert plyground.match(GAME, "machine:depth=2", "random", pairs=1).faults == (0, 0)
    assert plyground.match(GAME, "random", "random", pairs=0).elo is None


def test_players_have_names():
    def network(position):
        return position.legal_moves()[0]

    named, odd = Cheat(), Cheat()
    named.name, odd.name = "Cheat of Tuesday", 3
    for player, name in (
        ("machine:depth=1", "machine:depth=1"),
        (network, "network"),
        (Cheat(), "Cheat"),
        (named, "Cheat of Tuesday"),
        (odd, "Cheat"),
        (functools.partial(network), "partial"),
        (named.__call__, "__call__"),
    ):
        assert plyground.play(GAME, player, "random")["first"]["name"] == name


@pytest.mark.parametrize("jobs", [1, 3])
def test_first_exception_ends_a_match(jobs):
    raised = []

    def broken_once(position):
        if not raised:
            raised.append(position)
            raise KeyError("broken")
        return position.legal_moves()[0]

    with pytest.raises(KeyError, match="broken"):
        plyground.match(GAME, broken_once, "random", pairs=5, jobs=jobs)


def test_player_that_returns_no_text_is_told_the_remedy():
    def numbers(position):
        return np.int64(4) if position.turn else "4"

    why = r'from numbers, found the number 4: position.text_of\(4\) is the move of the action 4, and "4" the move `4`'
    with pytest.raises(TypeError, match=f"expected a move as text {why}"):
        plyground.match(GAME, "random", numbers, pairs=2)
    for found, word in ((4, "the number 4"), (None, "None"), ([], "list"), (0.5, "float")):
        with pytest.raises(TypeError, match=f"expected a move as text from <lambda>, found {word}"):
            plyground.play(GAME, lambda position, found=found: found, "random")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no notes")
def test_exception_of_a_player_says_its_place():
    def broken(position):
        if position.text.count("1") > 3:
            raise KeyError("broken")
        return position.legal_moves()[0]

    def notes(play, *arguments):
        with pytest.raises(KeyError, match="broken") as raised:
            play(*arguments)
        return raised.value.__notes__

    start = GAME.start()
    for mv in "1112":
        start = start.play(mv)
    (note,) = notes(plyground.play, start, broken, broken)
    # The last number of a state file is the side to move.
    assert note == "The player is broken, at ply 3, in the position 0000000/2000000/1000000/1000000/2000000/1200000/1"
    # The plies of the opening count.
    (note,) = notes(plyground.match, GAME, broken, "random")
    assert note.startswith("The player is broken, at ply 7, in the position") and note.endswith("/1")




def test_matches_are_the_same_with_several_jobs():
    results = [plyground.match(GAME, "machine:depth=2", "random", pairs=4, jobs=jobs) for jobs in (1, 2)]
    moves = [[[move["move"] for move in game["moves"]] for game in result.games] for result in results]
    assert moves[0] == moves[1]
    assert results[0].score >= 7


def test_usual_openings_are_enough_for_a_match():
    result = plyground.match(GAME, "random", "random", pairs=50)
    openings = {tuple(move["move"] for move in game["moves"] if move.get("forced")) for game in result.games}
    assert len(result.games) == 100 and len(openings) == 50 and {len(opening) for opening in openings} == {4}


def test_too_few_openings_are_told_the_remedy():
    why = "expected 50 different openings of 2 plies, found only 25: ask for more opening_plies, or fewer pairs"
    with pytest.raises(ValueError, match=why):
        plyground.match(GAME, "random", "random", pairs=50, opening_plies=2)
    with pytest.raises(ValueError, match="of 42 plies, found only 0: ask for fewer opening_plies"):
        plyground.match(GAME, "random", "random", pairs=1, opening_plies=42)


def test_wrong_players_are_refused():
    with pytest.raises(ValueError, match="machine:depth=99"):
        plyground.play(GAME, "machine:depth=99", "random")
    with pytest.raises(ValueError, match="callable"):
        plyground.play(GAME, "line:cat", "random")
    with pytest.raises(ValueError, match="human"):
        plyground.play(GAME, "human", "random")
    with pytest.raises(ValueError, match="expected a player's name or a callable"):
        plyground.play(GAME, 3, "random")


def run(script):
    """The exit code of a script, which may send signals to itself."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], timeout=300).returncode


def test_search_lets_other_threads_run():
    script = """
        import os, plyground, threading
        game = plyground.game("maxconnect4", "8x8")
        search = threading.Thread(target=lambda: plyground.Engine(game).solve(game.start()))
        search.start()
        # Nobody comes here while a search that takes days holds the interpreter.
        assert search.is_alive()
        os._exit(7)
    """
    assert run(script) == 7


def test_interrupt_ends_a_search():
    script = """
        import os, plyground, signal, sys, threading
        game = plyground.game("maxconnect4", "8x8")
        # What is started in the background is deaf to it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            plyground.Engine(game).solve(game.start())
        except KeyboardInterrupt:
            sys.exit(7)
    """
    assert run(script) == 7


@pytest.mark.parametrize(
    "work",
    [
        'for seed in range(10**6): plyground.random_positions(game, 1_000_000, seed)',
        'plyground.dataset(game, 1000, 1, plies=(1, 9), threads=2).to_numpy()',
        'plyground.label([game.start()] * 9, threads=2)',
    ],
)
def test_interrupt_ends_a_drawing(work):
    script = f"""
        import os, plyground, signal, sys, threading
        game = plyground.game("maxconnect4", "8x8")
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            {work}
        except KeyboardInterrupt:
            sys.exit(7)
    """
    assert run(script) == 7
