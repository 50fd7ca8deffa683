// What a bottle would earn in a cell: its stars and the trios that it completes (rules of the game, section 4.2).

import { EMPTY, stars } from "../../boards/cellars/bottles.js";

/** Three cells that can make a trio, the first at [0, 0]: lines, both diagonals, triangles. */
const SHAPES = [
  [
    [0, 0],
    [0, 1],
    [0, 2],
  ],
  [
    [0, 0],
    [1, 0],
    [2, 0],
  ],
  [
    [0, 0],
    [1, -1],
    [2, -2],
  ],
  [
    [0, 0],
    [0, 1],
    [1, 0],
  ],
  [
    [0, 1],
    [1, 0],
    [1, 1],
  ],
];

const ALIKE = 4;
const RUN = 1;

/** @type {(cells: Object[], place: number[]) => string|undefined} */
const at = (cells, [level, x]) => cells.find((cell) => cell.level === level && cell.x === x)?.card;

function bonus(codes) {
  if (codes.some((code) => !code || code === EMPTY)) return 0;
  if (codes.every((code) => code === codes[0])) return ALIKE;
  const one = codes.every((code) => code[0] === codes[0][0]);
  return one && new Set(codes.map(stars)).size === 3 ? RUN : 0;
}

/**
 * @param {{level: number, x: number, card: string}[]} cells of the cellar, as it is
 * @param {string} card
 * @param {number[]} cell where it may be laid
 * @returns {{card: string, cell: number[], points: number, trios: number[][][]}} as the event of the log
 */
export function earning(cells, card, cell) {
  const [level, x] = cell;
  const after = [...cells.filter((other) => other.level !== level || other.x !== x), { level, x, card }];
  let points = stars(card);
  const trios = [];
  for (const shape of SHAPES) {
    for (const [up, right] of shape) {
      const trio = shape.map(([above, along]) => [level - up + above, x - right + along]);
      const found = bonus(trio.map((place) => at(after, place)));
      if (found) trios.push(trio);
      points += found;
    }
  }
  return { card, cell, points, trios };
}
