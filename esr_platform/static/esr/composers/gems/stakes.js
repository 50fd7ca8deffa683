// What an action gives to whom, in a few words.

import { gemsText, total } from "../../boards/gems/codes.js";
import { say } from "../../words.js";
import { cardOf, worthOf } from "./outcomes.js";

/**
 * What a seat takes with an action.
 * @param {Object} view
 * @param {string} action
 * @param {number} seat
 * @returns {string} as in “takes …”
 */
export function stake(view, action, seat) {
  const { money, gems } = worthOf(cardOf(view, seat), view.supply);
  if (action === "money") return say("%(money)s million", { money });
  if (action === "gems") return total(gems) ? gemsText(gems) : say("no gem");
  return say("an event card");
}

/**
 * What a barter is about, for both.
 * @param {Object} view
 * @param {string} action
 * @param {number} seat one's own
 * @param {number} other
 * @param {string} name of the other
 */
export function contested(view, action, seat, other, name) {
  if (action === "event" || view.active !== null) {
    return say("The player whose offer is accepted takes %(what)s and pays the gems.", {
      what: stake(view, action, seat),
    });
  }
  const values = { own: stake(view, action, seat), other: stake(view, action, other), name };
  if (action === "money")
    return say(
      "The player whose offer is accepted takes money and pays gems. You would take %(own)s, %(name)s %(other)s.",
      values,
    );
  return say(
    "The player whose offer is accepted takes supply gems and pays gems. You would take %(own)s, %(name)s %(other)s.",
    values,
  );
}
