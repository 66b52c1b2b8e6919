// The board of a node, as a drawing.

import { s } from "./tree-dom.js";

const SIDES = ["first", "second"];

/** Draws the cells with the last move marked, and lines over them: `{ kind, side, cells }`. */
export function drawBoard(layout, cells, last, lines = []) {
  const { columns, rows, edges } = layout;
  const board = s("svg", { class: `tree-board ${layout.look}`, viewBox: `-0.7 -0.7 ${columns + 1.4} ${rows + 1.4}`, role: "img" });
  const edge = (names, x, y) => names.forEach((name, at) => name && board.append(s("text", { class: "edge", x: x(at), y: y(at) }, name)));
  edge(edges.top, (at) => at + 0.5, () => -0.2);
  edge(edges.bottom, (at) => at + 0.5, () => rows + 0.5);
  edge(edges.left, () => -0.35, (at) => at + 0.6);
  edge(edges.right, () => columns + 0.35, (at) => at + 0.6);
  cells.forEach((owner, cell) => board.append(...drawCell(layout, owner, cell)));
  const middle = (cell) => [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5];
  for (const { kind, side, cells: ends } of lines) {
    const line = s("polyline", { class: `stroke ${kind} side${side}`, points: ends.map((cell) => middle(cell).join(",")).join(" ") });
    // Upon a dark board, lines have the colors of the pieces; upon a light one those would be lost.
    if (layout.look === "holes") line.style.stroke = layout.pieces[side].fill;
    board.append(line);
  }
  if (last.from !== null) {
    board.append(s("polyline", { class: "step", points: [last.from, last.to].map((cell) => middle(cell).join(",")).join(" ") }));
  }
  if (last.to !== null) {
    const [cx, cy] = middle(last.to);
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
