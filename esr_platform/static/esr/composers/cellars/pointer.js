// One's own niches on the table itself, as far as they are drawn there: a short way for a mouse or a finger. Everything
// it does can be done in the composer.

import { cellAt } from "../../boards/cellars.js";

/**
 * @param {HTMLElement|null|undefined} board the element in which the table is drawn
 * @param {{seat: number, cellar: number}} own the cellar that is meant
 * @param {(cell: number[]) => void} pointed
 */
export function onNiches(board, { seat, cellar }, pointed) {
  let shown = [];
  let wanted = [];
  const clear = () => {
    for (const niche of shown) niche.classList.remove("pointable");
    shown = [];
  };
  const at = (target) => {
    const place = board?.contains(target) ? cellAt(target) : null;
    return place?.seat === seat && place.cellar === cellar ? place.cell : null;
  };
  const clicked = ({ target }) => {
    const cell = target.closest(".pointable") && at(target);
    if (cell) pointed(cell);
  };
  /** Again whenever a pointer comes: the table may have been drawn anew. */
  const light = () => {
    clear();
    const legal = new Set(wanted.map(String));
    shown =
      board && legal.size ? [...board.querySelectorAll(".niche")].filter((niche) => legal.has(String(at(niche)))) : [];
    for (const niche of shown) niche.classList.add("pointable");
  };
  board?.addEventListener("click", clicked);
  board?.addEventListener("pointerover", light);
  return {
    /** Niches that are legal now. @type {(cells: number[][]) => void} */
    show(cells) {
      wanted = cells;
      light();
    },
    /** The composer's niche for one of the table. */
    under(target, niches) {
      const cell = at(target);
      return cell ? niches.at(cell) : null;
    },
    stop() {
      clear();
      board?.removeEventListener("click", clicked);
      board?.removeEventListener("pointerover", light);
    },
  };
}
