"""Two solved games, an exact alpha-beta search, and matches between programs.

>>> import plyground
>>> position = plyground.game("maxconnect4", "4x4").start()
>>> position.legal_moves()
['1', '2', '3', '4']
>>> engine = plyground.Engine(position.game)
>>> engine.solve(position).value
<Value exact: 0.00>
"""

# First, for it chooses the native part.
from plyground import _build as _build
from plyground._plyground import (
    GAMES,
    Analysis,
    AnalyzedMove,
    Choice,
    Engine,
    Game,
    Position,
    Value,
    __build__,
    __version__,
    game,
    position,
)
from plyground._arrays import Batch, planes, random_positions
from plyground._board import svg as _svg
from plyground._matches import Match, match, play
from plyground._positions import exact, reachable
from plyground._records import record_from_text, record_to_text
from plyground._review import review, summaries

Position.planes = planes  # type: ignore[method-assign]
Position._repr_svg_ = _svg  # type: ignore[method-assign]

__all__ = [
    "GAMES",
    "Analysis",
    "AnalyzedMove",
    "Batch",
    "Choice",
    "Engine",
    "Game",
    "Match",
    "Position",
    "Value",
    "__build__",
    "__version__",
    "exact",
    "game",
    "match",
    "play",
    "position",
    "random_positions",
    "reachable",
    "record_from_text",
    "record_to_text",
    "review",
    "summaries",
]
