// Which moves a decision of Die Weinhändler allows, by its bounds alone. What a composer sends has
// passed here; the engine has the last word.

import { EMPTY, total, without } from "../../boards/cellars/bottles.js";

const has = (value, keys) =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  JSON.stringify(Object.keys(value).sort()) === JSON.stringify([...keys].sort());

/** @type {(question: Object, codes: string[]) => number} what one's bid comes to with these bottles, in tenths */
export const totalWith = (question, codes) => (question.total ?? 0) + total(codes);

/**
 * @type {(question: Object, codes: string[]) => boolean} whether some of the hand, at least one, make a total of their
 *   own
 */
export function mayAdd(question, codes) {
  const held =
    codes.every((code) => question.hand.includes(code)) &&
    without(question.hand, codes).length === question.hand.length - codes.length;
  return codes.length > 0 && held && !question.taken.includes(totalWith(question, codes));
}

/** @type {(question: Object, code: string) => number[][]} the cells in which a bottle may be laid */
export const cellsFor = ({ cells }, code) =>
  cells.filter(({ cards }) => cards === "any" || code !== EMPTY).map(({ cell }) => cell);

function mayLay(question, { card, cell }) {
  return (
    question.hand.includes(card) && cellsFor(question, card).some(([level, x]) => level === cell[0] && x === cell[1])
  );
}

/**
 * @param {Object} question the decision
 * @param {*} move
 * @returns {boolean}
 */
export function isLegal(question, move) {
  if (question.kind === "bid")
    return move === "pass" || (has(move, ["cards"]) && Array.isArray(move.cards) && mayAdd(question, move.cards));
  if (question.kind !== "lay") return false;
  if (move === "done") return question.must_lay === 0;
  return has(move, ["card", "cell"]) && Array.isArray(move.cell) && move.cell.length === 2 && mayLay(question, move);
}
