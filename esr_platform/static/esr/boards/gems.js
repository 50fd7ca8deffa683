// The table of Edel, Stein & Reich and of its two-player variant: a ledger with a row for every seat and a column for
// every colour, and beside it the barter as a conversation. What a scene is: docs/internals/boards.md.

import { element } from "../elements.js";
import { say } from "../words.js";
import { conversation } from "./gems/conversation.js";
import { betweenRows } from "./gems/duel.js";
import { ledger, scoringPanel } from "./gems/ledger.js";
import { remember } from "./gems/memory.js";
import { beats, paid, read } from "./gems/moment.js";
import { columns, departures, flights, still, turn } from "./gems/movement.js";
import { roundPanel } from "./gems/round.js";
import { bankRow, fill, heads, namesOf, seatRow } from "./gems/rows.js";
import { frustrated } from "./gems/sentences.js";
import { tie } from "./gems/tie.js";
import { fitNames } from "./names.js";

/** What a composer says about an offer. */
export { verdict } from "./gems/offers.js";
export { beats, remember };

/**
 * Whose pile an element of the table lies in, for composers that let gems be pointed at.
 * @param {Element} node
 * @returns {{seat: number|"supply", colour: number}|null}
 */
export function pileAt(node) {
  const pile = node.closest(".rows .piles > .pile");
  if (!pile) return null;
  const { seat } = /** @type {HTMLElement} */ (pile.closest(".row")).dataset;
  return {
    seat: seat === undefined ? "supply" : Number(seat),
    colour: [...(pile.parentElement?.children ?? [])].indexOf(pile),
  };
}

/** What the chart draws. */
export const unit = say("million");
export const chartName = say("Money over time");

/** @type {(scene: Object) => number[]} */
export const series = ({ view }) => view.players.map((player) => player.money);

/**
 * Where in the game a scene is: its words, and which round of how many.
 * @param {Object} scene
 * @returns {{text: string, pips: [number, number]}}
 */
export function place(scene) {
  const { view, scoring, dealt } = read(scene);
  const values = { phase: view.phase, round: view.round, rounds: view.rounds };
  if (scoring && !dealt)
    return { text: say("Scoring of phase %(phase)s", { phase: scoring.phase }), pips: [view.rounds + 1, view.rounds] };
  /** @type {[number, number]} */
  const pips = [view.round, view.rounds];
  if (view.seats === 2) return { text: say("Phase %(phase)s, turn %(round)s of %(rounds)s", values), pips };
  return { text: say("Phase %(phase)s, round %(round)s of %(rounds)s", values), pips };
}

/**
 * What the scrubber marks at a step. A scoring still belongs to the phase that it ends.
 * @param {Object} scene
 * @returns {{money: number[], phase: string, round: string, offer: boolean}}
 */
export function marks(scene) {
  const { view, scoring } = read(scene);
  return {
    money: paid(scene).flatMap((amount, seat) => (amount ? [seat] : [])),
    phase: say("Phase %(phase)s", { phase: scoring?.phase ?? view.phase }),
    round: String(scoring ? view.rounds : view.round),
    offer: scene.entries.some(({ step }) => Boolean(step?.move?.offer)),
  };
}

/** The cards that have been turned up: new gem cards, a new event. */
function dealt({ rows, bank }, from, to) {
  const gemCards = rows.filter(({ seat }) => from.players[seat].gem_card !== to.players[seat].gem_card);
  const cards = gemCards.flatMap(({ element: row }) => [...row.querySelectorAll(".play .gem-card:not(.empty)")]);
  const event = from.event.display !== to.event.display ? bank.element.querySelector(".cards > [data-card]") : null;
  return event ? [...cards, event] : cards;
}

/**
 * The drawing of a table, in `root`.
 * @param {HTMLElement} root
 * @param {{seats: number, names: string[], labels?: Object[], order?: number[], seat?: number, ranks?: number[]}} table
 */
