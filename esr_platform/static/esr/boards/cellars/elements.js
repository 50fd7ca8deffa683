// Elements of the drawing, and how they change only where something has changed.

import { symbol } from "./symbols.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|null|undefined|false} Child */

/**
 * An element with its class and what is in it.
 * @param {string} name
 * @param {string} kind
 * @param {...Child} children
 */
export function element(name, kind, ...children) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.append(...children.filter(Boolean));
  return made;
}

/**
 * A drawing by its symbol; without `label` it is decoration.
 * @param {string} name
 * @param {string} label
 */
export function using(name, label) {
  const drawing = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", symbol(name));
  drawing.append(use);
  if (label) {
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", label);
  } else {
    drawing.setAttribute("aria-hidden", "true");
  }
  return drawing;
}

/** @type {(seat: number) => SVGElement} the merchant's mark of a seat */
export function mark(seat) {
  const drawing = using(`mark-${seat + 1}`, "");
  drawing.setAttribute("class", "mark");
  return drawing;
}

/**
 * A line drawing in a box of 24 × 24.
 * @param {string} kind
 * @param {string} path
 */
export function line(kind, path) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("class", kind);
  drawing.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS(SVG, "path");
  stroke.setAttribute("d", path);
  drawing.append(stroke);
  return drawing;
}

/**
 * The part of a drawing above `share` of its height, for where its foot would be too small to read.
 * @param {SVGElement} drawing
 * @param {number} share
 */
export function cut(drawing, share) {
  drawing.firstElementChild.setAttribute("width", "100%");
  drawing.firstElementChild.setAttribute("height", `${100 / share}%`);
  drawing.classList.add("cut");
  return drawing;
}

/**
 * Draw `target` again only if `facts` are other ones than those it shows.
 * @param {HTMLElement} target
 * @param {unknown} facts
 * @param {() => Child[]} draw
 */
export function show(target, facts, draw) {
  const said = JSON.stringify(facts);
  if (shown.get(target) === said) return;
  shown.set(target, said);
  target.replaceChildren(...draw().filter(Boolean));
}

/** @type {WeakMap<HTMLElement, string>} */
const shown = new WeakMap();
