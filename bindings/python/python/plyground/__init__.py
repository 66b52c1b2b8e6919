"""Two solved games, an exact alpha-beta search, and matches between programs.

>>> import plyground
>>> game = plyground.game(plyground.GAMES[0])
>>> position = game.start()
>>> engine = plyground.Engine(game)
>>> choice = engine.best_move(position, depth=4)
>>> position.play(choice.move).turn
1
"""

# First, for it chooses the native part.
from plyground import _build as _build
from plyground._plyground import (
    GAMES,
    Analysis,
    AnalyzedMove,
    Batch,
    Choice,
    Engine,
    Game,
    Position,
    Value,
    __build__,
    __version__,
    game,
    position,
    random_positions,
)
from plyground._board import image as _image
from plyground._board import svg as _svg
from plyground._dataset import Dataset, dataset, label
from plyground._history import History
from plyground._labels import Labels
from plyground._matches import Match, match, play
from plyground._positions import exact, reachable
from plyground._records import record_from_text, record_to_text
from plyground._review import review, summaries

Position.svg = _svg  # type: ignore[method-assign]
Position._repr_svg_ = _svg  # type: ignore[method-assign]
Position.image = _image  # type: ignore[method-assign]

__all__ = [
    "GAMES",
    "Analysis",
    "AnalyzedMove",
    "Batch",
    "Choice",
    "Dataset",
    "Engine",
    "Game",
    "History",
    "Labels",
    "Match",
    "Position",
    "Value",
    "__build__",
    "__version__",
    "dataset",
    "exact",
    "game",
    "label",
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
