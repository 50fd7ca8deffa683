// <running-table>: the table of a running game as everybody may see it, a round behind. Events bring another moment and
// how many look on; what stands in words is then fetched anew. While no events come the page brings both once in a while.
// When the game is over its replay takes this page's place.

import { sayCount } from "./words.js";
import { boardAt } from "./replay/board.js";
import { turnInto } from "./sitting/end.js";
import { Stream } from "./sitting/stream.js";

/** Parts of the page that are fetched anew, and how often while events come, in milliseconds. */
const PARTS = "[data-live]";
const SELDOM_MS = "60000";
const OFTEN_MS = "";

/** Those who look on do not all ask in one moment. */
const SPREAD_MS = 1_500;

class RunningTable extends HTMLElement {
  connectedCallback() {
    if (this.watching) return;
    this.moment = document.getElementById(this.dataset.moment);
    this.watching = new MutationObserver(() => this.follow());
    this.watching.observe(this.moment, { childList: true, attributes: true, attributeFilter: ["data-live"] });
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.watching?.disconnect();
    this.stream?.stop();
    clearTimeout(this.asking);
  }

  async begin() {
    const table = JSON.parse(this.querySelector('script[type="application/json"]').textContent);
    this.board = await boardAt(this.dataset.board);
    const root = this.querySelector("[data-board-place]");
    this.drawing = this.board.mount(root, table);
    if (this.drawing.side) this.querySelector("[data-side]").append(this.drawing.side);
    else this.querySelector(".replay-table").classList.add("whole");
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.draw(this.scene());
    if (this.dataset.stream) this.listen();
  }

  // --- events ------------------------------------------------------------------------------------------------------

  listen() {
    const listener = {
      heard: (event) => this.heard(event),
      there: () => this.often(SELDOM_MS),
      lost: () => this.often(OFTEN_MS),
      over: () => this.often(OFTEN_MS), // who may not hear events still may see the page
    };
    this.stream = new Stream(this.dataset.stream, listener);
    this.stream.start();
  }

  /** How often the parts of the page ask for themselves. */
  often(milliseconds) {
    for (const part of document.querySelectorAll(`#match ${PARTS}`)) part.dataset.live = milliseconds;
  }

  heard({ type, data }) {
    if (type === "round") this.round(data);
    else if (type === "viewers") this.count(data.viewers);
    else if (type === "game_end") this.end().catch((error) => this.fail(error));
  }

  /** What everybody may see now, and nothing that one seat alone knows. */
  round({ view, log, log_from: from }) {
    this.draw({ view, yous: view.players.map(() => null), seat: null, ply: log.at(-1)?.ply ?? this.shown?.ply ?? 0, entries: [], from });
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.renew().catch(() => {}), Math.random() * SPREAD_MS);
  }

  /** What stands in words, fetched anew. */
  async renew() {
    const response = await fetch(location.pathname, { headers: { accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of document.querySelectorAll(`#match ${PARTS}[id]`)) {
      const fresh = page.getElementById(part.id);
      const selection = document.getSelection();
      if (part === this.moment || !fresh || (!selection.isCollapsed && part.contains(selection.anchorNode))) continue;
      part.replaceChildren(...fresh.childNodes);
    }
  }

  count(viewers) {
    const place = document.querySelector("#match [data-viewers]");
    if (place) place.textContent = sayCount("%(count)s spectator", "%(count)s spectators", viewers);
  }

  // --- the page ----------------------------------------------------------------------------------------------------

  /** The moment that the page holds; null while nothing is shown of the game. */
  scene() {
    const script = this.moment.querySelector('script[type="application/json"]');
    return script ? JSON.parse(script.textContent) : null;
  }

  draw(scene) {
    if (scene && this.shown && scene.ply < this.shown.ply) return; // events are ahead of the page
    this.classList.toggle("begun", scene !== null);
    if (!scene) return;
    this.shown = scene;
    this.drawing.draw({ ...scene, standing: this.board.remember?.(null, { ...scene, standing: null }) ?? null });
    this.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  follow() {
    if (!this.moment.hasAttribute("data-live")) this.end().catch((error) => this.fail(error));
    else if (this.drawing) this.draw(this.scene() ?? this.shown ?? null);
  }

  /** Put the page of the game that is over where this one is. */
  async end() {
    if (this.ending) return;
    this.ending = true;
    this.watching.disconnect();
    this.stream?.stop();
    await turnInto(location.href);
  }

  /** The sentences are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
  }
}

customElements.define("running-table", RunningTable);
