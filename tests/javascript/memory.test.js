// What the board of Edel, Stein & Reich remembers from step to step.

import assert from "node:assert/strict";
import { test } from "node:test";

import { remember } from "../../esr_platform/static/esr/boards/gems/memory.js";

const player = (changes = {}) => ({
  gems: [1, 1, 1, 1],
  money: 10,
  cards: [],
  gem_card: "RY5",
  action: null,
  ...changes,
});

const view = (changes = {}) => ({
  phase: 1,
  round: 1,
  phases: 3,
  active: null,
  guesses: [],
  barter: null,
  players: [player(), player()],
  ...changes,
});

test("the start remembers holdings as they were before the events of its step", () => {
  const entries = [{ event: { type: "money", seat: 1, amount: 4 } }];
  const memory = remember(null, { view: view({ players: [player(), player({ money: 14 })] }), entries, ply: 0 });
  assert.deepEqual(memory.money, [10, 14]);
  assert.equal(memory.past, null);
  assert.equal(memory.over, false);
});

test("events of a round are kept until the next round begins", () => {
  const first = remember(null, { view: view(), entries: [], ply: 0 });
  const paid = [{ event: { type: "money", seat: 0, amount: 3 } }];
  const second = remember(first, { view: view({ players: [player({ money: 13 }), player()] }), entries: paid, ply: 1 });
  assert.deepEqual(second.round.events, [{ action: "money", type: "money", seat: 0, amount: 3 }]);
  assert.deepEqual(first.round.events, [], "an earlier memory does not change");
  const third = remember(second, { view: view({ round: 2 }), entries: [{ event: { type: "deal" } }], ply: 2 });
  assert.deepEqual(third.round.events, []);
  assert.equal(third.past?.events.length, 1);
});

test("a barter ends with its winner and the gems that change hands", () => {
  const barter = { action: "money", opener: 0, other: 1, declined: [], offers: [{ seat: 0, offer: [1, 0, 0, 0] }] };
  const going = remember(null, { view: view({ barter }), entries: [], ply: 0 });
  const moved = { type: "gems_moved", from: 0, to: 1, gems: [1, 0, 0, 0], why: "barter" };
  const players = [player({ gems: [0, 1, 1, 1] }), player({ gems: [2, 1, 1, 1] })];
  const done = remember(going, { view: view({ players }), entries: [{ event: moved }], ply: 1 });
  assert.equal(done.ended.how, "accepted");
  assert.deepEqual([done.ended.winner, done.ended.loser], [0, 1]);
  assert.equal(done.barter, null);
  assert.equal(going.ended, null);
});
