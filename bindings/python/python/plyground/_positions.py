"""Positions, one after the other."""

from __future__ import annotations

import random
from collections.abc import Iterator

from plyground._plyground import Analysis, Engine, Game, Position, expect_game


def reachable(game: Game, plies: int) -> Iterator[Position]:
    """Every position that at most so many plies lead to from the start, once each, by plies."""
    level = {expect_game(game).start()}
    for _ in range(plies):
        yield from level
        level = {position.play(mv) for position in level for mv in position.legal_moves()}
    yield from level


def exact(
    game: Game, count: int, seed: int, plies_left: int = 12, engine: Engine | None = None
) -> Iterator[tuple[Position, Analysis]]:
    """So many positions of random games with at most so many plies left, each with the exact value of
    every move. The same seed draws the same positions.

    Raises ValueError where the rules do not limit the length of the game.
    """
    chance, engine = random.Random(seed), engine or Engine(game)
    if game.start().plies_left is None:
        raise ValueError(f"the rules do not limit the length of a game of {game.name}")
    for _ in range(count):
        position = game.start()
        target = chance.randint(1, plies_left)
        while not position.is_over and (position.plies_left or 0) > target:
            position = position.play(chance.choice(position.legal_moves()))
        yield position, engine.solve(position)
