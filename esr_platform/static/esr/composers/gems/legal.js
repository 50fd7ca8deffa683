// Which moves a decision of Edel, Stein & Reich allows, by its bounds alone. What a composer sends has
// passed here; the engine has the last word.

import { COLOURS, total, vectorOf } from "../../boards/gems/codes.js";
import { compare } from "../../boards/gems/offers.js";

const isCount = (number) => Number.isInteger(number) && number >= 0;

/** @type {(value: *, keys: string[]) => boolean} an object with exactly these keys */
const has = (value, keys) =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  JSON.stringify(Object.keys(value).sort()) === JSON.stringify([...keys].sort());

/** @type {(offer: *, holdings: number[]) => boolean} at least one gem, and only what is there */
export const isHeld = (offer, holdings) =>
  Array.isArray(offer) &&
  offer.length === 4 &&
  offer.every((count, colour) => isCount(count) && count <= holdings[colour]) &&
  total(offer) > 0;

const KINDS = {
  action: ({ options }, move) => options.includes(move),
  guess: ({ options }, move) => options.includes(move),
  open_barter: ({ holdings }, move) => move === "decline" || (has(move, ["offer"]) && isHeld(move.offer, holdings)),
  answer_offer(question, move) {
    if (move === "accept") return true;
    if (!has(move, ["offer"]) || question.offers_made >= question.offers_limit) return false;
    return isHeld(move.offer, question.holdings) && compare(move.offer, question.standing) > 0;
  },
  counter_gift: ({ colours }, move) => move === "decline" || (has(move, ["gift"]) && colours.includes(move.gift)),
  event_card: (_, move) => move === "face_up" || move === "blind",
  immediate: (question, move) => move === "decline" || CARDS[question.card.split(":")[0]](question, move),
  free_choice: (question, move) => move === "decline" || chosen(question, move),
};

const named = ({ colours }, move) => has(move, ["colour"]) && colours.includes(move.colour);
const applied = (_, move) => move === "apply";

const CARDS = {
  half: named,
  three: named,
  adjust: applied,
  halve_all: applied,
  swap({ give, take }, move) {
    return (
      has(move, ["give", "seat", "take"]) &&
      give.includes(move.give) &&
      Number.isInteger(move.seat) &&
      Boolean(take[move.seat]?.includes(move.take))
    );
  },
  rob({ take }, move) {
    const victims = Object.keys(take);
    if (!victims.length || !has(move, ["take"]) || !has(move.take, victims)) return false;
    return victims.every((seat) => take[seat].includes(move.take[seat]));
  },
};

function chosen({ alone, give, take: { supply } }, move) {
  if (!has(move, alone ? ["give", "take"] : ["take"]) || !Array.isArray(move.take)) return false;
  if (alone && !give.includes(move.give)) return false;
  const there = supply.map((count, colour) => count + Number(alone && COLOURS[colour] === move.give));
  const wanted = alone ? Math.min(2, total(there)) : 1;
  const taken = vectorOf(move.take);
  return (
    move.take.length === wanted && total(taken) === wanted && taken.every((count, colour) => count <= there[colour])
  );
}

/**
 * @param {Object} question the decision
 * @param {*} move
 * @returns {boolean}
 */
export const isLegal = (question, move) => Boolean(KINDS[question.kind]?.(question, move));
