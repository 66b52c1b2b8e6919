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
import re
import sys
import traceback
from typing import Any, BinaryIO, Callable, cast

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
    """Small letters and digits, as in file names. Every game needs one of its own."""
    title: str | None = None
    """The heading of the game."""
    rule_set = "standard"
    """The name of these rules, where a game has several: `5x5`."""
    sides: tuple[str, str] | None = None
    """The names of the players, a word each."""
    symbols = "XO"
    """The symbols of the two sides, in the cells and on the last line of a text. Without them a game needs
    `turn`.
    """
    board: tuple[int, int] | None = None
    """The numbers of columns and rows, for a game on a grid: with them it has a page in the browser."""
    hint: str | None = None
    """A move in words: `a square such as b3`."""
    lessons: dict[str, str] | None = None
    """The rules in words, for the page and the `help` of the terminal: headings, each with a few sentences."""

    # The six methods.

    def start(self) -> Any:
        """Returns the state before the first move."""
        raise Fault("start is missing: a game needs the six methods")

    def moves(self, state: Any) -> list[str]:
        """Returns the legal moves of a state that is not over, a word each: at least one."""
        raise Fault("moves is missing: a game needs the six methods")

    def play(self, state: Any, move: str) -> Any:
        """Returns the state after a legal move."""
        raise Fault("play is missing: a game needs the six methods")

    def outcome(self, state: Any) -> int | str | None:
        """Returns `None` while the game goes on, then the side that has won, 0 or 1, or `DRAW`."""
        raise Fault("outcome is missing: a game needs the six methods")

    def text(self, state: Any) -> str:
        """Returns the text of a state, the same for the same state: the rows of the board, and on the last
        line the symbol of the side to move. There are no blanks in it; lines are joined by `\\n` or `/`.
        """
        raise Fault("text is missing: a game needs the six methods")

    def read(self, text: str) -> Any:
        """Returns the state of a text, whose lines are joined by `/`. Raises `ValueError` with the reason if
        it is no state of the game.
        """
        raise Fault("read is missing: a game needs the six methods")

    # What a game may have beyond them.

    def turn(self, state: Any) -> int:
        """Returns the side to move, 0 or 1. The default reads it from the last line of the text."""
        return _side(self, _word(self.text(state)))

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


class Fault(Exception):
    """What the rules say where something else is expected, in one line with the remedy."""


def _shown(found: Any) -> str:
    """Returns what a method has returned, in a few words."""
    if found is None:
        return "None"
    text = " ".join(repr(found).split())
    return f"{text if len(text) <= 60 else text[:57] + '...'} (of type {type(found).__name__})"


# As Any, so that a type checker does not ask for what.
_LISTS: Any = (tuple, list)


def _is_list(found: Any, count: int) -> bool:
    """Returns if something is a tuple or a list of so many values."""
    return isinstance(found, _LISTS) and len(found) == count


def _is_word(found: Any) -> bool:
    return isinstance(found, str) and len(found.split()) == 1


def _word(text: Any) -> str:
    if not isinstance(text, str):
        raise Fault(f"text returns {_shown(text)}: expected a str, with the rows joined by `/`")
    return "/".join(text.split()) if "\n" in text else text


def _side(game: Rules, word: str) -> int:
    """Returns the side whose symbol is the last line of a text."""
    symbols, found = game.symbols, word.rpartition("/")[2]
    if len(symbols) != 2 or symbols[0] == symbols[1]:
        raise Fault(f'symbols is {_shown(symbols)}: expected those of the two sides, as in symbols = "XO"')
    if len(found) != 1 or found not in symbols:
        raise Fault(
            f"the last line of the text {word} is `{found}`: expected the symbol of the side to move, "
            f"`{symbols[0]}` or `{symbols[1]}`; set symbols to those of your game, or write turn(state)"
        )
    return symbols.index(found)


def _result(outcome: Any) -> str:
    """Returns the word of an outcome of a finished game."""
    if type(outcome) in (int, str) and outcome in _RESULTS:
        return _RESULTS[outcome]
    raise Fault(
        f"outcome returns {_shown(outcome)}: expected None while the game goes on, then 0 or 1, the side that "
        "has won, or DRAW"
    )


def _moves(game: Rules, state: Any) -> list[str]:
    """Returns the moves of a state that is not over."""
    found = cast(Any, game.moves(state))
    if found is None or isinstance(found, str):
        raise Fault(f"moves returns {_shown(found)}: expected a list of words")
    moves = list(found)
    for move in moves:
        if not isinstance(move, str):
            raise Fault(f'moves has {_shown(move)} in it: expected words, as in ["b3", "b3-c4"]')
    return moves


