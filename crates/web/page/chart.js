// The value over the game, as a chart in which one goes to a position.

import { $, h, s, say } from "./dom.js";
import { fail, game, go } from "./game.js";
import { direction, spoken } from "./scores.js";

const WIDTH = 400;
const HEIGHT = 110;
const MARGIN = 6;
/** The points that are drawn half way up. */
const HALF = 3;

let slider = null;

const x = (ply) => MARGIN + (ply / Math.max(1, game.line.moves.length)) * (WIDTH - 2 * MARGIN);

/** How much a value is for the first side: 1 a sure win, -1 a sure loss. */
const share = ({ first, forced }) => (forced ? Math.sign(first) : first / (Math.abs(first) + HALF * game.about.point));

const y = (value) => HEIGHT / 2 - share(value) * (HEIGHT / 2 - MARGIN);

/** Shows the value of the position beside the board, from the first side's end. */
function drawGauge(value, words) {
  const gauge = $("gauge");
  gauge.classList.toggle("unknown", !value);
  gauge.classList.toggle("sure", Boolean(value) && value.bound !== "estimate");
  $("gauge-fill").style.height = `${value ? 50 + 50 * share(value) : 50}%`;
  gauge.setAttribute("aria-label", words);
  gauge.title = words;
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

/** The mark of a value: a dot, or for a bound a triangle that points to where the result may be. */
function mark(ply) {
  const value = game.values[ply];
  const size = ply === game.ply ? 4.5 : 2.2;
  const way = direction(value);
  const [cx, cy] = [x(ply), y(value)];
  if (!way) return s("circle", { cx, cy, r: size, class: `mark ${value.bound}` });
  const wide = 1.3 * size;
  const corners = [[cx - wide, cy + way * size], [cx + wide, cy + way * size], [cx, cy - way * 1.6 * size]];
  return s("polygon", { points: corners.map((corner) => corner.join(",")).join(" "), class: `mark ${value.bound}` });
}

/** Shows the values that are known. */
export function drawChart() {
  if (!slider) build();
  const last = game.line.moves.length;
  const known = [];
  for (let ply = 0; ply <= last; ply += 1) if (game.values[ply]) known.push(ply);
  const path = known.map((ply) => `${x(ply)},${y(game.values[ply])}`).join(" ");
  const area = known.length > 1 ? `${x(known[0])},${HEIGHT / 2} ${path} ${x(known.at(-1))},${HEIGHT / 2}` : "";
  slider.replaceChildren(s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    s("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "zero" }),
    s("polygon", { points: area, class: "area" }),
    s("line", { x1: x(game.ply), x2: x(game.ply), y1: 0, y2: HEIGHT, class: "now" }),
    s("polyline", { points: path, class: "curve" }),
    ...known.map(mark),
    ...Array.from(game.marks, ([ply, { kind, text }]) => s("text", { class: `mistake ${kind}`, x: x(ply), y: HEIGHT - 3, text: text.split(" ")[0] }))));
  const value = game.values[game.ply];
  const { sides } = game.about;
  const words = value ? `value for ${sides[value.side]} ${spoken(value)}` : "value not known";
  drawGauge(value, words);
  slider.setAttribute("aria-valuemin", 0);
  slider.setAttribute("aria-valuemax", last);
  slider.setAttribute("aria-valuenow", game.ply);
  slider.setAttribute("aria-valuetext", `after move ${game.ply} of ${last}, ${words}`);
  say($("chart-note"), `up: ${sides[0]}, down: ${sides[1]}`);
}
