// The value over the game, as a chart in which one goes to a position.

import { $, h, s, say } from "./dom.js";
import { fail, game, go } from "./game.js";

const WIDTH = 400;
const HEIGHT = 110;
const MARGIN = 6;
/** The number that is drawn half way up. */
const HALF = 300;
/** From here on a game is won. */
const WON = 29000;

let slider = null;

const x = (ply) => MARGIN + (ply / Math.max(1, game.line.moves.length)) * (WIDTH - 2 * MARGIN);

function y(first) {
  const share = Math.abs(first) >= WON ? Math.sign(first) : first / (Math.abs(first) + HALF);
  return HEIGHT / 2 - share * (HEIGHT / 2 - MARGIN);
}

function build() {
  slider = h("div", { role: "slider", tabindex: 0, "aria-label": "Position in the game", "aria-orientation": "horizontal" });
  slider.addEventListener("click", (event) => {
    const box = slider.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * WIDTH - MARGIN) / (WIDTH - 2 * MARGIN);
    go(Math.round(share * game.line.moves.length)).catch(fail);
  });
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
  slider.addEventListener("keydown", (event) => {
    const ends = { Home: 0, End: game.line.moves.length };
    const ply = ends[event.key] ?? (steps[event.key] ? game.ply + steps[event.key] : null);
    if (ply === null) return;
    event.preventDefault();
    event.stopPropagation();
    go(ply).catch(fail);
  });
  $("chart").replaceChildren(slider);
}

/** Shows the values that are known. */
export function drawChart() {
  if (!slider) build();
  const last = game.line.moves.length;
  const known = [];
  for (let ply = 0; ply <= last; ply += 1) if (game.values[ply]) known.push(ply);
  const path = known.map((ply) => `${x(ply)},${y(game.values[ply].first)}`).join(" ");
  const area = known.length > 1 ? `${x(known[0])},${HEIGHT / 2} ${path} ${x(known.at(-1))},${HEIGHT / 2}` : "";
  const dots = known.map((ply) => s("circle", {
    cx: x(ply), cy: y(game.values[ply].first), r: ply === game.ply ? 4.5 : 2.2, class: game.values[ply].proven ? "proven" : "",
  }));
  slider.replaceChildren(s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    s("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "zero" }),
    s("polygon", { points: area, class: "area" }),
    s("line", { x1: x(game.ply), x2: x(game.ply), y1: 0, y2: HEIGHT, class: "now" }),
    s("polyline", { points: path, class: "curve" }),
    ...dots));
  const value = game.values[game.ply];
  const worth = value ? `${value.text}${value.proven ? "" : " (estimate)"}` : "not known";
  slider.setAttribute("aria-valuemin", 0);
  slider.setAttribute("aria-valuemax", last);
  slider.setAttribute("aria-valuenow", game.ply);
  slider.setAttribute("aria-valuetext", `after move ${game.ply} of ${last}, value ${worth}`);
  say($("chart-note"), `up: ${game.about.sides[0]}, down: ${game.about.sides[1]}`);
}
