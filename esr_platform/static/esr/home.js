// <best-table>: the live table that the home page follows, one round late. live.js requests its moments; when the page
// follows another game or none, the section around it is requested as well, with another table in it.

import { find } from "./elements.js";
import { boardAt } from "./replay/board.js";

class BestTable extends HTMLElement {
  /** @type {AbortController|null} ends what listens outside this element */
  away;

  /** @type {Object<string, *>} the module of the board */
  board;

  /** @type {Object<string, *>} what `mount` of the board returned */
  drawing;

  connectedCallback() {
    if (this.away) return;
    this.away = new AbortController();
    const drawn = ({ target }) => target.id === this.dataset.moment && this.draw();
    document.addEventListener("htmx:oobAfterSwap", drawn, { signal: this.away.signal });
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.away?.abort();
  }

  async begin() {
    const table = JSON.parse(find(this, 'script[type="application/json"]').textContent);
    this.board = await boardAt(this.dataset.board);
    const root = find(this, "[data-board-place]");
    this.drawing = this.board.mount(root, table);
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.draw();
  }

  draw() {
    const script = document.querySelector(`#${this.dataset.moment} script[type="application/json"]`);
    if (!script) return void this.renew();
    if (!this.drawing) return;
    const { match, ...scene } = JSON.parse(script.textContent);
    if (match !== Number(this.dataset.match)) return void this.renew();
    this.drawing.draw({ ...scene, standing: this.board.remember?.(null, { ...scene, standing: null }) ?? null });
    const place = this.board.place?.(scene)?.text;
    if (place) find(document, "[data-best-place]").textContent = `${place} ·`;
    this.classList.add("begun");
  }

  /** Let the section be requested, once. */
  renew() {
    this.away?.abort();
    this.closest("section")?.setAttribute("data-live", "");
  }

  /** The names and the link are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
  }
}

customElements.define("best-table", BestTable);
