// The same game as sentences: they stand in the page, and this only leads to them and back.

import { around, find } from "../elements.js";

export class Text {
  /**
   * @param {HTMLElement} page what holds the replay and the sentences
   * @param {import("./player.js").Player} player
   */
  constructor(page, player) {
    this.page = page;
    this.player = player;
    this.current = null;
    page.addEventListener("click", (event) => this.clicked(event));
  }

  get open() {
    return this.page.classList.contains("as-text");
  }

  toggle() {
    const open = this.page.classList.toggle("as-text");
    this.mark();
    const focused = find(this.page, open ? ".story h2" : "[data-scrubber]");
    focused.focus({ preventScroll: true });
    if (open) (this.current ?? focused).scrollIntoView({ block: "center" });
    else scrollTo(0, 0);
  }

  clicked(event) {
    const link = around(event, ".story [data-back]");
    if (!link) return;
    event.preventDefault();
    this.toggle();
  }

  show() {
    if (this.open) this.mark();
  }

  /** The sentence of the moment is the last one that has been said by then. */
  mark() {
    this.current?.removeAttribute("aria-current");
    this.current = null;
    for (let ply = this.player.ply; ply >= 0 && !this.current; ply--)
      this.current = document.getElementById(String(ply))?.closest("li") ?? null;
    this.current?.setAttribute("aria-current", "step");
  }
}
