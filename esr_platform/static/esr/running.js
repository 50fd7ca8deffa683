// <running-table>: the table of a running game as everybody may see it. The page brings another moment once a round; when
// it brings none any more the game is over, and its replay takes this page's place.

import { boardAt } from "./replay/board.js";

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
  }

  async begin() {
    const table = JSON.parse(this.querySelector('script[type="application/json"]').textContent);
    this.board = await boardAt(this.dataset.board);
    const root = this.querySelector("[data-board-place]");
    this.drawing = this.board.mount(root, table);
    if (this.drawing.side) this.querySelector("[data-side]").append(this.drawing.side);
    else this.querySelector(".replay-table").classList.add("whole");
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.draw();
  }

  /** The moment that the page holds; null while nothing is shown of the game. */
  scene() {
    const script = this.moment.querySelector('script[type="application/json"]');
    return script ? JSON.parse(script.textContent) : null;
  }

  draw() {
    const scene = this.scene();
    this.classList.toggle("begun", scene !== null);
    if (!scene) return;
    this.drawing.draw({ ...scene, standing: this.board.remember?.(null, { ...scene, standing: null }) ?? null });
    this.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  follow() {
    if (!this.moment.hasAttribute("data-live")) this.end().catch((error) => this.fail(error));
    else if (this.drawing) this.draw();
  }

  /** Put the page of the game that is over where this one is. */
  async end() {
    this.watching.disconnect();
    const response = await fetch(location.pathname, { headers: { accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("match");
    document.getElementById("match").replaceWith(fresh);
  }

  /** The sentences are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
  }
}

customElements.define("running-table", RunningTable);
