// The table as a ledger: the heads of the columns, the bank, and a row for every seat.

import { element, html } from "../../elements.js";
import { say } from "../../words.js";
import { seatName } from "../names.js";
import { actionCard, actionSign, cardsLeft, eventCard, gemCard, held, stack } from "./cards.js";
import { COLOURS, cardName, colourName, VALUES } from "./codes.js";
import { drawing, heard } from "./elements.js";
import { choice, doing, paid } from "./moment.js";
import { leads, pile, stone } from "./piles.js";

/** @type {(className: string, role: string, ...children: any[]) => HTMLElement} */
function cell(className, role, ...children) {
  const made = element("div", className, ...children);
  made.setAttribute("role", role);
  return made;
}

/** Fills an element anew, but only if what it shows has changed. */
export function fill(target, shown, make) {
  const key = JSON.stringify(shown);
  if (target.shown === key) return;
  target.shown = key;
  target.replaceChildren(...[make()].flat().filter(Boolean));
}

/** @type {(colour: number) => HTMLElement} the head of a column: gem, name, what most are worth */
export const colourHead = (colour) =>
  cell(
    "colour",
    "columnheader",
    stone(colour),
    element("i", "", colourName(COLOURS[colour])),
    element("b", "", VALUES[colour]),
  );

/** The heads of the columns. */
export function heads(duel) {
  const last = duel ? say("Gem card") : say("Gem card, action");
  const row = cell("row heads", "row", cell("who", "columnheader", element("i", "", say("Seat"))));
  const names = [
    ["money", say("Money")],
    ["cards", say("Scoring cards")],
    ["play", last],
  ];
  row.append(cell("piles", "none", ...COLOURS.map((_, colour) => colourHead(colour))));
  row.append(...names.map(([name, text]) => cell(name, "columnheader", element("i", "", text))));
  return row;
}

/** The bank: what is left to take, the event on display, the stacks. */
export function bankRow() {
  const piles = COLOURS.map(() => cell("pile", "cell"));
  const cards = cell("cards", "cell");
  const play = cell("play", "cell");
  const who = cell(
    "who",
    "rowheader",
    element("span", "seat-name", say("Supply")),
    element("span", "meta", say("available")),
  );
  const row = cell("row bank", "row", who, cell("piles", "none", ...piles), cell("money", "cell"), cards, play);
  row.append(unfold(row, say("Show cards of the supply")));
  return {
    element: row,
    piles,
    /** @param {import("./moment.js").Moment} moment */
    draw({ view }) {
      const { event, aside } = view;
      piles.forEach((target, colour) =>
        fill(target, view.supply[colour], () => pile(colour, { count: view.supply[colour] })),
      );
      fill(cards, [event.display, event.stack], () => [
        event.display ? eventCard(event.display) : element("span", "event-card empty"),
        event.display && element("i", "card-name", cardName(event.display)),
        stack(event.stack, false, cardsLeft(event.stack)),
      ]);
      fill(play, [view.gem_stack, aside], () => [
        stack(view.gem_stack, true, cardsLeft(view.gem_stack)),
        aside?.top && asideOf(aside),
      ]);
    },
  };
}

const asideOf = ({ count, top }) =>
  element("span", "stack-of", gemCard(top), element("i", "caption", say("%(count)s aside", { count })));

/** What the seats are called. @type {(table: Object) => (seat: number) => string} */
export const namesOf = (table) => (seat) => table.names[seat];

/** A seat's mark. @type {(seat: number) => SVGElement} */
export const mark = (seat) => drawing(`mark-${seat + 1}`, "mark", "0 0 20 20");

/** Who sits there: mark and name, a link if there is one, and what is known of it. */
export function nameOf(table, seat) {
  const label = table.labels?.[seat] ?? {};
  const version = /^\d/.test(String(label.version ?? "")) ? `v${label.version}` : label.version;
  const meta = [version, label.rating].filter((part) => part || part === 0).join(" · ");
  return [mark(seat), seatName(table, seat, { link: true }), meta && element("span", "meta", meta)];
}

/** In a narrow table a row is a line until it is unfolded. */
function unfold(row, label) {
  const button = html("button", { type: "button", "aria-expanded": "false", "aria-label": label });
  button.addEventListener("click", () => {
    const open = row.classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
  });
  return cell("unfold", "cell", button);
}

/** The row of a seat. */
export function seatRow(table, seat) {
  const duel = table.seats === 2;
  const state = element("i", "state");
  const piles = COLOURS.map(() => cell("pile", "cell"));
  const [money, cards, play] = ["money", "cards", "play"].map((name) => cell(name, "cell"));
  const who = cell("who", "rowheader", ...nameOf(table, seat), state);
  const row = cell("row seat", "row", who, cell("piles", "none", ...piles), money, cards, play);
  row.dataset.seat = String(seat);
  if (table.seat === seat) row.dataset.own = "";
  else row.classList.toggle("idle", !duel);
  row.append(unfold(row, say("Show cards of %(name)s", { name: namesOf(table)(seat) })));
  return {
    element: row,
    piles,
    /** @param {import("./moment.js").Moment} moment */
    draw(moment) {
      const { view } = moment;
      const player = view.players[seat];
      const acting = moment.involved.includes(seat);
      row.classList.toggle("acting", acting);
      row.classList.toggle("idle", !duel && table.seat !== seat && !(acting && moment.involved.length < 3));
      fill(state, doing(moment, seat), () => doing(moment, seat));
      piles.forEach((target, colour) => {
        const lead = leads(view.players.map((other) => other.gems[colour]))[seat];
        const offered = moment.offerer === seat ? (moment.standing?.[colour] ?? 0) : 0;
        const shown = { count: player.gems[colour], offered, lead };
        fill(target, shown, () => pile(colour, shown));
      });
      const gain = paid(moment)[seat];
      fill(money, [player.money, gain], () => [
        element("b", "millions", player.money),
        gain > 0 && element("i", "gain", `+${gain}`),
      ]);
      fill(cards, player.cards, () =>
        player.cards.length ? held(player.cards) : element("i", "caption", say("none")),
      );
      drawPlay(play, moment, seat, duel);
    },
  };
}

/** The gem card and beside it the action; with two players the actions lie between the rows. */
function drawPlay(play, moment, seat, duel) {
  const card = moment.view.players[seat].gem_card;
  const chosen = duel ? null : choice(moment, seat);
  fill(play, [card, chosen, duel], () => [
    card ? gemCard(card) : !duel && element("span", "gem-card empty"),
    !duel && (chosen ? chosenOf(chosen) : element("span", "action-card empty")),
  ]);
}

function chosenOf({ action, open, past }) {
  const shown = open ? actionSign(action) : actionCard(action, false);
  shown.classList.toggle("past", past);
  if (past) shown.append(heard(say("last round")));
  return shown;
}
