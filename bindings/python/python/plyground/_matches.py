"""Games between players: those of this package by name, and callables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from plyground._plyground import Game, Position, play_game, play_pairs
from plyground._records import Record, record_from_text

Player = str | Callable[[Position], str]
"""`"random"`, `"machine:depth=5"` and the like, or what takes a position and returns a legal move.

In records it has the name that its attribute `name` says, or else that of the function or of its class."""


@dataclass(frozen=True)
class Match:
    """The result of a match, as player A sees it."""

    won: int
    drawn: int
    lost: int
    elo: tuple[float, float, float] | None
    """A's lead in Elo, and the least and the greatest lead of its 95 % interval. All may be infinite: A's lead is,
    and the end of its interval, if A has won all games. None without games."""
    faults: tuple[int, int]
    """The numbers of games that A and B lost by a fault, such as an illegal move."""
    games: list[Record] = field(repr=False)
    """The records, two to a pair: A has the first move in the first of them."""

    @property
    def score(self) -> float:
        """A's points: 1 for a game won, a half for a draw."""
        return self.won + self.drawn / 2


def play(start: Position | Game, first: Player, second: Player, *, seed: int = 1) -> Record:
    """Plays a game, from the start or from a position, and returns its record.

    A player that makes an illegal move loses. An exception that a player raises ends the game.
    """
    return record_from_text(play_game(start, first, second, seed))


def match(
    game: Game,
    a: Player,
    b: Player,
    *,
    pairs: int = 10,
    opening_plies: int = 4,
    seed: int = 1,
    jobs: int = 1,
) -> Match:
    """Plays pairs of games: each pair begins with an opening of its own, of so many random moves, and is
    played with either player on either side.

    Raises ValueError if there are not as many different openings. An exception that a player raises ends the match.
    """
    texts, (won, drawn, lost), faults, elo = play_pairs(game, a, b, pairs, opening_plies, seed, jobs)
    return Match(won, drawn, lost, elo, faults, [record_from_text(text) for text in texts])
