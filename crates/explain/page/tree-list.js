// The nodes of a tree as rows, of which only those in sight are in the document.

const ROW = 26;
/** Browsers give no element more than some 17 million pixels. */
const MOST_PIXELS = 8_000_000;
const SPARE = 4;
/** As deep rows as these are indented; deeper ones are no further. */
const MOST_INDENT = 24;
/** What a row consists of. */
const PARTS = ["tree-twist", "tree-mark", "tree-move", "tree-value", "tree-note", "tree-window", "tree-words"];

/** A list of the nodes of `tree`; `onSelect` is called with the node that is selected. */
export class TreeList {
  constructor(tree, onSelect) {
    Object.assign(this, { tree, onSelect, top: 0, selected: 0 });
    this.open = new Uint8Array(tree.count);
    this.rows = new Int32Array(tree.count);
    this.element = document.createElement("div");
    this.element.className = "tree-rows";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "tree");
    this.element.setAttribute("aria-label", "The tree of the search");
    this.space = document.createElement("div");
    this.space.className = "tree-space";
    this.space.setAttribute("role", "presentation");
    this.element.append(this.space);
    this.pool = [];
    this.listen();
    this.openDownTo(1);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  listen() {
    this.element.addEventListener("scroll", () => {
      if (this.ownScroll) { this.ownScroll = false; return; }
      this.top = this.element.scrollTop / this.scale();
      this.draw();
    });
    this.element.addEventListener("wheel", (event) => {
      if (this.scale() === ROW || event.ctrlKey) return;
      // A pixel of a squeezed bar is many rows: the wheel goes by rows all the same.
      event.preventDefault();
      this.scrollTo(this.top + event.deltaY / ROW);
    }, { passive: false });
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest("[data-node]");
      if (!row) return;
      const node = Number(row.dataset.node);
      if (event.target.closest(".tree-twist") || node === this.selected) this.toggle(node);
      this.select(node);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const action = {
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      PageDown: () => this.move(this.inSight() - 1),
      PageUp: () => this.move(1 - this.inSight()),
      Home: () => this.select(0),
      End: () => this.select(this.rows[this.length - 1]),
      ArrowRight: () => this.right(),
      ArrowLeft: () => this.left(),
      Enter: () => this.toggle(this.selected),
      " ": () => this.toggle(this.selected),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  right() {
    const { selected, tree } = this;
    if (!tree.hasChildren(selected)) return;
    if (this.open[selected]) this.select(selected + 1);
    else this.toggle(selected);
  }

  left() {
    if (this.open[this.selected] && this.tree.hasChildren(this.selected)) this.toggle(this.selected);
    else this.select(this.tree.parent[this.selected]);
  }

  move(rows) {
    const at = Math.max(0, Math.min(this.length - 1, this.rowOf(this.selected) + rows));
    this.select(this.rows[at]);
  }

  /** The row of a node that is not hidden: rows are in the order of nodes. */
  rowOf(node) {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.rows[middle] <= node) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  toggle(node) {
    if (!this.tree.hasChildren(node)) return;
    this.open[node] = 1 - this.open[node];
    this.list();
  }

  openDownTo(plies) {
    const { tree, open } = this;
    for (let node = 0; node < tree.count; node += 1) open[node] = tree.ply[node] < plies ? 1 : 0;
    this.list();
  }

  /** Shows a node, whatever is closed above it, and selects it. */
  select(node) {
    let isHidden = false;
    for (const above of this.tree.path(node).slice(0, -1)) {
      if (!this.open[above]) { this.open[above] = 1; isHidden = true; }
    }
    this.selected = node;
    if (isHidden) this.list();
    const at = this.rowOf(node);
    if (at < this.top) this.scrollTo(at);
    else if (at >= this.top + this.inSight() - 1) this.scrollTo(at - this.inSight() + 2);
    else this.draw();
    this.onSelect(node);
  }

  /** Lists the nodes that nothing hides. */
  list() {
    const { tree, open, rows } = this;
    let length = 0;
    for (let node = 0; node < tree.count; node = open[node] ? node + 1 : tree.end[node]) {
      rows[length] = node;
      length += 1;
    }
    this.length = length;
    this.space.style.height = `${Math.min(length * ROW, MOST_PIXELS)}px`;
    this.draw();
  }

  /** Pixels of the bar for a row. */
  scale() { return Math.min(ROW, MOST_PIXELS / this.length); }
  inSight() { return Math.max(2, Math.floor(this.element.clientHeight / ROW)); }

  scrollTo(top) {
    this.top = Math.max(0, Math.min(top, this.length - this.inSight()));
    const wanted = Math.round(this.top * this.scale());
    if (Math.abs(this.element.scrollTop - wanted) >= 1) {
      this.ownScroll = true;
      this.element.scrollTop = wanted;
    }
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.min(Math.floor(this.top), this.length - 1));
    const last = Math.min(this.length, first + this.inSight() + SPARE);
    while (this.pool.length < last - first) {
      const row = document.createElement("div");
      row.className = "tree-row";
      row.setAttribute("role", "treeitem");
      row.append(...PARTS.map((name) => {
        const part = document.createElement("span");
        part.className = name;
        // What is seen is short, with signs; what is read out is in words.
        if (name !== "tree-words") part.setAttribute("aria-hidden", "true");
        return part;
      }));
      this.pool.push(row);
      this.space.append(row);
    }
    // The rows lie where the bar is, a part of a row above.
    const start = this.scale() === ROW ? first * ROW : this.element.scrollTop - (this.top - first) * ROW;
    this.pool.forEach((row, at) => {
      const index = first + at;
      row.hidden = index >= last;
      if (row.hidden) return;
      row.style.transform = `translateY(${start + at * ROW}px)`;
      this.fill(row, this.rows[index]);
    });
    const active = this.activeRow();
    if (active) this.element.setAttribute("aria-activedescendant", active.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** The row of the node that is selected, if it is in sight. */
  activeRow() { return this.pool.find((row) => !row.hidden && Number(row.dataset.node) === this.selected); }
  selectedBox() { return this.activeRow()?.getBoundingClientRect(); }

  fill(row, node) {
    const { tree } = this;
    const key = `${node} ${this.open[node]} ${node === this.selected}`;
    if (row.dataset.key === key) return;
    row.dataset.key = key;
    row.dataset.node = node;
    row.id = `tree-row-${node}`;
    const isSearched = tree.isSearched(node);
    const hasChildren = tree.hasChildren(node);
    row.className = ["tree-row", isSearched ? (tree.isOwn(node) ? "own" : "others") : "cut-off",
      node === this.selected ? "selected" : "", tree.bestChild(tree.parent[node]) === node ? "best" : ""].join(" ");
    row.setAttribute("aria-level", tree.ply[node] + 1);
    row.setAttribute("aria-selected", node === this.selected);
    if (hasChildren) row.setAttribute("aria-expanded", this.open[node] === 1);
    else row.removeAttribute("aria-expanded");
    row.style.setProperty("--ply", Math.min(tree.ply[node], MOST_INDENT));
    const mark = isSearched ? (tree.isOwn(node) ? "▲" : "▼") : "✂";
    const texts = [hasChildren ? (this.open[node] ? "▾" : "▸") : "", mark, tree.moveText(node), tree.value(node),
      isSearched ? this.note(node) : "", isSearched ? tree.window(node) : "", this.inWords(node)];
    texts.forEach((text, at) => { row.children[at].textContent = text; });
  }

  note(node) {
    const { tree } = this;
    if (tree.cut[node]) return `✂ ${tree.cut[node]} cut`;
    const names = ["", "over", "", "table"];
    const below = tree.visited[node] > 1 && !tree.hasChildren(node) ? `${tree.visited[node] - 1} left out` : "";
    return names[tree.source(node)] || below;
  }

  inWords(node) {
    const { tree } = this;
    const what = node === 0 ? "The root" : `${tree.maker(node)} plays ${tree.moveText(node)}`;
    if (!tree.isSearched(node)) return `${what}: cut off`;
    return `${what}: ${tree.spokenValue(node)}. ${this.note(node).replace("✂ ", "")}`;
  }
}
