// The moments of a seat, in order and without repetition, and the board that shows them one after the other.

import { Gap } from "./stream.js";
import { Pause } from "./times.js";

/** Movement takes no longer than this; then the board is still. */
const MOVE_MS = 420;

/** A scoring is paid in seven columns, and the result remains for the time of one more. */
const SCORING_PARTS = 8;

/** A board never shows more than this. Longer barters are shown in part, with the number of offers. */
const MOST_MS = 5_000;

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

/**
 * @typedef {Object} Beat one part of a scene, shown for its own time
 * @property {Object} scene
 * @property {string} beat "reveal", "barter", "scoring" or "step"
 * @property {number} ms how long it is shown
 * @property {boolean} offer whether an offer was made
 * @property {number} count of the offers that it shows; mostly 1
 */

/**
 * @typedef {Object} Beats the beats as the server sends them (`ladder/live/clocks.py`)
 * @property {Object<string, string>} kinds beats by decision and event
 * @property {Object<string, number>} ms by beat
 */

/**
 * The beats of new log entries. The server counts the same, so that a clock starts when all is shown.
 * @type {(entries: Object[], beats: Beats) => string[]}
 */
export function beatsOf(entries, { kinds }) {
  const found = [];
  for (const { step, event } of entries) {
    const kind = event ? kinds[event.type] : (kinds[step.decision] ?? "step");
    if (kind && !(kind === "reveal" && found.includes(kind))) found.push(kind);
  }
  return found.flatMap((kind) => (kind === "reveal" || kind === "scoring" ? [kind, "step"] : [kind]));
}

/** Of several beats in one scene, the first one of these gives its sound. */
const LOUDEST = ["scoring", "reveal", "barter"];

/** @type {(list: {ms: number}[]) => number} */
const total = (list) => list.reduce((sum, { ms }) => sum + ms, 0);

/**
 * The parts of a scene that are shown after scene `from`. The last part takes the remaining time. The last scoring of a
 * game takes its own, because no clock waits for it.
 * @param {Object|null} from
 * @param {Object} to
 * @param {{beats?: Function, marks?: Function}} board the module
 * @param {Beats} beats
 * @returns {Beat[]}
 */
export function parts(from, to, board, beats) {
  const known = from?.ply === to.ply; // only what the own seat knows has changed
  const kinds = known ? [] : beatsOf(to.entries, beats);
  const offer = !known && Boolean(board.marks?.(to).offer);
  const shown = board.beats?.(from, to) ?? [
    { scene: to, beat: LOUDEST.find((kind) => kinds.includes(kind)) ?? "step" },
  ];
  const made = shown.map((part) => ({ ...part, ms: known ? 0 : (beats.ms[part.beat] ?? 0), offer, count: 1 }));
  const last = made[made.length - 1];
  const all = kinds.reduce((sum, kind) => sum + (beats.ms[kind] ?? 0), 0);
  if (last.beat !== "scoring") last.ms = Math.max(0, all - total(made.slice(0, -1)));
  return made;
}

/**
 * Offers that follow each other, shown as the last one; the earliest first, and only as many as the time requires.
 * @type {(list: Beat[], ms?: number) => Beat[]}
 */
function joined(list, ms = 0) {
  const found = [...list];
  for (let place = 1; place < found.length && total(found) > ms; ) {
    const [before, part] = [found[place - 1], found[place]];
    if (part.offer && before.offer) found.splice(place - 1, 2, { ...part, count: before.count + part.count });
    else place += 1;
  }
  return found;
}

/**
 * Shows scenes on a board, one after the other and each for its time. If a question follows too soon, repeated offers
 * are shown as one, and then all parts are shortened.
 */
export class Showing {
  /**
   * @param {{draw: Function, move?: Function}} drawing what `mount` of a board gave
   * @param {Object} board its module
   * @param {Beats} beats
   * @param {{began: (beat: Beat) => void, done: () => void}} listener what is shown, and that nothing is left to show
   */
  constructor(drawing, board, beats, listener) {
    this.drawing = drawing;
    this.board = board;
    this.beats = beats;
    this.listener = listener;
    /** @type {Beat[]} */
    this.queue = [];
    /** @type {Object|null} the last scene that was added */
    this.last = null;
    /** @type {Object|null} */
    this.shown = null;
    this.busy = false;
    /** When the clock of the open decision starts. */
    this.until = Infinity;
    this.beatUntil = 0;
    this.pause = new Pause();
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** @type {(signal: AbortSignal) => void} on a hidden page, nothing is shown step by step */
  begin(signal) {
    document.addEventListener("visibilitychange", () => document.hidden && this.skip(), { signal });
  }

  /** @type {(scenes: Object[], atOnce?: boolean) => void} */
  add(scenes, atOnce = false) {
    for (const scene of scenes) {
      this.queue.push(...parts(this.last, scene, this.board, this.beats));
      this.last = scene;
    }
    if (!this.queue.length) return;
    if (atOnce || !this.shown || document.hidden) this.skip();
    else if (!this.busy) this.play();
  }

  /** @type {(startsInMs: number|null) => void} the clock of the open decision starts then; null: none is open */
  due(startsInMs) {
    this.until = startsInMs === null ? Infinity : performance.now() + startsInMs;
    const now = performance.now();
    const [left, all] = [this.until - now, this.leftMs];
    if (!this.busy || all <= left) return;
    this.beatUntil = now + Math.max(0, (this.beatUntil - now) * (left / all));
    this.pause.end();
  }

  /** How long there is something to show. */
  get leftMs() {
    return this.busy ? Math.max(0, this.beatUntil - performance.now()) + total(joined(this.queue)) : 0;
  }

  /** Show the last scene now. @returns {boolean} whether there was something to skip */
  skip() {
    const last = this.queue.at(-1);
    const skipped = this.busy || Boolean(last);
    this.queue = [];
    if (last) this.draw({ ...last, ms: 0 });
    this.beatUntil = 0;
    this.pause.end();
    if (last && !this.busy) this.listener.done();
    return skipped;
  }

  async play() {
    this.busy = true;
    while (this.queue.length) {
      const part = this.take();
      this.beatUntil = performance.now() + part.ms;
      this.draw(part);
      while (performance.now() < this.beatUntil) await this.pause.last(this.beatUntil - performance.now());
    }
    this.busy = false;
    this.listener.done();
  }

  /** The next part, as long as the time allows. */
  take() {
    const left = Math.max(0, Math.min(MOST_MS, this.until - performance.now()));
    this.queue = joined(this.queue, left);
    const all = total(this.queue);
    const part = /** @type {Beat} */ (this.queue.shift());
    return { ...part, ms: all > left ? (part.ms * left) / all : part.ms };
  }

  /** @param {Beat} part */
  draw(part) {
    const { scene, beat, ms } = part;
    const from = this.shown;
    this.shown = scene;
    this.listener.began(part);
    const milliseconds = beat === "scoring" ? ms / SCORING_PARTS : Math.min(ms, MOVE_MS);
    const mayMove = from && ms > 0 && !this.reduced.matches && !document.hidden;
    if (mayMove && this.drawing.move) this.drawing.move(from, scene, { milliseconds });
    else this.drawing.draw(scene);
  }
}
