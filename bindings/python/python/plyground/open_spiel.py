"""All games as games of OpenSpiel, with the names that begin with `plyground_`.

>>> import pyspiel, plyground.open_spiel
>>> game = pyspiel.load_game(f"plyground_{plyground.GAMES[0]}")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[0])
>>> state.current_player()
1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyspiel
from numpy.typing import NDArray

from plyground import GAMES, Position
from plyground import Game as Rules
from plyground import game as rules_of

if TYPE_CHECKING:
    from plyground._untyped import Untyped as _SpielGame
    from plyground._untyped import Untyped as _SpielState
else:
    from pyspiel import Game as _SpielGame
    from pyspiel import State as _SpielState

_spiel = cast(Any, pyspiel)

MAX_GAME_LENGTH = 200
"""A game whose length the rules do not limit is a draw after this many plies, as the referee has it."""


def _type(name: str) -> Any:
    kinds = _spiel.GameType
    return kinds(
        short_name=f"plyground_{name}",
        long_name=f"Plyground {name}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"rules": ""},
    )


class Game(_SpielGame):
    """A game of Plyground. The parameter `rules` names its rules."""

    def __init__(self, name: str, kind: Any, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.rules: Rules = rules_of(name, params.get("rules") or None)
        self.most_plies: int = self.rules.start().plies_left or MAX_GAME_LENGTH
        info = _spiel.GameInfo(
            num_distinct_actions=self.rules.actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.most_plies,
        )
        super().__init__(kind, info, params)

    def new_initial_state(self, state: Any = None) -> State:
        """The start, or the position of a state file."""
        return State(self, state)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What a player sees: everything."""
        return Observer(self.rules)


class State(_SpielState):
    """A position and the number of moves that were made."""

    def __init__(self, game: Game, text: str | None = None) -> None:
        super().__init__(game)
        self.position: Position = game.rules.start() if text is None else game.rules.position(text)
        self._left = game.most_plies

    def current_player(self) -> int:
        """The side to move."""
        return int(_spiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.turn

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.position.legal_actions())

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play_action(action)
        self._left -= 1

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.text_of(action)

    def is_terminal(self) -> bool:
        """If true, the game is over."""
        return self.position.is_over or self._left <= 0

    def returns(self) -> list[float]:
        """1 for the winner and -1 for the loser."""
        return list(self.position.returns())

    def __str__(self) -> str:
        return self.position.text


class Observer:
    """The planes of a position, those of the side to move first."""

    def __init__(self, rules: Rules) -> None:
        shape = (2, *rules.shape)
        self.tensor: NDArray[np.float32] = np.zeros(int(np.prod(shape)), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: State, player: int) -> None:
        """Shows a position to a player."""
        self.dict["observation"][...] = 0
        planes = state.position.planes()
        self.dict["observation"][...] = planes if state.position.turn == player else planes[::-1]

    def string_from(self, state: State, player: int) -> str:
        """The position as text."""
        return str(state)


def _class(name: str, kind: Any) -> type[Game]:
    """A class of one game: OpenSpiel keeps it, and a function would be destroyed after Python has ended."""

    class Named(Game):
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(name, kind, params)

    return Named


def _register() -> None:
    known = {kind.short_name for kind in _spiel.registered_games()}
    for name in GAMES:
        kind = _type(name)
        if kind.short_name not in known:
            _spiel.register_game(kind, _class(name, kind))


_register()
