// Cards and colors: what their codes mean (docs/reference/record.md), and their names as in the move list.

import { say } from "../../words.js";

/** The colours in their order, as in every vector of gems. */
export const COLOURS = ["R", "Y", "G", "B"];

/** What most gems of a colour are paid in a scoring. */
export const VALUES = [14, 12, 10, 8];

/** Most certificates, and next most. */
export const CERTIFICATE_VALUES = [10, 4];

/** The actions in the order in which they are resolved. */
export const ACTIONS = ["money", "event", "gems", "free_choice"];

export const SOLE_ANY_BONUS = 4;
const SOLE_BONUS = { R: 8, Y: 7, G: 6, B: 5 };

const COLOUR_NAMES = { R: say("red"), Y: say("yellow"), G: say("green"), B: say("blue") };
const ACTION_NAMES = {
  money: say("Money"),
  event: say("Event"),
  gems: say("Gems"),
  free_choice: say("Free Choice"),
};

const CARD_NAMES = {
  sole_any: say("4 for each color alone"),
  cert: say("certificate"),
  half: say("half scoring"),
  "adjust:RB": say("four red, four blue"),
  "adjust:YG": say("four yellow, four green"),
  swap: say("swap a gem"),
  rob: say("one gem from each"),
  three: say("three of a color"),
  halve_all: say("everyone returns half"),
};

const CARD_RULES = {
  sole_any: say("At the scoring, you get 4 million more for each color in which you alone have the most gems."),
  cert: say("At the scoring, the most certificates pay 10 million and the second most pay 4 million."),
  half: say("Choose a color. It is scored immediately at half value."),
  "adjust:RB": say("Take or return red and blue gems until you have 4 of each."),
  "adjust:YG": say("Take or return yellow and green gems until you have 4 of each."),
  swap: say("Swap one of your gems for a gem of another player."),
  rob: say("Every other player returns one gem of your choice."),
  three: say("Take 3 gems of one color."),
  halve_all: say("Every player returns half of the gems of each color, rounded down."),
};

/** @type {(colour: string) => string} `R` → “red” */
export const colourName = (colour) => COLOUR_NAMES[colour];

/** @type {(action: string) => string} */
export const actionName = (action) => ACTION_NAMES[action];

/**
 * The short name of an event card.
 * @param {string} code such as `sole:R`
 * @returns {string}
 */
export function cardName(code) {
  const [kind, colour] = code.split(":");
  if (kind === "sole")
    return say("%(bonus)s for %(colour)s alone", { bonus: SOLE_BONUS[colour], colour: colourName(colour) });
  if (kind === "per") return say("1 for each %(colour)s", { colour: colourName(colour) });
  return CARD_NAMES[code];
}

/** The name of an event card in quotation marks. @type {(code: string) => string} */
export const quoted = (code) => `"${cardName(code)}"`;

/** What an event card does, a sentence. @type {(code: string) => string} */
export function cardRule(code) {
  const [kind, colour] = code.split(":");
  const values = { bonus: SOLE_BONUS[colour], colour: colourName(colour) };
  if (kind === "sole")
    return say("At the scoring, you get %(bonus)s million more if you alone have the most %(colour)s gems.", values);
  if (kind === "per") return say("At the scoring, you get 1 million for each of your %(colour)s gems.", values);
  return CARD_RULES[code];
}

/** Whether a card is kept for the scoring; the others are immediate. @type {(code: string) => boolean} */
export const isScoring = (code) => /^(sole|per|cert)/.test(code);

/** The name of a card's symbol in the drawings. @type {(code: string) => string} */
export const cardSymbol = (code) => `event-${code.replace(":", "-")}`;

/** What a `sole` card pays. @type {(colour: string) => number} */
export const soleBonus = (colour) => SOLE_BONUS[colour];

/**
 * @param {string} code a gem card, such as `4RYGB`
 * @returns {{money: number, colours: string[]}}
 */
export const gemCardOf = (code) => ({ money: Number(code[0]), colours: [...code.slice(1)] });

/** @type {(colours: string[]) => number[]} */
export const vectorOf = (colours) => COLOURS.map((colour) => colours.filter((other) => other === colour).length);

/** @type {(names: string[]) => string} “a, b and c” */
export function listing(names) {
  if (names.length < 2) return names.join("");
  return say("%(first)s and %(last)s", { first: names.slice(0, -1).join(", "), last: names.at(-1) ?? "" });
}

/** @type {(gems: number[]) => string} `[0, 2, 0, 1]` → “2 yellow and 1 blue” */
export function gemsText(gems) {
  const some = gems.flatMap((count, colour) => (count ? [`${count} ${colourName(COLOURS[colour])}`] : []));
  return listing(some) || say("nothing");
}

/** @type {(gems: number[]) => number} */
export const total = (gems) => gems.reduce((sum, count) => sum + count, 0);
