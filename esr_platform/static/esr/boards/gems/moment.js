// One scene, read once for all that is drawn of it: who is in the action, what is offered, what has just ended.

import { say } from "../../words.js";
import { remember } from "./memory.js";

/** Decisions that are turned over together. */
const REVEALED = ["action", "guess"];

/** Events that are part of a reveal: their result is clear from the choices. */
const OF_A_REVEAL = ["cancelled", "caught", "missed"];

/** Decisions of a barter. */
const BARTERS = ["open_barter", "answer_offer", "counter_gift"];

/**
 * @typedef {Object} Moment
 * @property {Object} view
 * @property {Object[]} entries
 * @property {(Object|null)[]} yous
 * @property {Object} memory see `memory.js`
 * @property {Object|null} barter the one that is going on, or that has just ended
 * @property {Object|null} ended the same, if it has ended
 * @property {number[]|null} standing the offer to be topped
 * @property {number|null} offerer whose it is
 * @property {number[]} involved the seats in the action
 * @property {Object|null} past the round that has just ended
 * @property {Object|null} scoring
 * @property {boolean} dealt whether the next phase is shown, not the scoring before it
 */

/**
 * @param {Object} scene see docs/internals/boards.md
 * @returns {Moment}
 */
export function read(scene) {
  const { view, entries } = scene;
  const memory = scene.standing?.ply === scene.ply ? scene.standing : remember(scene.standing ?? null, scene);
  const { ended, past, scoring } = memory;
  const barter = ended ?? view.barter;
  const last = ended ? null : (barter?.offers.at(-1) ?? null);
  return {
    view,
    entries,
    yous: scene.yous ?? [],
    memory,
    barter,
    ended,
    standing: last?.offer ?? null,
    offerer: last?.seat ?? null,
    involved: involved(view, barter),
    past,
    scoring,
    dealt: Boolean(scene.dealt),
  };
}

/**
 * The parts in which a live table shows a scene: choices, their effects, a scoring, the next phase.
 * @param {Object|null} from
 * @param {Object} to
 * @returns {{scene: Object, beat: string}[]}
 */
export function beats(from, to) {
  const { scoring } = read(to);
  const last = { scene: scoring && !scoring.last ? { ...to, dealt: true } : to, beat: "step" };
  if (!from || from.ply === to.ply) return [last];
  const kinds = to.entries.flatMap(({ step }) => step?.decision ?? []);
  const reveal = kinds.some((kind) => REVEALED.includes(kind)) ? revealed(from, to) : null;
  const beat = kinds.some((kind) => BARTERS.includes(kind)) ? "barter" : "step";
  const first = reveal ? [{ scene: reveal, beat: "reveal" }] : [];
  if (!scoring) return [...first, { ...last, beat }];
  const paid = [...first, { scene: unscored(reveal ?? from, to), beat }, { scene: to, beat: "scoring" }];
  return scoring.last ? paid : [...paid, last];
}

/** All choices are open; their effects follow in the next scene. */
function revealed(from, to) {
  const entries = to.entries.filter(({ step, event }) =>
    event ? OF_A_REVEAL.includes(event.type) : REVEALED.includes(step.decision),
  );
  const moves = (kind) => entries.flatMap(({ step }) => (step?.decision === kind ? [step] : []));
  const actions = Object.fromEntries(moves("action").map(({ seat, move }) => [seat, move]));
  const players = from.view.players.map((player, seat) =>
    actions[seat] ? { ...player, action: actions[seat], chosen: true } : player,
  );
  const guesses = [...(from.view.guesses ?? []), ...moves("guess").map(({ move }) => move)];
  const scene = { ...to, view: { ...from.view, turn: null, players, guesses }, entries, reveal: true };
  return { ...scene, standing: remember(from.standing ?? null, scene) };
}

/** The end of the round before its scoring. */
function unscored(from, to) {
  const { scoring } = read(to);
  const players = from.view.players.map((player, seat) => ({
    ...player,
    gems: scoring.gems[seat],
    money: scoring.money[seat],
    cards: scoring.cards[seat],
  }));
  const gemsOf = (list, colour) => list.reduce((sum, player) => sum + player.gems[colour], 0);
  const supply = from.view.supply.map(
    (count, colour) => count + gemsOf(from.view.players, colour) - gemsOf(players, colour),
  );
  const place = to.entries.findIndex(({ event }) => event?.type === "scored" && event.phase !== null);
  return {
    ...to,
    view: { ...from.view, turn: null, barter: null, immediate: null, free_choice: null, players, supply },
    entries: to.entries.slice(0, place),
    standing: { ...to.standing, scoring: null, over: false },
  };
}

function involved(view, barter) {
  if (barter) return [barter.opener, barter.other];
  if (view.free_choice) return view.free_choice.order;
  return view.turn === null ? [] : [view.turn];
}

/** What a seat is doing now, two words; empty if it waits. @type {(moment: Moment, seat: number) => string} */
export function doing({ view, yous, memory }, seat) {
  if (memory.over) return "";
  if (view.turn === null && view.players.some(({ action }) => action)) return "";
  if (view.turn === null) return yous[seat]?.action ? say("ready") : say("choosing");
  if (view.turn !== seat) return "";
  if (view.barter) return inBarter(view.barter, seat);
  if (view.immediate) return say("deciding");
  if (view.free_choice) return say("choosing gems");
  if (view.resolving === "event") return say("taking a card");
  return view.active === seat ? say("hiding an action") : say("guessing");
}

function inBarter({ offers, opener, declined }, seat) {
  if (offers.length) return say("answering");
  return declined.length && seat !== opener ? say("can give a gem") : say("opening");
}

/** What a seat has chosen this round. `open`: everybody sees it; `action` is `null` where it is not known. */
export function choice({ view, yous, past }, seat) {
  const player = view.players[seat];
  if (player.action) return { action: player.action, open: true, past: false };
  const own = yous[seat]?.action ?? null;
  if (own || player.chosen) return { action: own, open: false, past: false };
  const gone = past?.actions[seat] ?? null;
  return gone && view.active === null ? { action: gone, open: true, past: true } : null;
}

/** What each seat was paid with this step, by seat. @type {(moment: Moment) => number[]} */
export function paid({ view, entries }) {
  const sums = view.players.map(() => 0);
  for (const { event } of entries) {
    if (event?.type === "money") sums[event.seat] += event.amount;
    if (event?.type !== "scored") continue;
    for (const row of event.rows)
      sums.forEach((_, seat) => (sums[seat] += row.share[seat] + row.sole_bonus[seat] + row.per_gem[seat]));
  }
  return sums;
}
