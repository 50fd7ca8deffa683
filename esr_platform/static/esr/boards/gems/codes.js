// Cards and colours: what their codes mean (docs/record.md) and what they are called, as in the told game.

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
  sole_any: say("4 for each colour alone"),
  cert: say("certificate"),
  half: say("half scoring"),
  "adjust:RB": say("four red, four blue"),
  "adjust:YG": say("four yellow, four green"),
  swap: say("swap a gem"),
  rob: say("one gem from each"),
  three: say("three of a colour"),
  halve_all: say("everybody returns half"),
};

const CARD_RULES = {
  sole_any: say("At the scoring: 4 more for every colour in which its owner alone has most."),
  cert: say("At the scoring most certificates are paid 10, the next most 4."),
  half: say("Choose a colour: it is scored at once, at half its value."),
  "adjust:RB": say("Red and blue are set to 4 each: take what is missing, return what is too many."),
  "adjust:YG": say("Yellow and green are set to 4 each: take what is missing, return what is too many."),
  swap: say("Exchange one gem for a gem of somebody else."),
  rob: say("Everybody else returns one gem, which the owner of the card chooses."),
  three: say("Take 3 gems of one colour."),
  halve_all: say("Everybody returns half of each colour, rounded down."),
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

/** What an event card does, a sentence. @type {(code: string) => string} */
export function cardRule(code) {
  const [kind, colour] = code.split(":");
  const values = { bonus: SOLE_BONUS[colour], colour: colourName(colour) };
  if (kind === "sole") return say("At the scoring: %(bonus)s more if its owner alone has most %(colour)s.", values);
  if (kind === "per") return say("At the scoring: 1 for every %(colour)s gem of its owner.", values);
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
