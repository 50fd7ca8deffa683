// What came of an action, in a few words each.

import { say } from "../../words.js";
import { actionName, colourName, gemsText, listing, quoted, vectorOf } from "./codes.js";

/**
 * What an event of a round came to; empty if that goes without saying.
 * @param {Object} event as in the memory
 * @param {(seat: number) => string} name
 * @returns {string}
 */
export function tell(event, name) {
  const values = { name: event.seat === null || event.seat === undefined ? "" : name(event.seat) };
  return TOLD[event.type]?.(event, values, name) ?? "";
}

/**
 * Why actions of a round came to nothing.
 * @param {import("./memory.js").Round} round
 * @param {(seat: number) => string} name
 * @returns {string[]}
 */
export function frustrated({ active, actions, events, guesses }, name) {
  const told = events
    .filter(({ type }) => type === "cancelled" || type === "void")
    .map((event) => `${actionName(event.action)}: ${tell(event, name)}.`);
  const isLost = active !== null && actions[active] && guesses.length === 1 && guesses[0].hit;
  return isLost ? [`${guessed(guesses, name(active))}.`, ...told] : told;
}

/**
 * With two players: what the guesses came to; empty before the second one, unless the first is right.
 * @type {(guesses: {hit: boolean}[], name: string) => string}
 */
export function guessed(guesses, name) {
  const hit = guesses.some((guess) => guess.hit);
  if (guesses.length > 1)
    return hit
      ? say("The second guess is right: both players barter")
      : say("Both guesses are wrong: %(name)s acts", { name });
  return hit ? say("The first guess is right: %(name)s loses the action", { name }) : "";
}

const TOLD = {
  cancelled: ({ seats }, _, name) => say("%(names)s block each other", { names: listing(seats.map(name)) }),
  money: ({ amount }, values) => say("%(name)s takes %(what)s million", { ...values, what: amount }),
  void: () => say("void because both declined"),
  drawn: ({ card: code }, values) => say("%(name)s draws %(card)s", { ...values, card: quoted(code) }),
  kept: ({ card: code }, values) => say("%(name)s keeps %(card)s", { ...values, card: quoted(code) }),
  declined: (_, values) => say("%(name)s declines", values),
  applied: (_, values) => say("%(name)s uses the card", values),
  discarded: ({ card: code }) => say("no one takes %(card)s", { card: quoted(code) }),
  picked: ({ move }, values) =>
    move === "decline"
      ? say("%(name)s declines", values)
      : say("%(name)s takes %(what)s", { ...values, what: gemsText(vectorOf(move.take)) }),
  half: ({ scoring }, _, name) => halved(scoring.rows[0], name),
  gems_moved: ({ from, to, gems }, _, name) => {
    if (from === "supply") return say("%(name)s takes %(what)s", { name: name(to), what: gemsText(gems) });
    if (to === "supply") return say("%(name)s returns %(what)s", { name: name(from), what: gemsText(gems) });
    return say("%(name)s gives %(other)s %(what)s", { name: name(from), other: name(to), what: gemsText(gems) });
  },
};

function halved(row, name) {
  const got = row.share.flatMap((share, seat) =>
    row.returned[seat]
      ? [
          say("%(name)s gets %(share)s and returns %(count)s", {
            name: name(seat),
            share,
            count: row.returned[seat],
          }),
        ]
      : [],
  );
  const colour = colourName(row.of);
  return got.length
    ? `${say("half of %(colour)s", { colour })}: ${listing(got)}`
    : say("no player has %(colour)s", { colour });
}
