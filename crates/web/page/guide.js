// The rules of the game, with pictures: at the first visit, and in the help.

import { $, h, s, say } from "./dom.js";
import { game, onChange } from "./game.js";
import * as store from "./store.js";
import { drawBoard, middle } from "./tree-board.js";

const NOWHERE = { from: null, to: null };

/** A board with marks: a ring where something is, a cross where nothing may be. */
function figure({ cells, grounds, lines, marks, caption }) {
  const layout = { ...game.about.layout, ...(grounds ? { grounds } : {}) };
  const shown = lines.filter((line) => line.kind !== "possible");
  const board = drawBoard(layout, cells, NOWHERE, shown);
  board.setAttribute("aria-label", caption);
  for (const { cell, kind } of marks) {
    const [x, y] = middle(layout, cell);
    const cross = [`M${x - 0.2},${y - 0.2}l.4,.4m0,-.4l-.4,.4`];
    board.append(kind === "no" ? s("path", { class: "mark-no", d: cross }) : s("circle", { class: "mark-here", cx: x, cy: y, r: 0.46 }));
  }
  return h("figure", {}, board, h("figcaption", { class: "quiet", text: caption }));
}

/** The rules of the game that is played, part by part. */
export const lessons = () => game.about.lessons.map(({ title, text, figure: shown }) =>
  h("section", { class: "lesson" }, h("h3", { text: title }), h("p", { text }), ...(shown ? [figure(shown)] : [])));

/** What helps a beginner. */
export const aids = () => `“Hint” shows a good move, and “Undo” takes one back. ${game.about.layout.legend}`.trim();

let built = null;

function show() {
  if (built === game.about) return;
  built = game.about;
  const isKnown = store.ofGame(game.about.name).load("met", false);
  $("guide-card").hidden = isKnown;
  if (isKnown) return;
  say($("guide-title"), `How to play ${game.about.title}`);
  $("guide").replaceChildren(...lessons(), h("p", { text: aids() }));
}

/** Hides the rules until the next visit. */
export function fold() {
  $("guide-card").hidden = true;
}

export function setUpGuide() {
  onChange(show);
  $("guide-done").addEventListener("click", () => {
    store.ofGame(game.about.name).save("met", true);
    $("guide-card").hidden = true;
    document.querySelector("#grid [tabindex='0']").focus();
  });
}
