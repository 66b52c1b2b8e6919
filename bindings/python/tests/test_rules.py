"""The rules of a game as a class: the same file as in the kit."""

import importlib.util
import io
import sys
from pathlib import Path

import pytest

from plyground import rules

ISOLATION = Path(__file__).parents[3] / "examples/isolation/python/isolation.py"


@pytest.fixture
def isolation(monkeypatch):
    monkeypatch.setitem(sys.modules, "rules", rules)
    spec = importlib.util.spec_from_file_location("isolation", ISOLATION)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Isolation(3)


def test_class_is_checked(isolation, capsys):
    assert rules.check(isolation, games=5) == 0
    assert "5 games of " in capsys.readouterr().out
    isolation.plies_left = lambda state: 9
    assert rules.check(isolation, games=5) == 1
    assert "plies_left goes from 9 to 9" in capsys.readouterr().err


def test_questions_are_answered(isolation):
    output = io.BytesIO()
    questions = b"rules 1\nexpand .../.X./..O/X .../.../.../X\nread x\nshow .../.../.../X\nquit\n"
    rules._Server(isolation, output).run(io.BytesIO(questions))
    answers = output.getvalue().decode().splitlines()
    assert answers[0] == "rules 1" and answers.count("end") == 4
    facts = [line for line in answers if not line.startswith("lesson ")]
    assert sum(" first " in line or " second " in line for line in facts) == 1 + 7 + 9
    assert "lesson The aim: Who cannot move has lost." in answers
    assert "illegal expected 3 rows of 3 cells, then the side to move" in answers
    assert answers[-5:] == ["|...", "|...", "|...", "|X", "end"]
