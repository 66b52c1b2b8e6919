// The board of a node, as a drawing.

import { s } from "./tree-dom.js";

const SIDES = ["first", "second"];

/** The middle of a cell, on a board that may be turned. */
export function middle({ columns, rows, turned }, cell) {
  const shown = turned ? columns * rows - 1 - cell : cell;
  return [(shown % columns) + 0.5, Math.floor(shown / columns) + 0.5];
}

/** The names of the parts of a board, each along its outer edge. */
export function zoneLabels(layout) {
  return (layout.zones ?? []).map(({ text, cells }) => {
    const at = cells.map((cell) => middle(layout, cell));
    const [x, y] = [0, 1].map((axis) => at.reduce((sum, point) => sum + point[axis], 0) / at.length);
    const isUpright = at.every((point) => point[0] === at[0][0]);
    // From the middle of the board to its edge.
    const out = (value, size) => value + Math.sign(value - size / 2) * 0.36;
    const place = isUpright ? [out(x, layout.columns), y] : [x, out(y, layout.rows)];
    const turn = isUpright ? { transform: `rotate(-90 ${place.join(" ")})` } : {};
    return s("text", { class: `zone ${layout.grounds[cells[0]]}`, x: place[0], y: place[1], text, ...turn });
  });
}

/** Draws the cells with the last move marked, and lines over them: `{ kind, side, cells }`. */
export function drawBoard(layout, cells, last, lines = []) {
  const { columns, rows } = layout;
  // Of two notations, the first has the labels above and to the left.
  const edges = layout.notations?.length > 1 ? { ...layout.edges, right: [], bottom: [] } : layout.edges;
  const board = s("svg", { class: `tree-board ${layout.look}`, viewBox: `-0.7 -0.7 ${columns + 1.4} ${rows + 1.4}`, role: "img" });
  const edge = (names, x, y) => names.forEach((name, at) => name && board.append(s("text", { class: "edge", x: x(at), y: y(at) }, name)));
  edge(edges.top, (at) => at + 0.5, () => -0.2);
  edge(edges.bottom, (at) => at + 0.5, () => rows + 0.5);
  edge(edges.left, () => -0.35, (at) => at + 0.6);
  edge(edges.right, () => columns + 0.35, (at) => at + 0.6);
  cells.forEach((owner, cell) => board.append(...drawCell(layout, owner, cell)));
  board.append(...zoneLabels(layout));
  const points = (some) => some.map((cell) => middle(layout, cell).join(",")).join(" ");
  for (const { kind, side, cells: ends } of lines) {
    const line = s("polyline", { class: `stroke ${kind} side${side}`, points: points(ends) });
    // Upon a dark board, lines have the colors of the pieces; upon a light one those would be lost.
    if (layout.look === "holes") line.style.stroke = layout.pieces[side].fill;
    board.append(line);
  }
  if (last.from !== null) {
    board.append(s("polyline", { class: "step", points: points([last.from, last.to]) }));
  }
  if (last.to !== null) {
    const [cx, cy] = middle(layout, last.to);
    board.append(s("circle", { class: "last", cx, cy, r: 0.46 }));
  }
  board.setAttribute("aria-label", inWords(layout, cells));
  return board;
}

function drawCell(layout, owner, cell) {
  const [x, y] = [cell % layout.columns, Math.floor(cell / layout.columns)];
  const ground = layout.grounds[cell];
  const parts = [s("rect", { class: `cell ${ground}`, x, y, width: 1, height: 1 })];
  if (layout.look === "holes") parts.push(s("circle", { class: "hole", cx: x + 0.5, cy: y + 0.5, r: 0.4 }));
  const side = SIDES.indexOf(owner);
  if (side >= 0) {
    const piece = layout.pieces[side];
    parts.push(
      s("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.4, fill: piece.fill, stroke: piece.mark, "stroke-width": 0.05 }),
      // Colors alone do not tell everybody whose a piece is.
      s("text", { class: "symbol", x: x + 0.5, y: y + 0.67, fill: piece.mark }, piece.symbol));
  }
  return parts;
}

function inWords(layout, cells) {
  const whose = layout.pieces.map((piece, side) => {
    const names = cells.flatMap((owner, cell) => (owner === SIDES[side] ? [layout.names[cell][0]] : []));
    return `${piece.name}: ${names.join("; ") || "none"}`;
  });
  return `The board. ${whose.join(". ")}.`;
}
