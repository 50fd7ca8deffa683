// <running-table>: the table of a running game as the public sees it, one round late. Each event of the stream brings
// the moment to draw and the page's text about it, or the number of spectators. While no events come, all of it is
// requested every few seconds. When the game is over, its replay takes the place of the table.

import { find } from "./elements.js";
import { place, refresh } from "./live.js";
import { boardAt } from "./replay/board.js";
import { CROWD_KEEP_ALIVE_MS, Stream } from "./table/stream.js";
import { sayCount } from "./words.js";

/** Parts of the page, and how often they are requested while no events come, in milliseconds. */
const PARTS = ["moment", "running-for", "so-far"];
const BLIND_MS = 3_000;

/** Spectators do not all request the page of the game that is over at the same moment. */
const SPREAD_MS = 1_500;

class RunningTable extends HTMLElement {
  connectedCallback() {
    if (this.board) return;
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.stream?.stop();
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
    this.stream = new Stream(this.dataset.stream ?? "", listener, CROWD_KEEP_ALIVE_MS);
    this.stream.start();
    this.looking = setInterval(() => this.blind && this.look(), BLIND_MS);
  }

  heard({ type, data }) {
    if (type === "round") this.begins(data);
    else if (type === "viewers") this.count(data.viewers);
    else if (type === "game_end") this.end();
  }

  /** Draw what the public sees now, without anything that only one seat knows, and say it in words. */
  begins({ view, log, log_from: from, parts = "" }) {
    this.draw({
      view,
      yous: view.players.map(() => null),
      seat: null,
      ply: log.at(-1)?.ply ?? this.shown?.ply ?? 0,
      entries: [],
      from,
    });
    place(parts, (round) => this.tell(round));
  }

  /** Begin the move list with a round that the page does not have yet. */
  tell(round) {
    const list = find(document, "#so-far [data-told]");
    list.querySelector("[data-note]")?.remove();
    list.prepend(round);
  }

  /** The newest round, moment and words. */
  async look() {
    if (document.hidden) return;
    await refresh(this.dataset.rounds ?? "", PARTS).catch(() => {});
    this.draw(this.scene());
  }

  /** Put the page of the game that is over in place of this one. */
  end() {
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
