"""Labeled positions as arrays, and as files in Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from plyground._plyground import Game, __version__, game

ROW_GROUP = 65_536
"""The number of rows that are written, and read, at a time."""

WRITTEN = ("text", "planes", "turn", "ply", "value", "score", "exact", "legal", "best")
"""The names of the columns of a file, beside `values`."""

Rows = slice | NDArray[np.bool_] | NDArray[np.integer[Any]] | Sequence[int] | Sequence[bool]
"""A choice of rows: a slice, numbers of rows, or a truth value for each row."""


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """Positions with their labels, one to a row of each array.

    All numbers are those of the side to move.
    """

    game: Game
    """The game, with its rules."""
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

    def __repr__(self) -> str:
        return f"<Labels of {len(self)} positions of {self.game.name}>"

    def __getitem__(self, rows: Rows) -> Labels:
        """Some rows: `labels[:10]`, `labels[labels.exact]`, `labels[rng.permutation(len(labels))]`.

        The arrays of a slice are views.
        """
        numbers = np.arange(len(self))[rows]
        if numbers.ndim == 0:
            one = int(numbers)
            raise TypeError(f"expected rows as a slice or an array, found {one}: labels[{one}:{one + 1}] has this row")
        if numbers.ndim > 1:
            raise TypeError(f"expected rows as a slice or an array of one dimension, found {numbers.ndim}")

        def chosen(name: str) -> Any:
            column = getattr(self, name)
            if name == "text" and not isinstance(rows, slice):
                return [column[number] for number in numbers]
            return None if column is None else column[rows if isinstance(rows, slice) else numbers]

        return Labels(self.game, **{name: chosen(name) for name in COLUMNS})

    @staticmethod
    def join(parts: Iterable[Labels]) -> Labels:
        """All rows of some labels, one after the other. There are `values` if all parts have them.

        Raises ValueError if there are no parts, or those of several games.
        """
        parts = list(parts)
        if not parts:
            raise ValueError("expected labels to join, found none")
        games = list(dict.fromkeys(part.game for part in parts))
        if len(games) > 1:
            raise ValueError(f"expected labels of one game, found {games[0]} and {games[1]}")

        def joined(name: str) -> Any:
            columns = [getattr(part, name) for part in parts]
            if name == "text":
                return [text for column in columns for text in column]
            return None if any(column is None for column in columns) else np.concatenate(columns)

        return Labels(games[0], **{name: joined(name) for name in COLUMNS})

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes all rows to a Parquet file, which is there when it is complete. This needs pyarrow."""
        parts = (self[first : first + ROW_GROUP] for first in range(0, len(self), ROW_GROUP))
        write_parquet(path, parts, self.game, self.values is not None, {})

    @staticmethod
    def from_parquet(*paths: str | os.PathLike[str]) -> Labels:
        """All rows of files that `to_parquet` has written, file by file. This needs pyarrow.

        Raises ValueError if a file has no such rows, or if the files are of several games.
        """
        return Labels.join([part for path in paths for part in _read_parquet(Path(path))])


COLUMNS = [field.name for field in fields(Labels) if field.name != "game"]
"""The names of what has an element for each row."""


def write_parquet(
    path: str | os.PathLike[str],
    parts: Iterable[Labels],
    of: Game,
    every_move: bool,
    source: Mapping[str, str],
) -> None:
    """Writes labels, which have `values` with `every_move`, to a file whose metadata have the `source`, too."""
    pa, pq = _pyarrow()
    end = Path(path)
    part = end.with_name(f"{end.name}.part")
    schema = _schema(pa, of, every_move, source)
    try:
        with pq.ParquetWriter(part, schema, compression="zstd") as writer:
            for labels in parts:
                writer.write_table(_table(pa, schema, labels))
        part.replace(end)
    finally:
        part.unlink(missing_ok=True)


def _pyarrow() -> tuple[Any, Any]:
    """The modules of pyarrow, which come without types."""
    import pyarrow
    import pyarrow.parquet

    return cast(Any, pyarrow), cast(Any, pyarrow.parquet)


def _schema(pa: Any, of: Game, every_move: bool, source: Mapping[str, str]) -> Any:
    rows, columns = of.shape
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
    if every_move:
        names.append(pa.field("values", pa.list_(pa.float32())))
    head = {
        "plyground": __version__,
        "game": of.name,
        "rules": of.rules,
        "shape": f"2 x {rows} x {columns}",
        "actions": str(of.actions),
    }
    return pa.schema(names, metadata={**head, **source})


def _table(pa: Any, schema: Any, labels: Labels) -> Any:
    def numbers(chosen: NDArray[np.bool_]) -> Any:
        """The actions that are chosen in each row."""
        offsets = np.concatenate([[0], np.cumsum(chosen.sum(axis=1))]).astype(np.int32)
        return pa.ListArray.from_arrays(offsets, np.nonzero(chosen)[1].astype(np.int32))

    legal = labels.mask.astype(bool)
    columns = {
        "text": labels.text,
        "planes": pa.FixedSizeListArray.from_arrays(labels.planes.ravel(), int(np.prod(labels.planes.shape[1:]))),
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


def _read_parquet(path: Path) -> Iterator[Labels]:
    """The rows of a file, part by part; a part without rows if it has none."""
    pa, pq = _pyarrow()
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        head: dict[bytes, bytes] = schema.metadata or {}
        absent = [name for name in WRITTEN if name not in schema.names]
        if b"game" not in head or b"rules" not in head or absent:
            lacks = f"the column `{absent[0]}`" if absent else "the name of a game in its metadata"
            raise ValueError(f"{path}: expected a file that to_parquet has written, found one without {lacks}")
        of = game(head[b"game"].decode(), head[b"rules"].decode())
        yield _labels(of, pa.RecordBatch.from_pylist([], schema=schema))
        for batch in file.iter_batches(batch_size=ROW_GROUP):
            yield _labels(of, batch)


def _labels(of: Game, batch: Any) -> Labels:
    size: int = batch.num_rows
    actions = of.actions

    def array(name: str) -> Any:
        return batch.column(name).to_numpy(zero_copy_only=False)

    def chosen(name: str) -> NDArray[np.bool_]:
        """A truth value for each action, from the lists of those that are chosen."""
        lists = batch.column(name)
        counts = np.diff(lists.offsets.to_numpy())
        found = np.zeros((size, actions), np.bool_)
        found[np.repeat(np.arange(size), counts), lists.flatten().to_numpy()] = True
        return found

    legal, values = chosen("legal"), None
    if "values" in batch.schema.names:
        values = np.full((size, actions), np.nan, np.float32)
        values[legal] = batch.column("values").flatten().to_numpy()
    return Labels(
        of,
        planes=batch.column("planes").flatten().to_numpy().reshape(size, 2, *of.shape),
        mask=legal.astype(np.int8),
        best=chosen("best"),
        turn=array("turn"),
        ply=array("ply"),
        value=array("value"),
        score=array("score"),
        exact=array("exact"),
        text=batch.column("text").to_pylist(),
        values=values,
    )
