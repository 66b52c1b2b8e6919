"""Classes of other packages that come without types."""

from __future__ import annotations

from typing import Any


class Untyped:
    """A base class as a type checker sees it."""

    def __init__(self, *arguments: Any) -> None: ...

    def __getattr__(self, name: str) -> Any: ...
