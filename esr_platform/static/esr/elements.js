// Elements, HTML and SVG, made in one expression, and sheets of drawings brought into a page.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|number|null|undefined|false} Child what an element may hold; nothing of what is not there */

/** @type {(child: *) => boolean} */
const isThere = (child) => child !== null && child !== undefined && child !== false;
const asNode = (child) => (child instanceof Node ? child : String(child)); // numbers too

/**
 * @template {Element} T
 * @param {T} node
 * @param {Object<string, *>} attributes
 * @param {Child[]} children
 * @returns {T}
 */
function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isThere(value)) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter(isThere).map(asNode));
  return node;
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Object<string, *>} [attributes] those that are null, undefined or false are left out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(name, attributes = {}, ...children) {
  return made(document.createElement(name), attributes, children);
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Object<string, *>} [attributes] those that are null, undefined or false are left out
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(name, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, name), attributes, children);
}

/**
 * An HTML element with a class.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string} className may be empty
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, className, ...children) {
  return html(name, { class: className || null }, ...children);
}

/**
 * The first element in `root` that matches `selector`.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {{new (): T}} [kind] its class
 * @returns {T}
 * @throws {Error} if there is none, or if it is of another class
 */
export function find(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof (kind ?? Element))) throw new Error(`No ${kind?.name ?? "element"} matches ${selector}`);
  return /** @type {T} */ (found);
}

/**
 * All elements in `root` that match `selector`.
 * @type {(root: ParentNode, selector: string) => HTMLElement[]}
 */
export const findAll = (root, selector) => [
  .../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector)),
];

/**
 * The element that matches `selector` and contains what an event came from; null if there is none.
 * @type {(event: Event, selector: string) => HTMLElement|null}
 */
export const around = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);

/**
 * Puts sheets of symbols into the page, so that one is drawn in the moment in which it is asked for: a symbol of
 * another document would come a frame later.
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
