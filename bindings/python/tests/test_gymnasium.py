"""The environments pass Gymnasium's own check, and have masks where they are looked for."""

import warnings

import gymnasium
import numpy as np
import plyground
import plyground.gymnasium
import pytest
from gymnasium.utils.env_checker import check_env


@pytest.mark.parametrize("name", plyground.GAMES)
def test_environment_passes_the_check(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The check takes actions without a look at the mask, which end the game.
        warnings.filterwarnings("ignore", message=".*render.*")
        check_env(plyground.gymnasium.OpponentEnv(name), skip_render_check=True)


@pytest.mark.parametrize("name", plyground.GAMES)
def test_masks_are_legal_in_vectors(name):
    # What `sb3_contrib.common.maskable.utils.get_action_masks` does with an environment and with several.
    envs = gymnasium.make_vec(f"plyground/{name}-v0", num_envs=3, vectorization_mode="sync")
    observations, infos = envs.reset(seed=1)
    chance = np.random.default_rng(1)
    rewards = 0
    for _ in range(150):
        masks = np.stack([env.get_wrapper_attr("action_masks")() for env in envs.envs])
        assert masks.shape == (3, plyground.game(name).actions) and masks.dtype == bool
        legal = [np.flatnonzero(mask) if mask.any() else [0] for mask in masks]
        actions = np.array([chance.choice(one) for one in legal])
        observations, reward, *_ = envs.step(actions)
        rewards += np.abs(reward).sum()
    assert observations.shape[0] == 3 and rewards > 0
    envs.close()


def test_opponent_moves_and_illegal_action_loses():
    env = gymnasium.make("plyground/maxconnect4-v0", rules="4x4", opponent=lambda position: position.legal_moves()[0], side=1)
    observation, info = env.reset(seed=3)
    assert observation[1].sum() == 1 and observation[0].sum() == 0 and info["action_mask"].all()
    for _ in range(3):
        env.step(0)
    observation, reward, terminated, truncated, info = env.step(0)
    assert reward == -1 and terminated and not truncated
    for wrong in ({"render_mode": "gif"}, {"side": 2}):
        with pytest.raises(ValueError, match="expected"):
            plyground.gymnasium.OpponentEnv(**wrong)


def test_rendering():
    for mode, kind in (("ansi", str), ("svg", str), ("rgb_array", np.ndarray)):
        env = plyground.gymnasium.OpponentEnv("maxconnect4", render_mode=mode)
        env.reset(seed=1)
        assert isinstance(env.render(), kind)


def test_batch_plays_both_sides():
    envs = plyground.gymnasium.BatchEnv(20, "maxconnect4", "4x4")
    observations, infos = envs.reset()
    assert envs.observation_space.contains(observations) and infos["action_mask"].shape == (20, 4)
    for ply in range(1, 33):
        actions = np.array([np.flatnonzero(mask)[ply % mask.sum()] for mask in infos["action_mask"]])
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert terminated.all() == (ply % 16 == 0) and not truncated.any()
        assert (np.abs(rewards) == 0).all() or terminated.all()