def _after(game: Rules, state: Any, move: str) -> Any:
    """Returns the state after a move."""
    after = game.play(state, move)
    if after is None:
        raise Fault("play returns None: expected the state after the move; does it end with a return?")
    return after


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
        self.turns = dict(zip(game.symbols, ("first", "second")))

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
        for heading, text in (game.lessons or {}).items():
            lines.append(f"lesson {' '.join(heading.split())}: {' '.join(text.split())}")
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
        game, told = self.game, self.told
        lines = [f"{move} {told(_after(game, state, move))[1]}\n" for move in _moves(game, state)]
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
            side = self.turns.get(word.rpartition("/")[2]) or ("first", "second")[_side(game, word)]
        outcome = game.outcome(state)
        if outcome is not None:
            facts = f"{word} {side} {_result(outcome)}"
        elif self.has_score:
            facts = f"{word} {side} - score {game.score(state)}"
        else:
            facts = f"{word} {side} -"
        for name, method in self.extras:
            found = method(state)
            if name == "points" and found is not None:
                first, second = _points(found)
                found = f"{first} {second}"
            if found is not None:
                facts += f" {name} {found}"
        if len(self.known) >= _MOST_KNOWN:
            self.known.clear()
        known = self.known[word] = (state, facts, outcome is not None)
        return known


_RESULTS: dict[int | str, str] = {0: "1-0", 1: "0-1", DRAW: "1/2-1/2"}


def _points(found: Any) -> tuple[int, int]:
    """Returns the points of both sides."""
    if not _is_list(found, 2) or any(type(points) is not int or points < 0 for points in found):
        raise Fault(f"points returns {_shown(found)}: expected two whole numbers from 0, as in (3, 5)")
    return found[0], found[1]


def _in_one_line(error: BaseException) -> str:
    """Returns an exception, and the line of the rules that raised it."""
    if isinstance(error, Fault):
        return " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__] or list(frames)
    place = own[-1]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{text} ({place.filename}, line {place.lineno}, in {place.name})"


def check(game: Rules, games: int = 50, seed: int = 1) -> int:
    """Plays games at random and tests every promise of the rules. Prints the first breach with its state, in
    one line, or the number of states. Returns the exit code.
    """
    checker = _Checker(game, random.Random(seed))
    try:
        _check_description(game)
        lengths = [checker.play_game() for _ in range(games)]
        checker.check_turns()
    except Fault as breach:
        print(f"{game.name} breaks a rule of rules: {breach}", file=sys.stderr)
        return 1
    except Exception as error:
        print(f"{game.name} has failed {checker.place}: {_in_one_line(error)}", file=sys.stderr)
        return 1
    count = sum(lengths) + games
    print(f"{games} games of {min(lengths)} to {max(lengths)} moves, {count} states: no breach found")
    return 0


def _check_description(game: Any) -> None:
    """Tests what is said about the game."""
    for attribute, is_right, expected in [
        ("name", _is_name(game.name), "small letters and digits, as in `konane`"),
        ("rule_set", _is_name(game.rule_set), "small letters and digits, as in `5x5`"),
        ("sides", game.sides is None or _are_words(game.sides, 2), 'two words, as in ("Black", "White")'),
        ("board", game.board is None or _are_sizes(game.board), "the numbers of columns and rows, up to 26"),
        ("lessons", game.lessons is None or isinstance(game.lessons, dict), 'headings and texts, {"The aim": "..."}'),
    ]:
        if not is_right:
            raise Fault(f"{attribute} is {_shown(getattr(game, attribute))}: expected {expected}")


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and re.fullmatch("[a-z0-9_+.-]{1,40}", name) is not None


def _are_words(words: Any, count: int) -> bool:
    return _is_list(words, count) and all(map(_is_word, words))


def _are_sizes(sizes: Any) -> bool:
    return _is_list(sizes, 2) and all(type(size) is int and 1 <= size <= 26 for size in sizes)


