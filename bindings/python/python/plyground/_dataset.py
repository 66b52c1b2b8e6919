"""Labeled positions at full speed, as arrays and as Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from plyground._plyground import Batch, Game, LabelStream, Position, __version__

EXACT_PLIES = 22
"""The positions with at most so many plies left, which take milliseconds, are labeled unless others are wanted."""
ESTIMATED_PLIES = 20
ESTIMATED_DEPTH = 6


@dataclass(frozen=True, eq=False)
class Labels:
    """Positions with their labels, one to a row of each array.

    All numbers are those of the side to move.
    """

    planes: NDArray[np.uint8]
    """The pieces of the side to move and those of its opponent: positions x 2 x rows x columns, 0 or 1."""
    mask: NDArray[np.int8]
    """The legal actions: positions x actions, 0 or 1."""
    best: NDArray[np.bool_]
    """All actions that are as good as the best one: positions x actions."""
    turn: NDArray[np.uint8]
    """The sides to move: 0 or 1."""
    ply: NDArray[np.uint16]
    """The numbers of moves that were made; of positions of your own, the numbers of pieces on the board."""
    value: NDArray[np.float32]
    """The margins in points, or 1 for a forced win and -1 for a forced loss."""
    score: NDArray[np.int32]
    """The values as `Value.score` has them."""
    exact: NDArray[np.bool_]
    """If true, the value is the result of best play."""
    text: list[str]
    """The state files, their lines joined by `/`, as `Game.position` reads them."""
    values: NDArray[np.float32] | None = None
    """The value of every action, NaN where it is illegal: positions x actions, with `every_move`."""

    def __len__(self) -> int:
        return len(self.text)

    @staticmethod
    def join(parts: list[Labels]) -> Labels:
        """All rows of some labels, one after the other."""

        def joined(name: str) -> Any:
            columns = [getattr(part, name) for part in parts]
            if name == "text":
                return [text for column in columns for text in column]
            return None if columns[0] is None else np.concatenate(columns)

        return Labels(**{field.name: joined(field.name) for field in fields(Labels)})


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
                yield Labels(**arrays)
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
        import pyarrow
        import pyarrow.parquet

        # They come without types.
        pa, pq = cast(Any, pyarrow), cast(Any, pyarrow.parquet)
        end = Path(path)
        part = end.with_name(f"{end.name}.part")
        schema = _schema(pa, self)
        try:
            with pq.ParquetWriter(part, schema, compression="zstd") as writer:
                for labels in self:
                    writer.write_table(_table(pa, schema, labels))
            part.replace(end)
        finally:
            part.unlink(missing_ok=True)


def _schema(pa: Any, dataset: Dataset) -> Any:
    rows, columns = dataset.game.shape
    actions = pa.list_(pa.int32())
    names = [
        pa.field("text", pa.string()),
        pa.field("planes", pa.list_(pa.uint8(), 2 * rows * columns)),
        pa.field("turn", pa.uint8()),
        pa.field("ply", pa.uint16()),
        pa.field("value", pa.float32()),
        pa.field("score", pa.int32()),
        pa.field("exact", pa.bool_()),
        pa.field("legal", actions),
        pa.field("best", actions),
    ]
    if dataset.every_move:
        names.append(pa.field("values", pa.list_(pa.float32())))
    source = {
        "plyground": __version__,
        "game": dataset.game.name,
        "rules": dataset.game.rules,
        "shape": f"2 x {rows} x {columns}",
        "actions": str(dataset.game.actions),
        "seed": str(dataset.seed),
        "plies": f"{dataset.plies[0]} to {dataset.plies[1]}",
        "depth": "end" if dataset.depth is None else str(dataset.depth),
    }
    return pa.schema(names, metadata=source)


def _table(pa: Any, schema: Any, labels: Labels) -> Any:
    def numbers(chosen: NDArray[np.bool_]) -> Any:
        """The actions that are chosen in each row."""
        offsets = np.concatenate([[0], np.cumsum(chosen.sum(axis=1))]).astype(np.int32)
        return pa.ListArray.from_arrays(offsets, np.nonzero(chosen)[1].astype(np.int32))

    legal = labels.mask.astype(bool)
    columns = {
        "text": labels.text,
        "planes": pa.FixedSizeListArray.from_arrays(labels.planes.ravel(), labels.planes[0].size),
        "turn": labels.turn,
        "ply": labels.ply,
        "value": labels.value,
        "score": labels.score,
        "exact": labels.exact,
        "legal": numbers(legal),
        "best": numbers(labels.best),
    }
    if labels.values is not None:
        offsets = np.concatenate([[0], np.cumsum(legal.sum(axis=1))]).astype(np.int32)
        columns["values"] = pa.ListArray.from_arrays(offsets, labels.values[legal])
    return pa.table(columns, schema=schema)


def dataset(
    game: Game,
    n: int,
    seed: int,
    *,
    exact: bool = True,
    depth: int | None = None,
    plies: tuple[int, int] | None = None,
    every_move: bool = False,
    unique: bool = True,
    threads: int | None = None,
    table: int = 16,
    chunk: int = 1024,
) -> Dataset:
    """`n` positions of random games, each labeled with its value and all best moves.

    The positions come after `plies` random moves, from the lesser to the greater number; without it, those
    are labeled that take milliseconds. The same seed gives the same positions, each once with `unique`. By
    default the labels are exact, and the rules must limit the length of a game; with `exact=False` they are
    those of a search `depth` plies ahead. With `every_move`, every legal move has a value of its own.

    `threads` threads, by default one for each core, have a table of `table` MiB each.
    """
    if chunk < 1:
        raise ValueError(f"expected chunk to be at least 1, found {chunk}")
    limit = game.start().plies_left
    if plies is None:
        last = ESTIMATED_PLIES if limit is None else max(limit - 1, 0)
        plies = (max(last + 1 - EXACT_PLIES, 0) if exact else 0, last)
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
        return Labels(**(stream.read(len(given)) or {}))
    finally:
        stream.close()


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
