"""All games as PettingZoo AEC environments, which are registered by their names.

>>> import pettingzoo, plyground.pettingzoo
>>> env = pettingzoo.make("aec", f"plyground/{plyground.GAMES[0]}-v0")
>>> env.reset(seed=1)
>>> env.agent_selection
'player_0'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import aec_registry, register
from pettingzoo.utils import wrappers

from plyground import GAMES, Game, Position, game
from plyground._board import check_render_mode, rendered

if TYPE_CHECKING:
    from plyground._untyped import Untyped as AECEnv
else:
    from pettingzoo import AECEnv

AGENTS: list[str] = ["player_0", "player_1"]
MAX_CYCLES = 200
"""A game that is not over after this many plies is a draw, as the referee has it."""
RENDER_MODES: list[str] = ["ansi", "human", "rgb_array", "svg"]
MASKS: list[str] = ["observation", "info"]

Where = Literal["observation", "info"]


def env(
    name: str = GAMES[0],
    rules: str | None = None,
    render_mode: str | None = None,
    *,
    max_cycles: int = MAX_CYCLES,
    mask: Where = "observation",
) -> Any:
    """The environment of a game with the wrappers that PettingZoo recommends: an illegal action ends
    the game with a loss."""
    bare: Any = BoardEnv(name, rules, render_mode, max_cycles=max_cycles, mask=mask)
    bare = wrappers.TerminateIllegalWrapper(bare, illegal_reward=-1)
    bare = wrappers.AssertOutOfBoundsWrapper(bare)
    return wrappers.OrderEnforcingWrapper(bare)


class BoardEnv(AECEnv, EzPickle):
    """A game for two agents that move in turn.

    An observation has the planes of the position (2 x rows x columns: the pieces of the agent, then those
    of its opponent) and a mask of the legal actions. With `mask="info"` the observation is the planes
    alone, as the wrappers of SuperSuit want it, and the mask is in the infos. An action is the number that
    `Position.action_of` gives a move. The winner's reward is 1, the loser's -1.
    """

    metadata: dict[str, Any] = {
        "render_modes": RENDER_MODES,
        "name": "plyground_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        name: str,
        rules: str | None = None,
        render_mode: str | None = None,
        *,
        max_cycles: int = MAX_CYCLES,
        mask: Where = "observation",
    ) -> None:
        EzPickle.__init__(self, name, rules, render_mode, max_cycles=max_cycles, mask=mask)
        super().__init__()
        check_render_mode(render_mode, RENDER_MODES)
        if mask not in MASKS:
            raise ValueError(f"expected mask as one of {', '.join(MASKS)}, found `{mask}`")
        if max_cycles < 1:
            raise ValueError(f"expected max_cycles to be at least 1, found {max_cycles}")
        self.game: Game = game(name, rules)
        self.render_mode: str | None = render_mode
        self.max_cycles: int = max_cycles
        self.mask: Where = mask
        self.possible_agents: list[str] = list(AGENTS)
        self.action_spaces: dict[str, gymnasium.Space[Any]] = {agent: Discrete(self.game.actions) for agent in AGENTS}
        self.observation_spaces: dict[str, gymnasium.Space[Any]] = {agent: self._space() for agent in AGENTS}
        self.position: Position = self.game.start()
        self.agents: list[str] = []
        self.agent_selection: str = AGENTS[0]
        self.ply: int = 0
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    def _space(self) -> gymnasium.Space[Any]:
        planes = Box(0, 1, (2, *self.game.shape), np.uint8)
        if self.mask == "info":
            return planes
        return Dict({"observation": planes, "action_mask": Box(0, 1, (self.game.actions,), np.int8)})

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """What an agent can do."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        """What the agent sees: its own pieces first, whichever side is to move."""
        planes = self.position.planes()
        if self._mover() != agent:
            planes = planes[::-1].copy()
        if self.mask == "info":
            return planes
        return {"observation": planes, "action_mask": self._mask(agent)}

    def _mask(self, agent: str) -> NDArray[np.int8]:
        """The legal actions of an agent."""
        if self._mover() == agent:
            return self.position.mask()
        return np.zeros(self.game.actions, np.int8)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. There is no chance in it."""
        self.agents = list(AGENTS)
        self.ply = 0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}
        self._stand(self.game.start())

    def step(self, action: int | None) -> None:
        """Makes the move of the agent that is to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0
        self.ply += 1
        self._stand(self.position.play_action(action))
        if self.position.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.rewards = dict(zip(AGENTS, self.position.returns(), strict=True))
        elif self.ply >= self.max_cycles:
            self.truncations = dict.fromkeys(AGENTS, True)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board, which is printed in the mode `human`."""
        if self.render_mode is None:
            gymnasium.logger.warn("expected a render_mode: the environment was made without one")
            return None
        if self.render_mode == "human":
            print(self.position)
            return None
        return rendered(self.position, self.render_mode)

    def close(self) -> None:
        """Does nothing: nothing is open."""

    def _stand(self, position: Position) -> None:
        self.position = position
        self.agent_selection = self._mover()
        if self.mask == "info":
            self.infos = {agent: {"action_mask": self._mask(agent)} for agent in AGENTS}

    def _mover(self) -> str:
        return AGENTS[self.position.turn]


def _register() -> None:
    for name in GAMES:
        id = f"plyground/{name}-v0"
        if id not in aec_registry:
            register("aec", id, "plyground.pettingzoo:env", kwargs={"name": name})


_register()
