// A barter as a conversation: who offers what, and why each offer is higher than the one before.

import { element } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { calledOf, seatName } from "../names.js";
import { ACTIONS, actionName, COLOURS, colourName, gemCardOf, gemsText, listing, quoted, vectorOf } from "./codes.js";
import { whyHigher } from "./offers.js";
import { slip } from "./piles.js";
import { mark, namesOf } from "./rows.js";
import { tell } from "./sentences.js";

/** So many offers are shown at once, fewer on a phone or in a low window; those before them open on demand. */
const shown = () => (matchMedia("(max-width: 719px), (max-height: 760px)").matches ? 3 : 4);

/**
 * The whole panel.
 * @param {{names: string[], labels?: Object[]}} table
 * @param {import("./moment.js").Moment} moment with a barter
 * @returns {import("../../elements.js").Child[]}
 */
export function conversation(table, moment) {
  const { barter, ended } = moment;
  const [name, called] = [namesOf(table), calledOf(table)];
  const rest = [...declines(barter, name), ...(ended?.how === "given" ? [gift(ended)] : [])];
  return [
    element("h2", "", say("Barter for %(action)s", { action: actionName(barter.action) })),
    element("p", "caption", stake(moment, called)),
    partners(moment, table),
    talk(barter, ended, rest),
    element("p", "closing", closing(moment, name, called)),
    beforehand(moment, name),
    afterwards(moment, name),
  ];
}

/** What it is about: “You would get 5 million. Greedy would get 7 million.” */
function stake({ view, past, ended, memory, barter }, name) {
  if (barter.action === "event") {
    return view.event.display && !past
      ? say("For the event card %(card)s or a card from the stack", { card: quoted(view.event.display) })
      : say("For an event card");
  }
  const cards = (ended ? (past ?? memory.round) : { cards: view.players.map((player) => player.gem_card) }).cards;
  const worth = (card) =>
    barter.action === "money" ? gemCardOf(card).money : gemsText(vectorOf(gemCardOf(card).colours));
  const only = cards.filter(Boolean);
  if (view.seats === 2) return only.length ? say("Gem card: %(what)s", { what: worth(only[0]) }) : "";
  const [one, other] = [barter.opener, barter.other].map((seat) => (cards[seat] ? worth(cards[seat]) : say("nothing")));
  return say("%(opener)s would get %(one)s. %(other)s would get %(two)s.", {
    one,
    opener: name(barter.opener),
    two: other,
    other: name(barter.other),
  });
}

function partners(moment, table) {
  const { opener, other } = moment.barter;
  const left = element("span", "", mark(opener), seatName(table, opener), element("i", "caption", whyOpens(moment)));
  return element("div", "partners", left, element("span", "", seatName(table, other), mark(other)));
}

/** Why it is the opener who opens, from the holdings before anything has changed hands. */
function whyOpens({ view, ended, barter }) {
  if (ended) return say("opens");
  const [mine, theirs] = [barter.opener, barter.other].map((seat) => view.players[seat]);
  const colour = mine.gems.findIndex((count, index) => count !== theirs.gems[index]);
  if (colour >= 0)
    return mine.gems[colour] < theirs.gems[colour]
      ? say("opens (fewer %(colour)s gems)", { colour: colourName(COLOURS[colour]) })
      : say("opens");
  return mine.money < theirs.money ? say("opens (less money)") : say("opens (younger)");
}

/** The last offers; those before them are drawn when somebody opens them, for a barter may have hundreds. */
function talk({ offers, opener }, ended, rest) {
  const said = ({ seat, offer }, place) =>
    line(
      seat === opener,
      slip(offer, place === offers.length - 1),
      whyHigher(place ? offers[place - 1].offer : null, offer),
    );
  const count = Math.max(0, offers.length - shown());
  const list = element(
    "ol",
    `talk${ended ? " over" : ""}`,
    ...offers.slice(count).map((offer, place) => said(offer, count + place)),
    ...rest,
  );
  list.start = count + 1;
  if (!count) return list;
  const before = element("ol", "talk");
  const summary = element("summary", "", sayCount("1 earlier offer", "%(count)s earlier offers", count));
  const earlier = element("details", "earlier", summary, before);
  earlier.addEventListener("toggle", () => before.replaceChildren(...offers.slice(0, count).map(said)), { once: true });
  return element("div", "", earlier, list);
}

const line = (opener, what, why) =>
  element("li", opener ? "opener" : "other", what, why && element("i", "caption", why));

const declines = ({ declined, opener }, name) =>
  declined.map((seat) =>
    line(
      seat === opener,
      element("span", "slip none", seat === opener ? say("no offer") : say("no gem")),
      seat === opener
        ? say("%(name)s makes no offer", { name: name(seat) })
        : say("%(name)s gives no gem", { name: name(seat) }),
    ),
  );

const gift = ({ winner, opener, gems }) =>
  line(winner === opener, slip(gems, true), say("a gift that must be accepted"));

/** What may be done now, or how it has ended. */
function closing({ view, barter, ended, memory, past }, name, called) {
  if (!ended) return asked(called(view.turn ?? barter.opener), barter);
  if (ended.how === "void")
    return say("Neither player gives gems. %(action)s is void.", { action: actionName(ended.action) });
  const values = {
    loser: name(ended.loser),
    winner: name(ended.winner),
    gems: gemsText(ended.gems),
    gain: gain((past ?? memory.round).events, ended),
  };
  if (ended.how === "given") return say("%(winner)s gives %(gems)s and %(gain)s.", values);
  return say("%(loser)s accepts %(gems)s. %(winner)s %(gain)s.", values);
}

function asked(name, { offers, declined }) {
  if (offers.length) return say("%(name)s can accept or make a higher offer.", { name });
  if (declined.length) return say("%(name)s can give one gem and act, or decline.", { name });
  return say("%(name)s can make the first offer or no offer.", { name });
}

/** What the winner took with the action. */
function gain(events, { action, winner }) {
  const money = events.find((event) => event.type === "money" && event.seat === winner);
  if (action === "money" && money) return say("takes %(what)s million", { what: money.amount });
  const gems = events.find((event) => event.why === "gems" && event.to === winner);
  if (action === "gems")
    return say("takes %(what)s", { what: gems ? gemsText(gems.gems) : say("nothing because the supply is empty") });
  return say("takes an event card");
}

/** What has become of the actions before, when the barter begins. */
function beforehand({ barter, ended, memory, view }, name) {
  if (ended || barter.offers.length || barter.declined.length || view.seats === 2) return null;
  const before = ACTIONS.slice(0, ACTIONS.indexOf(barter.action)).flatMap((action) => {
    const told = memory.round.events
      .filter((event) => event.action === action)
      .map((event) => tell(event, name))
      .filter(Boolean);
    return told.length ? [`${actionName(action)}: ${told.join("; ")}.`] : [];
  });
  return before.length > 0 && element("p", "caption after", before.join(" "));
}

/** The barter that comes next in this round. */
function afterwards({ view, barter, past }, name) {
  if (view.seats === 2 || past) return null;
  for (const action of ACTIONS.slice(ACTIONS.indexOf(barter.action) + 1, 3)) {
    const seats = view.players.flatMap((player, seat) => (player.action === action ? [seat] : []));
    if (seats.length !== 2) continue;
    const values = { action: actionName(action), names: listing(seats.map(name)) };
    return element("p", "caption after", say("Next: barter for %(action)s between %(names)s", values));
  }
  return null;
}
