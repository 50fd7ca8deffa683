// The seats side by side: points, hand and cellars. On a phone one of them is open, the others are small.

import { element } from "../../elements.js";
import * as words from "../../words.js";
import { seatName } from "../names.js";
import { mark, show } from "./elements.js";
import { laid, reasons } from "./facts.js";
import { drawnHand, known } from "./hand.js";
import { pyramid } from "./pyramid.js";

const { say } = words;

/**
 * One seat, which keeps its nodes.
 * @param {Object} table
 * @param {number} seat
 * @param {(seat: number) => void} opened
 */
export function seatColumn(table, seat, opened) {
  const head = element("div", "head");
  const hand = element("p", "hand");
  const note = element("p", "note");
  const vault = vaults(note, seat, table.tokens);
  const button = element("button", "open");
  button.type = "button";
  button.addEventListener("click", () => opened(seat));
  const column = element("section", "seat", head, hand, vault.element, button);
  column.setAttribute("aria-label", table.names[seat]);
  column.dataset.seat = String(seat);
  column.classList.toggle("own", table.seat === seat);
  column.classList.toggle("is-open", (table.seat ?? 0) === seat);
  vault.draw([], null);

  return {
    element: column,
    /** @param {Object} scene @param {boolean} open */
    draw(scene, open) {
      const { view } = scene;
      const lay = laid(scene)?.seat === seat ? laid(scene) : null;
      column.classList.toggle("is-open", open);
      column.classList.toggle("asked", view.turn === seat);
      column.classList.toggle("own", scene.seat === seat);
      button.setAttribute("aria-expanded", String(open));
      button.setAttribute("aria-label", say("Cellar of %(name)s", { name: table.names[seat] }));
      drawHead(head, scene, seat, table);
      const held = known(scene, seat);
      show(hand, held, () => drawnHand(held, seat, table.tokens));
      vault.draw(view.players[seat].cellars, lay);
      drawNote(note, lay, view.players[seat].cellars.at(-1) ?? []);
    },
  };
}

function drawHead(head, { view, standing }, seat, table) {
  const player = view.players[seat];
  const earned = standing?.earned[seat] ?? 0;
  const state = stateOf(view, seat);
  const { version: number } = table.labels?.[seat] ?? {};
  const version = number ? `v${number}` : "";
  show(head, [player.points, earned, state, view.start === seat, version], () => [
    mark(seat),
    seatName(table, seat),
    element(
      "p",
      "state",
      view.start === seat && element("span", "starts", say("starts")),
      element("span", "doing", state),
      version && element("span", "version", version),
    ),
    element("p", "points", earned ? element("small", "", `+${earned}`) : "", element("b", "", String(player.points))),
  ]);
}

function stateOf(view, seat) {
  const { passed, done } = view.players[seat];
  if (view.turn === seat) return view.stage === "bid" ? say("bidding") : say("laying");
  if (passed) return say("passed");
  if (view.stage === null && view.players.every(({ points }) => points <= view.players[seat].points))
    return say("most points");
  return done ? say("done") : "";
}

/** The cellars of a seat: the open one large, or an older one that somebody has chosen to look at. */
function vaults(note, seat, tokens) {
  const older = element("div", "older");
  const vault = element("div", "vault", note, older);
  const cellars = [];
  /** @type {number|null} */
  let chosen = null;
  let redraw = () => {};

  function grow(wanted) {
    while (cellars.length < wanted) {
      const place = cellars.length;
      const peek = element("button", "peek");
      peek.type = "button";
      peek.setAttribute("aria-label", say("Show cellar %(number)s", { number: place + 1 }));
      peek.addEventListener("click", () => {
        chosen = place;
        redraw();
      });
      cellars.push({ peek, drawing: pyramid(tokens, `cellar-${seat}-${place}`) });
    }
    for (const gone of cellars.splice(wanted)) {
      gone.peek.remove();
      gone.drawing.element.remove();
    }
  }

  function draw(held, lay) {
    const last = Math.max(1, held.length) - 1;
    grow(last + 1);
    if (lay || (chosen ?? 0) > last) chosen = null;
    redraw = () => draw(held, lay);
    cellars.forEach(({ peek, drawing }, place) => {
      const large = place === (chosen ?? last);
      const home = large ? vault : peek;
      if (drawing.element.parentNode !== home) home.append(drawing.element);
      if (large) peek.remove();
      else if (peek.parentNode !== older) older.append(peek);
      drawing.element.classList.toggle("tiny", !large);
      drawing.draw(held[place] ?? [], place === last ? lay : null);
    });
  }

  return { element: vault, draw };
}

function drawNote(note, lay, cells) {
  /** @type {(cell: number[]) => string|undefined} */
  const at = ([level, x]) => cells.find((cell) => cell.level === level && cell.x === x)?.card;
  note.hidden = lay === null;
  note.classList.toggle("trio", Boolean(lay?.trios.length));
  show(note, lay, () => (lay ? [element("b", "", `+${lay.points} `), reasons(lay, at, words)] : []));
}
