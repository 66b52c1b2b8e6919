"""The rules of a game in Python, as a program that plyground plays by.

Write a class with the six methods of `Rules`, and end the file with a call of `main`:

    from rules import Rules, main

    class Konane(Rules):
        name = "konane"
        ...

    main(Konane())

Then `python3 konane.py check` tests the class, and plyground has every command for it:

    plyground --game 'python3 konane.py' play human machine

This file needs nothing but Python 3.8 or newer, and is the same with and without the package `plyground`.
"""

from __future__ import annotations

import random
import sys
import traceback
from typing import Any, BinaryIO, NoReturn

VERSION = 1
DRAW = "draw"
PASS = "pass"
"""The move of a player who has no other."""

_MOST_MOVE = 23
_MOST_PLIES = 400
_MOST_KNOWN = 200_000
_MOST_SCORE = 28_999


class Rules:
    """The rules of a game. A state is whatever you like, and never changes: `play` returns another one."""

    name = "game"
    """Small letters and digits, as in file names."""
    title: str | None = None
    """The heading of the game."""
    rule_set = "standard"
    """The name of these rules, where a game has several: `5x5`."""
    sides: tuple[str, str] | None = None
    """The names of the players, a word each."""
    symbols = "XO"
    """The symbols of the two sides, in the cells and on the last line of a text."""
    board: tuple[int, int] | None = None
    """The numbers of columns and rows, for a game on a grid: with them it has a page in the browser."""
    hint: str | None = None
    """A move in words: `a square such as b3`."""

    # The six methods.

    def start(self) -> Any:
        """Returns the state before the first move."""
        raise NotImplementedError

    def moves(self, state: Any) -> list[str]:
        """Returns the legal moves of a state that is not over, a word each: at least one."""
        raise NotImplementedError

    def play(self, state: Any, move: str) -> Any:
        """Returns the state after a legal move."""
        raise NotImplementedError

    def outcome(self, state: Any) -> int | str | None:
        """Returns `None` while the game goes on, then the side that has won, 0 or 1, or `DRAW`."""
        raise NotImplementedError

    def text(self, state: Any) -> str:
        """Returns the text of a state, the same for the same state: the rows of the board, and on the last
        line the symbol of the side to move. There are no blanks in it; lines are joined by `\\n` or `/`.
        """
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """Returns the state of a text, whose lines are joined by `/`. Raises `ValueError` with the reason if
        it is no state of the game.
        """
        raise NotImplementedError

    # What a game may have beyond them.

    def turn(self, state: Any) -> int:
        """Returns the side to move, 0 or 1. The default reads it from the last line of the text."""
        return self.symbols.index(_word(self.text(state)).rpartition("/")[2])

    def points(self, state: Any) -> tuple[int, int] | None:
        """Returns the points of both sides so far, in a game that is won by points."""
        return None

    def plies_left(self, state: Any) -> int | None:
        """Returns a limit on the number of moves to come, which shrinks with every move. With it the game
        can be solved.
        """
        return None

    def score(self, state: Any) -> int:
        """Returns the judgment of the side to move of a state that is not over, in hundredths of a point
        or of anything else, without the points so far.
        """
        return 0

    def key(self, state: Any) -> str | None:
        """Returns a word that states share if they have the same moves and the same future. The default is
        the text.
        """
        return None

    def show(self, state: Any) -> str:
        """Returns the board for people to look at, in place of the rows of the text."""
        return self.text(state)


def main(game: Rules) -> None:
    """Answers plyground, or tests the rules if the last argument is `check` or `check GAMES`."""
    arguments = sys.argv[1:]
    if "check" in arguments:
        games = arguments[arguments.index("check") + 1 :]
        sys.exit(check(game, int(games[0]) if games else 50))
    if sys.stdin.isatty():
        called = " ".join(sys.argv)
        print(f"These are rules for plyground:\n\n  plyground --game 'python3 {called}' play human machine\n")
        sys.exit(f"They are tested by: python3 {called} check")
    # What the rules print is no answer.
    output, sys.stdout = sys.stdout, sys.stderr
    _Server(game, output.buffer).run(sys.stdin.buffer)


def _word(text: str) -> str:
    return "/".join(text.split()) if "\n" in text else text


