// The chart that is also the slider: what every seat had over the steps, marks where money moved, combs for offers.

import { find, svg } from "../elements.js";
import { say } from "../words.js";
import { marksOf } from "./board.js";

/** Pixels for the names of phases above, and for combs and the number of the step below; a low chart is a bar. */
const ROOM = { top: 20, below: 26 };
const LOW = { top: 2, below: 17, height: 70 };
const TAG = { width: 38, height: 15 };
const RIGHT = 62;
const MARK = 14;
let charts = 0;

/**
 * @typedef {Object} Figures
 * @property {string} name of the chart
 * @property {string} unit
 * @property {number[][]} lines by seat, a value a step; none where the board has no figures
 * @property {{ply: number, seat: number}[]} dots
 * @property {number[]} offers
 * @property {{ply: number, text: string}[]} phases
 * @property {{ply: number, text: string}[]} rounds
 * @property {number} last
 */

/**
 * What the chart draws, read off every scene once.
 * @param {import("./player.js").Player} player
 * @returns {Figures}
 */
export function figuresOf({ game, board }) {
  /** @type {Figures} */
  const found = {
    name: board.chartName ?? "",
    unit: board.unit ?? "",
    last: game.last,
    lines: [],
    dots: [],
    offers: [],
    phases: [],
    rounds: [],
  };
  if (board.series) found.lines = Array.from({ length: game.seats }, () => []);
  let before = { phase: "", round: "" };
  for (let ply = 0; ply <= game.last; ply++) {
    const scene = game.scene(ply, null, board.remember);
    const marks = marksOf(board, scene);
    board.series?.(scene).forEach((value, seat) => found.lines[seat].push(value));
    for (const seat of marks.money) found.dots.push({ ply, seat });
    if (marks.offer) found.offers.push(ply);
    if (marks.phase && marks.phase !== before.phase) found.phases.push({ ply, text: marks.phase });
    if (marks.round && (marks.round !== before.round || marks.phase !== before.phase))
      found.rounds.push({ ply, text: marks.round });
    before = marks;
  }
  return found;
}

/** @type {(most: number) => number[]} where the grid has lines */
function grid(most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((one) => most / one <= 3) ?? 1000;
  return Array.from({ length: Math.floor(most / step) }, (_, place) => (place + 1) * step);
}

/** The drawing, in pixels of its place. It is drawn again when that changes; a step only moves the cursor. */
class Chart {
  /** @type {number} */
  left;

  /** @type {number} */
  right;

  /** @type {number} */
  top;

  /** @type {number} */
  bottom;

  /** @type {number} */
  below;

  /** @type {boolean} */
  low;

  /** @type {number} */
  most;

  /** @type {SVGElement} */
  past;

  /** @type {SVGElement} */
  future;

  /** @type {SVGElement} */
  ahead;

  /** @type {SVGElement} */
  cursor;

  /** @type {SVGElement} */
  ends;

  /** @type {SVGElement} */
  tag;

  /** @type {SVGElement} */
  label;

  /** @type {SVGElement[]} */
  bands;

  /**
   * @param {Figures} figures
   * @param {string} sprite the address of the marks of the seats
   */
  constructor(figures, sprite) {
    this.figures = figures;
    this.sprite = sprite;
    this.id = `chart-${++charts}`;
    this.width = 0;
    this.shown = -1;
    this.drawing = svg("svg", { class: "chart", "aria-hidden": "true" });
  }

  x(ply) {
    return this.left + (ply / Math.max(this.figures.last, 1)) * (this.right - this.left);
  }

  y(value) {
    return this.bottom - (value / this.most) * (this.bottom - this.top - 4);
  }

  plyAt(x) {
    return Math.round(((x - this.left) / (this.right - this.left)) * this.figures.last);
  }

