"""Boards as drawings."""

from __future__ import annotations

import json
from html import escape

from plyground._plyground import Position

CELL = 44
"""The width of a cell in pixels."""
MARGIN = 22
GROUND = {"open": "#ffffff00", "dead": "#8884", "first": "#8882", "second": "#8882"}


def _cell(layout: dict, picture: dict, index: int) -> str:  # type: ignore[type-arg]
    row, column = divmod(index, layout["columns"])
    x, y = MARGIN + column * CELL, MARGIN + row * CELL
    grounds = picture.get("grounds") or layout["grounds"]
    parts = [
        f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{GROUND[grounds[index]]}" stroke="#8889"/>'
    ]
    owner = picture["cells"][index]
    if owner is not None:
        piece = layout["pieces"][owner == "second"] if owner != "neutral" else {"fill": "#888", "mark": "#555"}
        parts.append(
            f'<circle cx="{x + CELL / 2}" cy="{y + CELL / 2}" r="{CELL * 0.38}"'
            f' fill="{piece["fill"]}" stroke="{piece["mark"]}" stroke-width="3"/>'
        )
    return "".join(parts)


def svg(self: Position) -> str:
    """The board as an SVG drawing, as notebooks show it."""
    layout = json.loads(self.game.layout_json())
    picture = json.loads(self.picture_json())
    rows, columns = layout["rows"], layout["columns"]
    width, height = 2 * MARGIN + columns * CELL, 2 * MARGIN + rows * CELL
    parts = [_cell(layout, picture, index) for index in range(rows * columns)]
    text = '<text x="{}" y="{}" text-anchor="middle" dominant-baseline="central">{}</text>'
    edges = layout["edges"]
    for name, y in (("top", MARGIN / 2), ("bottom", height - MARGIN / 2)):
        parts += [
            text.format(MARGIN + (column + 0.5) * CELL, y, escape(label))
            for column, label in enumerate(edges[name])
        ]
    for name, x in (("left", MARGIN / 2), ("right", width - MARGIN / 2)):
        parts += [
            text.format(x, MARGIN + (row + 0.5) * CELL, escape(label)) for row, label in enumerate(edges[name])
        ]
    label = escape(str(self))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" font-family="sans-serif" font-size="13" fill="#888">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )
