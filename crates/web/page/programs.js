// Programs that play: the server hears that this page is there, and says what they print.

import * as api from "./api.js";
import { $, h, say } from "./dom.js";
import { game, onChange, onLeave, programOf, spec } from "./game.js";
import { notation } from "./notation.js";

/** How long to wait for the next question while something happens, and while nothing does. */
const THINKING = 1000;
const WAITING = 10_000;

/** Whether the server has been told of programs of this game. */
let present = false;
let timer = null;
let asking = false;
/** Whether something has changed since the question that is being asked. */
let late = false;
/** What is shown of each side's program. */
const parts = [null, null];

const sides = () => [0, 1].filter(programOf);

export function setUpPrograms() {
  onChange(() => {
    build();
    table();
    report();
  });
  onLeave(async () => {
    clearTimeout(timer);
    parts.fill(null);
    if (present) await api.programs(game.line, ["human", "human"]).catch(() => {});
    present = false;
  });
  addEventListener("pagehide", () => { if (present) api.leave(game.line); });
  addEventListener("pageshow", () => { if (game.view) report(); });
}

/** Says that this page is there, and shows what the server says. */
async function report() {
  clearTimeout(timer);
  if (!sides().length && !present) return;
  // One question at a time: what has changed meanwhile is in the next.
  late = asking;
  if (asking) return;
  asking = true;
  present = sides().length > 0;
  let isSettled = false;
  try {
    const { line } = game;
    const { seats } = await api.programs(line, game.players.map(spec));
    if (line === game.line) seats.forEach(show);
    isSettled = !game.thinking && !(game.view.over && seats.some((seat) => seat && seat.state !== "ended"));
  } catch {
    // Whoever asks for a move is told what is wrong.
  }
  asking = false;
  clearTimeout(timer);
  timer = setTimeout(report, late ? 0 : isSettled ? WAITING : THINKING);
}

/** Makes room for every program that plays. */
function build() {
  const named = sides().map((side) => [side, programOf(side).name]);
  $("programs-card").hidden = named.length === 0;
  const isSame = [0, 1].every((side) => parts[side]?.name === programOf(side)?.name);
  if (isSame) return;
  parts.fill(null);
  for (const [side, name] of named) {
    const title = `${name}, ${game.about.sides[side]}`;
    const text = (label) => h("pre", { tabindex: 0, role: "region", "aria-label": `${label} of ${title}` });
    const part = {
      name,
      state: h("span", { class: "quiet" }),
      objection: h("p", { class: "error" }),
      moves: h("tbody"),
      table: h("div", { class: "costs", tabindex: 0, role: "region", "aria-label": `Moves of ${title}` }),
      errors: text("Standard error"),
      info: text("Info lines"),
    };
    const heads = ["Move", "Time", "CPU", "It says"].map((head) => h("th", { scope: "col", text: head }));
    part.table.append(h("table", {}, h("thead", {}, h("tr", {}, ...heads)), part.moves));
    parts[side] = part;
  }
  $("programs").replaceChildren(...named.map(([side, name]) => {
    const { state, objection, table, errors, info } = parts[side];
    return h("section", { class: "program", "aria-label": `${name}, ${game.about.sides[side]}` },
      h("h3", {}, h("span", { class: `disc side${side}`, "aria-hidden": "true" }), ` ${name} `, state),
      objection, table, h("p", { class: "quiet", text: "The end of what it prints to standard error:" }), errors,
      h("p", { class: "quiet", text: "The last lines “info …” that it says:" }), info);
  }));
}

const STATES = { thinking: "thinking", waiting: "stands still", ended: "has ended" };

function show(seat, side) {
  const part = parts[side];
  if (!part) return;
  say(part.state, seat ? STATES[seat.state] : "not started");
  say(part.objection, seat?.objection ? `It takes ${seat.objection} for illegal, but it is legal.` : "");
  for (const [box, text] of [[part.errors, seat?.errors], [part.info, seat?.info]]) {
    // What a program has printed stays when a new process goes on with the game.
    if (text !== undefined) say(box, text);
    box.hidden = !box.textContent;
    box.previousElementSibling.hidden = box.hidden;
    box.scrollTop = box.scrollHeight;
  }
}

const seconds = (ms) => (ms === undefined ? "–" : `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`);

/** What each move of a program took, the last first. */
function table() {
  for (const side of sides()) {
    const { moves, table: box } = parts[side];
    const played = game.view.played.map((move, ply) => [move, ply]).filter(([move]) => move.side === side);
    moves.replaceChildren(...played.reverse().map(([move, ply]) => {
      const cost = game.costs[ply];
      const said = [cost?.depth && `depth ${cost.depth}`, cost?.score?.text].filter(Boolean).join(", ");
      return h("tr", {}, ...[`${ply + 1}. ${notation(move)}`, seconds(cost?.wall_ms ?? game.times[ply]), seconds(cost?.cpu_ms), said]
        .map((text) => h("td", { text })));
    }));
    box.hidden = played.length === 0;
  }
}
