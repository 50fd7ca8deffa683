// The moments of a seat, in order and without repetition, and the board that shows them.

import { Gap } from "./stream.js";

/** The duration of one animated step in milliseconds. */
const STEP_MS = 420;

/** If more steps than this are pending, the board shows the last one without animation. */
const MOST_ANIMATED = 3;

/** Folds moments to scenes. */
export class Told {
  /** @param {((memory: Object|null, scene: Object) => Object|null)|undefined} remember of a board */
  constructor(remember) {
    this.remember = remember;
    this.clear(0);
  }

  clear(place) {
    this.place = place;
    this.memory = null;
    this.last = null;
  }

  /**
   * The new scenes of an event.
   * @param {{log_from: number, moments: Object[], reset?: boolean}} event
   * @param {number} seat
   * @returns {Object[]}
   * @throws {Gap} if the event does not follow the previous one
   */
  add({ log_from: from, moments, reset }, seat) {
    if (reset || !this.last) this.clear(from);
    if (from > this.place) throw new Gap(`entries ${this.place} to ${from} are missing`);
    const scenes = [];
    let start = from;
    for (const moment of moments) {
      const end = start + moment.entries.length;
      if (end > this.place || this.isNext(moment, end)) scenes.push(this.fold(moment, start, seat));
      start = end;
    }
    return scenes;
  }

  /** Whether a moment without entries comes after the last one. */
  isNext(moment, end) {
    return end === this.place && (!this.last || moment.ply > this.last.ply);
  }

  /**
   * The last scene with the present knowledge of this seat, such as its face-down choice.
   * @param {Object|null|undefined} you
   * @param {number} seat
   * @returns {Object[]} empty if nothing is new
   */
  own(you, seat) {
    if (!you || !this.last || JSON.stringify(you) === JSON.stringify(this.last.view.you)) return [];
    const yous = this.last.yous.map((other, one) => (one === seat ? you : other));
    this.last = { ...this.last, view: { ...this.last.view, you }, yous };
    return [this.last];
  }

  fold(moment, start, seat) {
    if (start < this.place) throw new Gap(`entries from ${start} on came again in another way`);
    const bare = {
      view: moment.view,
      yous: moment.yous,
      seat,
      ply: moment.ply,
      entries: moment.entries,
      standing: this.memory,
    };
    if (this.remember) this.memory = this.remember(this.memory, bare);
    this.place = start + moment.entries.length;
    return (this.last = { ...bare, standing: this.memory });
  }
}

/** Shows scenes on a board, animated unless many are pending. */
export class Showing {
  /** @param {Object} board what `mount` of a board gave */
  constructor(board) {
    this.board = board;
    /** @type {Object[]} */
    this.queue = [];
    /** @type {Object|null} */
    this.shown = null;
    this.playing = false;
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** @type {(scenes: Object[], atOnce?: boolean) => void} */
  add(scenes, atOnce = false) {
    this.queue.push(...scenes);
    if (atOnce || this.mayNotMove()) this.jump();
    else if (!this.playing) this.play();
  }

  mayNotMove() {
    return (
      !this.shown || !this.board.move || this.queue.length > MOST_ANIMATED || document.hidden || this.reduced.matches
    );
  }

  jump() {
    const last = this.queue.at(-1);
    this.queue = [];
    if (!last) return;
    this.shown = last;
    this.board.draw(last);
  }

  async play() {
    this.playing = true;
    while (this.queue.length) {
      if (this.mayNotMove()) {
        this.jump();
        break;
      }
      const [from, to] = [this.shown, this.queue.shift()];
      this.shown = to;
      const moved = this.board.move(from, to, { milliseconds: STEP_MS });
      // A hidden tab stops animations.
      await Promise.race([moved, new Promise((done) => setTimeout(done, 2 * STEP_MS))]);
    }
    this.playing = false;
  }
}