class _Server:
    """Answers the lines of plyground."""

    def __init__(self, game: Rules, output: BinaryIO) -> None:
        self.game = game
        self.output = output
        self.known: dict[str, tuple[Any, str, bool]] = {}
        """The states that were told, by their texts, with their facts and if they are over."""
        kind = type(game)
        self.has_turn = kind.turn is not Rules.turn
        self.has_score = kind.score is not Rules.score
        extras = [("left", "plies_left"), ("points", "points"), ("key", "key")]
        self.extras = [
            (word, getattr(game, name))
            for word, name in extras
            if getattr(kind, name) is not getattr(Rules, name)
        ]
        self.turns = {symbol: side for symbol, side in zip(game.symbols, ("first", "second"))}

    def run(self, lines: BinaryIO) -> None:
        for line in iter(lines.readline, b""):
            # Other blanks may be part of a text that a stranger has written.
            words = line.decode(errors="replace").rstrip("\r\n").split(" ")
            if words[:1] == ["quit"]:
                return
            try:
                answer = self.answer(words)
            except Exception as error:
                self.say(f"error {_in_one_line(error)}\n")
                sys.exit(1)
            self.say(answer)

    def say(self, answer: str) -> None:
        self.output.write(answer.encode())
        self.output.flush()

    def answer(self, words: list[str]) -> str:
        kind, rest = words[0] if words else "", words[1:]
        if kind == "expand":
            return "".join([self.expand(word) for word in rest])
        if kind == "read":
            try:
                return f"position {self.told(self.game.read(' '.join(rest)))[1]}\n"
            except ValueError as error:
                return f"illegal {' '.join(str(error).split())}\n"
            except Exception as error:
                # Whatever a stranger's text does to `read`, the game goes on.
                return f"illegal {_in_one_line(error)}\n"
        if kind == "show":
            rows = self.game.show(self.state(rest[0])[0]).replace("/", "\n").splitlines()
            return "".join([f"|{row}\n" for row in rows]) + "end\n"
        if kind == "rules":
            return self.description()
        return f"error unknown question: {kind}\n"

    def description(self) -> str:
        game = self.game
        lines = [f"rules {VERSION}", f"name {game.name}", f"rule-set {game.rule_set}"]
        if game.title:
            lines.append(f"title {game.title}")
        if game.sides:
            lines.append("sides " + " ".join(game.sides))
        if game.board:
            lines.append(f"board {game.board[0]} {game.board[1]} {game.symbols}")
        if game.hint:
            lines.append(f"hint {game.hint}")
        if type(game).show is not Rules.show:
            lines.append("shows")
        lines += [f"start {self.told(game.start())[1]}", "end", ""]
        return "\n".join(lines)

    def state(self, word: str) -> tuple[Any, str, bool]:
        known = self.known.get(word)
        return known if known else self.told(self.game.read(word))

    def expand(self, word: str) -> str:
        state, _, is_over = self.state(word)
        if is_over:
            return "end\n"
        play, told, moves = self.game.play, self.told, self.game.moves(state)
        lines = [f"{move} {told(play(state, move))[1]}\n" for move in moves]
        lines.append("end\n")
        return "".join(lines)

    def told(self, state: Any) -> tuple[Any, str, bool]:
        """Returns a state with its text and facts, as plyground is told them, and if it is over."""
        game = self.game
        text = game.text(state)
        word = _word(text)
        known = self.known.get(word)
        if known:
            return known
        if self.has_turn:
            side = ("first", "second")[game.turn(state)]
        else:
            side = self.turns[word.rpartition("/")[2]]
        outcome = game.outcome(state)
        if outcome is not None:
            facts = f"{word} {side} {_RESULTS[outcome]}"
        elif self.has_score:
            facts = f"{word} {side} - score {game.score(state)}"
        else:
            facts = f"{word} {side} -"
        for name, method in self.extras:
            found = method(state)
            if name == "points" and found is not None:
                found = f"{found[0]} {found[1]}"
            if found is not None:
                facts += f" {name} {found}"
        if len(self.known) >= _MOST_KNOWN:
            self.known.clear()
        known = self.known[word] = (state, facts, outcome is not None)
        return known


_RESULTS: dict[int | str, str] = {0: "1-0", 1: "0-1", DRAW: "1/2-1/2"}