export function mount(root, table) {
  const parts = built(table);
  const { board, side, layer } = parts;
  const holder = element("div", "gems", board, layer);
  const line = tie(board);
  holder.append(line.element);
  root.replaceChildren(holder);
  fitNames(holder, table);

  let running = [];
  /** @type {import("./gems/moment.js").Moment|null} */
  let moment = null;

  function stop() {
    for (const animation of running) animation.cancel();
    running = [];
    layer.replaceChildren();
    side.classList.remove("paying");
  }

  /** The scoring in place of the rows, or the rows again: those who play on want to see what is dealt. */
  function showScoring(shown) {
    parts.table.hidden = shown;
    parts.scored.element.hidden = !shown;
  }

  function drawTie() {
    const involved = moment?.barter && !moment.scoring ? moment.involved : [];
    const rows = parts.rows.filter(({ seat }) => involved.includes(seat));
    line.draw(
      rows.map((row) => row.element),
      side,
    );
  }

  function drawNow(scene) {
    const now = (moment = read(scene));
    showScoring(Boolean(now.scoring) && !now.dealt);
    parts.scored.draw(now);
    for (const drawn of [parts.bank, parts.strip, ...parts.rows]) drawn?.draw(now);
    fill(parts.note, [now.memory.round, now.memory.last], () => noteOf(table, now));
    fill(side, [...sideKey(now), table.ranks], () => panel(table, now, showScoring));
    queueMicrotask(drawTie); // after the other parts of the page, so that it is measured once
    return now;
  }

  function draw(scene) {
    stop();
    drawNow(scene);
  }

  /** Animates what happened between two scenes; a new one interrupts it. */
  async function move(from, to, { milliseconds }) {
    if (!milliseconds || still()) return draw(to);
    stop();
    const faceDown = to.reveal ? () => opened(lines(parts)) : parts.unturned();
    const leaving = departures(to.entries, parts.pileOf);
    const now = drawNow(to);
    const paying = Boolean(now.scoring) && !now.dealt;
    running = [
      ...(paying ? columns(parts.scored.element, milliseconds) : flights(leaving, parts.pileOf, layer, milliseconds)),
      ...[...faceDown(), ...dealt(parts, from.view, to.view)].map((card) => turn(card, milliseconds)),
    ];
    const own = running;
    side.classList.toggle("paying", paying);
    await Promise.allSettled(own.map((animation) => animation.finished));
    if (own === running) side.classList.remove("paying");
    return undefined;
  }

  return { draw, move, side, resize: drawTie };
}

/** The elements of a board, before anything is drawn. */
function built(table) {
  const order = table.order ?? table.names.map((_, seat) => seat);
  const bank = bankRow();
  const rows = order.map((seat) => ({ seat, ...seatRow(table, seat) }));
  const between = table.seats === 2 ? betweenRows(table) : null;
  const lines = rows.map((row) => row.element);
  if (between) lines.splice(1, 0, between.element);
  const ledgerOf = element("div", "rows", heads(table.seats === 2), bank.element, ...lines);
  ledgerOf.setAttribute("role", "table");
  ledgerOf.setAttribute("aria-label", say("Board"));
  const scored = ledger(table);
  scored.element.hidden = true;
  const note = element("p", "gems-note caption");
  const board = element("div", "gems-board", ledgerOf, scored.element, table.seat === undefined ? null : note);
  board.dataset.seats = String(table.seats);
  const layer = element("div", "gems-layer");
  layer.setAttribute("aria-hidden", "true");
  const side = element("section", "gems-side panel");
  side.setAttribute("aria-label", say("Current round"));
  const pileOf = (place, colour) =>
    (place === "supply" ? bank : rows.find(({ seat }) => seat === place))?.piles[colour] ?? null;
  const unturned = turning(lines);
  return { board, table: ledgerOf, scored, note, bank, rows, strip: between, layer, side, pileOf, unturned };
}

const lines = ({ rows, strip }) => [...rows, ...(strip ? [strip] : [])].map((row) => row.element);

/** The open actions of this round. */
const opened = (places) =>
  places.flatMap((place) => [...place.querySelectorAll(".action:not(.past), .action-card.open")]);

/** Remembers which actions are face down, and returns those of them that were turned over. */
const turning = (lines) => () => {
  const places = lines.flatMap((line) => [...line.querySelectorAll(".play, .hides")]);
  const down = places.filter((place) => place.querySelector(".event-card.back"));
  return () => opened(down);
};

/** Why actions came to nothing: those of this round, and before any is known those of the last one. */
function noteOf(table, { memory: { round, last } }) {
  const told = Object.keys(round.actions).length ? round : last;
  return told ? [frustrated(told, namesOf(table)).join(" ")] : [];
}

const sideKey = ({ memory, view, yous, barter, dealt }) => [
  memory.ply,
  dealt,
  memory,
  view.barter,
  view.turn,
  view.immediate,
  view.free_choice,
  barter,
  yous,
];

function panel(table, moment, showScoring) {
  if (moment.scoring) return scoringPanel(table, moment, showScoring);
  return moment.barter ? conversation(table, moment) : roundPanel(table, moment);
}
