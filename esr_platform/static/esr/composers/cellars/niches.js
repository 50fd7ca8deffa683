// One's own open cellar with the niches in which a bottle may be laid: those that are filled, and those that could be.

import { bottle, EMPTY } from "../../boards/cellars/bottles.js";
import { element, html } from "../../elements.js";
import { say } from "../../words.js";

/** @type {(cell: number[]) => string} */
const keyOf = ([level, x]) => `${level},${x}`;

/** @type {(cells: Object[], cell: number[]) => Object|undefined} */
export const inCell = (cells, [level, x]) => cells.find((cell) => cell.level === level && cell.x === x);

/** Where it is, for those who listen: its row, what it lies over, and on which two. */
function placeText([level, x], cells) {
  const over = inCell(cells, [level, x]);
  const row = level ? say("row %(row)s", { row: level + 1 }) : say("first row");
  const under = level
    ? [inCell(cells, [level - 1, x]), inCell(cells, [level - 1, x + 1])].map((cell) => cell?.card)
    : [];
  return { row, over: over?.card, under };
}

/**
 * @param {Object[]} cells what lies there
 * @param {number[][]} open cells in which some bottle may be laid
 * @param {Object<string, string>} tokens
 * @param {(cell: number[]) => void} pressed
 */
export function nichesOf(cells, open, tokens, pressed) {
  const places = [...cells.map(({ level, x }) => [level, x]), ...open.filter((cell) => !inCell(cells, cell))];
  const left = Math.min(...places.map(([level, x]) => 2 * x + level));
  const top = Math.max(...places.map(([level]) => level));
  const frame = element("div", "compose-cellar");
  const width = Math.max(...places.map(([level, x]) => 2 * x + level)) - left + 2;
  const levels = top + 1;
  frame.style.setProperty("--halves", String(width));
  frame.style.setProperty("--levels", String(levels));
  const niches = new Map();
  const ordered = [...places].sort((one, two) => two[0] - one[0] || one[1] - two[1]);
  for (const [level, x] of ordered) {
    const niche = isOpen(open, [level, x])
      ? openNiche([level, x], cells, tokens, pressed)
      : html("span", { class: "niche" });
    niche.dataset.cell = keyOf([level, x]);
    niche.style.gridRow = String(top - level + 1);
    niche.style.gridColumn = `${2 * x + level - left + 1} / span 2`;
    niches.set(niche.dataset.cell, niche);
    frame.append(niche);
  }
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", say("Your cellar"));
  return {
    element: frame,
    levels,
    buttons: [...niches.values()].filter((niche) => niche.matches("button")),
    at: (cell) => niches.get(keyOf(cell)),
    show: (ghost) => show(niches, cells, tokens, ghost),
  };
}

const isOpen = (open, [level, x]) => open.some((cell) => cell[0] === level && cell[1] === x);

function openNiche(cell, cells, tokens, pressed) {
  const { row, over, under } = placeText(cell, cells);
  const parts = [
    row,
    over && say("over an empty bottle"),
    under.length > 0 &&
      say("on %(first)s and %(last)s", { first: tokens[under[0]] ?? under[0], last: tokens[under[1]] ?? under[1] }),
  ];
  const button = html("button", {
    type: "button",
    class: "niche open",
    "aria-pressed": "false",
    "aria-label": say("Place: %(where)s", { where: parts.filter(Boolean).join(", ") }),
  });
  button.addEventListener("click", () => pressed(cell));
  return button;
}

/**
 * @param {{card: string, cell: number[], trios: number[][][]}|null} ghost a bottle that is not laid yet, and what it
 *   makes
 */
function show(niches, cells, tokens, ghost) {
  const lit = new Set((ghost?.trios ?? []).flat().map(keyOf));
  for (const [key, niche] of niches) {
    const [level, x] = key.split(",").map(Number);
    const here = ghost && keyOf(ghost.cell) === key;
    const card = here ? ghost.card : inCell(cells, [level, x])?.card;
    const shown = JSON.stringify([card, here]);
    if (niche.dataset.shown !== shown) niche.replaceChildren(...(card ? [drawn(card, tokens)] : []));
    niche.dataset.shown = shown;
    niche.classList.toggle("holds", Boolean(card) && card !== EMPTY);
    niche.classList.toggle("ghost", Boolean(here));
    niche.classList.toggle("trio", lit.has(key));
    if (niche.matches("button")) niche.setAttribute("aria-pressed", String(Boolean(here)));
  }
}

function drawn(card, tokens) {
  const made = bottle(card, tokens, "");
  made.removeAttribute("data-fly");
  return made;
}
