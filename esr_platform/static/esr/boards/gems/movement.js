// What moves between two scenes: gems from row to row, a card that is turned over, columns that are paid.

import { findAll } from "../../elements.js";
import { stone } from "./piles.js";

/** Milliseconds, after the almanac's measure. */
const FLIGHT = 260;
const TURN = 180;
const COLUMN = 400;

const EASE = "ease-out";

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** At most so many gems fly from one pile; more say nothing more. */
const MOST = 6;

/**
 * Where gems lay before a change, so that they can fly from there.
 * @param {Object[]} entries of the step
 * @param {(place: number|"supply", colour: number) => HTMLElement|null} pileOf
 */
export function departures(entries, pileOf) {
  const moves = entries.flatMap(({ event }) => (event?.type === "gems_moved" ? [event] : []));
  return moves.flatMap(({ from, to, gems }) =>
    gems.flatMap((count, colour) => {
      const stones = [...(pileOf(from, colour)?.querySelectorAll(".stone") ?? [])];
      const leaving = stones.slice(-count).slice(0, MOST);
      return count
        ? leaving.map((stoneThere, index) => ({
            to,
            colour,
            index,
            count: leaving.length,
            rect: stoneThere.getBoundingClientRect(),
          }))
        : [];
    }),
  );
}

/**
 * The gems of `departures` fly to where they lie now.
 * @returns {Animation[]}
 */
export function flights(leaving, pileOf, layer, milliseconds) {
  const origin = layer.getBoundingClientRect();
  return leaving.flatMap(({ to, colour, index, count, rect }) => {
    const lying = [...(pileOf(to, colour)?.querySelectorAll(".stone") ?? [])];
    const target = lying.at(-count + index) ?? lying.at(-1) ?? pileOf(to, colour);
    if (!target || !rect.width) return [];
    const end = target.getBoundingClientRect();
    return [
      fly(colour, rect, end, origin, layer, Math.min(FLIGHT, milliseconds)),
      hide(target, Math.min(FLIGHT, milliseconds)),
    ];
  });
}

function fly(colour, start, end, origin, layer, duration) {
  const flying = stone(colour, "flying");
  flying.style.setProperty("width", `${start.width}px`);
  flying.style.setProperty("height", `${start.height}px`);
  layer.append(flying);
  const at = ({ left, top }) => `translate(${left - origin.left}px, ${top - origin.top}px)`;
  const animation = flying.animate([{ transform: at(start) }, { transform: at(end) }], {
    duration,
    easing: EASE,
    fill: "both",
  });
  const gone = () => flying.remove();
  animation.finished.then(gone, gone);
  return animation;
}

const hide = (target, duration) => target.animate([{ opacity: 0 }, { opacity: 0 }], { duration });

/** A card is turned over: edge-on in the middle. @type {(card: Element, milliseconds: number) => Animation} */
export const turn = (card, milliseconds) =>
  card.animate([{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], {
    duration: Math.min(TURN, milliseconds),
    easing: EASE,
  });

/** Columns are paid one after the other. @type {(board: HTMLElement, milliseconds: number) => Animation[]} */
export function columns(board, milliseconds) {
  const each = Math.min(COLUMN, milliseconds);
  return findAll(board, "[data-column]").flatMap((cell) => {
    const delay = (Number(cell.dataset.column) - 1) * each;
    const parts = [...cell.querySelectorAll(".paid, .caption, .ghost, .was + .millions")];
    return delay < 0
      ? []
      : parts.map((part) =>
          part.animate([{ opacity: 0 }, { opacity: 1 }], { delay, duration: each, easing: EASE, fill: "backwards" }),
        );
  });
}
