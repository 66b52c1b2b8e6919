"""All games as Gymnasium environments: against an opponent, or many games at once.

>>> import gymnasium, plyground.gymnasium
>>> env = gymnasium.make(f"plyground/{plyground.GAMES[0]}-v0")
>>> observation, info = env.reset(seed=1)
>>> env.action_space.contains(env.action_space.sample(mask=info["action_mask"]))
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import register, registry  # pyright: ignore[reportUnknownVariableType]
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from plyground import GAMES, Batch, Game, Position, game
from plyground._board import check_render_mode, rendered

RENDER_MODES: list[str] = ["ansi", "rgb_array", "svg"]
MAX_CYCLES = 200

Planes = NDArray[np.uint8]


class OpponentEnv(gymnasium.Env[Planes, np.int64]):
    """A game against an opponent, which takes a position and returns a legal move; without one, against
    random moves.

    The planes have the agent's own pieces first. The agent has either side, by the seed of `reset`, or
    always `side`. The mask of the legal actions is in the info, and `action_masks` returns it, as SB3-contrib
    wants it. An illegal action loses. The reward of a win is 1, of a loss -1.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        name: str = GAMES[0],
        rules: str | None = None,
        render_mode: str | None = None,
        *,
        opponent: Callable[[Position], str] | None = None,
        side: int | None = None,
        max_cycles: int = MAX_CYCLES,
    ) -> None:
        check_render_mode(render_mode, RENDER_MODES)
        if side not in (None, 0, 1):
            raise ValueError(f"expected side to be 0, 1 or None, found {side}")
        self.game: Game = game(name, rules)
        self.render_mode: str | None = render_mode
        self.max_cycles: int = max_cycles
        self._opponent, self._fixed_side = opponent, side
        self.observation_space: gymnasium.Space[Planes] = Box(0, 1, (2, *self.game.shape), np.uint8)
        self.action_space: gymnasium.Space[np.int64] = Discrete(self.game.actions)
        self.position: Position = self.game.start()
        self.side: int = 0
        self.ply: int = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Begins a game."""
        super().reset(seed=seed)
        self.side = int(self.np_random.integers(2)) if self._fixed_side is None else self._fixed_side
        self.position, self.ply = self.game.start(), 0
        self._answer()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Makes a move of the agent, and then those of the opponent."""
        if not self.position.mask()[action]:
            return self._observation(), -1.0, True, False, self._info()
        self.position, self.ply = self.position.play_action(action), self.ply + 1
        self._answer()
        reward = self.position.returns()[self.side]
        is_over = self.position.is_over
        return self._observation(), reward, is_over, not is_over and self.ply >= self.max_cycles, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions."""
        return self.position.mask().astype(bool)

    def render(self) -> Any:
        """The board: as text, as a picture or as a drawing."""
        return None if self.render_mode is None else rendered(self.position, self.render_mode)

    def _answer(self) -> None:
        """Lets the opponent move until it is the agent's turn."""
        while not self.position.is_over and self.position.turn != self.side and self.ply < self.max_cycles:
            if self._opponent is None:
                action = self.np_random.choice(self.position.legal_actions())
                self.position = self.position.play_action(action)
            else:
                self.position = self.position.play(self._opponent(self.position))
            self.ply += 1

    def _observation(self) -> Planes:
        planes = self.position.planes()
        return planes if self.position.turn == self.side else planes[::-1].copy()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.position.mask()}


class BatchEnv(VectorEnv[Planes, NDArray[np.int64], NDArray[Any]]):
    """Many games at once, in each of which the agent moves for the side to move.

    The reward is that of the side that made the move. The masks of the legal actions are in the infos. A
    game that ends starts anew in the same step.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self, num_envs: int, name: str = GAMES[0], rules: str | None = None, *, max_cycles: int = MAX_CYCLES
    ) -> None:
        self.game: Game = game(name, rules)
        self.num_envs: int = num_envs
        self.batch: Batch = Batch(self.game, num_envs, resets=True, most_plies=max_cycles)
        self.single_observation_space: gymnasium.Space[Any] = Box(0, 1, (2, *self.game.shape), np.uint8)
        self.single_action_space: gymnasium.Space[Any] = Discrete(self.game.actions)
        self.observation_space: gymnasium.Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: gymnasium.Space[Any] = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Begins all games. There is no chance in them."""
        self.batch.reset()
        return self.batch.planes(), {"action_mask": self.batch.mask()}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Planes, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Makes a move in each game."""
        movers = self.batch.turn
        rewards, terminated, truncated = self.batch.step(actions)
        own = rewards[np.arange(self.num_envs), movers]
        return self.batch.planes(), own, terminated, truncated, {"action_mask": self.batch.mask()}


def _register() -> None:
    for name in GAMES:
        id = f"plyground/{name}-v0"
        if id not in registry:
            register(id, "plyground.gymnasium:OpponentEnv", kwargs={"name": name})


_register()
