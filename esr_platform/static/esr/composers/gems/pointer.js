// Pointing at piles on the table itself: a short way for a mouse or a finger. Everything it does can be done in the
// composer, so that it needs no key and is nothing to those who listen.

import { pileAt } from "../../boards/gems.js";

/**
 * @param {HTMLElement|undefined} board the element in which the table is drawn
 * @param {(place: {seat: number|"supply", colour: number}) => void} pointed
 * @param {(seat: number|"supply", colour: number) => boolean} wanted which piles may be pointed at
 * @returns {() => void} stops it
 */
export function onPiles(board, pointed, wanted) {
  if (!board) return () => {};
  const piles = [...board.querySelectorAll(".rows .piles > .pile")];
  const open = piles.filter((pile) => {
    const place = pileAt(pile);
    return place && wanted(place.seat, place.colour);
  });
  for (const pile of open) pile.classList.add("pointable");
  const clicked = ({ target }) => {
    const pile = target.closest(".pointable");
    const place = pile && board.contains(pile) && pileAt(pile);
    if (place) pointed(place);
  };
  board.addEventListener("click", clicked);
  return () => {
    board.removeEventListener("click", clicked);
    for (const pile of open) pile.classList.remove("pointable");
  };
}
