"""Both games as PettingZoo AEC environments.

>>> from plyground import pettingzoo
>>> env = pettingzoo.env("maxconnect4")
>>> env.reset(seed=1)
>>> env.agent_selection
'player_0'
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from plyground import Position, game

AGENTS = ["player_0", "player_1"]
PLY_CAP = 200
"""A game that is not over after this many plies is a draw, as the referee has it."""


def env(name: str = "maxconnect4", rules: str | None = None, render_mode: str | None = None) -> AECEnv:
    """The environment of a game with the wrappers that PettingZoo recommends: an illegal action ends
    the game with a loss."""
    bare: AECEnv = BoardEnv(name, rules, render_mode)
    bare = wrappers.TerminateIllegalWrapper(bare, illegal_reward=-1)
    bare = wrappers.AssertOutOfBoundsWrapper(bare)
    return wrappers.OrderEnforcingWrapper(bare)


class BoardEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """A game for two agents that move in turn.

    An observation has the planes of the position (2 x rows x columns: the pieces of the side to move,
    then those of its opponent) and a mask of the legal actions. An action is the number that
    `Position.action` gives a move. The winner's reward is 1, the loser's -1.
    """

    metadata = {"render_modes": ["ansi", "human"], "name": "plyground_v0", "is_parallelizable": False}

    def __init__(self, name: str, rules: str | None = None, render_mode: str | None = None) -> None:
        EzPickle.__init__(self, name, rules, render_mode)
        super().__init__()
        self.game = game(name, rules)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.action_spaces = {agent: Discrete(self.game.actions) for agent in AGENTS}
        shape = (2, *self.game.shape)
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(0, 1, shape, np.uint8),
                    "action_mask": Box(0, 1, (self.game.actions,), np.int8),
                }
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """What an agent can do."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What the agent sees: its own pieces first, whoever is to move."""
        planes = self.position.planes()
        mask = np.zeros(self.game.actions, np.int8)
        if self._mover() == agent:
            mask[list(self._moves)] = 1
        else:
            planes = planes[::-1]
        return {"observation": planes.copy(), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. There is no chance in it."""
        self.agents = list(AGENTS)
        self.ply = 0
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
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
        self._stand(self.position.play(self._moves[int(action)]))
        if self.position.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
            winner = self.position.winner
            if winner is not None:
                self.rewards = {agent: 1 if AGENTS.index(agent) == winner else -1 for agent in AGENTS}
        elif self.ply >= PLY_CAP:
            self.truncations = dict.fromkeys(AGENTS, True)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The board as text: returned in the mode `ansi`, printed in the mode `human`."""
        if self.render_mode == "human":
            print(self.position)
            return None
        return str(self.position)

    def close(self) -> None:
        """Does nothing: nothing is open."""

    def _stand(self, position: Position) -> None:
        self.position = position
        self._moves = dict(position.actions())
        self.agent_selection = self._mover()

    def _mover(self) -> str:
        return AGENTS[self.position.turn]
