// The way to a node as a table: the moves, and how the window narrows from one to the next.

import { h } from "./tree-dom.js";

/** A table of the way to a node in the tree of a list, which selects the node whose move is chosen. */
export class TreePath {
  constructor(tree, list) {
    Object.assign(this, { tree, list });
    this.element = h("table", { class: "tree-path" });
  }

  /** Shows the way to a node that the search enters now, or has left, and how play goes on from there. */
  show(node, isEntered) {
    const { tree } = this;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.node : null;
    const path = tree.path(node);
    const after = tree.variation(node);
    const head = ["Move", "By", "alpha", "beta", "Value"].map((text) => h("th", { scope: "col", text }));
    const words = after.length ? "The way here, and how play goes on" : "The way here";
    const rows = path.map((at, index) => this.row(at, path[index + 1] ?? null, { isHere: at === node, isEntered }));
    this.element.replaceChildren(
      h("caption", {}, words, h("span", { class: "tree-hint", text: "alpha and beta as asked → narrowed by the moves tried since" })),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...rows, ...after.map((at) => this.rowAfter(at))));
    if (focused === null) return;
    // A move that was chosen is on the way to itself; where a key has led elsewhere, it may be gone.
    const again = this.element.querySelector(`[data-node="${focused}"]`) ?? this.list.element;
    again.focus({ preventScroll: true });
  }

  row(at, next, { isHere, isEntered }) {
    const { tree } = this;
    const given = [tree.alpha[at], tree.beta[at]];
    const now = isHere && isEntered ? given : tree.windowAt(at, next);
    const cell = (limit) => {
      const isNarrower = now[limit] !== given[limit];
      const text = tree.show(given[limit]);
      return h("td", { class: isNarrower ? "narrower" : "", text: isNarrower ? `${text} → ${tree.show(now[limit])}` : text });
    };
    const value = isHere && !isEntered ? tree.value(at) : "";
    return h("tr", isHere ? { class: "here", "aria-current": "true" } : {},
      this.moveCell(at), cell(0), cell(1), h("td", { text: value }));
  }

  /** A row of what is played from there: the windows are those that were given. */
  rowAfter(at) {
    const { tree } = this;
    const cells = [tree.show(tree.alpha[at]), tree.show(tree.beta[at]), tree.value(at)];
    return h("tr", { class: "after" }, this.moveCell(at), ...cells.map((text) => h("td", { text })));
  }

  /** The cells of a move: what it is, and whose. */
  moveCell(at) {
    const text = this.tree.moveText(at);
    const button = h("button", { type: "button", class: "link", "data-node": at, text, onclick: () => this.list.select(at) });
    const cells = document.createDocumentFragment();
    cells.append(h("th", { scope: "row" }, button), h("td", { text: at === 0 ? "" : this.tree.maker(at) }));
    return cells;
  }
}
