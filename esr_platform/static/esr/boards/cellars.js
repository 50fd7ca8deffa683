// The table of Die Weinhändler: the bids as a chain, and every seat with its hand and its cellar.

import { element, find } from "../elements.js";
import { say, sayCount } from "../words.js";
import { chain } from "./cellars/chain.js";
import { laid, remember } from "./cellars/facts.js";
import { fly, still } from "./cellars/movement.js";
import { ribbon } from "./cellars/ribbon.js";
import { seatColumn } from "./cellars/seats.js";
import { bring } from "./cellars/symbols.js";
import { fitNames } from "./names.js";

export { remember };

/** Several bids that are shown as one. @type {(count: number) => string} */
export const joined = (count) => sayCount("1 bid", "%(count)s bids", count);

/** What the chart draws. */
export const unit = say("points");
export const chartName = say("Points over time");

/** @type {(scene: Object) => number[]} */
export const series = ({ view }) => view.players.map((player) => player.points);

const roundName = ({ round, last_round: last }) =>
  last ? say("Round %(round)s (last round)", { round }) : say("Round %(round)s", { round });

/** @type {(scene: Object) => {text: string}} where in the game a scene is */
export const place = ({ view }) => ({ text: roundName(view) });

/** @type {(scene: Object) => {money: number[], round: string, offer: boolean}} */
export function marks(scene) {
  const lay = laid(scene);
  return {
    money: lay?.points ? [lay.seat] : [],
    round: roundName(scene.view),
    offer: scene.entries.some(({ step }) => step?.decision === "bid" && step.move !== "pass"),
  };
}

/**
 * Where the open cellar of a seat is drawn, for composers that put niches of their own there. On a phone it is opened.
 * @param {HTMLElement} root
 * @param {number} seat
 * @returns {HTMLElement|null}
 */
export function vaultOf(root, seat) {
  const column = /** @type {HTMLElement|null} */ (root.querySelector(`.seat[data-seat="${seat}"]`));
  if (!column) return null;
  if (!column.matches(".is-open")) find(column, ":scope > .open").click();
  return find(column, ".vault");
}

/**
 * The drawing of a table, in `root`.
 * @param {HTMLElement} root
 * @param {{seats: number, names: string[], tokens: Object<string, string>, labels?: Object[], order?: number[],
 *   drawings?: Object}} table
 */
export function mount(root, table) {
  bring(table.drawings);
  let scene = null;
  let flying = [];
  let pinned = null;
  const top = ribbon(table);
  const bids = chain(table);
  const columns = Array.from({ length: table.seats }, (_, seat) => seatColumn(table, seat, open));
  const order = table.order ?? table.names.map((_, seat) => seat);
  const seats = element("div", "seats", ...order.map((seat) => columns[seat].element));
  const board = element("div", "cellars", top.element, bids.element, seats);
  board.dataset.seats = String(table.seats);
  root.replaceChildren(board);
  fitNames(board, table);

  /** A tap opens a cellar, and a second one lets the board follow the game again. */
  function open(seat) {
    pinned = pinned === seat ? null : seat;
    if (scene) draw(scene);
  }

  function stop() {
    for (const animation of flying) animation.cancel();
    flying = [];
  }

  function drawNow(next) {
    scene = next;
    top.draw(next);
    bids.draw(next);
    const shown = pinned ?? next.seat ?? laid(next)?.seat ?? next.view.turn ?? 0;
    columns.forEach((column, seat) => column.draw(next, seat === shown));
  }

  function draw(next) {
    stop();
    drawNow(next);
  }

  /**
   * From one scene to the next; at once where nothing may move.
   * @param {Object} from
   * @param {Object} to
   * @param {{milliseconds: number}} pace
   */
  async function move(from, to, { milliseconds }) {
    stop();
    if (scene !== from) drawNow(from);
    if (milliseconds <= 0 || still()) {
      drawNow(to);
      return;
    }
    flying = fly(board, () => drawNow(to), milliseconds);
    await Promise.allSettled(flying.map((animation) => animation.finished));
  }

  return { draw, move, side: null, resize() {} };
}
