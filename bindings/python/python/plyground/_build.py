"""Chooses the build of the native part that suits the processor.

A wheel has several builds, of which Python by itself would load the one that most processors can run. What
`pip` builds from a clone is for the processor of that computer, and the only one.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

NATIVE = "plyground._plyground"
BUILDS = Path(__file__).parent / "_builds"

V2 = {"cx16", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"}
V3 = V2 | {"abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}
V4 = V3 | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}
VPOPCNTDQ = V4 | {
    "avx512_bitalg",
    "avx512_vbmi2",
    "avx512_vnni",
    "avx512_vpopcntdq",
    "avx512ifma",
    "avx512vbmi",
    "gfni",
    "vaes",
    "vpclmulqdq",
}
LEVELS = {"x86-64-v4-vpopcntdq": VPOPCNTDQ, "x86-64-v3": V3}
"""The levels of instructions, the best first, and what they are called in `/proc/cpuinfo`."""


def instructions() -> set[str]:
    """What the processor and the system have, as far as they say it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    return {word for line in lines if line.startswith("flags") for word in line.split(":", 1)[-1].split()}


def chosen(builds: Path, has: set[str]) -> Path | None:
    """The best build in a folder for a processor that has these instructions; none if it is the one that
    Python loads by itself."""
    if has and not V2 <= has:
        raise ImportError(f"plyground: this processor lacks {', '.join(sorted(V2 - has))} (x86-64-v2)")
    paths = (builds / level / "_plyground.abi3.so" for level, needed in LEVELS.items() if needed <= has)
    return next((path for path in paths if path.exists()), None)


def load(builds: Path) -> None:
    """Loads the native part from a folder of builds."""
    path = chosen(builds, instructions())
    spec = path and importlib.util.spec_from_file_location(NATIVE, path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[NATIVE] = module


if BUILDS.is_dir() and NATIVE not in sys.modules:
    load(BUILDS)
