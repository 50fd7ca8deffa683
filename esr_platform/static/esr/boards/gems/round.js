// A round outside a barter: who chose what, what came of it, and a card that is being decided.

import { element } from "../../elements.js";
import { say } from "../../words.js";
import { calledOf } from "../names.js";
import { eventCard } from "./cards.js";
import { ACTIONS, actionName, cardName, cardRule, gemsText, listing, total } from "./codes.js";
import { drawing } from "./elements.js";
import { namesOf } from "./rows.js";
import { guessed, tell } from "./sentences.js";

/**
 * The whole panel.
 * @param {{seats: number, names: string[], labels?: Object[]}} table
 * @param {import("./moment.js").Moment} moment
 * @returns {import("../../elements.js").Child[]}
 */
export function roundPanel(table, moment) {
  const { view, memory, past } = moment;
  const name = namesOf(table);
  const round = past ?? memory.round;
  const known = Object.keys(round.actions).length > 0;
  const duel = view.seats === 2;
  /** @type {import("../../elements.js").Child[]} */
  const shown = [
    element("h2", "", title(round, past, duel)),
    lowSupply(moment, name),
    card(moment, name),
    order(view, calledOf(table)),
  ];
  if (known) shown.push(duel ? turnLines(round, name) : lines(round, view, past, table));
  if (!known || past) shown.push(element("p", "closing", next(moment, name)));
  return shown;
}

function title({ round, phase }, past, duel) {
  if (past) return duel ? say("Turn %(round)s is over", { round }) : say("Round %(round)s is over", { round });
  return duel
    ? say("Turn %(round)s of phase %(phase)s", { round, phase })
    : say("Round %(round)s of phase %(phase)s", { round, phase });
}

/** At the start of a phase: what everybody returned because the bank was low. */
function lowSupply({ entries }, name) {
  const rule = entries.find(({ event }) => event?.type === "supply_rule")?.event;
  if (!rule) return null;
  const told = rule.returned.flatMap((gems, seat) =>
    total(gems) ? [say("%(name)s returns %(what)s", { name: name(seat), what: gemsText(gems) })] : [],
  );
  return element("p", "low", say("The supply is low."), " ", `${told.join("; ")}.`);
}

/** The immediate card that is being decided, or that has just been. */
function card({ view, entries }, name) {
  if (view.immediate) {
    const { seat, card: code } = view.immediate;
    return shownCard(code, say("%(name)s can use the card or decline.", { name: name(seat) }));
  }
  const decided = entries.some(({ step }) => step?.decision === "immediate");
  const gone = decided && entries.find(({ event }) => event?.type === "discarded" && event.seat !== null);
  if (!gone) return null;
  return shownCard(gone.event.card, null);
}

const shownCard = (code, said) =>
  element(
    "div",
    "decided",
    eventCard(code),
    element(
      "div",
      "",
      element("b", "", cardName(code)),
      element("p", "", cardRule(code)),
      said && element("p", "closing", said),
    ),
  );

/** Who takes gems by Free Choice, in order. */
function order({ free_choice: choice }, name) {
  if (!choice) return null;
  const items = choice.order.map((seat, place) =>
    element("li", place === choice.next ? "now" : place < choice.next ? "done" : "", name(seat)),
  );
  const why =
    choice.order.length > 1 ? say("One gem each, fewest red gems first") : say("Alone: return one gem, take two");
  return element("div", "choice", element("p", "caption", why), element("ol", "order", ...items));
}

function lines(round, view, past, table) {
  const rows = ACTIONS.flatMap((action) => {
    const seats = Object.keys(round.actions)
      .map(Number)
      .filter((seat) => round.actions[seat] === action);
    return seats.length
      ? [
          line(
            action,
            seats,
            round.events.filter((event) => event.action === action),
            !past && view.resolving === action,
            table,
          ),
        ]
      : [];
  });
  return element("ul", "actions-taken", ...rows);
}

function line(action, seats, events, now, table) {
  const blocked = events.some((event) => event.type === "cancelled");
  const who = listing(seats.map(calledOf(table)));
  const told = blocked
    ? say("block each other (canceled)")
    : events
        .map((event) => tell(event, namesOf(table)))
        .filter(Boolean)
        .join("; ");
  const made = element(
    "li",
    now ? "now" : "",
    drawing(`act-${action}`, "", "0 0 24 24"),
    element("b", "", actionName(action)),
    element("span", "", who),
    told && element("i", "caption", told),
  );
  return made;
}

/** With two players: the action, and whether it was guessed. */
function turnLines(round, name) {
  const { active, actions, guesses } = round;
  const said = guessed(guesses, name(active));
  const told = round.events
    .map((event) => tell(event, name))
    .filter(Boolean)
    .join("; ");
  const action = actions[active];
  return element(
    "ul",
    "actions-taken",
    action &&
      element(
        "li",
        "",
        drawing(`act-${action}`, "", "0 0 24 24"),
        element("b", "", actionName(action)),
        element("span", "", said),
        told && element("i", "caption", told),
      ),
  );
}

/** Who is to do what next. */
function next({ view, yous, memory }, name) {
  if (memory.over) return say("The game is over.");
  if (view.active !== null) return asksDuel(view, name);
  if (view.turn !== null) return say("%(name)s is next.", { name: name(view.turn) });
  const chosen = view.players.flatMap((_, seat) => (yous[seat]?.action ? [name(seat)] : []));
  if (!chosen.length) return say("All players choose an action in secret.");
  return say("Players who have chosen: %(names)s.", { names: listing(chosen) });
}

function asksDuel({ active, players, guesses }, name) {
  const values = { active: name(active), other: name(1 - active) };
  if (!players[active].chosen) return say("%(active)s is hiding an action.", values);
  if (guesses.length) return say("The first guess is wrong. %(other)s guesses again.", values);
  return say("%(other)s is guessing the hidden action.", values);
}
