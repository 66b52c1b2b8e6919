// A tree with its list, the board of the node that is selected, and buttons that step through the search.

import { drawBoard } from "./tree-board.js";
import { TreeList } from "./tree-list.js";

const ENTER = 0;
const LEAVE = 1;
/** Between two moves that are played out, in milliseconds. */
const PAUSE = 900;

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") element.textContent = value;
    else if (name === "click") element.addEventListener("click", value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** What the search does next after it enters or leaves a node, as [node, phase]; null at the end. */
export function nextStep(tree, [node, phase]) {
  if (phase === ENTER && tree.hasChildren(node)) return [node + 1, ENTER];
  const parent = tree.parent[node];
  if (node === 0) return null;
  const next = tree.end[node];
  // What is cut off is cut off at once.
  return next < tree.end[parent] && tree.isSearched(node) ? [next, ENTER] : [parent, LEAVE];
}

/** What it did before that. */
export function stepBefore(tree, [node, phase]) {
  if (phase === LEAVE) {
    let last = null;
    for (const child of tree.children(node)) {
      last = child;
      if (!tree.isSearched(child)) break;
    }
    return [last, tree.hasChildren(last) ? LEAVE : ENTER];
  }
  if (node === 0) return null;
  const parent = tree.parent[node];
  let before = null;
  for (const child of tree.children(parent)) {
    if (child >= node) break;
    before = child;
  }
  return before === null ? [parent, ENTER] : [before, tree.hasChildren(before) ? LEAVE : ENTER];
}

/** Shows a tree in an element. `linesOf` may promise lines over the board of a node, by the moves to it. */
export class TreeView {
  constructor(element, tree, { linesOf = null } = {}) {
    Object.assign(this, { tree, linesOf, phase: ENTER });
    this.list = new TreeList(tree, (node) => this.selected(node));
    this.list.element.addEventListener("keydown", (event) => this.key(event));
    this.sentence = make("p", { class: "tree-sentence", role: "status" });
    this.whyNot = make("p", { class: "tree-why-not" });
    this.figure = make("div", { class: "tree-figure" });
    this.path = make("table", { class: "tree-path" });
    this.terms = make("div", { class: "tree-terms" });
    const panel = make("div", { class: "tree-panel" }, this.sentence, this.whyNot, this.figure, this.path, this.terms);
    const legend = make("p", { class: "tree-legend", text: `▲ ${tree.head.sides[0]} to move, maximizes; ▼ ${tree.head.sides[1]} minimizes; bold: best; ✂ cut off; (alpha, beta).` });
    element.replaceChildren(this.buttons(), legend, make("div", { class: "tree-both" }, this.list.element, panel));
    element.classList.add("tree-view");
    this.selected(0);
  }

  buttons() {
    const button = (text, title, click) => make("button", { type: "button", title, text, click });
    return make("div", { class: "tree-buttons", role: "group", "aria-label": "The search, step by step" },
      button("‹ Step back", "What the search did before (B)", () => this.step(stepBefore)),
      button("Step ›", "What the search does next (S)", () => this.step(nextStep)),
      button("Next cut", "The next position whose moves are cut off (C)", () => this.nextCut()),
      button("Play on", "How play goes on from here, move by move", () => this.playOn()),
      button("Best line", "The position that both sides' best moves lead to", () => this.bestLine()),
      button("Open all", "Show every position", () => this.list.openDownTo(Infinity)),
      button("Close all", "Show the moves of the root", () => { this.list.openDownTo(1); this.list.select(0); }));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const action = { s: () => this.step(nextStep), b: () => this.step(stepBefore), c: () => this.nextCut() }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  step(to) {
    const next = to(this.tree, [this.list.selected, this.phase]);
    if (!next) return;
    this.stepTo = next[1];
    this.list.select(next[0]);
  }

  nextCut() {
    const { tree } = this;
    for (let at = 1; at <= tree.count; at += 1) {
      const node = (this.list.selected + at) % tree.count;
      if (tree.cut[node]) return this.list.select(node);
    }
    this.sentence.textContent = "Nothing is cut off in this tree.";
  }

  /** Plays out what both sides' best moves are from here, such as a refutation, until something else is done. */
  playOn() {
    const [next, ...rest] = this.tree.variation(this.list.selected);
    if (next === undefined) return;
    this.list.select(next);
    if (rest.length) this.playing = setTimeout(() => { if (this.list.selected === next) this.playOn(); }, PAUSE);
  }

  bestLine() {
    const line = this.tree.variation(0);
    if (line.length) this.list.select(line.at(-1));
  }

  selected(node) {
    const { tree } = this;
    clearTimeout(this.playing);
    this.phase = this.stepTo ?? ENTER;
    const stepped = this.stepTo !== undefined && tree.hasChildren(node);
    this.stepTo = undefined;
    const isEntered = stepped && this.phase === ENTER;
    this.sentence.textContent = isEntered
      ? `${tree.mover(node)} to move ${tree.place(node)}, asked for a value in ${tree.window(node)}.`
      : tree.sentence(node);
    this.whyNot.textContent = (!isEntered && tree.whyNot(node)) || "";
    this.drawPath(node);
    this.drawTerms(node);
    this.draw(node);
  }

  draw(node) {
    const { layout } = this.tree.head;
    const cells = layout && this.tree.cells(node);
    if (!cells) return this.figure.replaceChildren();
    const last = this.tree.cellsOfMove(node);
    this.figure.replaceChildren(drawBoard(layout, cells, last));
    const isEvaluated = this.tree.terms(node).length > 0;
    this.linesOf?.(this.tree.way(node), isEvaluated).then((lines) => {
      if (this.list.selected === node) this.figure.replaceChildren(drawBoard(layout, cells, last, lines));
    }, () => {});
  }

  /** The way to a node, with the window at each position as it is by now, and how play goes on from there. */
  drawPath(node) {
    const { tree } = this;
    const path = tree.path(node);
    const head = ["Move", "By", "alpha", "beta", "Value"].map((text) => make("th", { scope: "col", text }));
    const row = (at, index, kind) => {
      // A child is asked with what its parent has by then.
      const now = path[index + 1] ?? at;
      const before = tree.parent[at];
      const changed = (column) => at > 0 && column[now] !== column[before] ? "changed" : "";
      const by = at === 0 ? "" : tree.opponent(at);
      const known = kind === "after" || (at === node && !(this.phase === ENTER && tree.hasChildren(at) && this.stepTo !== undefined));
      const to = make("button", { type: "button", class: "link", text: tree.moveText(at), click: () => this.list.select(at) });
      return make("tr", { class: kind },
        make("th", { scope: "row" }, to), make("td", { text: by }),
        make("td", { class: changed(tree.alpha), text: tree.show(tree.alpha[now]) }),
        make("td", { class: changed(tree.beta), text: tree.show(tree.beta[now]) }),
        make("td", { text: known ? tree.value(at) : "" }));
    };
    const after = tree.variation(node);
    this.path.replaceChildren(
      make("caption", { text: after.length ? "The way here, and how play goes on" : "The way here" }),
      make("thead", {}, make("tr", {}, ...head)),
      make("tbody", {}, ...path.map((at, index) => row(at, index, at === node ? "here" : "")),
        ...after.map((at) => row(at, path.length, "after"))));
  }

  drawTerms(node) {
    const { tree } = this;
    const terms = tree.terms(node);
    if (!terms.length) return this.terms.replaceChildren();
    const number = (text) => make("td", { class: "number", text });
    const rows = terms.map(({ name, own, others, weight, score }) => make("tr", {},
      make("th", { scope: "row", text: name }), number(own), number(others), number(weight), number(score)));
    const sum = terms.reduce((all, { score }) => all + score, 0);
    const limited = tree.score[node] === sum ? "" : `, moved into the limits that the game proves: ${tree.show(tree.score[node])}`;
    const heads = ["", ...tree.head.sides, "each", "adds"].map((text) => make("th", { scope: "col", text }));
    this.terms.replaceChildren(make("table", {},
      make("caption", { text: `The evaluation: ${tree.show(sum)}${limited}` }),
      make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  }
}

