"""Boards as drawings and pictures."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground._plyground import Game, Position

CELL = 44
"""The width of a cell of a drawing in pixels."""
MARGIN = 22
GROUND = {"open": "#ffffff00", "dead": "#8884", "first": "#8882", "second": "#8882"}
PIXELS = {"open": 0xF4F1EA, "dead": 0xA8A49C, "first": 0xE4DFD3, "second": 0xE4DFD3}
"""The grounds of a picture, which is opaque."""
LINE, NEUTRAL = 0xC8C2B4, {"fill": "#888888", "mark": "#555555"}

Json = dict[str, Any]


@cache
def _layout(game: Game) -> Json:
    layout: Json = json.loads(game.layout_json())
    return layout


def _piece(layout: Json, owner: str) -> dict[str, str]:
    """The colors of a piece."""
    pieces: list[dict[str, str]] = layout["pieces"]
    return NEUTRAL if owner == "neutral" else pieces[owner == "second"]


def _cell(layout: Json, picture: Json, index: int) -> str:
    row, column = divmod(index, layout["columns"])
    x, y = MARGIN + column * CELL, MARGIN + row * CELL
    grounds = picture.get("grounds") or layout["grounds"]
    drawn = f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{GROUND[grounds[index]]}" stroke="#8889"/>'
    owner = picture["cells"][index]
    if owner is None:
        return drawn
    piece = _piece(layout, owner)
    return (
        f'{drawn}<circle cx="{x + CELL / 2}" cy="{y + CELL / 2}" r="{CELL * 0.38}"'
        f' fill="{piece["fill"]}" stroke="{piece["mark"]}" stroke-width="3"/>'
    )


def _labels(edges: dict[str, list[str]], width: int, height: int) -> str:
    """The labels around the board."""

    def text(x: float, y: float, label: str) -> str:
        at = f'x="{x}" y="{y}" text-anchor="middle" dominant-baseline="central"'
        return f"<text {at}>{escape(label)}</text>"

    def middle(index: int) -> float:
        return MARGIN + (index + 0.5) * CELL

    above = [text(middle(index), MARGIN / 2, label) for index, label in enumerate(edges["top"])]
    below = [text(middle(index), height - MARGIN / 2, label) for index, label in enumerate(edges["bottom"])]
    left = [text(MARGIN / 2, middle(index), label) for index, label in enumerate(edges["left"])]
    right = [text(width - MARGIN / 2, middle(index), label) for index, label in enumerate(edges["right"])]
    return "".join(above + below + left + right)


def svg(self: Position) -> str:
    """The board as an SVG drawing, as notebooks show it."""
    layout = _layout(self.game)
    picture: Json = json.loads(self.picture_json())
    rows, columns = self.game.shape
    width, height = 2 * MARGIN + columns * CELL, 2 * MARGIN + rows * CELL
    cells = "".join(_cell(layout, picture, index) for index in range(rows * columns))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" font-family="sans-serif" font-size="13" fill="#888">'
        f"<title>{escape(str(self))}</title>{cells}{_labels(layout['edges'], width, height)}</svg>"
    )


def check_render_mode(mode: str | None, modes: list[str]) -> None:
    """Raises `ValueError` if an environment has no such mode."""
    if mode is not None and mode not in modes:
        raise ValueError(f"expected render_mode as one of {', '.join(modes)}, found `{mode}`")


def rendered(position: Position, mode: str) -> str | NDArray[np.uint8]:
    """The board as an environment shows it: as text in the mode `ansi`, as numbers in `rgb_array`, as a drawing
    in `svg`."""
    if mode == "rgb_array":
        return image(position)
    return svg(position) if mode == "svg" else str(position)


def _rgb(color: int) -> NDArray[np.uint8]:
    return np.array([color >> 16, color >> 8 & 255, color & 255], dtype=np.uint8)


def image(self: Position, cell: int = 32) -> NDArray[np.uint8]:
    """The board as a picture, of so many pixels for a cell: height x width x 3, red, green and blue."""
    if not 4 <= cell <= 512:
        raise ValueError(f"expected cell from 4 to 512, found {cell}")
    layout = _layout(self.game)
    picture: Json = json.loads(self.picture_json())
    rows, columns = self.game.shape
    grounds: list[str] = picture.get("grounds") or layout["grounds"]
    colors = np.stack([_rgb(PIXELS[ground]) for ground in grounds]).reshape(rows, columns, 3)
    pixels = colors.repeat(cell, axis=0).repeat(cell, axis=1)
    pixels[::cell] = pixels[:, ::cell] = _rgb(LINE)
    middle = np.arange(cell) + 0.5 - cell / 2
    distance = np.hypot(middle[:, None], middle[None, :]) / cell
    for index, owner in enumerate(picture["cells"]):
        if owner is not None:
            piece = _piece(layout, owner)
            row, column = divmod(index, columns)
            part = pixels[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
            part[distance < 0.42] = _rgb(int(piece["mark"][1:], 16))
            part[distance < 0.35] = _rgb(int(piece["fill"][1:], 16))
    return pixels
