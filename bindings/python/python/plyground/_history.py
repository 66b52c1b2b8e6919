"""A game move by move, with a way back."""

from __future__ import annotations

from plyground._plyground import Game, Position, expect_start


class History:
    """A position and the moves that led to it.

    >>> import plyground
    >>> history = plyground.History(plyground.game(plyground.GAMES[0]))
    >>> mv = history.position.legal_moves()[0]
    >>> history.push(mv)
    >>> history.ply, history.pop() == mv, history.ply
    (1, True, 0)
    """

    def __init__(self, start: Position | Game) -> None:
        """Begins at the start of a game, or at a position."""
        self._positions = [expect_start(start)]
        self._moves: list[str] = []

    @property
    def position(self) -> Position:
        """The position after all moves."""
        return self._positions[-1]

    @property
    def start(self) -> Position:
        """The position before all moves."""
        return self._positions[0]

    @property
    def moves(self) -> list[str]:
        """The moves, the first one first."""
        return list(self._moves)

    @property
    def ply(self) -> int:
        """The number of moves."""
        return len(self._moves)

    def push(self, mv: str) -> None:
        """Plays a move.

        Raises ValueError if it is illegal.
        """
        self._positions.append(self.position.play(mv))
        self._moves.append(mv)

    def push_action(self, action: int) -> None:
        """Plays the move with this number.

        Raises ValueError if it is illegal.
        """
        self.push(self.position.text_of(action))

    def pop(self) -> str:
        """Takes the last move back, and returns it.

        Raises IndexError if there is none.
        """
        if not self._moves:
            raise IndexError("expected a move to take back: this is the start")
        self._positions.pop()
        return self._moves.pop()

    def __len__(self) -> int:
        return len(self._moves)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return self.start == other.start and self._moves == other._moves

    def __repr__(self) -> str:
        return f"<History of {self.position.game.name}: {' '.join(self._moves)}>"
