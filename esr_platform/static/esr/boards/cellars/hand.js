// A hand, as far as the perspective knows it: bottles, and backs for the rest.

import { element } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { back, smallBottle, without } from "./bottles.js";

/**
 * What is known of a hand in a scene.
 * @param {Object} scene
 * @param {number} seat
 * @returns {{open: string[], own: string[], hidden: number}} what everybody knows, what only this seat knows, and how
 *   many bottles the perspective does not know
 */
export function known({ view, yous }, seat) {
  const player = view.players[seat];
  const whole = yous[seat]?.hand;
  if (!whole) return { open: player.known, own: [], hidden: player.hand - player.known.length };
  const own = without(whole, player.known);
  return { open: without(whole, own), own, hidden: 0 };
}

/**
 * The hand of a seat, drawn.
 * @param {{open: string[], own: string[], hidden: number}} hand
 * @param {number} seat
 * @param {Object<string, string>} tokens
 */
export function drawnHand({ open, own, hidden }, seat, tokens) {
  const place = `hand-${seat}`;
  const secret = own.map((code) => {
    const drawing = smallBottle(code, tokens, place);
    drawing.classList.add("secret");
    drawing.setAttribute(
      "aria-label",
      say("%(bottle)s (unknown to the other players)", { bottle: tokens[code] ?? code }),
    );
    return drawing;
  });
  const wines = element("span", "wines", ...open.map((code) => smallBottle(code, tokens, place)), ...secret);
  for (let count = 0; count < hidden; count += 1) wines.append(back(place));
  const unknown = hidden ? sayCount("1 unknown", "%(count)s unknown", hidden) : "";
  const unseen = own.length ? sayCount("1 unseen", "%(count)s unseen", own.length) : "";
  const nothing = open.length + own.length + hidden === 0 ? say("empty") : "";
  wines.dataset.home = place;
  return [
    element("i", "", say("Hand")),
    wines,
    element("span", nothing ? "caption" : "caption extra", unknown || unseen || nothing),
  ];
}
