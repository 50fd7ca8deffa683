// A replay's document is opened patch by patch, and an address leads to a moment.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Game, patched } from "../../esr_platform/static/esr/replay/game.js";
import { Player } from "../../esr_platform/static/esr/replay/player.js";

test("null changes nothing, and a list of one replaces a value", () => {
  const old = { a: [1] };
  assert.equal(patched(old, null), old);
  assert.deepEqual(patched(old, [7]), 7);
  assert.deepEqual(patched(old, [null]), null);
});

test("what does not change is shared with the value before", () => {
  const old = { a: [1, 2], b: { c: 3 } };
  const next = patched(old, { b: { c: [4] } });
  assert.deepEqual(next, { a: [1, 2], b: { c: 4 } });
  assert.equal(next.a, old.a);
  assert.deepEqual(old, { a: [1, 2], b: { c: 3 } });
});

test("a list loses its end, changes in places, and grows", () => {
  assert.deepEqual(patched([1, 2, 3], { "-": 1 }), [1]);
  assert.deepEqual(patched([1, 2, 3], { 1: [9] }), [1, 9, 3]);
  assert.deepEqual(patched([1, 2, 3], { "-": 2, "+": [8] }), [1, 2, 8]);
});

const DOCUMENT = {
  chapters: [
    { ply: 0, title: "Phase 1" },
    { ply: 2, title: "Phase 2" },
  ],
  entries: [[], [{}], [{}]],
  turning_point: null,
  seats: 2,
  outcome: { ranks: [1, 2] },
  first: { view: { money: 0 }, yous: [{ own: 1 }, { own: 2 }] },
  changes: [null, { view: { money: [5] } }, null],
  sentences: [["{0} begins."], [], ["{1} bids, {7}."]],
};

test("sentences name the seats, and keep what is no seat", () => {
  const game = new Game(DOCUMENT, ["Ada", "Bob"]);
  assert.deepEqual(game.sentences(0), ["Ada begins."]);
  assert.deepEqual(game.sentences(2), ["Bob bids, {7}."]);
});

test("a step belongs to the chapter that began last", () => {
  const game = new Game(DOCUMENT, ["Ada", "Bob"]);
  assert.deepEqual(
    [0, 1, 2].map((ply) => game.chapterAt(ply)),
    [0, 0, 1],
  );
  assert.equal(game.last, 2);
});

test("a seat sees its own part and no other", () => {
  const game = new Game(DOCUMENT, ["Ada", "Bob"]);
  const scene = game.scene(1, 1);
  assert.deepEqual(scene.yous, [null, { own: 2 }]);
  assert.deepEqual(scene.view, { money: 5, seat: 1, you: { own: 2 } });
});

test("a board's memory is folded once for each perspective, from the first step on", () => {
  const game = new Game(DOCUMENT, ["Ada", "Bob"]);
  let calls = 0;
  const remember = (memory, { ply }) => {
    calls += 1;
    return [...(memory ?? []), ply];
  };
  assert.deepEqual(game.scene(2, null, remember).standing, [0, 1, 2]);
  assert.deepEqual(game.scene(0, null, remember).standing, [0]);
  assert.equal(calls, 3);
});

/** Two seats choose in secret with steps 1 and 2, and again with 4 and 5; the record ends between the choices. */
const SECRET = {
  ...DOCUMENT,
  chapters: [{ ply: 0, title: "Round 1" }],
  entries: [[{}], [], [{}, {}], [{}], []],
  first: { view: { money: 0 }, yous: [{}, {}] },
  changes: [
    null,
    { yous: { 0: [{ own: 1 }] } },
    { view: { money: [5] } },
    { view: { money: [6] } },
    { yous: [[], []] },
  ],
  sentences: [["{0} begins."], [], ["{0} and {1} choose."], ["{1} bids."], []],
};

test("a secret choice belongs to the step that reveals it, and the last step is always shown", () => {
  const game = new Game(SECRET, ["Ada", "Bob"]);
  assert.deepEqual(game.stops, [0, 2, 3, 4]);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 99].map((ply) => game.stopAt(ply)),
    [0, 2, 2, 3, 4, 4],
  );
});

test("a public change without a sentence is a step of its own", () => {
  const face_down = { ...SECRET, changes: [null, { view: { chosen: [true] } }, ...SECRET.changes.slice(2)] };
  assert.deepEqual(new Game(face_down, ["Ada", "Bob"]).stops, [0, 1, 2, 3, 4]);
});

test("a player goes from step to step, and animates a reveal from the table before it", () => {
  globalThis.matchMedia = /** @type {*} */ (() => ({ matches: false }));
  const player = new Player(new Game(SECRET, ["Ada", "Bob"]), {});
  const shown = [];
  player.add({ show: ({ scene, from }) => shown.push([from?.ply ?? null, scene.ply]) });
  player.go(player.neighbor(1));
  player.go(player.neighbor(1));
  player.go(player.neighbor(-1));
  player.go(1); // a link to the secret choice
  player.go(player.neighbor(9));
  assert.deepEqual(shown, [
    [1, 2],
    [2, 3],
    [null, 2],
    [null, 4],
  ]);
});
