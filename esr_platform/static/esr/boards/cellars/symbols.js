// The symbols of the drawings, brought into the page once: a bottle is there in the moment in which it is asked for,
// where one of another document would come a frame later.

import { bringDrawings } from "../../elements.js";

const PREFIX = "cellars-";
const OWN = { sprite: "../../sprite.svg", tokens: "../../drawings/bottle.svg" };

/** @type {Promise<void>|null} */
let brought = null;

/** @type {(name: string) => string} what a `use` refers to */
export const symbol = (name) => `#${PREFIX}${name}`;

/**
 * Brings them; what refers to one is drawn as soon as it is there. Without them the words remain.
 * @param {{sprite?: string, tokens?: string}} [drawings] their addresses
 */
export function bring(drawings = {}) {
  const addresses = Object.keys(OWN).map((name) => drawings[name] || new URL(OWN[name], import.meta.url).href);
  brought ??= bringDrawings(addresses, PREFIX).catch((error) => console.warn(error));
  return brought;
}
