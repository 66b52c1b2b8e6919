"""Labeled positions at full speed: those of random games, and those of the caller."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from plyground._labels import Labels, write_parquet
from plyground._plyground import Batch, Game, LabelStream, Position, expect_game

EXACT_PLIES = 22
"""The positions with at most so many plies left, which take milliseconds, are labeled unless others are wanted."""
ESTIMATED_PLIES = 20
ESTIMATED_DEPTH = 6


@dataclass(frozen=True)
class Dataset:
    """Labeled positions: an iterator over `Labels` of `chunk` rows at most.

    Each iteration begins anew and gives the same rows, whatever the number of threads.
    """

    game: Game
    n: int
    seed: int
    plies: tuple[int, int]
    depth: int | None
    every_move: bool
    unique: bool
    threads: int
    table: int
    chunk: int

    def stream(self) -> LabelStream:
        """Starts the threads that label. Most people iterate."""
        return LabelStream(
            self.game,
            self.n,
            self.seed,
            self.plies,
            self.depth,
            self.every_move,
            self.unique,
            self.threads,
            self.table,
        )

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[Labels]:
        stream = self.stream()
        try:
            while (arrays := stream.read(self.chunk)) is not None:
                yield Labels(self.game, **arrays)
        finally:
            stream.close()

    def to_numpy(self) -> Labels:
        """All rows.

        Raises ValueError if there are none.
        """
        parts = list(self)
        if not parts:
            raise ValueError("expected n to be at least 1, found 0")
        return Labels.join(parts)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes all rows to a Parquet file, which is there when it is complete. This needs pyarrow."""
        source = {
            "seed": str(self.seed),
            "plies": f"{self.plies[0]} to {self.plies[1]}",
            "depth": "end" if self.depth is None else str(self.depth),
        }
        write_parquet(path, self, self.game, self.every_move, source)


def dataset(
    game: Game,
    n: int,
    seed: int,
    *,
    exact: bool = True,
    depth: int | None = None,
    plies: Sequence[int] | None = None,
    every_move: bool = False,
    unique: bool = True,
    threads: int | None = None,
    table: int = 16,
    chunk: int = 1024,
) -> Dataset:
    """`n` positions of random games, each labeled with its value and all best moves.

    The positions come after `plies` random moves, a pair of the least and the greatest number; without it,
    those are labeled that take milliseconds. The same seed gives the same positions, each once with `unique`. By
    default the labels are exact, and the rules must limit the length of a game; with `exact=False` they are
    those of a search `depth` plies ahead. With `every_move`, every legal move has a value of its own.

    `threads` threads, by default one for each core, have a table of `table` MiB each.
    """
    if chunk < 1:
        raise ValueError(f"expected chunk to be at least 1, found {chunk}")
    limit = expect_game(game).start().plies_left
    if plies is None:
        last = ESTIMATED_PLIES if limit is None else max(limit - 1, 0)
        plies = (max(last + 1 - EXACT_PLIES, 0) if exact else 0, last)
    plies = _pair(plies)
    depth, threads = _depth(game, exact, depth), _threads(threads)
    made = Dataset(game, n, seed, plies, depth, every_move, unique, threads, table, chunk)
    # Wrong arguments are told here, and not at the first row.
    made.stream().close()
    return made


def label(
    positions: Iterable[Position] | Batch,
    *,
    exact: bool = True,
    depth: int | None = None,
    every_move: bool = False,
    threads: int | None = None,
    table: int = 16,
) -> Labels:
    """Labels positions of your own, with a row for each in the order given; one may come twice.

    The labels are those of `dataset`, which describes the other arguments. Raises ValueError with the index of
    a position in which the game is over, or which is of another game than those before it.
    """
    if isinstance(cast(object, positions), Position):
        raise TypeError("expected positions, found one: label([position])")
    given = list(cast("Iterable[Position]", positions))
    first = next(iter(given), None)
    if isinstance(first, Position):
        depth = _depth(first.game, exact, depth)
    stream = LabelStream.given(given, depth, every_move, _threads(threads), table)
    try:
        return Labels(stream.game, **(stream.read(len(given)) or {}))
    finally:
        stream.close()


def _pair(plies: object) -> tuple[int, int]:
    """The least and the greatest number of plies."""
    try:
        least, greatest = cast("tuple[int, int]", plies)
    except (TypeError, ValueError):
        raise TypeError(f"expected plies as a pair (least, most), found {plies!r}") from None
    return least, greatest


def _depth(game: Game, exact: bool, depth: int | None) -> int | None:
    """The number of plies to look ahead; None for the end of the game."""
    if exact and depth is not None:
        raise ValueError(f"expected depth only with exact=False, found depth={depth}")
    if exact or depth is not None:
        return depth
    limit = game.start().plies_left
    return ESTIMATED_DEPTH if limit is None else min(ESTIMATED_DEPTH, limit)


def _threads(threads: int | None) -> int:
    """The number of threads, one for each core unless another is wanted."""
    if threads is not None:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
