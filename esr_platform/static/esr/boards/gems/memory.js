// What later scenes must still show: the round so far, the barter that has just ended, what a scoring paid for.
// Folded from the entries of one step after another, and never changed: a scene keeps its own.

/**
 * @typedef {Object} Round what has happened in one round; with two players, in one turn
 * @property {number} phase
 * @property {number} round
 * @property {(string|null)[]} cards the gem cards in front of the seats
 * @property {number|null} active two players: whose turn it is
 * @property {Object<number, string>} actions the actions that are known, by seat
 * @property {Object[]} events what came of them, each with its `action`
 * @property {{guess: string, hit: boolean}[]} guesses
 */

/**
 * @typedef {Object} Memory
 * @property {number} ply
 * @property {Round} round
 * @property {Round|null} past the round that ended with this step
 * @property {Round|null} last the round before this one
 * @property {Object|null} barter the one that is going on
 * @property {Object|null} ended the one that ended with this step: as in the view, with `how`, `winner`, `gems`
 * @property {Object|null} scoring what it went by and what it paid, if it came with this step
 * @property {boolean} over whether that was the last scoring
 * @property {number[][]} gems by seat
 * @property {number[]} money by seat
 * @property {string[][]} cards held, by seat
 */

const roundOf = (view) => ({
  phase: view.phase,
  round: view.round,
  cards: view.players.map((player) => player.gem_card),
  active: view.active,
  actions: Object.fromEntries(view.players.flatMap(({ action }, seat) => (action ? [[seat, action]] : []))),
  events: [],
  guesses: [],
});

const holdings = (view) => ({
  gems: view.players.map((player) => [...player.gems]),
  money: view.players.map((player) => player.money),
  cards: view.players.map((player) => [...player.cards]),
});

/**
 * A round that may grow without changing the one that it comes from: what is in its lists never changes but a last
 * guess.
 */
const opened = (round) => ({
  ...round,
  actions: { ...round.actions },
  events: [...round.events],
  guesses: round.guesses.map((guess) => ({ ...guess })),
});

/** The guesses of the turn, as far as the view tells. */
function guessesOf({ active, guesses, players }) {
  return guesses.map((guess) => ({ guess, hit: players[active].action === guess }));
}

/** What the seats held before these entries, for a scene that is the first to be seen. */
function undone(view, entries) {
  const held = holdings(view);
  for (const { event } of entries.toReversed()) if (event) UNDONE[event.type]?.(held, event);
  return held;
}

const UNDONE = {
  money: (held, { seat, amount }) => void (held.money[seat] -= amount),
  gems_moved: (held, { from, to, gems }) => carry(held.gems, { from: to, to: from, gems }),
  kept: (held, { seat }) => void held.cards[seat].pop(),
  supply_rule: (held, { returned }) =>
    returned.forEach((gems, seat) => carry(held.gems, { from: "supply", to: seat, gems })),
  scored: (held, { rows }) => rows.forEach((row) => pay(held, row, -1)),
};

/**
 * @param {Memory|null} memory of the step before; `null` at the start
 * @param {{view: Object, entries: Object[], ply: number}} scene
 * @returns {Memory}
 */
export function remember(memory, scene) {
  const { view } = scene;
  const before = memory ?? { round: roundOf(view), last: null, barter: null, ...undone(view, scene.entries) };
  /** @type {Object<string, *>} */
  const walk = {
    round: opened(before.round),
    barter: before.barter && {
      ...before.barter,
      declined: [...before.barter.declined],
      offers: [...before.barter.offers],
    },
    gems: before.gems.map((held) => [...held]),
    money: [...before.money],
    cards: before.cards.map((held) => [...held]),
    ended: null,
    scoring: null,
    phases: view.phases,
  };
  const isNew = before.round.phase !== view.phase || before.round.round !== view.round;
  const end = isNew || !memory ? scene.entries.findIndex(({ event }) => event?.type === "deal") : -1;
  // What comes first may end an older round.
  const old = end < 0 ? scene.entries : scene.entries.slice(0, memory ? end : 0);
  for (const entry of old) follow(walk, entry);
  if (!memory) walk.round.guesses = guessesOf(view);
  const { round, ended, scoring } = walk;
  const over = Boolean(memory?.over || (scoring && scoring.phase === view.phases));
  return {
    ply: scene.ply,
    round: isNew ? roundOf(view) : round,
    past: isNew ? round : null,
    last: isNew ? round : before.last,
    barter: view.barter,
    ended,
    scoring,
    over,
    ...holdings(view),
  };
}

