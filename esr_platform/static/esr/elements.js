// Elements, HTML and SVG, made in one expression, and sheets of drawings brought into a page.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|number|null|undefined|false} Child what an element may hold; nothing of what is not there */

const isThere = (child) => child !== null && child !== undefined && child !== false;
const asNode = (child) => (child instanceof Node ? child : String(child)); // numbers too

function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isThere(value)) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter(isThere).map(asNode));
  return node;
}

/** @type {(name: string, attributes?: Object, ...children: Child[]) => HTMLElement} */
export const html = (name, attributes = {}, ...children) => made(document.createElement(name), attributes, children);

/** @type {(name: string, attributes?: Object, ...children: Child[]) => SVGElement} */
export const svg = (name, attributes = {}, ...children) => made(document.createElementNS(SVG, name), attributes, children);

/** @type {(name: string, className: string, ...children: Child[]) => HTMLElement} `className` may be empty */
export const element = (name, className, ...children) => html(name, { class: className || null }, ...children);

/**
 * Puts sheets of symbols into the page, so that one is drawn in the moment in which it is asked for: a symbol of another
 * document would come a frame later.
 * @param {(string|URL)[]} addresses
 * @param {string} prefix of the ids that the symbols get: two sheets may use one name
 */
export async function bringDrawings(addresses, prefix) {
  const texts = await Promise.all(addresses.map(async (address) => (await fetch(address)).text()));
  const holder = svg("svg", { class: "hidden", "aria-hidden": "true", width: 0, height: 0 });
  for (const text of texts) {
    const own = text.replaceAll(/( id=")|(href="#)/g, `$1$2${prefix}`);
    holder.append(...new DOMParser().parseFromString(own, "image/svg+xml").documentElement.children);
  }
  document.body.append(holder);
}
