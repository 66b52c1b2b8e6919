"""Steps a second beside OpenSpiel and PettingZoo, and labels a second.

    pip install 'bindings/python[bench]'
    python bindings/python/benches/compare.py [--game NAME] [--seconds S]

Every line is a loop of random games. The programs take turns, and the best of their turns counts, so that other
work on the computer is mostly left out. Opponents play connect four, since OpenSpiel and PettingZoo have it in
common: a board of 6 x 7 like that of the first of our games.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np

import plyground

BATCH = 1024
TURNS = 5
Loop = Callable[[float], float]


def rate(steps: Iterator[int], seconds: float) -> float:
    """Steps a second of a loop, which yields how many it made."""
    began, made = time.perf_counter(), 0
    for count in steps:
        made += count
        if (took := time.perf_counter() - began) >= seconds:
            return made / took
    raise AssertionError("a loop never ends")


def ours(game: plyground.Game, observes: bool) -> Iterator[int]:
    chance, start = random.Random(1), game.start()
    planes, mask = start.planes(), start.mask()
    position = start
    while True:
        for _ in range(100):
            if observes:
                position.planes(planes)
                position.mask(mask)
            position = position.play_action(chance.choice(position.legal_actions()))
            if position.is_over:
                position = start
        yield 100


def ours_in_batches(game: plyground.Game) -> Iterator[int]:
    batch = plyground.Batch(game, BATCH, resets=True)
    planes, mask = batch.planes(), batch.mask()
    while True:
        batch.step(batch.sample())
        batch.planes(planes)
        batch.mask(mask)
        yield BATCH


def ours_in_pettingzoo(game: plyground.Game) -> Iterator[int]:
    from plyground import pettingzoo

    yield from aec(pettingzoo.BoardEnv(game.name, game.rules))


def aec(env: object) -> Iterator[int]:
    """An environment of PettingZoo by itself, without its wrappers."""
    chance = random.Random(1)
    while True:
        env.reset()
        steps = 0
        while not any(env.terminations.values()):
            observation = env.observe(env.agent_selection)
            env.step(chance.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            steps += 1
        yield steps


def pettingzoo_alone() -> Iterator[int]:
    from pettingzoo.classic.connect_four.connect_four import raw_env

    yield from aec(raw_env())


def spiel(how: str | None) -> Iterator[int]:
    """OpenSpiel: without observations, with its lists, or with its arrays."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    chance, game = random.Random(1), pyspiel.load_game("connect_four")
    state, observation = game.new_initial_state(), make_observation(game)
    while True:
        for _ in range(100):
            if how == "lists":
                state.observation_tensor()
                state.legal_actions_mask()
            elif how == "arrays":
                observation.set_from(state, state.current_player())
                state.legal_actions_mask()
            state.apply_action(chance.choice(state.legal_actions()))
            if state.is_terminal():
                state = game.new_initial_state()
        yield 100


def spiel_in_batches() -> Iterator[int]:
    import pyspiel
    from open_spiel.python.observation import make_observation

    chance, game = random.Random(1), pyspiel.load_game("connect_four")
    states, observation = [game.new_initial_state() for _ in range(BATCH)], make_observation(game)
    planes = np.zeros((BATCH, game.observation_tensor_size()), np.float32)
    mask = np.zeros((BATCH, game.num_distinct_actions()), np.int8)
    while True:
        for index, state in enumerate(states):
            state.apply_action(chance.choice(state.legal_actions()))
            if state.is_terminal():
                states[index] = state = game.new_initial_state()
            observation.set_from(state, state.current_player())
            planes[index] = observation.tensor
            mask[index] = state.legal_actions_mask()
        yield BATCH


def compare(game: plyground.Game, seconds: float) -> None:
    loops: dict[str, dict[str, Callable[[], Iterator[int]]]] = {
        "random steps": {"ours": lambda: ours(game, False), "OpenSpiel": lambda: spiel(None)},
        "with observation and mask": {
            "ours": lambda: ours(game, True),
            "OpenSpiel, lists": lambda: spiel("lists"),
            "OpenSpiel, arrays": lambda: spiel("arrays"),
        },
        f"batches of {BATCH}, with both": {
            "ours": lambda: ours_in_batches(game),
            "OpenSpiel": spiel_in_batches,
        },
        "AEC environment": {
            "ours": lambda: ours_in_pettingzoo(game),
            "PettingZoo": pettingzoo_alone,
        },
    }
    print("| loop | program | steps a second | ours / it |\n| --- | --- | ---: | ---: |")
    for title, programs in loops.items():
        rates = dict.fromkeys(programs, 0.0)
        for _ in range(TURNS):
            for name, loop in programs.items():
                rates[name] = max(rates[name], rate(loop(), seconds / TURNS))
        for name, found in rates.items():
            ratio = "" if name == "ours" else f"{rates['ours'] / found:.2f}"
            print(f"| {title} | {name} | {found:,.0f} | {ratio} |", flush=True)


def labels(game: plyground.Game, seconds: float) -> None:
    """Exact labels a second on one core, by the number of moves made, which is that of pieces on the board."""
    print("\n| pieces on the board | exact labels a second on a core | labeled |\n| ---: | ---: | ---: |")
    for pieces in (34, 30, 26, 20, 14, 10):
        data = plyground.dataset(game, 10**6, 1, plies=(pieces, pieces), threads=1, chunk=1)
        began, done = time.process_time(), 0
        for _ in data:
            done += 1
            if (took := time.process_time() - began) >= seconds and done >= 3:
                break
        print(f"| {pieces} | {done / took:,.4g} | {done} |", flush=True)


def label(position: plyground.Position) -> tuple[plyground.Position, plyground.Analysis]:
    global engine
    if engine is None:
        engine = plyground.Engine(position.game, table=4)
    return position, engine.solve(position)


engine: plyground.Engine | None = None


def pool(game: plyground.Game, count: int, pieces: int) -> None:
    """Labels positions in a pool of processes: positions and results go there and back as pickles."""
    batch, positions = plyground.random_positions(game, 60 * count, seed=1), []
    for index in np.flatnonzero(batch.ply == pieces)[:count]:
        positions.append(batch[int(index)])
    cores = os.cpu_count() or 1
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(cores) as workers:
        found = workers.map(label, positions, chunksize=250)
    took = time.perf_counter() - began
    assert len(found) == count and all(solved.is_complete for _, solved in found)
    print(f"\nA pool of {cores} processes labels {count:,} positions with {pieces} pieces in {took:.1f} s.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default=plyground.GAMES[0], choices=plyground.GAMES)
    parser.add_argument("--seconds", type=float, default=10, help="for each line (10)")
    parser.add_argument("--pool", type=int, default=10_000, help="positions for the pool of processes (10000)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    game = plyground.game(options.game)
    compare(game, options.seconds)
    labels(game, options.seconds)
    pool(game, options.pool, 30)


if __name__ == "__main__":
    main()
