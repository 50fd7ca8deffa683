// Gems as they lie: rows of five with their number, boxed where nobody has more.

import { element } from "../../elements.js";
import { say } from "../../words.js";
import { COLOURS, colourName, total } from "./codes.js";
import { drawing, heard } from "./elements.js";

/** From here on one gem and the number say it better. */
const TOO_MANY = 16;

/** @type {(colour: number, className?: string) => SVGElement} */
export const stone = (colour, className = "") => drawing(COLOURS[colour], `stone ${className}`.trim(), "0 0 24 24");

/** @type {(colour: number) => SVGElement} a gem that was here */
const ghost = (colour) => drawing(`ghost-${COLOURS[colour]}`, "stone ghost", "0 0 24 24");

/**
 * @typedef {Object} Lying
 * @property {number} count
 * @property {number} [offered] how many of them are offered: ringed
 * @property {number} [returned] how many of them go back: ghosts
 * @property {"alone"|"tied"|null} [lead] whether it is the most, alone or with others
 */

/**
 * @param {number} colour its index
 * @param {Lying} lying
 * @returns {HTMLElement[]} the gems, and their number
 */
export function pile(colour, { count, offered = 0, returned = 0, lead = null }) {
  const number = element("b", `number${lead ? ` ${lead}` : ""}${count ? "" : " zero"}`, count);
  number.setAttribute("aria-hidden", "true");
  const gems = element("span", "stones", ...stones(colour, count, offered, returned));
  gems.dataset.count = String(count);
  return [gems, number, heard(spoken(colour, count, offered, lead))];
}

function stones(colour, count, offered, returned) {
  if (count >= TOO_MANY) return [stone(colour, offered ? "ring" : "")];
  return Array.from({ length: count }, (_, place) => {
    if (place >= count - returned) return ghost(colour);
    return stone(colour, place >= count - offered ? "ring" : "");
  });
}

function spoken(colour, count, offered, lead) {
  const parts = [`${count} ${colourName(COLOURS[colour])}`];
  if (lead === "alone") parts.push(say("sole majority"));
  if (lead === "tied") parts.push(say("tied for the most"));
  if (offered) parts.push(say("%(count)s offered", { count: offered }));
  return parts.join(", ");
}

/**
 * Who leads in a colour: by seat `"alone"`, `"tied"` or `null`. Nobody leads without a gem, or while all have as many.
 * @param {number[]} counts by seat
 * @returns {("alone"|"tied"|null)[]}
 */
export function leads(counts) {
  const most = Math.max(...counts);
  const leaders = counts.filter((count) => count === most).length;
  const leading = leaders < counts.length;
  return counts.map((count) => (leading && count === most ? (leaders > 1 ? "tied" : "alone") : null));
}

/**
 * An offer as a slip: its gems in a row.
 * @param {number[]} gems
 * @param {boolean} standing whether it is the one to be topped
 */
export function slip(gems, standing) {
  const each = gems.flatMap(
    (count, colour) =>
      /** @type {Element[]} */ (
        total(gems) > 8 && count > 2
          ? [element("span", "many", stone(colour), element("b", "", `×${count}`))]
          : Array.from({ length: count }, () => stone(colour))
      ),
  );
  return element("span", `slip${standing ? " standing" : ""}`, ...each);
}