class _Checker:
    """Tests the promises of rules along games played at random."""

    def __init__(self, game: Rules, chance: random.Random) -> None:
        self.game = game
        self.chance = chance
        self.place = "at the start"
        """The place in a game that is tested, for messages."""
        self.turns: list[list[int]] = []
        """The sides that were to move, game by game."""

    def require(self, holds: bool, found: str) -> None:
        if not holds:
            raise Fault(f"{found}, {self.place}")

    def ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Returns what a method returns. A fault in that says the place."""
        try:
            return method(*arguments)
        except Fault as fault:
            raise Fault(f"{fault}, {self.place}") from None

    def play_game(self) -> int:
        """Plays a game at random. Returns its length."""
        self.place = "at the start"
        self.turns.append([])
        state = self.game.start()
        self.require(state is not None, "start returns None: expected a state; does it end with a return?")
        for ply in range(_MOST_PLIES):
            moves = self.check_state(state)
            if not moves:
                return ply
            for move in moves:
                self.check_move(state, move)
            move = self.chance.choice(moves)
            self.place = f"after the move {move} {self.place}"
            state = self.ask(_after, self.game, state, move)
        return _MOST_PLIES

    def check_turns(self) -> None:
        """Tests that the turn changes. A game may have extra turns, but not extra turns alone."""
        game = self.game
        sides = {side for turns in self.turns for side in turns}
        if len(sides) == 1 and max(map(len, self.turns)) > 1:
            name = game.sides[sides.pop()] if game.sides else f"player {sides.pop() + 1}"
            raise Fault(
                f"{name} is to move in every state of all {len(self.turns)} games: expected the turn to change; "
                "play must write the other side into the state that it returns"
            )

    def check_state(self, state: Any) -> list[str]:
        """Tests the promises about a state. Returns its moves."""
        game, require = self.game, self.require
        text = self.ask(game.text, state)
        word = self.ask(_word, text)
        require(bool(word) and len(word.split()) == 1, f"the text {text!r} has blanks in it")
        self.place = f"in the state {word}"
        require(len(word.encode()) <= 1_000, "the text has more than 1000 bytes")
        columns, rows = game.board or (0, 0)
        lengths = [len(row) for row in word.split("/")[:rows]]
        is_board = lengths == [columns] * rows
        require(is_board, f"board is {columns} columns, {rows} rows, and the rows of the text have {lengths} cells")
        side = self.ask(game.turn, state)
        require(side in (0, 1), f"turn returns {_shown(side)}: expected 0 or 1")
        outcome = game.outcome(state)
        if outcome is not None:
            self.ask(_result, outcome)
        again = game.read(word)
        require(again is not None, "read returns None: expected the state of the text, or a ValueError")
        read = self.ask(_word, game.text(again))
        require(read == word, f"read gives another state, {read}")
        require(game.outcome(again) == outcome and game.turn(again) == side, "read gives a state that differs")
        self.check_numbers(state, outcome)
        if outcome is not None:
            return []
        self.turns[-1].append(side)
        return self.check_moves(state, again)

    def check_numbers(self, state: Any, outcome: Any) -> None:
        """Tests points, judgment, limit and key of a state."""
        game, require = self.game, self.require
        score, left, key = game.score(state), game.plies_left(state), game.key(state)
        require(
            type(score) is int and abs(score) <= _MOST_SCORE,
            f"score returns {_shown(score)}: expected a whole number of hundredths of at most {_MOST_SCORE}",
        )
        is_limit = left is None or (type(left) is int and left >= 0)
        require(is_limit, f"plies_left returns {_shown(left)}: expected a whole number from 0, or None")
        require(key is None or _is_word(key), f"key returns {_shown(key)}: expected a str without blanks")
        points = game.points(state)
        if points is not None:
            first, second = self.ask(_points, points)
            won: int | str = (first < second) * 1 if first != second else DRAW
            is_won = outcome is None or outcome == won
            require(is_won, f"outcome is {outcome!r} with the points {first} to {second}: expected {won!r}")

    def check_moves(self, state: Any, again: Any) -> list[str]:
        """Tests the moves of a state, which is as well as `again`."""
        game, require = self.game, self.require
        moves: list[str] = self.ask(_moves, game, state)
        require(bool(moves), "there is no move, and outcome is None")
        require(moves == list(game.moves(state)), "moves differs when asked again")
        require(moves == list(game.moves(again)), "moves differs after read")
        require(len(set(moves)) == len(moves), f"a move is there twice: {' '.join(moves)}")
        require(PASS not in moves or len(moves) == 1, f"there are other moves beside a pass: {' '.join(moves)}")
        for move in moves:
            is_word = len(move.split()) == 1 and move == move.strip()
            require(is_word and move != "end", f"the move {move!r} is no word")
            require(len(move.encode()) <= _MOST_MOVE, f"the move {move} has more than {_MOST_MOVE} bytes")
            require(not set(move) & set("/.,"), f"the move {move} has `/`, `.` or `,` in it")
        return moves

    def check_move(self, state: Any, move: str) -> None:
        """Tests a move."""
        game, require = self.game, self.require
        before, left, side = _word(game.text(state)), game.plies_left(state), game.turn(state)
        has_points = game.points(state) is not None
        after = self.ask(_after, game, state, move)
        require(
            _word(game.text(state)) == before,
            f"play changes the state that it is given, with the move {move}: expected another state; change a copy",
        )
        place = self.place
        self.place = f"after the move {move} {place}"
        word = self.ask(_word, game.text(after))
        is_same = _word(game.text(game.play(state, move))) == word
        require(is_same, "the move leads elsewhere when played again")
        require(move != PASS or self.ask(game.turn, after) != side, "the same side moves again")
        left_after = game.plies_left(after)
        is_less = left is None or (left_after is not None and left_after < left)
        require(is_less, f"plies_left goes from {left} to {left_after}: expected less")
        require((game.points(after) is not None) == has_points, "only one of the two states has points")
        self.place = place
