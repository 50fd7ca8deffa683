// What the code of a bottle says, and its drawing.

import { element } from "../../elements.js";
import { cut, using } from "./elements.js";

const WITHOUT_CODE = 57 / 70;
const CHEAPEST = 5;
const WINES = 7;

export const EMPTY = "empty";

/** @type {(code: string) => number} what a bottle counts in a bid, in tenths */
export const tenths = (code) => (code === EMPTY ? 2 : 10 * Number(code.slice(1)));

/** @type {(code: string) => number} its points in a cellar, without trios */
export const stars = (code) => (code === EMPTY ? 0 : Math.floor((Number(code.slice(1)) - CHEAPEST) / WINES) + 1);

/** @type {(codes: string[]) => number} the value of bottles together, in tenths */
export const total = (codes) => codes.reduce((sum, code) => sum + tenths(code), 0);

/** @type {(tenths: number) => string} `192` as `19.20` and `410` as `41` */
export const euros = (amount) => (amount % 10 ? `${Math.floor(amount / 10)}.${amount % 10}0` : String(amount / 10));

/** @type {(codes: string[], others: string[]) => string[]} `codes` without one copy of each of `others` */
export function without(codes, others) {
  const left = [...codes];
  for (const code of others) {
    const place = left.indexOf(code);
    if (place >= 0) left.splice(place, 1);
  }
  return left;
}

/**
 * The drawing of a bottle. `place` says where it lies, so that it can be followed from scene to scene.
 * @param {string} code
 * @param {Object<string, string>} tokens what the codes are called
 * @param {string} place
 */
export function bottle(code, tokens, place) {
  const drawing = using(code, tokens[code] ?? code);
  drawing.classList.add("wine");
  drawing.dataset.code = code;
  drawing.dataset.fly = `${place}|${code}`;
  return drawing;
}

/** @type {typeof bottle} a bottle without the letter and stars below it: its value says which it is */
export const smallBottle = (code, tokens, place) => cut(bottle(code, tokens, place), WITHOUT_CODE);

/**
 * A bottle that is not known: the back of its card.
 * @param {string} place
 */
export function back(place) {
  const drawing = cut(using("back", ""), WITHOUT_CODE);
  drawing.classList.add("wine");
  drawing.dataset.back = place;
  return drawing;
}

/**
 * Bottles side by side.
 * @param {string[]} codes
 * @param {Object<string, string>} tokens
 * @param {string} place
 */
export function row(codes, tokens, place) {
  return element("span", "wines", ...codes.map((code) => bottle(code, tokens, place)));
}