  /** @type {(width: number, height: number) => void} */
  draw(width, height) {
    if (!width || !height) return;
    const { lines } = this.figures;
    this.width = width;
    this.left = lines.length && width > 600 ? 35 : 8;
    this.right = width - (lines.length ? (width > 600 ? RIGHT : 30) : 8);
    this.low = height < LOW.height;
    const { top, below } = this.low ? LOW : ROOM;
    this.top = top;
    this.below = below;
    this.bottom = height - below;
    this.most = Math.max(1, ...lines.map((line) => Math.max(...line))) * 1.05;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("width", String(width));
    this.drawing.setAttribute("height", String(height));
    this.past = svg("rect", { x: 0, y: 0, width: 0, height });
    this.future = svg("rect", { x: 0, y: 0, width: 0, height });
    this.ahead = svg("g", { class: "ahead", "clip-path": `url(#${this.id}-future)` }, ...this.ink());
    this.cursor = this.pointer();
    this.ends = svg("g", { class: "ends" });
    this.drawing.replaceChildren(
      svg("clipPath", { id: `${this.id}-past` }, this.past),
      svg("clipPath", { id: `${this.id}-future` }, this.future),
      ...this.ground(),
      this.ahead,
      svg("g", { "clip-path": `url(#${this.id}-past)` }, ...this.ink()),
      this.ends,
      this.cursor,
    );
    this.label = find(this.cursor, "text", SVGTextElement);
    this.shown = -1;
  }

  /** What lies below the lines: phases, rounds, the grid. */
  ground() {
    const { phases, rounds, last } = this.figures;
    /** @type {SVGElement[]} */
    const parts = [
      svg("rect", {
        class: "sheet",
        x: this.left,
        y: this.top,
        width: this.right - this.left,
        height: this.bottom - this.top,
      }),
    ];
    this.bands = phases.map(({ ply }, place) => {
      const end = phases[place + 1]?.ply ?? last;
      return svg("rect", {
        class: "band",
        x: this.x(ply),
        y: this.top,
        width: Math.max(0, this.x(end) - this.x(ply)),
        height: this.bottom - this.top,
      });
    });
    parts.push(...this.bands);
    if (this.figures.lines.length) {
      for (const value of grid(this.most)) {
        parts.push(svg("line", { class: "grid", x1: this.left, x2: this.right, y1: this.y(value), y2: this.y(value) }));
        if (this.left > 20 && !this.low)
          parts.push(svg("text", { class: "scale", x: this.left - 5, y: this.y(value) + 4 }, String(value)));
      }
    }
    parts.push(...this.rules(rounds, phases.length ? "round" : "phase"), ...this.rules(phases, "phase"));
    parts.push(svg("line", { class: "axis", x1: this.left, x2: this.right, y1: this.bottom, y2: this.bottom }));
    return parts;
  }

  /** Upright lines where something begins, each with its name where there is room for it. */
  rules(starts, kind) {
    let free = -1;
    return starts.flatMap(({ ply, text }) => {
      const x = this.x(ply);
      const line = ply ? [svg("line", { class: `${kind}-line`, x1: x, x2: x, y1: this.top, y2: this.bottom })] : [];
      const needed = kind === "phase" ? 7 * text.length : 7 * text.length + 8;
      if (this.low || x + 5 < free || x + needed > this.right) return line;
      free = x + needed + 6;
      return [...line, svg("text", { class: kind, x: x + 5, y: kind === "phase" ? 13 : this.bottom - 5 }, text)];
    });
  }

  /** Lines, dots and combs; there are two of each, one before the cursor and a pale one behind it. */
  ink() {
    const { lines, dots, offers } = this.figures;
    const path = (line) =>
      `${line.map((value, ply) => this.turn(line, value, ply)).join("")}H${this.x(lines[0].length - 1).toFixed(1)}`;
    const combs = offers.map((ply) => `M${this.x(ply).toFixed(1)} ${this.bottom + 2}v7`).join("");
    return [
      ...lines.map((line, seat) => svg("path", { class: `line seat-${seat + 1}`, d: path(line) })),
      ...dots
        .filter(({ seat }) => lines[seat])
        .map(({ ply, seat }) =>
          svg("circle", { class: `dot seat-${seat + 1}`, cx: this.x(ply), cy: this.y(lines[seat][ply]), r: 2.8 }),
        ),
      svg("path", { class: "comb", d: combs }),
    ];
  }

  /** The piece of a line at a step: nothing where it goes on as before. */
  turn(line, value, ply) {
    if (!ply) return `M${this.x(0).toFixed(1)} ${this.y(value).toFixed(1)}`;
    return value === line[ply - 1] ? "" : `H${this.x(ply).toFixed(1)}V${this.y(value).toFixed(1)}`;
  }

