// A search of the position that is looked at, step by step.

import * as api from "./api.js";
import { board } from "./board.js";
import { $, h, say } from "./dom.js";
import { game, lineAt } from "./game.js";
import { readTree } from "./tree.js";
import { TreeView } from "./tree-view.js";

/** The position whose search is shown, the tree on the page, and the number of the latest question. */
let shown = "";
let view = null;
let question = 0;

const place = () => JSON.stringify([game.line.game, game.line.rules, game.line.start, game.line.moves.slice(0, game.ply)]);

/** Lines one piece short say something; all that are possible would hide the board, but where they are counted. */
function worthShowing(view, isEvaluated) {
  const missing = (line) => line.cells.filter((cell) => view.cells[cell] === null).length;
  return view.lines.filter((line) => line.kind !== "possible" || isEvaluated || missing(line) <= 1);
}

async function explain() {
  const mine = ++question;
  const line = lineAt(game.ply);
  const search = {
    depth: Number($("explain-depth").value),
    order: $("explain-order").value,
    table: $("explain-table").checked,
    minimax: $("explain-how").value === "minimax",
  };
  say($("explain-note"), "Searching…");
  try {
    const key = place();
    const { head, data } = await api.explain(game.line, game.ply, search);
    const tree = await readTree(head, data);
    if (mine !== question) return;
    shown = key;
    view = new TreeView($("explain-tree"), tree, {
      linesOf: async (way, isEvaluated) =>
        worthShowing(await api.position({ ...line, moves: [...line.moves, ...way] }), isEvaluated),
    });
    $("explain-tree").hidden = false;
    compare(head);
    const left = head.left_out ? ` ${head.left_out} positions are left out.` : "";
    say($("explain-note"), `${head.how}: ${head.nodes} positions, ${head.cut} moves cut off.${left}`);
  } catch (error) {
    if (mine === question) say($("explain-note"), error.message);
  }
}

/** Shows what the same search costs in other ways. */
function compare({ comparison: { ways, most } }) {
  const number = (nodes) => h("td", { class: "number", text: nodes === null ? `> ${most}` : nodes });
  const heads = ["Positions looked at", "no table", "with a table"].map((text) => h("th", { scope: "col", text }));
  const rows = ways.map((way) => h("tr", {}, h("th", { scope: "row", text: way.name }), number(way.nodes), number(way.with_table)));
  $("explain-ways").replaceChildren(h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows));
}

/** Takes away the search of another position. */
export function followExplained() {
  const isHere = shown === place() && !board.editor;
  if (isHere || !shown) return;
  question += 1;
  shown = "";
  view = null;
  // What is hidden cannot keep the focus: keys would be for the whole page.
  if ($("explain-tree").contains(document.activeElement)) $("explain-form").querySelector("button").focus({ preventScroll: true });
  $("explain-tree").hidden = true;
  $("explain-ways").replaceChildren();
  say($("explain-note"), "");
}

export function setUpExplain() {
  $("explain-card").hidden = !game.about.analysis;
  $("explain-card").addEventListener("keydown", (event) => view?.key(event));
  $("explain-form").addEventListener("submit", (event) => {
    event.preventDefault();
    explain();
  });
}
