// Parts of the table alone, for pages that explain: <gems-part card="5YGG">, or the functions themselves.

import { element } from "../../elements.js";
import { actionCard, actionSign, cardBack, coin, eventCard, gemCard, stack } from "./cards.js";
import { COLOURS, vectorOf } from "./codes.js";
import { whyHigher } from "./offers.js";
import { pile, slip, stone } from "./piles.js";
import { mark } from "./rows.js";

export { actionCard, actionSign, cardBack, coin, eventCard, gemCard, mark, pile, slip, stack, stone };

/** @type {(text: string) => number[]} `RRB` → `[2, 0, 0, 1]` */
const gemsOf = (text) => vectorOf([...text]);

/**
 * An offer, and why it is higher than the one before.
 * @type {(gems: number[], before: number[]|null) => HTMLElement}
 */
export const offer = (gems, before = null) =>
  element("span", "offer-of", slip(gems, true), element("i", "caption", whyHigher(before, gems)));

/** A pile with its number. @type {(colour: string, count: number, more?: Object) => HTMLElement} */
export const pileOf = (colour, count, more = {}) =>
  element("span", "pile", ...pile(COLOURS.indexOf(colour), { count, ...more }));

/** What each attribute of <gems-part> draws. */
const DRAWN = {
  card: (code) => gemCard(code),
  event: (code) => eventCard(code),
  action: (name) => actionCard(name, true),
  gems: (text, { lead, returned, offered }) =>
    pileOf(text[0], text.length, {
      lead: lead || null,
      returned: Number(returned || 0),
      offered: Number(offered || 0),
    }),
  offer: (text, { above }) => offer(gemsOf(text), above ? gemsOf(above) : null),
  back: (kind) => cardBack(kind === "gems"),
  money: (amount) => coin(Number(amount)),
};

/**
 * `<gems-part card="5YGG">`, `event="sole:R"`, `action="money"`, `gems="RRRR" lead="alone" returned="2"`,
 * `offer="RB" above="GG"`, `back="events"`, `money="21"`. What stands inside is there without this script.
 */
class GemsPart extends HTMLElement {
  connectedCallback() {
    const attributes = Object.fromEntries([...this.attributes].map(({ name, value }) => [name, value]));
    const kind = Object.keys(DRAWN).find((name) => name in attributes);
    if (!kind) return;
    this.classList.add("gems-part");
    this.replaceChildren(DRAWN[kind](attributes[kind], attributes));
  }
}

customElements.define("gems-part", GemsPart);
