// The cards: gem cards, event cards, actions, backs, and piles of them.

import { element, svg } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { actionName, cardName, cardSymbol, gemCardOf, gemsText, isScoring, vectorOf } from "./codes.js";
import { drawing, heard, symbol } from "./elements.js";

/** Where the gems of a card lie, by their number. */
const PLACES = {
  2: [
    [27, 15],
    [43, 15],
  ],
  3: [
    [27, 6],
    [43, 6],
    [35, 23],
  ],
  4: [
    [27, 6],
    [43, 6],
    [27, 23],
    [43, 23],
  ],
};

/**
 * A gem card: its money on the coin, its gems beside it.
 * @param {string} code such as `4RYGB`
 * @returns {HTMLElement}
 */
export function gemCard(code) {
  const { money, colours } = gemCardOf(code);
  const card = svg("svg", { viewBox: "0 0 64 44", "aria-hidden": "true", focusable: "false" });
  const number = svg("text", { x: 13.5, y: 26.4, "text-anchor": "middle" });
  number.textContent = String(money);
  card.append(
    svg("rect", { class: "paper", x: 0.7, y: 0.7, width: 62.6, height: 42.6, rx: 3 }),
    svg("circle", { class: "coin", cx: 13.5, cy: 22, r: 9.6 }),
    svg("circle", { class: "coin-ring", cx: 13.5, cy: 22, r: 7.6 }),
    number,
    ...colours.map((colour, place) => {
      const [x, y] = PLACES[colours.length][place];
      return svg("use", { href: symbol(colour), x, y, width: 15, height: 15 });
    }),
  );
  const words = say("Gem card: %(money)s million or %(gems)s", { money, gems: gemsText(vectorOf(colours)) });
  return element("span", "gem-card", card, heard(words));
}

/**
 * An event card, face up.
 * @param {string} code such as `sole:R`
 * @param {number} [copies] how many equal ones lie here
 * @returns {HTMLElement}
 */
export function eventCard(code, copies = 1) {
  const kind = isScoring(code) ? say("Scoring card") : say("Immediate card");
  const many = copies > 1 && element("b", "copies", `×${copies}`);
  const words = copies > 1 ? `${copies} × ${cardName(code)}` : cardName(code);
  if (many) many.setAttribute("aria-hidden", "true");
  const card = element("span", "event-card", drawing(cardSymbol(code), ""), many, heard(`${kind}: ${words}`));
  card.dataset.card = code;
  card.title = cardName(code);
  return card;
}

/** @type {(wide?: boolean) => HTMLElement} a card face down; wide: a gem card */
export const cardBack = (wide = false) =>
  element("span", wide ? "gem-card back" : "event-card back", drawing(wide ? "back-wide" : "back", ""));

/**
 * A pile of cards face down, with how many there are; an empty pile is an outline.
 * @param {number} count
 * @param {boolean} wide gem cards
 * @param {string} caption
 */
export function stack(count, wide, caption) {
  const cards = Array.from({ length: Math.min(count, 3) }, () => cardBack(wide));
  const pile = element("span", `stack${wide ? " wide" : ""}${count ? "" : " none"}`, ...cards);
  return element("span", "stack-of", pile, element("i", "caption", caption));
}

/** @type {(action: string) => HTMLElement} an action, with its sign and its name */
export const actionSign = (action) =>
  element("span", "action", drawing(`act-${action}`, "", "0 0 24 24"), element("span", "", actionName(action)));

/**
 * An action card: open, or face down with what is known of it.
 * @param {string|null} action its name; `null` if it is not known here
 * @param {boolean} open
 */
export function actionCard(action, open) {
  if (open && action)
    return element(
      "span",
      "action-card open",
      drawing(`act-${action}`, "", "0 0 24 24"),
      element("span", "", actionName(action)),
    );
  const known = action ? actionName(action) : say("face down");
  return element("span", "action-card", cardBack(), element("i", "caption", known));
}

/**
 * Cards held, equal ones together.
 * @param {string[]} codes in the order won
 * @returns {HTMLElement[]}
 */
export function held(codes) {
  return [...new Set(codes)].map((code) => eventCard(code, codes.filter((other) => other === code).length));
}

/** @type {(count: number) => string} */
export const cardsLeft = (count) => sayCount("1 left", "%(count)s left", count);

/** @type {(money: number) => HTMLElement} a coin with an amount on it */
export function coin(money) {
  const number = svg("text", { x: 12, y: 15.6, "text-anchor": "middle" });
  number.textContent = String(money);
  const face = [
    svg("circle", { class: "coin", cx: 12, cy: 12, r: 11 }),
    svg("circle", { class: "coin-ring", cx: 12, cy: 12, r: 8.8 }),
  ];
  return element(
    "span",
    "coin-of",
    svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, ...face, number),
    heard(String(money)),
  );
}
