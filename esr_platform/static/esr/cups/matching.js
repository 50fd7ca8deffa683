// Maximum-weight perfect matching in a general graph, with the blossom algorithm in time O(n³):
// J. Edmonds, "Paths, trees, and flowers", 1965; Z. Galil, "Efficient algorithms for finding maximum matching in
// graphs", 1986. The names follow the paper: a stage finds one augmenting path; S-vertices have label 1, T-vertices 2.

const NONE = -1;
const FREE = 0;
const S = 1;
const T = 2;
const CRUMB = 4;

/** Thrown if numbers become too large for exact arithmetic; the caller then repeats the run with BigInt. */
class TooLarge extends Error {}

// A run for `size` vertices. Edges are [one, other, weight]; all weights are numbers, or all are BigInts.
class Run {
  constructor(size, edges) {
    this.size = size;
    this.edges = edges;
    this.exact = edges.some((edge) => typeof edge[2] === "bigint");
    this.zero = /** @type {any} */ (this.exact ? 0n : 0);
    this.two = /** @type {any} */ (this.exact ? 2n : 2);
    this.end = edges.flatMap((edge) => edge.slice(0, 2));
    this.near = Array.from({ length: size }, () => /** @type {number[]} */ ([]));
    for (const [number, [one, other]] of edges.entries()) {
      this.near[one].push(2 * number + 1);
      this.near[other].push(2 * number);
    }
    const all = (value) => new Array(2 * size).fill(value);
    this.mate = new Array(size).fill(NONE);
    this.label = all(FREE);
    this.labelEnd = all(NONE);
    this.inside = Array.from({ length: size }, (_, vertex) => vertex);
    this.parent = all(NONE);
    this.children = /** @type {(number[] | null)[]} */ (all(null));
    this.ends = /** @type {(number[] | null)[]} */ (all(null));
    this.base = all(NONE).map((none, number) => (number < size ? number : none));
    this.best = all(NONE);
    this.bestOf = /** @type {(number[] | null)[]} */ (all(null));
    this.unused = Array.from({ length: size }, (_, number) => size + number);
    let top = this.zero;
    for (const [, , weight] of edges) if (weight > top) top = weight;
    this.dual = all(this.zero).map((zero, number) => (number < size ? top : zero));
    this.tight = new Uint8Array(edges.length);
    this.queue = /** @type {number[]} */ ([]);
  }

  slack(edge) {
    const [one, other, weight] = this.edges[edge];
    return this.dual[one] + this.dual[other] - this.two * weight;
  }

  *leaves(blossom) {
    if (blossom < this.size) yield blossom;
    else for (const child of this.children[blossom] ?? []) yield* this.leaves(child);
  }

  assign(vertex, label, end) {
    const blossom = this.inside[vertex];
    this.label[vertex] = this.label[blossom] = label;
    this.labelEnd[vertex] = this.labelEnd[blossom] = end;
    this.best[vertex] = this.best[blossom] = NONE;
    if (label === S) {
      this.queue.push(...this.leaves(blossom));
    } else {
      const mate = this.mate[this.base[blossom]];
      this.assign(this.end[mate], S, mate ^ 1);
    }
  }

  // The base of the new blossom that an edge between two S-vertices closes, or NONE for an augmenting path.
  scan(one, other) {
    const path = /** @type {number[]} */ ([]);
    let base = NONE;
    let [vertex, next] = [one, other];
    while (vertex !== NONE || next !== NONE) {
      let blossom = this.inside[vertex];
      if (this.label[blossom] & CRUMB) {
        base = this.base[blossom];
        break;
      }
      path.push(blossom);
      this.label[blossom] = S | CRUMB;
      if (this.labelEnd[blossom] === NONE) {
        vertex = NONE;
      } else {
        blossom = this.inside[this.end[this.labelEnd[blossom]]];
        vertex = this.end[this.labelEnd[blossom]];
      }
      if (next !== NONE) [vertex, next] = [next, vertex];
    }
    for (const blossom of path) this.label[blossom] = S;
    return base;
  }

