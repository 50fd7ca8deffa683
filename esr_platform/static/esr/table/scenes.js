// What a seat has been shown, moment by moment, in order and none twice; and its board, which goes along.

import { Gap } from "./stream.js";

/** How long one step moves, in milliseconds. */
const STEP_MS = 420;

/** With more steps than these to come nothing is animated: whoever plays wants to see what is. */
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
   * The scenes that are new with an event.
   * @param {{log_from: number, moments: Object[], reset?: boolean}} event
   * @param {number} seat
   * @returns {Object[]}
   * @throws {Gap} where the event does not follow on what was told before
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

  /** Whether a moment without entries of its own is one that comes after the last. */
  isNext(moment, end) {
    return end === this.place && (!this.last || moment.ply > this.last.ply);
  }

  /**
   * The last scene with what this seat alone knows by now: a choice of its own may lie face down before anybody is
   * shown it.
   * @param {Object|null|undefined} you
   * @param {number} seat
   * @returns {Object[]} none where nothing is new
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

/** Shows scenes on a board: a few one after the other, many at once. */
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
