// <best-table>: the live table that the first page follows, a round behind. The page brings its moments; when it follows
// another game, or none any more, the section around it is fetched anew, with another table in it.

import { boardAt } from "./replay/board.js";

class BestTable extends HTMLElement {
  connectedCallback() {
    if (this.watching) return;
    this.moment = document.getElementById(this.dataset.moment);
    this.watching = new MutationObserver(() => this.draw());
    this.watching.observe(this.moment, { childList: true, attributes: true, attributeFilter: ["data-live"] });
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.watching?.disconnect();
  }

  async begin() {
    const table = JSON.parse(this.querySelector('script[type="application/json"]').textContent);
    this.board = await boardAt(this.dataset.board);
    const root = this.querySelector("[data-board-place]");
    this.drawing = this.board.mount(root, table);
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.draw();
  }

  draw() {
    const script = this.moment.querySelector('script[type="application/json"]');
    if (!script || !this.moment.hasAttribute("data-live")) return void this.renew();
    if (!this.drawing) return;
    const { match, ...scene } = JSON.parse(script.textContent);
    if (match !== Number(this.dataset.match)) return void this.renew();
    this.drawing.draw({ ...scene, standing: this.board.remember?.(null, { ...scene, standing: null }) ?? null });
    const place = this.board.place?.(scene)?.text;
    if (place) document.querySelector("[data-best-place]").textContent = `${place} ·`;
    this.classList.add("begun");
  }

  /** Let the section be fetched, once. */
  renew() {
    this.watching.disconnect();
    this.closest("section").dataset.live = "";
  }

  /** The names and the link are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
  }
}

customElements.define("best-table", BestTable);
