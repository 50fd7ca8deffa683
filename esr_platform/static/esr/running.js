// <running-table>: the table of a running game as the public sees it, one round late. Each event of the stream brings
// the moment to draw and the number of spectators; what is in words is then requested as one small part of the page.
// While no events come, both are requested every few seconds. When the game is over, its replay takes the place of the
// table.

import { find } from "./elements.js";
import { refresh } from "./live.js";
import { boardAt } from "./replay/board.js";
import { Stream } from "./table/stream.js";
import { sayCount } from "./words.js";

/** Parts of the page in words, and how often they are requested while no events come, in milliseconds. */
const WORDS = ["running-for", "so-far"];
const BLIND_MS = 3_000;

/** Spectators do not all send their requests at the same moment. */
const SPREAD_MS = 1_500;

class RunningTable extends HTMLElement {
  connectedCallback() {
    if (this.board) return;
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.stream?.stop();
    clearTimeout(this.asking);
    clearInterval(this.looking);
  }

  async begin() {
    const table = JSON.parse(find(this, 'script[type="application/json"]').textContent);
    this.board = await boardAt(this.dataset.board);
    const root = find(this, "[data-board-place]");
    this.drawing = this.board.mount(root, table);
    if (this.drawing.side) find(this, "[data-side]").append(this.drawing.side);
    else find(this, ".replay-table").classList.add("whole");
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.draw(this.scene());
    this.listen();
  }

  // --- events ------------------------------------------------------------------------------------------------------

  listen() {
    this.blind = true;
    const listener = {
      heard: (event) => this.heard(event),
      there: () => (this.blind = false),
      lost: () => (this.blind = true),
      over: () => (this.blind = true), // who may not hear events may still see the page
    };
    this.stream = new Stream(this.dataset.stream ?? "", listener);
    this.stream.start();
    this.looking = setInterval(() => this.blind && this.look(), BLIND_MS);
    document.addEventListener("visibilitychange", () => this.round && this.read(this.round));
  }

  heard({ type, data }) {
    if (type === "round") this.begins(data);
    else if (type === "viewers") this.count(data.viewers);
    else if (type === "game_end") this.end();
  }

  /** Draw what the public sees now, without anything that only one seat knows. */
  begins({ round, view, log, log_from: from }) {
    this.draw({
      view,
      yous: view.players.map(() => null),
      seat: null,
      ply: log.at(-1)?.ply ?? this.shown?.ply ?? 0,
      entries: [],
      from,
    });
    this.round = round;
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.read(round), Math.random() * SPREAD_MS);
  }

  /** What is in words, up to a round; a hidden page waits until it is visible. */
  read(round) {
    if (document.hidden) return;
    this.round = null;
    refresh(`${this.dataset.rounds}${round}/`, WORDS).catch(() => {});
  }

  /** The newest round, moment and words. */
  async look() {
    if (document.hidden) return;
    await refresh(this.dataset.rounds ?? "", ["moment", ...WORDS]).catch(() => {});
    this.draw(this.scene());
  }

  /** Put the page of the game that is over in place of this one. */
  end() {
    clearTimeout(this.asking);
    clearInterval(this.looking);
    const whole = { source: "main", target: "#match", select: "#match", swap: "outerHTML" };
    setTimeout(() => htmx.ajax("GET", location.href, whole).catch(() => location.reload()), Math.random() * SPREAD_MS);
  }

  count(viewers) {
    const place = document.querySelector("#match [data-viewers]");
    if (place) place.textContent = sayCount("%(count)s watching", "%(count)s watching", viewers);
  }

  // --- the page ----------------------------------------------------------------------------------------------------

  /** The moment that the page has; null while nothing is shown of the game. */
  scene() {
    const script = document.querySelector('#moment script[type="application/json"]');
    return script ? JSON.parse(script.textContent) : null;
  }

  draw(scene) {
    if (!scene || (this.shown && scene.ply < this.shown.ply)) return; // events are ahead of the page
    this.classList.add("begun");
    this.shown = scene;
    this.drawing.draw({ ...scene, standing: this.board.remember?.(null, { ...scene, standing: null }) ?? null });
    this.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  /** The sentences are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
  }
}

customElements.define("running-table", RunningTable);
