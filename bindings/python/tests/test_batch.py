"""Positions that step together do what each of them does alone."""

import numpy as np
import plyground
import pytest


@pytest.mark.parametrize("name", plyground.GAMES)
@pytest.mark.parametrize("resets", [False, True])
def test_steps_are_those_of_single_games(name, resets):
    game = plyground.game(name)
    batch = plyground.Batch(game, 16, resets=resets, most_plies=60, seed=5)
    positions, plies = [game.start()] * 16, [0] * 16
    ended = 0
    for _ in range(150):
        actions = batch.sample()
        over = [position.is_over or ply >= 60 for position, ply in zip(positions, plies, strict=True)]
        rewards, terminated, truncated = batch.step(actions)
        for index, action in enumerate(actions):
            if not over[index]:
                assert positions[index].mask()[action] == 1
                positions[index], plies[index] = positions[index].play_action(action), plies[index] + 1
            position = positions[index]
            assert terminated[index] == position.is_over
            assert truncated[index] == (not position.is_over and plies[index] >= 60)
            assert tuple(rewards[index]) == ((0, 0) if over[index] else position.returns())
            if resets and (terminated[index] or truncated[index]):
                positions[index], plies[index], ended = game.start(), 0, ended + 1
        assert [batch[index] for index in range(16)] == positions
        assert batch.ply.tolist() == plies and batch.turn.tolist() == [position.turn for position in positions]
        assert np.array_equal(batch.planes(), np.stack([position.planes() for position in positions]))
        assert np.array_equal(batch.mask(), np.stack([position.mask() for position in positions]))
    assert (ended > 16) == resets
    batch.reset()
    assert batch[3] == game.start() and not batch.ply.any()


def test_illegal_action_plays_no_game_on():
    game = plyground.game("maxconnect4")
    batch = plyground.Batch(game, 3)
    for actions, why in (
        ([0, 7, 0], "action 7 is illegal in game 1: the mask has the legal actions"),
        ([0, 1, -1], "action -1 is illegal in game 2"),
        ([0, 1], "expected 3 actions, one for each game, found 2"),
    ):
        with pytest.raises(ValueError, match=why):
            batch.step(actions)
    with pytest.raises(TypeError, match="expected actions as an array of whole numbers"):
        batch.step([0.5, 1, 2])
    assert not batch.ply.any()
    batch.step(np.array([0, 1, 2], dtype=np.int8))
    batch.step((0, 1, 2))
    assert batch.ply.tolist() == [2, 2, 2]


def test_arguments_are_checked():
    game = plyground.game("maxconnect4")
    for size in (0, -1, 10**9):
        with pytest.raises(ValueError, match=f"expected size from 1 to 10000000, found {size}"):
            plyground.Batch(game, size)
    with pytest.raises(ValueError, match="expected most_plies from 1 to 65535, found 0"):
        plyground.Batch(game, 1, most_plies=0)


def test_same_seed_draws_the_same_actions():
    game = plyground.game("maxconnect4")
    batches = [plyground.Batch(game, 50, seed=seed) for seed in (1, 1, 2)]
    one, same, other = (batch.sample().tolist() for batch in batches)
    assert one == same != other
