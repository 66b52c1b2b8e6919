"""The environments pass PettingZoo's own tests."""

import warnings

import plyground
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from plyground import pettingzoo


@pytest.mark.parametrize("name", plyground.GAMES)
def test_api(name):
    with warnings.catch_warnings():
        # The observations are not flat, which is said of every board.
        warnings.simplefilter("ignore")
        api_test(pettingzoo.env(name), num_cycles=200)


@pytest.mark.parametrize("name", plyground.GAMES)
def test_seed(name):
    seed_test(lambda: pettingzoo.env(name), num_cycles=50)


def test_render():
    render_test(lambda **options: pettingzoo.env("maxconnect4", **options))


def test_rewards():
    env = pettingzoo.BoardEnv("maxconnect4", "4x4")
    env.reset()
    position = env.position
    while env.agents and not env.terminations[env.agent_selection]:
        action = min(dict(env.position.actions()))
        env.step(action)
        position = env.position
    assert position.is_over
    rewards = [env.rewards[agent] for agent in pettingzoo.AGENTS]
    assert sum(rewards) == 0
    assert (position.winner is None) == (rewards == [0, 0])


def test_illegal_action_loses():
    env = pettingzoo.env("maxconnect4", "4x4")
    env.reset()
    for _ in range(4):
        env.step(0)
    env.step(0)
    assert env.unwrapped.rewards["player_0"] == -1
