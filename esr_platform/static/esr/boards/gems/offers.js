// When an offer is higher, and why: by number of gems, then red, yellow, green, blue. Vectors of gems are [R, Y, G, B].

import { say, sayCount } from "../../words.js";
import { COLOURS, colourName, listing, total } from "./codes.js";

const NUMBERS = [
  "",
  "",
  say("two"),
  say("three"),
  say("four"),
  say("five"),
  say("six"),
  say("seven"),
  say("eight"),
  say("nine"),
];

/** A small number as a word. @type {(count: number) => string} */
export const inWords = (count) => NUMBERS[count] || String(count);

/**
 * Below 0, 0 or above: whether the first offer is lower, equal or higher.
 * @param {number[]} one
 * @param {number[]} other
 */
export function compare(one, other) {
  const more = total(one) - total(other);
  if (more) return more;
  const colour = deciding(one, other);
  return colour === null ? 0 : one[colour] - other[colour];
}

/** The first colour in which they differ, as an index; `null` if they are equal. */
function deciding(one, other) {
  const colour = one.findIndex((count, index) => count !== other[index]);
  return colour < 0 ? null : colour;
}

/**
 * Why `offer` is higher than `standing`, as in the move list; without a standing one it opens.
 * @param {number[]|null} standing
 * @param {number[]} offer higher than `standing`
 * @returns {string}
 */
export function whyHigher(standing, offer) {
  if (!standing) return say("opening offer");
  const more = total(offer) - total(standing);
  if (more) return sayCount("one more gem", "%(number)s more gems", more, { number: inWords(more) });
  const colour = colourName(COLOURS[deciding(offer, standing)]);
  if (total(offer) > 1) return say("same number of gems, more %(colour)s", { colour });
  return say("%(colour)s ranks above %(other)s", { colour, other: colourName(COLOURS[standing.indexOf(1)]) });
}

/**
 * @typedef {Object} Verdict
 * @property {boolean} higher whether the offer may be made
 * @property {number|null} column the colour that decides, as an index; `null` where the number of gems does
 * @property {string} text a sentence or two: why, and what would make it higher
 */

/**
 * What a composer says about an offer that is being put together.
 * @param {number[]|null} standing the offer to be topped; `null`: this one opens
 * @param {number[]} offer
 * @param {number[]} holdings what the offerer has
 * @returns {Verdict}
 */
export function verdict(standing, offer, holdings) {
  if (!standing) return opening(offer);
  const count = total(offer);
  const more = count - total(standing);
  const column = more ? null : deciding(offer, standing);
  if (compare(offer, standing) > 0)
    return { higher: true, column, text: say("Higher offer. %(why)s", { why: whyAbove(standing, offer) }) };
  const parts = [say("Not high enough. %(why)s", { why: whyNot(standing, offer) }), remedy(standing, offer, holdings)];
  return { higher: false, column, text: parts.filter(Boolean).join(" ") };
}

function opening(offer) {
  const higher = total(offer) > 0;
  return {
    higher,
    column: null,
    text: higher ? say("Any gem is a valid opening offer.") : say("Offer at least one gem or make no offer."),
  };
}

function whyAbove(standing, offer) {
  const more = total(offer) - total(standing);
  if (more)
    return sayCount("Your offer has one more gem.", "Your offer has %(number)s more gems.", more, {
      number: inWords(more),
    });
  const colour = deciding(offer, standing);
  const values = { each: each(total(offer)), colour: colourName(COLOURS[colour]) };
  if (standing[colour]) return say("%(each)s, but your offer has more %(colour)s.", values);
  const below = standing.findIndex((count, index) => index > colour && count > offer[index]);
  return say("%(each)s, but your %(colour)s ranks above %(other)s.", {
    ...values,
    other: colourName(COLOURS[below]),
  });
}

function whyNot(standing, offer) {
  const fewer = total(standing) - total(offer);
  if (fewer)
    return sayCount("Their offer has one more gem.", "Their offer has %(number)s more gems.", fewer, {
      number: inWords(fewer),
    });
  const colour = deciding(standing, offer);
  const values = { each: each(total(offer)), colour: colourName(COLOURS[colour]) };
  return colour === null ? say("The offers are equal.") : say("%(each)s, but their offer has more %(colour)s.", values);
}

const each = (count) => {
  const number = inWords(count);
  const capital = number[0].toLocaleUpperCase() + number.slice(1);
  return sayCount("One gem each", "%(number)s gems each", count, { number: count > 1 ? capital : number || "1" });
};

/** What would do: a gem more, another colour; or several gems, or nothing at all. */
function remedy(standing, offer, holdings) {
  if (compare(holdings, standing) <= 0) return say("You cannot make a higher offer.");
  const spare = COLOURS.map((_, colour) => holdings[colour] > offer[colour]);
  const adding = COLOURS.filter((_, colour) => spare[colour] && compare(changed(offer, colour, null), standing) > 0);
  const swapping = swaps(standing, offer, spare);
  if (adding.length && swapping)
    return say("%(add)s, or %(change)s.", { add: addText(adding, spare), change: swapping });
  if (adding.length) return say("%(add)s.", { add: addText(adding, spare) });
  if (swapping) return say("You can also %(change)s.", { change: swapping });
  const missing = Math.max(2, total(standing) - total(offer) + (compare(holdings, standing) > 0 ? 0 : 1));
  return say("Add at least %(number)s gems.", { number: inWords(missing) });
}

function addText(adding, spare) {
  if (adding.length === spare.filter(Boolean).length) return say("Add any gem");
  return say("Add %(colours)s", { colours: eitherOf(adding) });
}

/** One gem of the lowest colour that can make way, for one of a higher. */
function swaps(standing, offer, spare) {
  for (let from = 3; from > 0; from -= 1) {
    if (!offer[from]) continue;
    const to = COLOURS.filter(
      (_, colour) => colour < from && spare[colour] && compare(changed(offer, colour, from), standing) > 0,
    );
    if (to.length)
      return say("change a %(colour)s gem to %(colours)s", {
        colour: colourName(COLOURS[from]),
        colours: eitherOf(to),
      });
  }
  return null;
}

const eitherOf = (colours) => {
  const names = colours.map(colourName);
  if (names.length < 2) return listing(names);
  return say("%(first)s or %(last)s", { first: names.slice(0, -1).join(", "), last: names.at(-1) });
};

const changed = (offer, more, less) =>
  offer.map((count, colour) => count + Number(colour === more) - Number(colour === less));
