"""The native part that a wheel chooses."""

from pathlib import Path

import plyground
import pytest
from plyground import _build


def test_best_build_that_the_processor_has(tmp_path: Path):
    paths = {}
    for level in _build.LEVELS:
        paths[level] = tmp_path / level / "_plyground.abi3.so"
        paths[level].parent.mkdir()
        paths[level].touch()
    assert _build.chosen(tmp_path, _build.VPOPCNTDQ | {"sse"}) == paths["x86-64-v4-vpopcntdq"]
    assert _build.chosen(tmp_path, _build.VPOPCNTDQ - {"avx512vl"}) == paths["x86-64-v3"]
    assert _build.chosen(tmp_path, _build.V2) is None
    # What the system does not tell, nobody knows.
    assert _build.chosen(tmp_path, set()) is None
    paths["x86-64-v4-vpopcntdq"].unlink()
    assert _build.chosen(tmp_path, _build.VPOPCNTDQ) == paths["x86-64-v3"]


def test_processor_that_is_too_old_is_told(tmp_path: Path):
    with pytest.raises(ImportError, match="lacks popcnt"):
        _build.chosen(tmp_path, _build.V2 - {"popcnt"})


def test_loaded_build_is_known():
    assert plyground.__build__.split("-v")[0] in ("x86-64", "aarch64")
    if _build.BUILDS.is_dir():
        path = _build.chosen(_build.BUILDS, _build.instructions())
        assert path and path.parent.name == plyground.__build__