  shrink(base, edge) {
    const bottom = this.inside[base];
    const blossom = /** @type {number} */ (this.unused.pop());
    this.base[blossom] = base;
    this.parent[blossom] = NONE;
    this.parent[bottom] = blossom;
    const path = /** @type {number[]} */ ([]);
    const ends = /** @type {number[]} */ ([]);
    for (let one = this.inside[this.edges[edge][0]]; one !== bottom; one = this.inside[this.end[this.labelEnd[one]]]) {
      this.parent[one] = blossom;
      path.push(one);
      ends.push(this.labelEnd[one]);
    }
    path.push(bottom);
    path.reverse();
    ends.reverse();
    ends.push(2 * edge);
    for (let one = this.inside[this.edges[edge][1]]; one !== bottom; one = this.inside[this.end[this.labelEnd[one]]]) {
      this.parent[one] = blossom;
      path.push(one);
      ends.push(this.labelEnd[one] ^ 1);
    }
    this.children[blossom] = path;
    this.ends[blossom] = ends;
    this.label[blossom] = S;
    this.labelEnd[blossom] = this.labelEnd[bottom];
    this.dual[blossom] = this.zero;
    for (const vertex of this.leaves(blossom)) {
      if (this.label[this.inside[vertex]] === T) this.queue.push(vertex);
      this.inside[vertex] = blossom;
    }
    this.collect(blossom, path);
  }

  // The edge of least slack from a new blossom to every other S-blossom.
  collect(blossom, path) {
    const bestTo = /** @type {Map<number, number>} */ (new Map());
    for (const child of path) {
      const lists = this.bestOf[child] ? [this.bestOf[child]] : this.edgesOf(child);
      for (const edge of lists.flat()) {
        const [one, other] = this.edges[/** @type {number} */ (edge)];
        const outer = this.inside[this.inside[other] === blossom ? one : other];
        if (outer === blossom || this.label[outer] !== S) continue;
        const known = bestTo.get(outer);
        if (known === undefined || this.slack(edge) < this.slack(known)) {
          bestTo.set(outer, /** @type {number} */ (edge));
        }
      }
      this.bestOf[child] = null;
      this.best[child] = NONE;
    }
    this.bestOf[blossom] = [...bestTo.values()];
    this.best[blossom] = NONE;
    for (const edge of bestTo.values()) this.better(blossom, edge);
  }

  edgesOf(blossom) {
    return Array.from(this.leaves(blossom), (vertex) => this.near[vertex].map((end) => end >> 1));
  }

  better(index, edge) {
    if (this.best[index] === NONE || this.slack(edge) < this.slack(this.best[index])) this.best[index] = edge;
  }

  expand(blossom, isEnd) {
    const children = /** @type {number[]} */ (this.children[blossom]);
    for (const child of children) {
      this.parent[child] = NONE;
      if (child < this.size) this.inside[child] = child;
      else if (isEnd && this.dual[child] === this.zero) this.expand(child, isEnd);
      else for (const vertex of this.leaves(child)) this.inside[vertex] = child;
    }
    if (!isEnd && this.label[blossom] === T) this.relabel(blossom, children);
    this.label[blossom] = this.labelEnd[blossom] = NONE;
    this.children[blossom] = this.ends[blossom] = null;
    this.base[blossom] = NONE;
    this.bestOf[blossom] = null;
    this.best[blossom] = NONE;
    this.unused.push(blossom);
  }

