// The drawing of a game's table, or the plain one where its module does not come, and its place in a replay.

import * as plain from "../boards/plain.js";

const NOTHING = { money: [], phase: "", round: "", offer: false };

/** @type {(address?: string) => Promise<Object>} the module of a board; the plain one without an address */
export async function boardAt(address) {
  if (!address) return plain;
  try {
    return await import(address);
  } catch (error) {
    console.warn(error);
    return plain;
  }
}

/** @type {(board: Object, scene: Object) => Object} what a board marks on the scrubber at a scene */
export const marksOf = (board, scene) => ({ ...NOTHING, ...board.marks?.(scene) });

/** The board and the panel beside it, as parts of a player. */
export class Table {
  /**
   * @param {HTMLElement} root where the board goes
   * @param {HTMLElement} beside where its panel goes
   * @param {import("./player.js").Player} player
   * @param {Object} table what a board is told of the table, see docs/internals/boards.md
   */
  constructor(root, beside, player, table) {
    this.board = player.board.mount(root, table);
    this.drawn = -1;
    if (this.board.side) beside.prepend(this.board.side);
    beside.closest(".replay-table")?.classList.toggle("whole", !this.board.side);
    new ResizeObserver(() => this.board.resize?.()).observe(root);
  }

  show({ scene, from, milliseconds }) {
    if (from && this.board.move) {
      if (from.ply !== this.drawn) this.board.draw(from);
      this.board.move(from, scene, { milliseconds });
    } else this.board.draw(scene);
    this.drawn = scene.ply;
  }
}
