// The symbols of the drawings, brought into the page once: a bottle is there in the moment in which it is asked for,
// where one of another document would come a frame later.

const SVG = "http://www.w3.org/2000/svg";
const PREFIX = "cellars-";
const OWN = { sprite: "../../sprite.svg", tokens: "../../drawings/bottle.svg" };

/** @type {Promise<void>|null} */
let brought = null;

/** @type {(name: string) => string} what a `use` refers to */
export const symbol = (name) => `#${PREFIX}${name}`;

async function sheet(address) {
  const text = await (await fetch(address)).text();
  return [...new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("symbol")];
}

async function inlined(addresses) {
  const holder = document.createElementNS(SVG, "svg");
  holder.setAttribute("class", "hidden");
  holder.setAttribute("aria-hidden", "true");
  for (const own of (await Promise.all(addresses.map(sheet))).flat()) {
    own.id = PREFIX + own.id;
    holder.append(own);
  }
  document.body.append(holder);
}

/**
 * Brings them; what refers to one is drawn as soon as it is there. Without them the words remain.
 * @param {{sprite?: string, tokens?: string}} [drawings] their addresses
 */
export function bring(drawings = {}) {
  const addresses = Object.keys(OWN).map((name) => drawings[name] || new URL(OWN[name], import.meta.url).href);
  brought ??= inlined(addresses).catch((error) => console.warn(error));
  return brought;
}
