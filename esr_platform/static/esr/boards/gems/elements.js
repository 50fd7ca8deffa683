// Elements, HTML and SVG, and the symbols of the drawings.

const SVG = "http://www.w3.org/2000/svg";
const DRAWINGS = [new URL("../../drawings/gem.svg", import.meta.url), new URL("../../sprite.svg", import.meta.url)];
const PREFIX = "drawn-";

/** @typedef {Node|string|number|null|undefined|false} Child what an element may hold; nothing of what is not there */

/**
 * @param {string} tag
 * @param {string} className may be empty
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter(isThere).map(asNode));
  return made;
}

const isThere = (child) => child !== null && child !== undefined && child !== false;
const asNode = (child) => (child instanceof Node ? child : String(child)); // numbers too

/**
 * @param {string} tag
 * @param {Object<string, string|number>} attributes
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Text for those who listen, where a drawing says it to those who look. */
export const heard = (text) => element("span", "hidden", text);

/** Puts the drawings into the page once, so that a gem is drawn in the moment in which it is asked for. */
async function inlined() {
  const texts = await Promise.all(DRAWINGS.map(async (address) => (await fetch(address)).text()));
  const holder = shape("svg", { "aria-hidden": "true", width: 0, height: 0 });
  holder.style.setProperty("position", "absolute");
  for (const text of texts) {
    const own = text.replaceAll(/( id=")|(href="#)/g, `$1$2${PREFIX}`);
    holder.append(...new DOMParser().parseFromString(own, "image/svg+xml").documentElement.children);
  }
  document.body.prepend(holder);
}

await inlined().catch(() => {}); // without the drawings the numbers and words are still there

/** The address of a symbol of the drawings, for a `use`. */
export const symbol = (name) => `#${PREFIX}${name}`;

/**
 * A drawing on its own, silent for a screen reader.
 * @param {string} name the symbol, such as `R`, `coin`, `mark-1`, `event-cert`
 * @param {string} className
 * @param {string} [box] the `viewBox`, if the symbol has none of its own proportions in the sheet
 */
export function drawing(name, className, box) {
  const own = shape("use", { href: symbol(name) });
  return shape("svg", { class: className, "aria-hidden": "true", focusable: "false", ...(box ? { viewBox: box } : {}) }, own);
}
