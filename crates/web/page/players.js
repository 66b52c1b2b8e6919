// Who plays, the clocks, and what is counted for either side.

import { $, h, say } from "./dom.js";
import { game, isAtEnd, isOver, isPerson, kinds, onChange, programOf, resignedHere, setPlayer } from "./game.js";

const MOST_SECONDS = 60;
const TICK = 500;

/** Whether a player of this kind is told how far to look ahead. */
const hasDepth = (kind) =>
  kind === "depth" || game.about.programs.some(({ name, needs_depth: needs }) => needs && kind === `player:${name}`);

const parts = [null, null];

export function buildPlayers() {
  for (const side of [0, 1]) {
    const piece = h("span", { class: `disc side${side}`, "aria-hidden": "true" });
    const name = h("strong", {});
    const kind = h("select", { id: `kind${side}`, "aria-label": `Who plays ${game.about.sides[side]}` },
      ...kinds().flatMap(([group, some]) => {
        const options = some.map(([value, text]) => h("option", { value, text }));
        return group ? [h("optgroup", { label: group }, ...options)] : options;
      }));
    const amount = h("input", { id: `amount${side}`, type: "number", min: 1 });
    const unit = h("span", {});
    const effort = h("label", { class: "effort" }, amount, unit);
    const clock = h("span", { class: "clock", role: "timer", "aria-label": `Time of ${game.about.sides[side]}` });
    const counts = h("span", { class: "counts" });
    $(`player${side}`).replaceChildren(piece, name, kind, effort, counts, clock);
    parts[side] = { name, kind, amount, unit, effort, clock, counts };
    const change = () => {
      const old = game.players[side];
      const isDepth = hasDepth(kind.value);
      const most = isDepth ? game.about.max_depth : MOST_SECONDS;
      const asked = Number(amount.value);
      const number = asked > 0 ? Math.min(asked, most) : isDepth ? old.depth : old.seconds;
      const same = kind.value === old.kind;
      setPlayer(side, {
        ...old, kind: kind.value,
        ...(same && isDepth ? { depth: Math.max(1, Math.round(number)) } : {}),
        ...(same && !isDepth ? { seconds: number } : {}),
      });
    };
    kind.addEventListener("change", change);
    amount.addEventListener("change", change);
  }
  show();
}

export function setUpPlayers() {
  onChange(() => parts[0] && show());
  setInterval(() => game.view && parts[0] && clocks(), TICK);
}

function show() {
  for (const side of [0, 1]) {
    const { name, kind, amount, unit, effort, counts } = parts[side];
    const player = game.players[side];
    const known = game.names?.[side]?.name;
    say(name, game.about.sides[side] + (known ? `: ${known}` : ""));
    kind.value = player.kind;
    const isDepth = hasDepth(player.kind);
    const isFixed = player.kind === "random" || player.kind.startsWith("sees:") || (programOf(side) && !isDepth);
    effort.hidden = isPerson(side) || isFixed;
    amount.value = isDepth ? player.depth : player.seconds;
    amount.step = isDepth ? 1 : 0.5;
    amount.min = isDepth ? 1 : 0.5;
    amount.max = isDepth ? game.about.max_depth : MOST_SECONDS;
    say(unit, isDepth ? "moves" : "s");
    $(`player${side}`).classList.toggle("to-move", !isOver() && game.view.side === side);
    $(`player${side}`).classList.toggle("winner", game.view.over?.winner === side || resignedHere() === 1 - side);
    counts.replaceChildren(...game.view.counts[side].map((count) => h("span", { class: "count" },
      h("b", { text: count.value }), h("span", { class: "count-name", text: ` ${count.name}` }),
      ...(count.as_pieces ? [h("span", { class: "rack", "aria-hidden": "true" },
        ...Array.from({ length: count.value }, () => h("span", { class: `disc side${side}` })))] : []))));
  }
  clocks();
}

function clocks() {
  const spent = [0, 0];
  game.view.played.forEach((move, index) => { spent[move.side] += game.times[index] ?? 0; });
  if (isAtEnd() && !isOver() && !game.paused) spent[game.view.side] += Date.now() - game.turnBegan;
  for (const side of [0, 1]) {
    const seconds = Math.floor(spent[side] / 1000);
    say(parts[side].clock, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
  }
}