function follow(walk, entry) {
  if (entry.step) STEPS[entry.step.decision]?.(walk, entry.step);
  else EVENTS[entry.event.type]?.(walk, entry.event);
}

const STEPS = {
  action: ({ round }, { seat, move }) => {
    round.actions[seat] = move;
  },
  guess: ({ round }, { move }) => {
    round.guesses.push({ guess: move, hit: false });
  },
  open_barter: (walk, { seat, move }) => talk(walk, seat, move),
  answer_offer: (walk, { seat, move }) => talk(walk, seat, move),
  counter_gift: (walk, { seat, move }) => {
    if (move === "decline" && walk.barter && !walk.barter.declined.includes(seat)) walk.barter.declined.push(seat);
  },
  immediate: ({ round }, { seat, move }) => {
    round.events.push({ action: "event", type: move === "decline" ? "declined" : "applied", seat, move });
  },
  free_choice: ({ round }, { seat, move }) => {
    round.events.push({ action: "free_choice", type: "picked", seat, move });
  },
};

/** An offer that the view has not told of, because the barter has ended since. */
function talk({ barter }, seat, move) {
  if (!barter) return;
  if (move === "decline") barter.declined.push(seat);
  else if (move.offer) barter.offers.push({ seat, offer: move.offer });
}

const EVENTS = {
  cancelled: ({ round }, event) => void round.events.push(event),
  void: (walk, event) => {
    walk.round.events.push(event);
    walk.ended = walk.barter && { ...walk.barter, how: "void", winner: null, gems: null };
    walk.barter = null;
  },
  money: (walk, event) => {
    walk.money[event.seat] += event.amount;
    walk.round.events.push({ action: "money", ...event });
  },
  gems_moved: (walk, event) => {
    carry(walk.gems, event);
    if (event.why === "barter" || event.why === "counter_gift") return agree(walk, event);
    if (event.why !== "free_choice")
      walk.round.events.push({ action: event.why === "gems" ? "gems" : "event", ...event });
    return undefined;
  },
  drawn: ({ round }, event) => void round.events.push({ action: "event", ...event }),
  kept: (walk, event) => {
    walk.cards[event.seat].push(event.card);
    walk.round.events.push({ action: "event", ...event });
  },
  discarded: ({ round }, event) => {
    if (event.seat === null) round.events.push({ action: "event", ...event });
  },
  caught: ({ round }) => {
    if (round.guesses.length) round.guesses.at(-1).hit = true;
  },
  supply_rule: (walk, { returned }) => {
    for (const [seat, gems] of returned.entries()) carry(walk.gems, { from: seat, to: "supply", gems });
  },
  scored: (walk, event) => {
    const { gems, money, cards } = walk;
    const went = { phase: event.phase, rows: event.rows, ...structuredClone({ gems, money, cards }) };
    for (const row of event.rows) pay(walk, row);
    if (event.phase === null) return void walk.round.events.push({ action: "event", type: "half", scoring: went });
    walk.cards = walk.cards.map(() => []);
    walk.scoring = {
      ...went,
      after: { gems: structuredClone(gems), money: [...money] },
      last: event.phase === walk.phases,
    };
    return undefined;
  },
};

/** A barter ends with gems that change hands: who gave them acts. */
function agree(walk, { from, to, gems, why }) {
  if (!walk.barter) return;
  walk.ended = { ...walk.barter, how: why === "barter" ? "accepted" : "given", winner: from, loser: to, gems };
  walk.barter = null;
}

function carry(held, { from, to, gems }) {
  gems.forEach((count, colour) => {
    if (from !== "supply") held[from][colour] -= count;
    if (to !== "supply") held[to][colour] += count;
  });
}

/** Pays a row, or takes it back: `sign` −1. */
function pay(walk, row, sign = 1) {
  const colour = "RYGB".indexOf(row.of);
  walk.money.forEach((_, seat) => {
    walk.money[seat] += sign * (row.share[seat] + row.sole_bonus[seat] + row.per_gem[seat]);
    if (colour >= 0) walk.gems[seat][colour] -= sign * row.returned[seat];
  });
}
