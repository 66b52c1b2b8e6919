// The tree of a search: its numbers, and what they say in words.
// All scores are as the side to move at the root sees them: that side maximizes, the other minimizes.

const NO_MOVE = 0xffff;
const NO_CELL = 0xff;

export const SOURCES = { moves: 0, outcome: 1, evaluation: 2, table: 3 };
const OWNERS = [null, "first", "second", "neutral"];
const SIGNS = ["=", "≥", "≤"];
const WORDS = ["", "at least ", "at most "];
const EQUAL = 0;
const AT_LEAST = 1;
const AT_MOST = 2;

/** Reads a tree: what there is to say of the whole, and the columns, compressed, in base64. */
export async function readTree(head, data) {
  const text = atob(data);
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) packed[at] = text.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Tree(head, await new Response(stream).arrayBuffer());
}

export class Tree {
  constructor(head, buffer) {
    const n = head.count;
    let at = 0;
    const column = (Kind, length = n) => {
      const numbers = new Kind(buffer, at, length);
      at += length * Kind.BYTES_PER_ELEMENT;
      return numbers;
    };
    Object.assign(this, { head, count: n });
    this.visited = column(Uint32Array);
    this.link = column(Uint32Array);
    this.alpha = column(Int16Array);
    this.beta = column(Int16Array);
    this.score = column(Int16Array);
    this.move = column(Uint16Array);
    this.best = column(Uint16Array);
    this.cut = column(Uint16Array);
    this.ply = column(Uint8Array);
    this.flags = column(Uint8Array);
    this.from = column(Uint8Array);
    this.to = column(Uint8Array);
    const { boards, layout } = head;
    this.boards = boards ? column(Uint8Array, n * layout.columns * layout.rows) : null;
    at += at % 2;
    this.numbers = new Int16Array(buffer, at);
    this.findRelations();
  }

  /** Finds for every node its parent and the end of what is below it. */
  findRelations() {
    const { count, ply } = this;
    this.parent = new Int32Array(count);
    this.end = new Int32Array(count).fill(count);
    const open = [];
    for (let node = 0; node < count; node += 1) {
      while (open.length > ply[node]) this.end[open.pop()] = node;
      this.parent[node] = open.length ? open[open.length - 1] : 0;
      open.push(node);
    }
  }

  isSearched(node) { return this.visited[node] > 0; }
  hasChildren(node) { return this.end[node] > node + 1; }
  relation(node) { return this.flags[node] & 3; }
  source(node) { return (this.flags[node] >> 2) & 3; }
  isProven(node) { return (this.flags[node] & 16) !== 0; }
  linked(node) { return this.flags[node] & 32 ? this.link[node] : null; }
  /** Whether the side to move at the root moves here. */
  isOwn(node) { return (this.flags[node] & 64) !== 0; }
  mover(node) { return this.head.sides[this.isOwn(node) ? 0 : 1]; }
  opponent(node) { return this.head.sides[this.isOwn(node) ? 1 : 0]; }
  /** The side that made the move to a node, which is the opponent of the side to move here or that side itself. */
  maker(node) { return this.mover(this.parent[node]); }
  moveText(node) { return node === 0 ? "root" : this.head.moves[this.move[node]]; }

  *children(node) {
    for (let child = node + 1; child < this.end[node]; child = this.end[child]) yield child;
  }

  /** The nodes from the root to this one. */
  path(node) {
    const path = [node];
    while (path[0] > 0) path.unshift(this.parent[path[0]]);
    return path;
  }

  way(node) { return this.path(node).slice(1).map((at) => this.moveText(at)); }

  /** The child after the best move, if the tree reaches so far. */
  bestChild(node) {
    if (this.best[node] === NO_MOVE) return null;
    for (const child of this.children(node)) if (this.move[child] === this.best[node]) return child;
    return null;
  }

  /** The nodes that follow this one if both sides play what was found best. */
  variation(node) {
    const nodes = [];
    for (let next = this.bestChild(node); next !== null; next = this.bestChild(next)) nodes.push(next);
    return nodes;
  }

