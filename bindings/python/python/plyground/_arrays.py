"""Positions as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plyground._plyground import Game, Position, random_batch


@dataclass(frozen=True)
class Batch:
    """Positions, one to a row of each array."""

    planes: NDArray[np.uint8]
    """The pieces of the side to move and those of its opponent: positions x 2 x rows x columns, 0 or 1."""
    turn: NDArray[np.uint8]
    """Who is to move: 0 or 1."""
    ply: NDArray[np.uint16]
    """How many moves were made in the game."""


def planes(self: Position) -> NDArray[np.uint8]:
    """The pieces of the side to move and those of its opponent: 2 x rows x columns, 0 or 1."""
    cells = np.frombuffer(self.plane_bytes(), dtype=np.uint8)
    return cells.reshape((2, *self.game.shape))


def random_positions(game: Game, count: int, seed: int) -> Batch:
    """So many positions of random games, one after the other, from the start of each game to its last
    move. The same seed draws the same positions."""
    cells, turn, ply = random_batch(game, count, seed)
    return Batch(
        np.frombuffer(cells, dtype=np.uint8).reshape((count, 2, *game.shape)),
        np.frombuffer(turn, dtype=np.uint8),
        np.frombuffer(ply, dtype=np.uint16),
    )
