// The drawing of a game's table, or the plain one where its module does not come.

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
