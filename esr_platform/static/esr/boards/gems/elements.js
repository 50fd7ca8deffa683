// The symbols of the drawings, and what is only heard.

import { bringDrawings, element, svg } from "../../elements.js";

const DRAWINGS = [new URL("../../drawings/gem.svg", import.meta.url), new URL("../../sprite.svg", import.meta.url)];
const PREFIX = "drawn-";

await bringDrawings(DRAWINGS, PREFIX).catch(() => {}); // without the drawings the numbers and words are still there

/** Text for those who listen, where a drawing says it to those who look. */
export const heard = (text) => element("span", "hidden", text);

/** The address of a symbol of the drawings, for a `use`. */
export const symbol = (name) => `#${PREFIX}${name}`;

/**
 * A drawing on its own, silent for a screen reader.
 * @param {string} name the symbol, such as `R`, `coin`, `mark-1`, `event-cert`
 * @param {string} className
 * @param {string} [box] the `viewBox`, if the symbol has none of its own proportions in the sheet
 */
export function drawing(name, className, box) {
  const own = svg("use", { href: symbol(name) });
  return svg("svg", { class: className, "aria-hidden": "true", focusable: "false", viewBox: box }, own);
}