  // Give new labels to the children of a T-blossom that is expanded in mid-stage.
  relabel(blossom, children) {
    const ends = /** @type {number[]} */ (this.ends[blossom]);
    const entry = this.inside[this.end[this.labelEnd[blossom] ^ 1]];
    let at = children.indexOf(entry);
    const [step, turned] = at & 1 ? [1, 0] : [-1, 1];
    if (at & 1) at -= children.length;
    let end = this.labelEnd[blossom];
    while (at !== 0) {
      this.label[this.end[end ^ 1]] = FREE;
      const other = /** @type {number} */ (ends.at(at - turned));
      this.label[this.end[other ^ turned ^ 1]] = FREE;
      this.assign(this.end[end ^ 1], T, end);
      this.tight[other >> 1] = 1;
      at += step;
      end = /** @type {number} */ (ends.at(at - turned)) ^ turned;
      this.tight[end >> 1] = 1;
      at += step;
    }
    const first = /** @type {number} */ (children.at(at));
    this.label[this.end[end ^ 1]] = this.label[first] = T;
    this.labelEnd[this.end[end ^ 1]] = this.labelEnd[first] = end;
    this.best[first] = NONE;
    for (at += step; children.at(at) !== entry; at += step) {
      const child = /** @type {number} */ (children.at(at));
      if (this.label[child] === S) continue;
      const reached = [...this.leaves(child)].find((vertex) => this.label[vertex] !== FREE);
      if (reached === undefined) continue;
      this.label[reached] = FREE;
      this.label[this.end[this.mate[this.base[child]]]] = FREE;
      this.assign(reached, T, this.labelEnd[reached]);
    }
  }

  // Swap matched and unmatched edges of a blossom between `vertex` and its base.
  rotate(blossom, vertex) {
    const children = /** @type {number[]} */ (this.children[blossom]);
    const ends = /** @type {number[]} */ (this.ends[blossom]);
    let child = vertex;
    while (this.parent[child] !== blossom) child = this.parent[child];
    if (child >= this.size) this.rotate(child, vertex);
    const start = children.indexOf(child);
    let at = start;
    const [step, turned] = start & 1 ? [1, 0] : [-1, 1];
    if (start & 1) at -= children.length;
    while (at !== 0) {
      at += step;
      const end = /** @type {number} */ (ends.at(at - turned)) ^ turned;
      const one = /** @type {number} */ (children.at(at));
      if (one >= this.size) this.rotate(one, this.end[end]);
      at += step;
      const other = /** @type {number} */ (children.at(at));
      if (other >= this.size) this.rotate(other, this.end[end ^ 1]);
      this.mate[this.end[end]] = end ^ 1;
      this.mate[this.end[end ^ 1]] = end;
    }
    this.children[blossom] = [...children.slice(start), ...children.slice(0, start)];
    this.ends[blossom] = [...ends.slice(start), ...ends.slice(0, start)];
    this.base[blossom] = this.base[/** @type {number[]} */ (this.children[blossom])[0]];
  }

  augment(edge) {
    for (const [from, through] of [
      [this.edges[edge][0], 2 * edge + 1],
      [this.edges[edge][1], 2 * edge],
    ]) {
      let [vertex, end] = [from, through];
      for (;;) {
        const outer = this.inside[vertex];
        if (outer >= this.size) this.rotate(outer, vertex);
        this.mate[vertex] = end;
        if (this.labelEnd[outer] === NONE) break;
        const inner = this.inside[this.end[this.labelEnd[outer]]];
        const labelled = this.labelEnd[inner];
        const reached = this.end[labelled ^ 1];
        if (inner >= this.size) this.rotate(inner, reached);
        this.mate[reached] = labelled;
        vertex = this.end[labelled];
        end = labelled ^ 1;
      }
    }
  }

  // Scan the queue of S-vertices. Returns whether the matching has grown.
  grow() {
    while (this.queue.length) {
      const vertex = /** @type {number} */ (this.queue.pop());
      for (const end of this.near[vertex]) {
        if (this.follow(vertex, end)) return true;
      }
    }
    return false;
  }

