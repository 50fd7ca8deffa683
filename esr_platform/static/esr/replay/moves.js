// A game in sentences: those around the moment that is shown, and all of them as the text view.

import { around, find, html } from "../elements.js";

/** Pixels of a row and of each further line, and about how wide a letter and what is not text are. */
const ROW = 25;
const LINE = 20;
const LETTER = 6.7;
const BESIDE = 62;

/** The sentences around the moment that is shown, as many as there is room for; each leads to its step. */
export class Moves {
  /**
   * @param {HTMLElement} root an empty list
   * @param {import("./player.js").Player} player
   */
  constructor(root, player) {
    this.root = root;
    this.player = player;
    this.all = player.game.told.flatMap((_, ply) =>
      player.game.sentences(ply).map((text, place) => ({ ply, text, place })),
    );
    this.rows = [];
    new ResizeObserver(() => this.resize()).observe(root);
    root.addEventListener("click", (event) => this.clicked(event));
  }

  clicked(event) {
    const link = around(event, "a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.player.pause();
    this.player.go(Number(link.dataset.ply), 0);
  }

  resize() {
    const wanted = Math.max(1, Math.floor(this.root.clientHeight / ROW));
    if (wanted === this.rows.length) return;
    this.rows = Array.from({ length: wanted }, () => {
      const number = html("span");
      const text = html("span");
      const link = html("a", {}, number, text);
      return { item: html("li", {}, link), link, number, text };
    });
    this.root.replaceChildren(...this.rows.map((row) => row.item));
    this.changed();
  }

  changed() {
    this.list(this.player.ply);
  }

  show({ scene }) {
    this.list(scene.ply);
  }

  list(ply) {
    const end = this.all.findLastIndex((one) => one.ply <= ply);
    const now = this.all[end]?.ply ?? 0;
    const here = this.all.findIndex((one) => one.ply === now);
    const known = this.player.hiding ? end + 1 : this.all.length;
    const first = this.first(here, known);
    this.rows.forEach((row, place) => this.write(row, first + place < known ? this.all[first + place] : null, now));
  }

  /** Where the list begins: a third of its room goes to what was before, or more where less is to come. */
  first(here, known) {
    const { clientHeight, clientWidth } = this.root;
    const letters = Math.max(1, (clientWidth - BESIDE) / LETTER);
    const height = (place) => ROW + LINE * (Math.ceil(this.all[place].text.length / letters) - 1);
    let ahead = 0;
    for (let place = here; place < known && ahead < clientHeight; place++) ahead += height(place);
    let room = Math.max(clientHeight / 3, clientHeight - ahead - LINE / 2);
    let first = here;
    while (first > 0 && height(first - 1) <= room) room -= height(--first);
    return Math.max(0, first);
  }

  write({ item, link, number, text }, one, now) {
    item.hidden = !one;
    if (!one) return;
    number.textContent = one.place ? "" : String(one.ply);
    if (text.textContent !== one.text) text.textContent = one.text;
    link.href = `#${one.ply}`;
    link.dataset.ply = String(one.ply);
    item.className = one.ply > now ? "ahead" : "";
    if (one.ply === now) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
}

/** The text view: its sentences are in the page, and this only leads to them and back. */
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