  /** The owners of the pieces in all cells, or null where the moves alone do not tell. */
  cells(node) {
    if (this.boards) {
      const size = this.boards.length / this.count;
      return Array.from(this.boards.subarray(node * size, (node + 1) * size), (owner) => OWNERS[owner]);
    }
    if (this.head.cells.length === 0) return null;
    const cells = [...this.head.cells];
    for (const at of this.path(node).slice(1)) {
      const side = this.isOwn(this.parent[at]) ? this.head.side : 1 - this.head.side;
      if (this.from[at] !== NO_CELL) cells[this.from[at]] = null;
      if (this.to[at] !== NO_CELL) cells[this.to[at]] = side === 0 ? "first" : "second";
    }
    return cells;
  }

  cellsOfMove(node) {
    const cell = (number) => (number === NO_CELL ? null : number);
    return { from: cell(this.from[node]), to: cell(this.to[node]) };
  }

  /** The terms of the evaluation here: `own` and `others` are the counts of the root's side and of the other. */
  terms(node) {
    const start = this.source(node) === SOURCES.evaluation ? this.linked(node) : null;
    if (start === null) return [];
    return Array.from({ length: this.numbers[start] }, (_, index) => {
      const [kind, mover, other] = this.numbers.subarray(start + 1 + 3 * index, start + 4 + 3 * index);
      const [name, weight] = this.head.terms[kind];
      const [own, others] = this.isOwn(node) ? [mover, other] : [other, mover];
      return { name, weight, own, others, score: (own - others) * weight };
    });
  }

  /** A score in words. */
  show(score) {
    const plies = this.pliesToEnd(score);
    if (plies === 0) return score > 0 ? "+∞" : "−∞";
    if (plies !== null) return `${score > 0 ? "win" : "loss"} in ${plies}`;
    if (score === 0) return "0.00";
    return (score > 0 ? "+" : "-") + (Math.abs(score) / this.head.point).toFixed(2);
  }

  /** Plies to the forced end that a score says, or null if it says none. */
  pliesToEnd(score) {
    const [forced, won] = this.head.forced;
    return Math.abs(score) < forced ? null : won - Math.abs(score);
  }

  /** What is said of a value, with signs. */
  signs(relation, score) {
    const sooner = score > 0 ? AT_LEAST : AT_MOST;
    if (relation === sooner && this.pliesToEnd(score) !== null) return this.show(score).replace(" in ", " in ≤ ");
    return `${SIGNS[relation]} ${this.show(score)}`;
  }

  /** The same in words. Of a forced end, better and worse are sooner and later. */
  words(relation, score) {
    const plies = this.pliesToEnd(score);
    if (plies === null) return `${WORDS[relation]}${this.show(score)}`;
    const [what, sooner] = score > 0 ? ["win", AT_LEAST] : ["loss", AT_MOST];
    const isSooner = relation === sooner;
    const limit = relation === EQUAL || isSooner ? "" : relation === AT_LEAST ? "at worst " : "at best ";
    return `${limit}a ${what} for ${this.head.sides[0]} ${isSooner ? "within" : "in"} ${plies} ${plies === 1 ? "ply" : "plies"}`;
  }

  value(node) { return this.isSearched(node) ? this.signs(this.relation(node), this.score[node]) : "cut off"; }
  spokenValue(node) { return this.isSearched(node) ? this.words(this.relation(node), this.score[node]) : "cut off"; }
  window(node) { return `(${this.show(this.alpha[node])}, ${this.show(this.beta[node])})`; }

  /** The nodes whose moves were cut off, in the order of search. */
  get cuts() {
    if (!this.allCuts) {
      this.allCuts = [];
      for (let node = 0; node < this.count; node += 1) if (this.cut[node]) this.allCuts.push(node);
    }
    return this.allCuts;
  }

  /**
   * The window at a node by the time the search is at `next` below it, or, where that is null, has left it: what it
   * was given, made narrower by what its moves have found.
   */
  windowAt(node, next) {
    if (next !== null) return [this.alpha[next], this.beta[next]];
    const [alpha, beta, score] = [this.alpha[node], this.beta[node], this.score[node]];
    if (!this.cut[node]) return [alpha, beta];
    return this.isOwn(node) ? [Math.max(alpha, score), beta] : [alpha, Math.min(beta, score)];
  }

