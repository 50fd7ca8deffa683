// What a player of Die Weinhändler decides: a bid, and where bottles are laid. See docs/internals/composers.md.

import { bring } from "../boards/cellars/symbols.js";
import { say } from "../words.js";
import { bidding } from "./cellars/bid.js";
import { laying } from "./cellars/lay.js";
import { composing } from "./form.js";
import { compose as plainly } from "./plain.js";

export { isLegal } from "./cellars/legal.js";
export { earning } from "./cellars/points.js";

const FORMS = { bid: bidding, lay: laying };

/**
 * @param {HTMLElement} root
 * @param {Object} about see docs/internals/composers.md
 */
export function compose(root, about) {
  const form = FORMS[about.question.kind];
  if (!form) return plainly(root, about);
  bring(about.table.drawings);
  return composing(root, about, (hold) => form(about, hold));
}

/** What the keys do. @type {() => [string, string][]} */
export const keys = () => [
  ["← →", say("Choose a bottle")],
  ["Space", say("Take or return the bottle")],
  ["← → ↑ ↓", say("Choose a place for the bottle")],
  ["Enter", say("Lay the bottle or make the bid")],
  ["Esc", say("Go back")],
  ["P", say("Select Pass or Finish laying")],
];
