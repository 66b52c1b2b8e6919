"""The games pass for games of OpenSpiel."""

import numpy as np
import plyground
import plyground.open_spiel
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation


@pytest.mark.parametrize("name", plyground.GAMES)
def test_game_plays_to_its_end(name):
    game = pyspiel.load_game(f"plyground_{name}")
    position, state = plyground.game(name).start(), game.new_initial_state()
    observation = make_observation(game)
    chance = np.random.default_rng(2)
    while not state.is_terminal():
        assert state.current_player() == position.turn
        assert state.legal_actions() == sorted(position.legal_actions())
        observation.set_from(state, state.current_player())
        assert np.array_equal(observation.dict["observation"], position.planes())
        action = int(chance.choice(state.legal_actions()))
        assert state.action_to_string(state.current_player(), action) == position.text_of(action)
        state.apply_action(action)
        position = position.play_action(action)
    assert state.returns() == list(position.returns())
    assert state.move_number() <= game.max_game_length()


def test_simulations_of_openspiel():
    pyspiel.random_sim_test(pyspiel.load_game("plyground_maxconnect4(rules=4x4)"), 2, False, False)


def test_algorithm_of_openspiel_finds_the_win():
    game = pyspiel.load_game("plyground_maxconnect4(rules=4x4)")
    rules = plyground.game("maxconnect4", "4x4")
    position = rules.position("0000/0000/0000/1110/2")
    state = game.new_initial_state(position.text)
    chance = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 400, mcts.RandomRolloutEvaluator(4, chance), random_state=chance)
    assert state.action_to_string(bot.step(state)) == "4"