  follow(vertex, end) {
    const edge = end >> 1;
    const other = this.end[end];
    const [mine, theirs] = [this.inside[vertex], this.inside[other]];
    if (mine === theirs) return false;
    if (!this.tight[edge] && this.slack(edge) <= this.zero) this.tight[edge] = 1;
    if (!this.tight[edge]) {
      if (this.label[theirs] === S) this.better(mine, edge);
      else if (this.label[other] === FREE) this.better(other, edge);
    } else if (this.label[theirs] === FREE) {
      this.assign(other, T, end ^ 1);
    } else if (this.label[theirs] === S) {
      const base = this.scan(vertex, other);
      if (base === NONE) {
        this.augment(edge);
        return true;
      }
      this.shrink(base, edge);
    } else if (this.label[other] === FREE) {
      this.label[other] = T;
      this.labelEnd[other] = end ^ 1;
    }
    return false;
  }

  // Change the dual variables so that an edge becomes tight or a blossom can be expanded; `false` if nothing can.
  change() {
    let delta = /** @type {any} */ (null);
    let act = () => {};
    const least = (value, action) => {
      if (delta !== null && value >= delta) return;
      delta = value;
      act = action;
    };
    for (let vertex = 0; vertex < this.size; vertex++) {
      const edge = this.best[vertex];
      if (edge === NONE || this.label[this.inside[vertex]] !== FREE) continue;
      least(this.slack(edge), () => this.open(edge));
    }
    for (let blossom = 0; blossom < 2 * this.size; blossom++) {
      if (this.parent[blossom] !== NONE) continue;
      const edge = this.best[blossom];
      if (this.label[blossom] === S && edge !== NONE) least(this.slack(edge) / this.two, () => this.open(edge));
      if (blossom >= this.size && this.base[blossom] !== NONE && this.label[blossom] === T) {
        least(this.dual[blossom], () => this.expand(blossom, false));
      }
    }
    if (delta === null) return false;
    for (let number = 0; number < 2 * this.size; number++) {
      const vertex = number < this.size;
      if (!vertex && (this.base[number] === NONE || this.parent[number] !== NONE)) continue;
      const label = this.label[vertex ? this.inside[number] : number];
      if (label !== FREE) this.dual[number] += (label === S) === vertex ? -delta : delta;
      if (!this.exact && Math.abs(this.dual[number]) > Number.MAX_SAFE_INTEGER / 8) throw new TooLarge();
    }
    act();
    return true;
  }

  open(edge) {
    this.tight[edge] = 1;
    const [one, other] = this.edges[edge];
    this.queue.push(this.label[this.inside[one]] === S ? one : other);
  }

  stage() {
    this.label.fill(FREE);
    this.best.fill(NONE);
    this.bestOf.fill(null);
    this.tight.fill(0);
    this.queue = [];
    for (let vertex = 0; vertex < this.size; vertex++) {
      if (this.mate[vertex] === NONE && this.label[this.inside[vertex]] === FREE) this.assign(vertex, S, NONE);
    }
    while (!this.grow()) if (!this.change()) return false;
    for (let blossom = this.size; blossom < 2 * this.size; blossom++) {
      const isOuter = this.parent[blossom] === NONE && this.base[blossom] !== NONE;
      if (isOuter && this.label[blossom] === S && this.dual[blossom] === this.zero) this.expand(blossom, true);
    }
    return true;
  }
}

// A perfect matching of greatest weight, as pairs of vertices. Edges are [one, other, weight] with integer weights of 0
// or more, all numbers or all BigInts. Throws a RangeError if there is no perfect matching.
export function perfectMatching(size, edges) {
  try {
    return matched(size, edges);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const exact = edges.map(([one, other, weight]) => [one, other, BigInt(weight)]);
    return matched(size, exact);
  }
}

function matched(size, edges) {
  const run = new Run(size, edges);
  for (let stages = 0; 2 * stages < size; stages++) {
    if (!run.stage()) throw new RangeError("There is no perfect matching.");
  }
  return run.mate.flatMap((end, vertex) => (run.end[end] > vertex ? [[vertex, run.end[end]]] : []));
}
