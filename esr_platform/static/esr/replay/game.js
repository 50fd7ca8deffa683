// One game as a list of moments: the document of docs/reference/replay.md, opened.

/**
 * What a board draws; docs/internals/boards.md says more.
 * @typedef {Object} Scene
 * @property {Object} view the view of docs/reference/views.md, `seat` and `you` set for a perspective
 * @property {(Object|null)[]} yous by seat: what is known of its own part; null: unknown
 * @property {number|null} seat the perspective; null: everybody
 * @property {number} ply
 * @property {Object[]} entries what the log gained with this step
 * @property {Object|null} standing what the board's `remember` has kept of earlier steps
 */

export class Game {
  /**
   * @param {Object} document a `replay/1`
   * @param {string[]} names by seat
   */
  constructor(document, names) {
    this.names = names;
    this.chapters = document.chapters;
    this.entries = document.entries;
    this.turningPoint = document.turning_point;
    this.seats = document.seats;
    this.ranks = document.outcome.ranks;
    this.tables = [];
    let table = document.first;
    for (const change of document.changes) this.tables.push((table = patched(table, change)));
    this.told = document.sentences;
    this.folded = new Map();
    /** The steps to stop at: those that change what all see. A secret choice belongs to the step that reveals it. */
    this.stops = this.tables.flatMap((_, ply) => (this.isStop(ply) ? [ply] : []));
  }

  isStop(ply) {
    const open = ply === 0 || this.entries[ply].length > 0 || this.tables[ply].view !== this.tables[ply - 1].view;
    return open || ply === this.last;
  }

  /** @type {(ply: number) => number} the stop that a step belongs to: itself, or the one that reveals it */
  stopAt(ply) {
    return this.stops.find((stop) => stop >= ply) ?? this.last;
  }

  /** The last step. */
  get last() {
    return this.tables.length - 1;
  }

  /** @type {(ply: number) => string[]} the sentences of one step; none where its choice is still secret */
  sentences(ply) {
    return this.told[ply].map((text) => text.replace(/\{(\d+)\}/g, (whole, seat) => this.names[seat] ?? whole));
  }

  /** @type {(ply: number) => number} the place of the chapter in which a step stands */
  chapterAt(ply) {
    const next = this.chapters.findIndex((chapter) => chapter.ply > ply);
    return next < 0 ? this.chapters.length - 1 : Math.max(next - 1, 0);
  }

  /**
   * @param {number} ply
   * @param {number|null} seat
   * @returns {Scene} without what a board remembers
   */
  bare(ply, seat) {
    const { view, yous } = this.tables[ply];
    const entries = this.entries[ply];
    if (seat === null) return { view, yous, seat, ply, entries, standing: null };
    const own = yous.map((you, other) => (other === seat ? you : null));
    return { view: { ...view, seat, you: yous[seat] }, yous: own, seat, ply, entries, standing: null };
  }

  /**
   * @param {number} ply
   * @param {number|null} seat
   * @param {(memory: Object|null, scene: Scene) => Object|null} [remember] folds what later scenes still show
   * @returns {Scene}
   */
  scene(ply, seat, remember) {
    const scene = this.bare(ply, seat);
    return remember ? { ...scene, standing: this.memories(seat, remember)[ply] } : scene;
  }

  /** What a board remembers after each step, seen by `seat`; folded once. */
  memories(seat, remember) {
    if (!this.folded.has(seat)) {
      let memory = null;
      const kept = this.tables.map(
        (_, ply) => (memory = remember(memory, { ...this.bare(ply, seat), standing: memory })),
      );
      this.folded.set(seat, kept);
    }
    return this.folded.get(seat);
  }
}

/**
 * `old` as `change` makes it; games/replays.py writes patches. What does not change is shared, so that a drawing can
 * tell by `===` what stayed.
 * @param {*} old
 * @param {Array|Object|null} change
 * @returns {*}
 */
export function patched(old, change) {
  if (change === null) return old;
  if (Array.isArray(change)) return change[0];
  if (!Array.isArray(old)) {
    const made = { ...old };
    for (const key in change) made[key] = patched(old[key], change[key]);
    return made;
  }
  const made = "-" in change ? old.slice(0, change["-"]) : old.slice();
  for (const place in change) if (place !== "+" && place !== "-") made[place] = patched(made[place], change[place]);
  return "+" in change ? made.concat(change["+"]) : made;
}

/** @type {(address: string, names: string[]) => Promise<Game>} raises where there is no answer, or no document */
export async function fetched(address, names) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return new Game(await response.json(), names);
}
