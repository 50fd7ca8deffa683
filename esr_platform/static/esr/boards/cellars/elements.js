// Elements of the drawing, and how they change only where something has changed.

import { find, svg } from "../../elements.js";
import { symbol } from "./symbols.js";

/**
 * A drawing by its symbol; without `label` it is decoration.
 * @param {string} name
 * @param {string} label
 */
export function using(name, label) {
  const told = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", told, svg("use", { href: symbol(name) }));
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
  return svg("svg", { viewBox: "0 0 24 24", class: kind, "aria-hidden": "true" }, svg("path", { d: path }));
}

/**
 * The part of a drawing above `share` of its height, for where its foot would be too small to read.
 * @template {SVGElement} T
 * @param {T} drawing
 * @param {number} share
 * @returns {T}
 */
export function cut(drawing, share) {
  const whole = find(drawing, ":scope > *");
  whole.setAttribute("width", "100%");
  whole.setAttribute("height", `${100 / share}%`);
  drawing.classList.add("cut");
  return drawing;
}

/**
 * Draw `target` again only if `facts` are other ones than those it shows.
 * @param {HTMLElement} target
 * @param {unknown} facts
 * @param {() => import("../../elements.js").Child[]} draw
 */
export function show(target, facts, draw) {
  const said = JSON.stringify(facts);
  if (shown.get(target) === said) return;
  shown.set(target, said);
  target.replaceChildren(.../** @type {(Node|string)[]} */ (draw().filter(Boolean)));
}

/** @type {WeakMap<HTMLElement, string>} */
const shown = new WeakMap();
