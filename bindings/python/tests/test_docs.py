"""The examples of the manual and of the docstrings."""

import doctest
from pathlib import Path

import plyground
from plyground import pettingzoo

MANUAL = Path(__file__).parents[3] / "docs/python.md"


def test_manual():
    # The end of a block of code is no output.
    text = MANUAL.read_text().replace("\n```", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(MANUAL), 0)
    result = doctest.DocTestRunner().run(examples)
    assert result.attempted > 20 and result.failed == 0


def test_docstrings():
    for module in (plyground, pettingzoo):
        result = doctest.testmod(module)
        assert result.attempted > 0 and result.failed == 0
