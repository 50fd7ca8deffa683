// What has happened, in sentences, as far as this seat was told.

import { element } from "../elements.js";

/** So many sentences are kept on the page. */
const MOST = 120;

export class Moves {
  /**
   * @param {HTMLElement} list
   * @param {string[]} names by seat
   */
  constructor(list, names) {
    this.list = list;
    this.names = names;
  }

  clear() {
    this.list.replaceChildren();
  }

  /** @type {(moments: Object[]) => void} their `sentences`, in which `{0}` is the name of seat 0 */
  add(moments) {
    const items = moments.flatMap(({ ply, sentences }) => (sentences ?? []).map((text, place) => this.item(ply, text, place)));
    if (!items.length) return;
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.list.append(...items);
    items.at(-1).setAttribute("aria-current", "step");
    while (this.list.children.length > MOST) this.list.firstElementChild.remove();
    this.list.scrollTop = this.list.scrollHeight;
  }

  item(ply, text, place) {
    const told = text.replace(/\{(\d+)\}/g, (whole, seat) => this.names[seat] ?? whole);
    return element("li", "", element("span", "meta", place ? "" : String(ply)), element("span", "", told));
  }
}
