// One game as a list of moments: the document of docs/replays.md, opened.

import { patched } from "./patches.js";

/**
 * What a board draws; docs/boards.md says more.
 * @typedef {Object} Scene
 * @property {Object} view the view of docs/views.md, `seat` and `you` set for a perspective
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

/** @type {(address: string, names: string[]) => Promise<Game>} raises where there is no answer, or no document */
export async function fetched(address, names) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return new Game(await response.json(), names);
}
