"""Reviews of games, as dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from plyground._matches import Match
from plyground._plyground import review_record, summarize_reviews
from plyground._records import Record, record_to_text

Review = dict[str, Any]
"""A game (`game`, `players`, `start_value`, `final_margin`, `exact`) and its `moves`."""


def review(record: Record | str, *, nodes: int | None = None) -> Review:
    """The value of every move of a recorded game and of the best one, exact where it can be known.

    `record` is a record or its text; `nodes` is the number of positions to visit for an exact value. Raises
    ValueError with the line if the record is damaged or a move is illegal.
    """
    many = cast(object, record)
    if isinstance(many, Match):
        raise TypeError("expected the record of a game, found a Match: [review(game) for game in match.games]")
    if isinstance(many, list):
        raise TypeError("expected the record of a game, found a list: [review(record) for record in records]")
    text = record if isinstance(record, str) else record_to_text(record)
    found: Review = json.loads(review_record(text, nodes))
    return found


def summaries(reviews: Iterable[Review]) -> list[dict[str, Any]]:
    """For each player of these reviews its accuracy, its losses and the patterns of its mistakes."""
    one = cast(object, reviews)
    if isinstance(one, dict):
        raise TypeError("expected reviews, found a dict: summaries([review])")
    if isinstance(one, Match):
        raise TypeError("expected reviews, found a Match: summaries([review(game) for game in match.games])")
    texts: list[str] = []
    for index, review in enumerate(reviews):
        if not isinstance(cast(object, review), dict):
            raise TypeError(f"expected a review at index {index}, a dict; found {type(review).__name__}")
        texts.append(json.dumps(review))
    found: list[dict[str, Any]] = json.loads(summarize_reviews(texts))
    return found
