// The names of seats on a board. All of them have one size (names.css): the largest in which the longest name fits, but
// names wider than WIDEST count as that wide. Where rows are high enough, a name may continue in a second line after a
// space or one of _ - . and before a capital. What does not fit ends with an ellipsis.

import { html } from "../elements.js";
import { say } from "../words.js";

/** In ems. */
const WIDEST = 6.5;

const PARTS = /(?<=[\s_.-])|(?<=\p{Ll})(?=\p{Lu})/u;

/**
 * What a seat is called in lists and on the board: the own one is "You".
 * @type {(table: {names: string[], seat?: number}) => (seat: number) => string}
 */
export const calledOf = (table) => (seat) => (seat === table.seat ? say("You") : table.names[seat]);

/**
 * @param {{names: string[], seat?: number, labels?: {href?: string}[]}} table
 * @param {number} seat
 * @param {{link?: boolean}} [options] whether the name is a link if the table has one
 * @returns {HTMLElement}
 */
export function seatName(table, seat, { link = false } = {}) {
  const called = calledOf(table)(seat);
  const parts = called.split(PARTS).flatMap((part, place) => (place ? [html("wbr"), part] : [part]));
  const href = link && table.labels?.[seat]?.href;
  return href
    ? html("a", { class: "seat-name name", title: called, href }, ...parts)
    : html("span", { class: "seat-name", title: called }, ...parts);
}

/**
 * Tell the style sheet how wide the longest name is, and the longest part of a name that is not broken.
 * @param {HTMLElement} board an element of the page
 * @param {{names: string[], seat?: number}} table
 */
export function fitNames(board, table) {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return;
  pen.font = `100px ${getComputedStyle(board).fontFamily}`;
  const widest = (texts) => Math.max(...texts.map((text) => pen.measureText(text).width / 100));
  const names = table.names.map((_, seat) => calledOf(table)(seat));
  board.style.setProperty("--name-ems", Math.min(WIDEST, widest(names)).toFixed(2));
  board.style.setProperty(
    "--part-ems",
    Math.min(WIDEST, widest(names.flatMap((name) => name.split(PARTS)))).toFixed(2),
  );
}