  /** The branch that leads from the ancestor of a rival down to a node. */
  branchTo(node, ancestor) { return this.path(node).find((at) => this.parent[at] === ancestor && at > 0); }

  place(node) { return node === 0 ? "at the root" : `after ${this.way(node).join(", ")}`; }

  /** Why the rest of the moves of a node was cut off, in one sentence. */
  whyCut(node) {
    const rival = this.linked(node);
    if (!this.cut[node] || rival === null) return null;
    const refutation = this.bestChild(node);
    if (refutation === null) return null;
    const ancestor = this.parent[rival];
    const [relation, limit] = this.isOwn(node) ? [AT_LEAST, "beta"] : [AT_MOST, "alpha"];
    const other = this.opponent(node);
    const moves = this.cut[node] === 1 ? "move changes" : "moves change";
    const [gets, has] = [this.score[refutation], this.score[rival]];
    return `With ${this.moveText(refutation)}, ${this.mover(node)} makes it ${this.words(relation, gets)}; `
      + `but ${other} already has ${has === gets ? "as much" : this.words(EQUAL, has)} (${limit}) by ${this.moveText(rival)} `
      + `in place of ${this.moveText(this.branchTo(node, ancestor))} ${this.place(ancestor)}, `
      + `so ${other} never lets it come to this, and the other ${this.cut[node]} ${moves} nothing.`;
  }

  /** What there is to say of a node, in a sentence or two. */
  sentence(node) {
    if (!this.isSearched(node)) {
      const why = this.whyCut(this.parent[node]);
      return `Not looked at. ${why ?? "The move before it was good enough for a cut."}`;
    }
    const mover = this.mover(node);
    const value = this.spokenValue(node);
    switch (this.source(node)) {
      case SOURCES.outcome: return `The game is over: ${value}.`;
      case SOURCES.evaluation: return `The horizon: the evaluation says ${value}.`;
      case SOURCES.table: {
        const earlier = this.linked(node);
        const place = earlier === null ? "before" : this.place(earlier);
        return `The same position was searched ${place}, and the table still knows: ${value}.`;
      }
      default: return this.whyCut(node) ?? this.whyValue(node, mover, value);
    }
  }

  whyValue(node, mover, value) {
    const best = this.best[node] === NO_MOVE ? null : this.head.moves[this.best[node]];
    if (this.cut[node]) return `${best} is good enough for a cut: ${value}.`;
    const failed = this.relation(node) !== 0;
    if (!failed) return `${mover} plays ${best}, the best of all moves: ${value}.`;
    const [limit, has] = this.isOwn(node) ? ["alpha", this.alpha[node]] : ["beta", this.beta[node]];
    const much = has === this.score[node] ? "as much" : this.words(EQUAL, has);
    return `No move does ${mover} more good than ${best}: ${value}. ${mover} already has ${much} (${limit}) elsewhere.`;
  }

  /** Why the move to a node is not the one that is played, in a sentence; null where it is, or nobody knows. */
  whyNot(node) {
    if (node === 0 || !this.isSearched(node)) return null;
    const parent = this.parent[node];
    const best = this.bestChild(parent);
    if (best === null || best === node || this.cut[parent]) return null;
    const verb = this.isOwn(node) === this.isOwn(parent) ? "goes on with" : "answers";
    const answer = this.best[node] === NO_MOVE ? "It" : `${this.mover(node)} ${verb} ${this.head.moves[this.best[node]]}, and it`;
    const rival = `${this.mover(parent)}’s ${this.moveText(best)}`;
    const instead = this.score[best] === this.score[node]
      ? `${rival}, which came first, makes it no worse.` : `${rival} instead makes it ${this.spokenValue(best)}.`;
    return `Why not ${this.moveText(node)}? ${answer} is ${this.spokenValue(node)}. ${instead}`;
  }
}
