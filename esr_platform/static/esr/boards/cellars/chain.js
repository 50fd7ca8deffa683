// The bids as a chain: the highest takes the display, every other the bottles of the one before it.

import { element } from "../../elements.js";
import { say } from "../../words.js";
import { seatName } from "../names.js";
import { bottle, euros, row, total } from "./bottles.js";
import { line, mark, show } from "./elements.js";
import { events, step } from "./facts.js";

const ARROW = "M4 12H19M13 6 19 12 13 18";

/**
 * @typedef {Object} Link
 * @property {number|null} seat null is the display
 * @property {string[]} cards
 * @property {string[]} under of a draw: what went under the stack
 * @property {number|null} total of the bid, in tenths
 * @property {string} note where the bottles go, or where they came from
 * @property {boolean} passed
 * @property {boolean} linked whether it takes what the link before it has
 */

/** @type {(link: Partial<Link>) => Link} */
const link = (given) => ({
  seat: null,
  cards: [],
  under: [],
  total: null,
  note: "",
  passed: false,
  linked: false,
  ...given,
});

/**
 * The links in order: the display, the bids from the highest down, then who has none.
 * @param {Object} scene
 * @param {string[]} names
 * @returns {Link[]}
 */
export function links(scene, names) {
  return scene.view.stage === "bid" ? bidding(scene, names) : exchanged(scene, names);
}

function bidding({ view, standing }, names) {
  const order = [...view.players.keys()].sort((a, b) => turn(view, a) - turn(view, b));
  const bids = order.filter((seat) => view.players[seat].total !== null);
  bids.sort((a, b) => view.players[b].total - view.players[a].total);
  const to = (seat) => (seat === undefined ? say("to the display") : say("to %(name)s", { name: names[seat] }));
  const found = bids.map((seat, place) => {
    const { bid, total: sum, passed } = view.players[seat];
    return link({ seat, cards: bid, total: sum, passed, note: to(bids[place + 1]), linked: true });
  });
  const none = order.filter((seat) => !bids.includes(seat)).map((seat) => bidless(view, standing, seat));
  const note = bids.length ? to(bids[0]) : say("for the highest bid");
  return [link({ cards: view.display, note }), ...found, ...none];
}

function bidless(view, standing, seat) {
  const { passed } = view.players[seat];
  const drew = standing?.drew[seat];
  if (drew) return link({ seat, passed, ...drawn(drew) });
  return link({ seat, passed, note: passed || view.stage !== "bid" ? say("no bid") : say("no bid yet") });
}

function drawn({ kept, to_bottom: below }) {
  const note = below ? say("drew 2, kept 1") : say("drew last card");
  return { cards: [kept], under: below ? [below] : [], note };
}

function exchanged({ view, standing }, names) {
  const moves = standing?.exchange ?? [];
  const gave = (seat) => moves.find((move) => move.from === seat)?.cards ?? [];
  const takers = moves.filter((move) => move.to !== "display");
  const found = takers.map(({ to, from, cards }) => {
    const note = from === "display" ? say("from the display") : say("from %(name)s", { name: names[from] });
    return link({ seat: to, cards, total: total(gave(to)), note, linked: true });
  });
  const none = [...view.players.keys()].filter((seat) => !takers.some(({ to }) => to === seat));
  const last = moves.find((move) => move.to === "display");
  const note = last ? say("from %(name)s", { name: names[last.from] }) : say("no bids: unchanged");
  return [link({ cards: view.display, note }), ...found, ...none.map((seat) => bidless(view, standing, seat))];
}

/** @type {(view: Object, seat: number) => number} how long after the start player a seat bids */
const turn = (view, seat) => (seat - view.start + view.seats) % view.seats;

/**
 * The chain as a list; it keeps a node a link.
 * @param {{names: string[], tokens: Object<string, string>, seat?: number}} table
 */
export function chain(table) {
  const list = element("ol", "chain");
  const cells = new Map();
  const cell = (seat) => {
    if (!cells.has(seat)) cells.set(seat, element("li", "link"));
    return cells.get(seat);
  };
  // The places of all bids, as high as before the first one.
  for (const seat of [null, ...table.names.keys()]) {
    cell(seat).classList.toggle("bare", seat !== null);
    list.append(cell(seat));
  }
  return {
    element: list,
    /** @param {Object} scene */
    draw(scene) {
      const found = links(scene, table.names);
      found.forEach((each, place) => placeAt(list, place, drawLink(cell(each.seat), each, scene, table)));
      list.classList.toggle("taken", scene.view.stage !== "bid");
      list.classList.toggle("moving", events(scene, "exchange").length > 0);
    },
  };
}

/** Puts a node at its place, and leaves it alone if it is there: what has the focus keeps it. */
function placeAt(list, place, node) {
  if (list.children[place] !== node) list.insertBefore(node, list.children[place] ?? null);
}

function drawLink(target, found, scene, table) {
  const { view } = scene;
  const { seat } = found;
  const added = justBid(scene, seat);
  const asked = seat !== null && view.stage === "bid" && view.turn === seat;
  target.className = "link";
  target.classList.toggle("display", seat === null);
  target.classList.toggle("asked", asked);
  target.classList.toggle("mine", seat !== null && seat === scene.seat);
  target.classList.toggle("bare", seat !== null && found.total === null);
  target.style.setProperty("--cards", String(Math.max(3, found.cards.length + found.under.length)));
  show(target, [found, asked, view.stage, added], () => [
    found.linked && line("arrow", ARROW),
    title(found, table, asked),
    element("p", "sum", found.total === null ? "" : euros(found.total)),
    bottles(found, table.tokens, view.stage, added),
    element("p", "to caption", found.note),
    seat === null && view.stage === "bid" && element("p", "hint caption", hint()),
  ]);
  return target;
}

/** What the arrows say, where rows stand below each other. */
const hint = () => say("The highest bid takes the display. Each other bid takes the next higher bid.");

function title({ seat, passed }, table, asked) {
  if (seat === null) return element("p", "who", say("Display"));
  const state = asked ? say("to move") : passed ? say("passed") : "";
  const head = element(
    "p",
    "who",
    mark(seat),
    seatName(table, seat),
    state && element("small", asked ? "is-now" : "caption", state),
  );
  head.dataset.fly = `who-${seat}|`;
  return head;
}

/** @type {(scene: Object, seat: number|null) => string[]} the bottles that `seat` has just bid */
function justBid(scene, seat) {
  const last = step(scene);
  const bids = last?.decision === "bid" && last.move !== "pass" && scene.view.stage === "bid";
  return bids && last.seat === seat ? last.move.cards : [];
}

function bottles({ seat, cards, under }, tokens, stage, added) {
  const place = seat === null ? "display" : stage === "bid" ? `bid-${seat}` : `took-${seat}`;
  const found = row(cards, tokens, under.length ? `drew-${seat}` : place);
  for (const code of added) {
    found.querySelector(`[data-code="${code}"]:not(.fresh)`)?.classList.add("fresh");
  }
  for (const code of under) {
    const gone = bottle(code, tokens, "under");
    gone.classList.add("gone");
    found.append(gone);
  }
  return found;
}
