// The list of moves, and the way back and forward.

import { rewrite } from "./analysis.js";
import { build, draw } from "./board.js";
import { $, h, say } from "./dom.js";
import { canTakeBack, fail, game, go, goOn, isAtEnd, isHeld, isOver, isPerson, onChange, pause, takeBack } from "./game.js";
import { notation, setSystem, written } from "./notation.js";
import * as store from "./store.js";

export function setUpMoves() {
  const act = (id, action) => $(id).addEventListener("click", () => action().catch(fail));
  act("first", () => go(0));
  act("back", () => go(game.ply - 1));
  act("forward", () => go(game.ply + 1));
  act("last", () => go(game.line.moves.length));
  act("take-back", takeBack);
  act("go-on", goOn);
  $("pause").addEventListener("click", pause);
  $("notation").addEventListener("change", (event) => {
    setSystem(Number(event.target.value));
    store.ofGame(game.about.name).save("notation", Number(event.target.value));
    build(game.about.layout);
    draw();
    list();
    rewrite();
  });
  onChange((position) => {
    if (position) list();
    controls();
  });
}

/** Marks the moves anew. */
export const mark = list;

/** The ways to write moves of this game. */
export function setNotations(names) {
  const system = Math.min(store.ofGame(game.about.name).load("notation", 0), names.length - 1);
  setSystem(system);
  $("notation-label").hidden = names.length < 2;
  $("notation").replaceChildren(...names.map((name, value) => {
    const { layout } = game.about;
    const example = layout.names[Math.floor(layout.names.length / 2)][value];
    return h("option", { value, text: `${name}: ${example}`, selected: value === system });
  }));
}

function list() {
  const items = game.played.map((move, index) => {
    const here = index + 1 === game.ply;
    const judged = game.marks.get(index + 1);
    const text = written(game.about.layout, move.text);
    const button = h("button", {
      title: text, "aria-label": `${index + 1}. ${notation(move)}: ${text}${judged ? `, ${judged.text}` : ""}`,
      "aria-current": here ? "step" : null, onclick: () => go(index + 1).catch(fail), text: notation(move),
    });
    if (judged) button.append(h("span", { class: "judged", text: judged.text }));
    return h("li", { class: `side${move.side} ${judged?.kind ?? ""}` }, button);
  });
  $("moves").replaceChildren(...items);
  // Without moving the page itself, and to the top of a row, so that none is cut.
  const current = $("moves").querySelector("[aria-current]");
  const row = current && current.offsetHeight + Number.parseFloat(getComputedStyle($("moves")).rowGap);
  $("moves").scrollTop = current && Math.max(0, current.offsetTop - $("moves").querySelector("button").offsetTop - 3 * row);
}

function controls() {
  const { ply, line, view, paused } = game;
  for (const [id, off] of [["first", ply === 0], ["back", ply === 0], ["take-back", !canTakeBack()],
    ["forward", isAtEnd()], ["last", isAtEnd()]]) {
    $(id).disabled = off;
  }
  const waits = !isOver() && (isHeld() || (paused && !isPerson(view.side)));
  $("go-on").hidden = !waits;
  const player = game.forfeit?.name ? `${game.forfeit.name} try again` : "the machine go on";
  say($("go-on"), isAtEnd() ? `Let ${player}` : "Continue from here");
  const isAlone = ![0, 1].some(isPerson) && isAtEnd() && !isOver();
  $("pause").hidden = !isAlone || paused || game.pausing;
  if (line.moves.length === 0) $("moves").scrollTop = 0;
}
