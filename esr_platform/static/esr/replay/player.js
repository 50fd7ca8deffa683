// Where in a game one is, from whose seat, and how fast it goes on. It draws nothing: the parts that it shows to do.

/** Steps a second that can be chosen. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 30, 60];

/** Above this many steps a second nothing is animated. */
const FASTEST_ANIMATED = 4;

/** How long one step may move, in milliseconds. */
const STEP_MS = 420;

/**
 * What every part is shown: `from` is null unless the step before is to be animated from.
 * @typedef {Object} Moment
 * @property {import("./game.js").Scene} scene
 * @property {import("./game.js").Scene|null} from
 * @property {number} milliseconds for the animation; 0: none
 */

export class Player {
  /**
   * @param {import("./game.js").Game} game
   * @param {Object} board the module of the board
   */
  constructor(game, board) {
    this.game = game;
    this.board = board;
    /** @type {Object[]} */
    this.parts = [];
    this.ply = 0;
    /** @type {number|null} the perspective; null: everybody */
    this.seat = null;
    this.playing = false;
    this.hiding = false;
    this.speed = 2;
    /** @type {{ply: number}|null} */
    this.asked = null;
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** @type {(ply: number, seat?: number|null) => import("./game.js").Scene} */
  scene(ply, seat = this.seat) {
    return this.game.scene(ply, seat, this.board.remember);
  }

  /** A part has `show(moment)`, and `changed()` for whatever is not the moment: speed, playing, hiding. */
  add(part) {
    this.parts.push(part);
  }

  /**
   * Show the moment to every part.
   * @param {import("./game.js").Scene|null} [from] the scene to animate from; null: no animation
   * @param {number} [milliseconds]
   */
  show(from = null, milliseconds = 0) {
    const moment = { scene: this.scene(this.ply), from, milliseconds };
    for (const part of this.parts) part.show?.(moment);
  }

  /** Tell every part that something else than the moment has changed. */
  tell() {
    for (const part of this.parts) part.changed?.();
  }

  /**
   * Go to a step, or to the one that reveals it. The next one is animated, unless motion is not wanted; everything else
   * is there at once.
   * @param {number} ply
   * @param {number} [milliseconds] how long the step may move
   */
  go(ply, milliseconds = STEP_MS) {
    const to = this.game.stopAt(Math.max(0, Math.round(ply)));
    if (to === this.ply) return;
    const ahead = to === this.neighbor(1) && milliseconds > 0 && !this.reduced.matches;
    const from = ahead ? this.scene(to - 1) : null; // with the secret choices face down, which this step turns over
    this.ply = to;
    this.show(from, ahead ? milliseconds : 0);
  }

  /** @type {(steps: number) => number} the stop so many steps ahead, or behind */
  neighbor(steps) {
    const { stops } = this.game;
    return stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(this.ply) + steps))];
  }

  /** Go where a pointer is: the last place that was asked for before the next frame is drawn. */
  scrub(ply) {
    this.pause();
    if (!this.asked) requestAnimationFrame(() => this.arrive());
    this.asked = { ply };
  }

  arrive() {
    const ply = this.asked?.ply ?? this.ply;
    this.asked = null;
    this.go(ply, 0);
  }

  /** @type {(seat: number|null) => void} */
  look(seat) {
    if (seat !== null && !(seat >= 0 && seat < this.game.seats)) return;
    this.seat = seat;
    this.show();
    this.tell();
  }

  /** @type {(direction: 1|-1) => void} to the next chapter, or to the beginning of this one and then the one before */
  chapter(direction) {
    this.jump(
      direction,
      this.game.chapters.map(({ ply }) => ply),
    );
  }

  /** @type {(direction: 1|-1, starts: number[]) => void} to the next of `starts`, or to the one before */
  jump(direction, starts) {
    const there = direction > 0 ? starts.find((ply) => ply > this.ply) : starts.findLast((ply) => ply < this.ply);
    this.go(there ?? (direction > 0 ? this.game.last : 0), 0);
  }

  /** @type {(direction: 1|-1) => void} */
  faster(direction) {
    const place = SPEEDS.indexOf(this.speed) + direction;
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place))]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  hide(hiding) {
    this.hiding = hiding;
    this.tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  play() {
    if (this.ply === this.game.last) this.go(0, 0);
    this.playing = true;
    this.tell();
    let due = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const steps = Math.floor(((now - due) * this.speed) / 1000);
      if (steps > 0) {
        due = steps > 60 ? now : due + (steps * 1000) / this.speed;
        this.go(
          this.neighbor(Math.min(steps, 60)),
          this.speed > FASTEST_ANIMATED ? 0 : Math.min(STEP_MS, 900 / this.speed),
        );
      }
      if (this.ply === this.game.last) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}
