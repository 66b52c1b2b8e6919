"""The environments pass PettingZoo's own tests."""

import warnings

import numpy as np
import pettingzoo as farama
import plyground
import pytest
import supersuit
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


@pytest.mark.parametrize("name", plyground.GAMES)
def test_registered_environment_warns_of_nothing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = farama.make("aec", f"plyground/{name}-v0", mask="info")
        env.reset(seed=1)
        assert farama.spec("aec", f"plyground/{name}-v0").entry_point == "plyground.pettingzoo:env"
        # The board is empty at the start.
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        api_test(env, num_cycles=100)


@pytest.mark.parametrize("name", plyground.GAMES)
def test_masks_of_supersuit(name):
    env = supersuit.dtype_v0(supersuit.flatten_v0(pettingzoo.env(name, mask="info")), np.float32)
    envs = supersuit.vectorize_aec_env_v0(env, 3)
    envs.reset(seed=1)
    for _ in range(20):
        agent = envs.agent_selection
        observations, rewards, terminations, truncations, *_, infos = envs.last()
        assert observations.shape == (3, 2 * np.prod(plyground.game(name).shape))
        masks = np.stack([info["action_mask"] for info in infos])
        assert masks.shape == (3, envs.action_space(agent).n) and masks.any(axis=1).all()
        envs.step([int(np.flatnonzero(mask)[0]) for mask in masks])


def test_render():
    render_test(lambda **options: pettingzoo.env("maxconnect4", **options))


def test_render_modes_are_checked():
    for arguments, why in (
        ({"render_mode": "gif"}, "expected render_mode as one of ansi, human, rgb_array, svg, found `gif`"),
        ({"mask": "nowhere"}, "expected mask as one of observation, info, found `nowhere`"),
        ({"max_cycles": 0}, "expected max_cycles to be at least 1, found 0"),
    ):
        with pytest.raises(ValueError, match=why):
            pettingzoo.env("maxconnect4", **arguments)
    pictures = {mode: pettingzoo.BoardEnv("maxconnect4", render_mode=mode) for mode in ("ansi", "rgb_array", "svg")}
    for env in pictures.values():
        env.reset()
    assert "0" in pictures["ansi"].render() or "." in pictures["ansi"].render()
    assert pictures["svg"].render().startswith("<svg")
    assert pictures["rgb_array"].render().shape == (6 * 32, 7 * 32, 3)


def test_rewards():
    env = pettingzoo.BoardEnv("maxconnect4", "4x4")
    env.reset()
    position = env.position
    while env.agents and not env.terminations[env.agent_selection]:
        action = min(env.position.legal_actions())
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
