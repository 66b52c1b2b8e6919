"""The examples of the manual and of the docstrings, and the notebook."""

import doctest
import json
from pathlib import Path

import plyground
import plyground.gymnasium
import plyground.open_spiel
import plyground.pettingzoo
import pytest
from plyground import _history

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["python.md", "dataset.md"])
def test_manual(page):
    # The end of a block of code is no output.
    text = (ROOT / "docs" / page).read_text().replace("\n```", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    result = doctest.DocTestRunner().run(examples)
    assert result.attempted > 15 and result.failed == 0


def test_docstrings():
    modules = (plyground, plyground.gymnasium, plyground.open_spiel, plyground.pettingzoo, _history)
    for module in modules:
        result = doctest.testmod(module)
        assert result.attempted > 0 and result.failed == 0


def test_notebook(capsys):
    cells = json.loads((ROOT / "docs/training.ipynb").read_text())["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), "training.ipynb", "exec"), names)
    at_random = names["unseen"].best.sum() / names["unseen"].mask.sum()
    assert names["found"] > at_random + 0.2 and names["error"] < 1.5
    score = {game: result.score for game, result in names["results"].items()}
    assert score["network", "random"] > 30
    for opponent in ("machine:depth=1", "machine:depth=2"):
        assert score["looking", opponent] > score["network", opponent]
    printed = capsys.readouterr().out
    assert "the worst move lost" in printed and (names["patterns"] or "no pattern is certain" in printed)
