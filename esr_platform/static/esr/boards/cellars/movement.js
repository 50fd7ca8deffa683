// Movement from scene to scene: what lies elsewhere now comes from where it lay.

import { findAll } from "../../elements.js";

const EASE = "ease-out";

/** @typedef {{key: string, code: string, node: Element, box: DOMRect}} Seen */

const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

/** @type {() => boolean} whether nothing may fly */
export const still = () => Boolean(calm?.matches);

/** @type {(root: HTMLElement) => Seen[]} everything that can be followed, and where it is */
function seen(root) {
  return findAll(root, "[data-fly]").map((node) => {
    const key = node.dataset.fly ?? "";
    return { key, code: key.slice(key.indexOf("|") + 1), node, box: node.getBoundingClientRect() };
  });
}

/** @type {(root: HTMLElement) => Map<string, DOMRect>} where unknown bottles lie: hands and the stack */
function backs(root) {
  const found = new Map();
  for (const node of findAll(root, "[data-home]")) found.set(node.dataset.home, node.getBoundingClientRect());
  for (const node of findAll(root, "[data-back]")) found.set(node.dataset.back, node.getBoundingClientRect());
  return found;
}

/** Takes the first of `list` that `fits` out of it. */
function take(list, fits) {
  const place = list.findIndex(fits);
  return place < 0 ? null : list.splice(place, 1)[0];
}

/** @type {(key: string) => string} where a bottle comes from whose place nobody saw */
const origin = (key) => {
  const [, kind, seat] = /^(bid|cellar|took|hand)-(\d+)/.exec(key) ?? [];
  return kind === "bid" || kind === "cellar" ? `hand-${seat}` : "stack";
};

/** @type {(now: Seen) => (one: Seen) => boolean} */
const alike = (now) => (one) => one.code === now.code;

/** @type {(one: Seen) => boolean} what is taken is drawn twice, in the chain and in a hand, and comes from one place */
const onTable = ({ key }) => key.startsWith("bid-") || key.startsWith("display");

/**
 * Which node comes from where: same place first, then the same bottle elsewhere, then an unknown one.
 * @returns {[Element, DOMRect, DOMRect][]} node, where it was, where it is
 */
function flights(before, homes, after) {
  const left = [...before];
  const rest = [];
  const found = [];
  for (const now of after) {
    const was = take(left, (one) => one.key === now.key);
    if (was) found.push([now.node, was.box, now.box]);
    else rest.push(now);
  }
  for (const now of rest) {
    const was = now.code && (take(left, alike(now)) ?? before.find((one) => alike(now)(one) && onTable(one)));
    const box = was ? was.box : homes.get(origin(now.key));
    if (box) found.push([now.node, box, now.box]);
  }
  return found.filter(([, from, to]) => to.width > 0 && from.width > 0);
}

/**
 * Draws, and lets things fly from where they were.
 * @param {HTMLElement} root
 * @param {() => void} draw
 * @param {number} milliseconds
 * @returns {Animation[]}
 */
export function fly(root, draw, milliseconds) {
  const before = seen(root);
  const homes = backs(root);
  draw();
  return flights(before, homes, seen(root)).flatMap(([node, from, to]) => {
    const right = from.left - to.left;
    const down = from.top - to.top;
    if (Math.abs(right) < 1 && Math.abs(down) < 1) return [];
    const start = `translate(${right}px, ${down}px) scale(${from.width / to.width})`;
    const frames = [
      { transform: start, transformOrigin: "0 0" },
      { transform: "none", transformOrigin: "0 0" },
    ];
    return [node.animate(frames, { duration: milliseconds, easing: EASE })];
  });
}
