"""Records of games as dictionaries."""

from __future__ import annotations

import json
from typing import Any, cast

from plyground._plyground import read_record

Record = dict[str, Any]
"""The game (`game`, `rules`, `start`, `first`, `second`), its `moves` and its `end`."""


def record_from_text(text: str) -> Record:
    """Reads the record of a game, as `plyground` saves it, and plays it again.

    Raises ValueError with the line if it is damaged or a move is illegal.
    """
    lines = [json.loads(line) for line in read_record(text).splitlines()]
    head, *moves, end = [{key: line[key] for key in line if key != "line"} for line in lines]
    return {**head, "moves": moves, "end": end}


def record_to_text(record: Record) -> str:
    """The record as text, one JSON object to a line.

    Raises ValueError with the line if a move is illegal, or the ending does not follow.
    """
    if not isinstance(cast(object, record), dict):
        raise TypeError(f"expected the record of a game, a dict; found {type(record).__name__}")
    for key in ("moves", "end"):
        if key not in record:
            raise ValueError(f"expected the record of a game, found a dict without `{key}`")
    head = {key: record[key] for key in record if key not in ("moves", "end")}
    lines = [{"line": "game", **head}]
    lines += [{"line": "move", **move} for move in record["moves"]]
    lines += [{"line": "end", **record["end"]}]
    return read_record("".join(json.dumps(line) + "\n" for line in lines))
