// A scoring: every payment by colour and seat, with its reason; as in the move list.

import { say, sayCount } from "../../words.js";
import {
  CERTIFICATE_VALUES,
  COLOURS,
  colourName,
  listing,
  quoted,
  SOLE_ANY_BONUS,
  soleBonus,
  VALUES,
} from "./codes.js";
import { inWords } from "./offers.js";

/**
 * @typedef {Object} Payment what one seat gets in one column
 * @property {number} count gems or certificates before anything goes back
 * @property {number} returned
 * @property {number} paid
 * @property {"alone"|"tied"|null} lead
 * @property {string} why empty where nothing is paid or returned
 */

/** @type {(row: Object, seat: number) => number} */
export const paidIn = (row, seat) => row.share[seat] + row.sole_bonus[seat] + row.per_gem[seat];

/** How many each has of what a row is about. @type {(scoring: Object, row: Object) => number[]} */
export function countsOf(scoring, row) {
  if (row.of === "cert") return scoring.cards.map((cards) => cards.filter((card) => card === "cert").length);
  return scoring.gems.map((gems) => gems[COLOURS.indexOf(row.of)]);
}

/**
 * @param {Object} scoring from the memory
 * @param {Object} row
 * @param {number} seat
 * @returns {Payment}
 */
export function payment(scoring, row, seat) {
  const counts = countsOf(scoring, row);
  const most = Math.max(...counts);
  const leaders = counts.filter((count) => count === most).length;
  const leading = counts[seat] === most && most > 0;
  const lead = leading ? (leaders > 1 ? "tied" : "alone") : null;
  const reason = row.of === "cert" ? certificateReason : colourReason;
  return {
    count: counts[seat],
    returned: row.returned[seat],
    paid: paidIn(row, seat),
    lead,
    why: reason(scoring, row, seat, lead, leaders),
  };
}

function colourReason(scoring, row, seat, lead, leaders) {
  const parts = [];
  if (lead === "alone") parts.push(say("%(share)s for a sole majority", { share: row.share[seat] }));
  if (lead === "tied")
    parts.push(say("%(value)s shared by %(count)s players", { value: worthOf(scoring, row), count: inWords(leaders) }));
  if (row.sole_bonus[seat]) parts.push(...soleParts(scoring.cards[seat], row));
  if (row.per_gem[seat])
    parts.push(say("%(paid)s for %(colour)s gems", { paid: row.per_gem[seat], colour: colourName(row.of) }));
  const back = row.returned[seat] ? sayCount("returns 1", "returns %(count)s", row.returned[seat]) : "";
  return [parts.join(", "), back].filter(Boolean).join("; ");
}

function soleParts(cards, row) {
  const any = cards.filter((card) => card === "sole_any").length;
  const own = cards.includes(`sole:${row.of}`);
  return [
    own && say("%(bonus)s for the card %(card)s", { bonus: soleBonus(row.of), card: quoted(`sole:${row.of}`) }),
    any > 0 &&
      sayCount("%(bonus)s for the card %(card)s", "%(bonus)s for %(count)s cards %(card)s", any, {
        bonus: any * SOLE_ANY_BONUS,
        card: quoted("sole_any"),
      }),
  ].filter(Boolean);
}

const worthOf = (scoring, row) => {
  const value = VALUES[COLOURS.indexOf(row.of)];
  return scoring.phase === null ? value / 2 : value;
};

function certificateReason(scoring, row, seat) {
  const [most] = CERTIFICATE_VALUES;
  if (!row.share[seat]) return "";
  if (row.share[seat] !== most) return say("second most");
  if (row.share.filter((share) => share === most).length > 1) return say("tied for most");
  return countsOf(scoring, row).reduce((sum, count) => sum + count, 0) === 1 ? say("the only one") : say("most");
}

/**
 * What a column came to, in sentences.
 * @param {Object} scoring
 * @param {Object} row
 * @param {(seat: number) => string} name
 * @returns {{head: string, text: string}}
 */
export function sentences(scoring, row, name) {
  if (row.of === "cert") return { head: say("Certificates:"), text: certificateSentence(scoring, row, name) };
  const colour = colourName(row.of);
  const head = say("%(colour)s (%(value)s million):", {
    colour: colour[0].toLocaleUpperCase() + colour.slice(1),
    value: worthOf(scoring, row),
  });
  const counts = countsOf(scoring, row);
  const most = Math.max(...counts);
  if (!most) return { head, text: say("no player has any, so nothing is paid.") };
  const leaders = counts.flatMap((count, seat) => (count === most ? [seat] : []));
  const told = leaders.length > 1 ? tie(row, leaders, most, name) : alone(scoring, row, leaders[0], most, name);
  return { head, text: [told, ...perGem(row, name), ...idle(scoring, row, leaders, name)].join(" ") };
}

function alone(scoring, row, seat, most, name) {
  const values = { name: name(seat), most, share: row.share[seat], returned: row.returned[seat] };
  const bonus = row.sole_bonus[seat];
  if (!bonus) return say("%(name)s has the most (%(most)s), gets %(share)s and returns %(returned)s.", values);
  const cards = scoring.cards[seat].filter((card) => card === "sole_any" || card === `sole:${row.of}`).map(quoted);
  return say(
    "%(name)s has the most (%(most)s), gets %(share)s plus %(bonus)s for %(cards)s and returns %(returned)s.",
    {
      ...values,
      bonus,
      cards: listing(cards),
    },
  );
}

function tie(row, leaders, most, name) {
  const values = {
    names: listing(leaders.map(name)),
    most,
    share: row.share[leaders[0]],
    returned: row.returned[leaders[0]],
  };
  return say("%(names)s tie for the most (%(most)s), get %(share)s each and return %(returned)s each.", values);
}

const perGem = (row, name) =>
  row.per_gem.flatMap((paid, seat) =>
    paid
      ? [say("%(name)s gets %(paid)s for %(card)s.", { name: name(seat), paid, card: quoted(`per:${row.of}`) })]
      : [],
  );

/** Cards for this colour alone that pay nothing. */
function idle(scoring, row, leaders, name) {
  const card = `sole:${row.of}`;
  return scoring.cards.flatMap((cards, seat) => {
    if (!cards.includes(card) || (leaders.length === 1 && leaders[0] === seat)) return [];
    const values = { card: quoted(card), name: name(seat) };
    return [
      leaders.includes(seat)
        ? say("%(card)s pays %(name)s nothing because of the tie.", values)
        : say("%(card)s pays %(name)s nothing.", values),
    ];
  });
}

function certificateSentence(scoring, row, name) {
  const counts = countsOf(scoring, row);
  const [first, second] = CERTIFICATE_VALUES.map((value) =>
    row.share.flatMap((share, seat) => (share === value ? [seat] : [])),
  );
  if (!first.length) return say("no player has one, so nothing is paid.");
  const values = { names: listing(first.map(name)), count: counts[first[0]], value: CERTIFICATE_VALUES[0] };
  if (first.length > 1) return say("%(names)s tie for the most (%(count)s) and get %(value)s each.", values);
  if (counts.reduce((sum, count) => sum + count, 0) === 1)
    return say("%(names)s has the only one and gets %(value)s.", values);
  const most = say("%(names)s has the most (%(count)s) and gets %(value)s", values);
  if (!second.length) return `${most}.`;
  const others = { names: listing(second.map(name)), count: counts[second[0]], value: CERTIFICATE_VALUES[1] };
  const behind =
    second.length > 1
      ? say("%(names)s have %(count)s each and get %(value)s each.", others)
      : say("%(names)s has %(count)s and gets %(value)s.", others);
  return `${most}; ${behind}`;
}
