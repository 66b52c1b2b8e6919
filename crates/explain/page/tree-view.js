// A tree with its list, the board of the node that is selected, and buttons that step through the search.

import { drawBoard } from "./tree-board.js";
import { h, isTyping } from "./tree-dom.js";
import { TreeList } from "./tree-list.js";
import { TreePath } from "./tree-path.js";

const ENTER = 0;
const LEAVE = 1;
/** Between two moves that are played out, in milliseconds. */
const PAUSE = 900;

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
    Object.assign(this, { element, tree, linesOf, phase: ENTER });
    this.list = new TreeList(tree, (node) => this.selected(node));
    this.path = new TreePath(tree, this.list);
    this.sentence = h("p", { class: "tree-sentence", role: "status" });
    this.whyNot = h("p", { class: "tree-why-not" });
    this.figure = h("div", { class: "tree-figure" });
    this.terms = h("div", { class: "tree-terms" });
    // The reason comes before the tree, so that on a small screen both are in sight.
    this.reason = h("div", { class: "tree-reason" }, this.sentence, this.whyNot);
    const panel = h("div", { class: "tree-panel" }, this.figure, this.path.element, this.terms);
    element.replaceChildren(this.buttons(), this.reason, this.list.element, this.legend(), panel);
    element.classList.add("tree-view");
    // A click on what is no control leaves the focus here, where keys are heard, and not on the page.
    element.tabIndex = -1;
    this.selected(0);
    this.isShown = true;
  }

  buttons() {
    const button = (text, title, click, key) => h("button",
      { type: "button", title, onclick: click, ...(key && { "aria-keyshortcuts": key }) }, text,
      ...(key ? [h("kbd", { "aria-hidden": "true", text: key })] : []));
    return h("div", { class: "tree-buttons", role: "group", "aria-label": "The search, step by step" },
      button("‹ Step back", "What the search did before", () => this.step(stepBefore), "B"),
      button("Step ›", "What the search does next", () => this.step(nextStep), "S"),
      button("Next cut", "The next position whose moves are cut off", () => this.nextCut(), "C"),
      button("Play on", "How play goes on from here, move by move", () => this.playOn()),
      button("Best line", "The position that both sides’ best moves lead to", () => this.bestLine()),
      button("Open all", "Show every position", () => this.list.openDownTo(Infinity)),
      button("Close all", "Show the moves of the root", () => { this.list.openDownTo(1); this.list.select(0); }));
  }

  legend() {
    const [own, other] = this.tree.head.sides;
    return h("p", { class: "tree-legend", text: `▲ ${own} to move, maximizes; ▼ ${other} minimizes; bold: best; ✂ cut off; `
      + `(alpha, beta): the window that was asked for. Values are as ${own} sees them. Keys: S, B and C as on the buttons; `
      + "in the tree, ↑ and ↓ move, → opens and ← closes." });
  }

  /** What a key does that is pressed here, or on the page around. */
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event)) return;
    const action = { s: () => this.step(nextStep), b: () => this.step(stepBefore), c: () => this.nextCut() }[event.key.toLowerCase()];
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
    const { cuts } = this.tree;
    const next = cuts.findIndex((node) => node > this.list.selected);
    if (cuts.length === 0) this.sentence.textContent = "Nothing is cut off in this tree.";
    else this.list.select(cuts[Math.max(next, 0)]);
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
    const sentence = isEntered
      ? `${tree.mover(node)} to move ${tree.place(node)}, asked for a value in ${tree.window(node)}.`
      : tree.sentence(node);
    const number = tree.cuts.indexOf(node) + 1;
    const count = number && !isEntered ? [h("b", { text: `Cut ${number} of ${tree.cuts.length}. ` })] : [];
    this.sentence.replaceChildren(...count, sentence);
    this.whyNot.textContent = (!isEntered && tree.whyNot(node)) || "";
    this.path.show(node, isEntered);
    this.drawTerms(node);
    this.draw(node);
    if (this.isShown) this.reveal();
  }

  /** Brings the reason and the row into sight, if they are not, with the buttons above them. */
  reveal() {
    const { top, bottom } = this.reason.getBoundingClientRect();
    const row = this.list.selectedBox();
    const isInSight = top >= 0 && bottom <= innerHeight && (!row || (row.top >= 0 && row.bottom <= innerHeight));
    if (!isInSight) this.element.scrollIntoView({ block: "start" });
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

  drawTerms(node) {
    const { tree } = this;
    const terms = tree.terms(node);
    if (!terms.length) return this.terms.replaceChildren();
    const number = (text) => h("td", { class: "number", text });
    const points = (score) => number(tree.show(score));
    const rows = terms.map(({ name, own, others, weight, score }) => h("tr", {},
      h("th", { scope: "row", text: name }), number(own), number(others), points(weight), points(score)));
    const sum = terms.reduce((all, { score }) => all + score, 0);
    const limited = tree.score[node] === sum ? "" : `, moved into the limits that the game proves: ${tree.show(tree.score[node])}`;
    const heads = ["", ...tree.head.sides, "each", "adds"].map((text) => h("th", { scope: "col", text }));
    this.terms.replaceChildren(h("table", {},
      h("caption", { text: `The evaluation, in points: ${tree.show(sum)}${limited}` }),
      h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
  }
}

