// Lines over the board: points, connections, and a line of play.

import { s } from "./dom.js";
import { middle } from "./tree-board.js";

const MOST_STEPS = 12;
/** That of a piece, where the side of a cell is 1. */
const RADIUS = 0.42;

const points = (layout, cells) => cells.map((cell) => middle(layout, cell).join(",")).join(" ");

/** What belongs to the position: `near` is a cell that is pointed at. */
export function strokesOf(layout, view, showLines, near) {
  const wins = view.lines.filter((line) => line.kind === "win");
  const shown = view.lines.filter((line) => {
    if (line.kind === "made" || line.kind === "win") return true;
    if (!showLines) return false;
    if (line.kind === "link") return wins.length === 0;
    // All points that can still be made would hide the board: those one piece short, and those
    // through the cell that is pointed at.
    const missing = line.cells.filter((cell) => view.cells[cell] === null).length;
    return missing <= 1 || (near !== null && view.cells[near] === null && line.cells.includes(near) && missing <= 3);
  });
  return shown.map((line) => s("polyline", {
    points: line.kind === "link" ? between(layout, line.cells) : points(layout, line.cells),
    class: `stroke ${line.kind} side${line.side}`,
  }));
}

/** The line between two pieces, from edge to edge. */
function between(layout, cells) {
  const [[x, y], [toX, toY]] = [cells[0], cells.at(-1)].map((cell) => middle(layout, cell));
  const [wide, high] = [toX - x, toY - y];
  const edge = RADIUS / Math.hypot(wide, high);
  return `${x + edge * wide},${y + edge * high} ${toX - edge * wide},${toY - edge * high}`;
}

/** Marks where a side wins at its next move if it gets there. */
export function threatsOf(layout, threats) {
  return threats.map(({ side, cell }) => {
    const [x, y] = middle(layout, cell);
    // Apart where both sides threaten the same cell, and off the lines between cells.
    const at = 0.33 - side * 0.66;
    return s("circle", { cx: x + at, cy: y + at, r: 0.09, class: `threat side${side}` });
  });
}

/** A line of play, its moves numbered, and the cells that it covers. A pass has a number but no cell. */
export function variationOf(layout, steps) {
  const last = new Map();
  const shown = steps.slice(0, MOST_STEPS);
  shown.forEach((step, index) => { if (step.to !== null) last.set(step.to, index); });
  const elements = shown.flatMap((step, index) => {
    if (step.to === null) return [];
    const [x, y] = middle(layout, step.to);
    const parts = [];
    if (step.from !== null) {
      parts.push(s("polyline", { points: points(layout, [step.from, step.to]), class: "step" }));
    }
    if (last.get(step.to) === index) {
      parts.push(
        s("circle", { cx: x, cy: y, r: 0.34, class: `ghost side${step.side}` }),
        s("text", { x, y, class: `ghost-number side${step.side}`, text: index + 1 }));
    }
    return parts;
  });
  return { elements, cells: new Set(last.keys()) };
}