  /** A line with the number of the step below it, where it covers neither the names above nor the comb. */
  pointer() {
    const top = this.bottom + this.below - TAG.height;
    this.tag = svg(
      "g",
      {},
      svg("rect", { x: -TAG.width / 2, y: top, ...TAG, rx: 2 }),
      svg("text", { x: 0, y: top + 12 }, ""),
    );
    return svg("g", { class: "cursor" }, svg("line", { x1: 0, x2: 0, y1: this.top - 2, y2: top }), this.tag);
  }

  /** @type {(ply: number, hiding: boolean) => void} */
  move(ply, hiding) {
    if (!this.width) return;
    const x = this.x(ply);
    this.past.setAttribute("width", String(Math.max(0, x + 3)));
    this.future.setAttribute("x", String(x + 3));
    this.future.setAttribute("width", String(Math.max(0, this.width - x)));
    this.ahead.style.setProperty("display", hiding ? "none" : "");
    this.cursor.setAttribute("transform", `translate(${x} 0)`);
    const inside = Math.min(Math.max(x, TAG.width / 2), this.width - TAG.width / 2);
    this.tag.setAttribute("transform", `translate(${inside - x} 0)`);
    this.label.textContent = `#${ply}`;
    this.mark(ply);
    this.name(hiding ? ply : this.figures.last);
  }

  /** The phase that one is in. */
  mark(ply) {
    const { phases } = this.figures;
    const here = phases.findLastIndex((phase) => phase.ply <= ply);
    this.bands.forEach((band, place) => band.classList.toggle("now", place === here));
  }

  /** The seats at the right with what they have after `ply`, the most at the top, none over another. */
  name(ply) {
    const { lines } = this.figures;
    if (ply === this.shown || !lines.length || this.low) return;
    this.shown = ply;
    const order = lines.map((line, seat) => ({ seat, value: line[ply], y: this.y(line[ply]) }));
    order.sort((one, other) => other.value - one.value || one.seat - other.seat);
    let free = this.top - 8;
    for (const one of order) {
      one.y = Math.max(one.y - MARK / 2, free);
      free = one.y + MARK + 1;
    }
    const over = Math.max(0, free - this.bottom - 8);
    this.ends.replaceChildren(...order.map(({ seat, value, y }) => this.end(seat, value, y - over)));
  }

  end(seat, value, y) {
    const use = svg("use", { href: `${this.sprite}#mark-${seat + 1}`, width: MARK, height: MARK });
    const text = svg("text", { x: MARK + 5, y: MARK - 3 }, String(value));
    return svg(
      "g",
      { transform: `translate(${this.right + 6} ${y})` },
      use,
      this.right < this.width - 40 ? text : null,
    );
  }
}

export class Scrubber {
  /**
   * @param {HTMLElement} root
   * @param {import("./player.js").Player} player
   * @param {Figures} figures
   * @param {string} sprite
   */
  constructor(root, player, figures, sprite) {
    this.root = root;
    this.player = player;
    this.chart = new Chart(figures, sprite);
    root.append(this.chart.drawing);
    root.setAttribute("role", "slider");
    root.setAttribute("tabindex", "0");
    root.setAttribute("aria-valuemin", "0");
    root.setAttribute("aria-valuemax", String(player.game.last));
    root.setAttribute("aria-label", figures.name || say("Step"));
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointermove", (event) => this.drag(event));
    new ResizeObserver(() => this.resize()).observe(root);
  }

  press(event) {
    if (event.button !== 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.player.scrub(this.at(event));
  }

  drag(event) {
    if (this.root.hasPointerCapture(event.pointerId)) this.player.scrub(this.at(event));
  }

  at(event) {
    return this.chart.plyAt(event.clientX - this.root.getBoundingClientRect().left);
  }

  resize() {
    this.chart.draw(this.root.clientWidth, this.root.clientHeight);
    this.changed();
  }

  changed() {
    this.chart.move(this.player.ply, this.player.hiding);
  }

  show({ scene }) {
    this.chart.move(scene.ply, this.player.hiding);
    this.root.setAttribute("aria-valuenow", String(scene.ply));
    this.root.setAttribute("aria-valuetext", this.spoken(scene.ply));
  }

  spoken(ply) {
    const said = this.player.game.sentences(ply).join(" ");
    return said || say("Step %(step)s: secret choice", { step: ply });
  }
}
