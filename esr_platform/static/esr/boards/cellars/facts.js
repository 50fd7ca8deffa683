// What a scene says: what just happened, and what earlier scenes of the same round still say.

import { stars } from "./bottles.js";

/**
 * @typedef {Object} Round what happened in a round so far
 * @property {number} round
 * @property {number[]} earned points laid in this round, by seat
 * @property {Object[]|null} exchange its moves: who took what from whom
 * @property {(Object|null)[]} drew by seat: what a pass without a bid turned up
 */

/** @type {(seats: number, round: number) => Round} */
const begun = (seats, round) => ({
  round,
  earned: Array(seats).fill(0),
  exchange: null,
  drew: Array(seats).fill(null),
});

/** @type {(scene: Object, type: string) => Object[]} the events of one type that just happened */
export const events = (scene, type) =>
  scene.entries.filter((entry) => entry.event?.type === type).map((entry) => entry.event);

/** @type {(scene: Object) => Object|null} the step that was just made */
export const step = (scene) => scene.entries.find((entry) => entry.step)?.step ?? null;

/** @type {(scene: Object) => Object|null} the bottle that was just laid */
export const laid = (scene) => events(scene, "laid").at(-1) ?? null;

/**
 * Folds what later scenes of the round must still show.
 * @param {Round|null|undefined} memory
 * @param {Object} scene
 * @returns {Round}
 */
export function remember(memory, scene) {
  const { seats, round } = scene.view;
  if (!memory || memory.round !== round) return begun(seats, round);
  const exchange = events(scene, "exchange").at(-1);
  const lay = laid(scene);
  const draw = events(scene, "pass_draw").at(-1);
  if (!exchange && !lay && !draw) return memory;
  const next = { ...memory, earned: [...memory.earned], drew: [...memory.drew] };
  if (exchange) next.exchange = exchange.moves;
  if (lay) next.earned[lay.seat] += lay.points;
  if (draw) next.drew[draw.seat] = draw;
  return next;
}

/**
 * Why a bottle earned what it did, such as `2 stars, 4 for three alike`.
 * @param {Object} lay the event
 * @param {(cell: number[]) => string|undefined} at what lies in a cell
 * @param {typeof import("../../words.js")} words
 */
export function reasons(lay, at, { say, sayCount }) {
  const found = stars(lay.card);
  const alike = lay.trios.filter((trio) => trio.every((cell) => at(cell) === at(trio[0]))).length;
  const runs = lay.trios.length - alike;
  const parts = [found ? sayCount("1 star", "%(count)s stars", found) : say("an empty bottle earns nothing")];
  if (alike === 1) parts.push(say("4 for three alike"));
  if (alike > 1) parts.push(say("%(points)s for %(count)s times three alike", { points: 4 * alike, count: alike }));
  if (runs === 1) parts.push(say("1 for a run"));
  if (runs > 1) parts.push(say("%(count)s for %(count)s runs", { count: runs }));
  return parts.join(", ");
}
