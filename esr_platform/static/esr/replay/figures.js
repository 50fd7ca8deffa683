// What the chart draws, read off every scene once: a line a seat, and marks.

import { marksOf } from "./board.js";

/**
 * @typedef {Object} Figures
 * @property {string} name of the chart
 * @property {string} unit
 * @property {number[][]} lines by seat, a value a step; none where the board has no figures
 * @property {{ply: number, seat: number}[]} dots
 * @property {number[]} offers
 * @property {{ply: number, text: string}[]} phases
 * @property {{ply: number, text: string}[]} rounds
 * @property {number} last
 */

/**
 * @param {import("./player.js").Player} player
 * @returns {Figures}
 */
export function figuresOf({ game, board }) {
  /** @type {Figures} */
  const found = {
    name: board.chartName ?? "",
    unit: board.unit ?? "",
    last: game.last,
    lines: [],
    dots: [],
    offers: [],
    phases: [],
    rounds: [],
  };
  if (board.series) found.lines = Array.from({ length: game.seats }, () => []);
  let before = { phase: "", round: "" };
  for (let ply = 0; ply <= game.last; ply++) {
    const scene = game.scene(ply, null, board.remember);
    const marks = marksOf(board, scene);
    board.series?.(scene).forEach((value, seat) => found.lines[seat].push(value));
    for (const seat of marks.money) found.dots.push({ ply, seat });
    if (marks.offer) found.offers.push(ply);
    if (marks.phase && marks.phase !== before.phase) found.phases.push({ ply, text: marks.phase });
    if (marks.round && (marks.round !== before.round || marks.phase !== before.phase))
      found.rounds.push({ ply, text: marks.round });
    before = marks;
  }
  return found;
}