def _in_one_line(error: BaseException) -> str:
    """Returns an exception, and the line of the rules that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__] or list(frames)
    place = own[-1]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{text} ({place.filename}, line {place.lineno}, in {place.name})"


class Breach(Exception):
    """A promise that the rules break, with the state."""


def check(game: Rules, games: int = 50, seed: int = 1) -> int:
    """Plays games at random and tests every promise of the rules. Prints the first breach with its state, or
    the number of states. Returns the exit code.
    """
    chance = random.Random(seed)
    count, lengths = 0, []
    try:
        for _ in range(games):
            length = _check_game(game, chance)
            lengths.append(length)
            count += length + 1
    except Breach as breach:
        print(f"{game.name} breaks a rule of rules: {breach}", file=sys.stderr)
        return 1
    print(f"{games} games of {min(lengths)} to {max(lengths)} moves, {count} states: no breach found")
    return 0


def _check_game(game: Rules, chance: random.Random) -> int:
    """Plays a game at random. Returns its length."""
    state = game.start()
    for ply in range(_MOST_PLIES):
        moves = _check_state(game, state)
        if not moves:
            return ply
        after = game.play(state, chance.choice(moves))
        for move in moves:
            _check_move(game, state, move)
        state = after
    return _MOST_PLIES


def _breach(game: Rules, state: Any, found: str) -> NoReturn:
    shown = game.text(state).replace("/", "\n")
    raise Breach(f"{found}, in the state\n{shown}")


def _check_state(game: Rules, state: Any) -> list[str]:
    """Tests the promises about a state. Returns its moves."""

    def require(holds: bool, found: str) -> None:
        if not holds:
            _breach(game, state, found)

    text = game.text(state)
    word = _word(text)
    require(bool(word) and len(word.split()) == 1, f"the text {text!r} has blanks in it")
    require(len(word.encode()) <= 1_000, "the text has more than 1000 bytes")
    side = game.turn(state)
    require(side in (0, 1), f"turn is {side!r}, not 0 or 1")
    outcome = game.outcome(state)
    require(outcome is None or outcome in _RESULTS, f"outcome is {outcome!r}: not None, 0, 1 or DRAW")
    again = game.read(word)
    require(_word(game.text(again)) == word, f"read gives another state, {_word(game.text(again))}")
    require(game.outcome(again) == outcome and game.turn(again) == side, "read gives a state that differs")
    points, score = game.points(state), game.score(state)
    require(type(score) is int and abs(score) <= _MOST_SCORE, f"score is {score!r}")
    if points is not None:
        require(len(points) == 2 and min(points) >= 0, f"points are {points!r}")
        won = (points[0] < points[1]) if points[0] != points[1] else DRAW
        require(outcome is None or outcome == won, f"outcome is {outcome!r} with the points {points!r}")
    if outcome is not None:
        return []
    moves = list(game.moves(state))
    require(bool(moves), "there is no move, and outcome is None")
    require(moves == list(game.moves(state)), "moves differs when asked again")
    require(moves == list(game.moves(again)), "moves differs after read")
    require(len(set(moves)) == len(moves), f"a move is there twice: {moves}")
    require(PASS not in moves or len(moves) == 1, f"there are other moves beside a pass: {moves}")
    for move in moves:
        is_word = isinstance(move, str) and len(move.split()) == 1 and move == move.strip()
        require(is_word and move != "end", f"the move {move!r} is no word")
        require(len(move.encode()) <= _MOST_MOVE, f"the move {move} has more than {_MOST_MOVE} bytes")
        require(not set(move) & set("/.,"), f"the move {move} has `/`, `.` or `,` in it")
    return moves


def _check_move(game: Rules, state: Any, move: str) -> None:
    before, left = _word(game.text(state)), game.plies_left(state)
    after = game.play(state, move)
    if _word(game.text(state)) != before:
        _breach(game, state, f"play has changed the state before the move {move}, {before}")
    if _word(game.text(game.play(state, move))) != _word(game.text(after)):
        _breach(game, state, f"the move {move} leads elsewhere when played again")
    if move == PASS and game.turn(after) == game.turn(state):
        _breach(game, state, "the same side moves again after a pass")
    left_after = game.plies_left(after)
    if left is not None and (left_after is None or left_after >= left):
        _breach(game, state, f"plies_left goes from {left} to {left_after} with the move {move}")
    if (game.points(state) is None) != (game.points(after) is None):
        _breach(game, state, f"only one of the states before and after {move} has points")
