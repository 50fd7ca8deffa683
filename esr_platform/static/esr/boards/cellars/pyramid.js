// A cellar: fifteen vaulted niches, five in the first row, and what lies in them.

import { element } from "../../elements.js";
import { say } from "../../words.js";
import { bottle, EMPTY } from "./bottles.js";
import { show } from "./elements.js";

const BASE = 5;

/** @typedef {{level: number, x: number, card: string, under: string|null}} Cell */

/**
 * How far the first row stands to the right: the first bottle in the middle, as long as the others fit beside it.
 * @param {Cell[]} cells
 */
export function shift(cells) {
  const row = cells.filter((cell) => cell.level === 0).map((cell) => cell.x);
  if (!row.length) return 2;
  return Math.max(Math.min(2, BASE - 1 - Math.max(...row)), -Math.min(...row));
}

/** @type {(cell: number[]) => string} */
const key = ([level, x]) => `${level},${x}`;

/**
 * A pyramid that keeps its niches from scene to scene.
 * @param {Object<string, string>} tokens
 * @param {string} place whose it is, such as `cellar-2-0`
 */
export function pyramid(tokens, place) {
  const niches = [];
  const rows = [];
  for (let level = 0; level < BASE; level += 1) {
    niches.push(Array.from({ length: BASE - level }, () => element("span", "niche")));
    rows.unshift(element("div", "row", ...niches[level]));
  }
  const drawing = element("div", "cellar", ...rows);
  return {
    element: drawing,
    /**
     * @param {Cell[]} cells
     * @param {{cell: number[], trios: number[][][]}|null} lay what has just been laid here
     */
    draw(cells, lay) {
      const right = shift(cells);
      const held = new Map(cells.map((cell) => [`${cell.level},${cell.x + right}`, cell]));
      const lit = new Set((lay?.trios ?? []).flat().map(key));
      const top = Math.max(-1, ...cells.map((cell) => cell.level));
      const seen = Math.min(BASE, top + 2);
      rows.forEach((row, place) => row.classList.toggle("far", BASE - place > seen));
      drawing.dataset.rows = String(seen);
      drawing.style.setProperty("--seen", String(seen));
      niches.forEach((row, level) =>
        row.forEach((niche, along) => {
          const cell = held.get(`${level},${along}`);
          const at = cell ? key([cell.level, cell.x]) : "";
          drawNiche(niche, cell, {
            tokens,
            place: `${place}-${at}`,
            lit: lit.has(at),
            now: lay !== null && at === key(lay.cell),
          });
        }),
      );
    },
  };
}

function drawNiche(niche, cell, { tokens, place, lit, now }) {
  const kind = ["niche"];
  if (cell) kind.push(cell.card === EMPTY ? "holds-empty" : "holds");
  if (lit) kind.push("trio");
  if (cell && now) kind.push("is-now");
  if (cell?.under) kind.push("over");
  niche.className = kind.join(" ");
  if (cell && cell.card !== EMPTY) niche.dataset.wine = cell.card[0];
  else delete niche.dataset.wine;
  show(niche, cell ? [cell.card, place, cell.under] : null, () => {
    if (!cell) return [];
    const over = cell.under && element("span", "hidden", say("over an empty bottle"));
    return [bottle(cell.card, tokens, place), over];
  });
}
