// How a live table shows moves: one after the other, each for its time, and done when the clock starts.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { beatsOf, parts, Showing } from "../../esr_platform/static/esr/table/scenes.js";

const BEATS = {
  kinds: { action: "reveal", answer_offer: "barter", phase: "scoring" },
  ms: { step: 400, barter: 700, reveal: 900, scoring: 3200 },
};

const choice = (decision, seat = 0, move = "money") => ({ step: { decision, seat, move } });
const event = (type) => ({ event: { type } });
const scene = (ply, ...entries) => ({ ply, view: {}, yous: [], entries });
const offer = (ply) => scene(ply, choice("answer_offer", ply % 2, { offer: [1, 0, 0, 0] }));

const BOARD = { marks: ({ entries }) => ({ offer: entries.some(({ step }) => step?.move.offer), money: [] }) };

let now = 0;
let moved = [];
let began = [];
let done = 0;
let reduced = false;

/** Let time pass, with all that happens in it. */
async function pass(milliseconds) {
  for (const end = now + milliseconds; now < end; ) {
    now += 10;
    mock.timers.tick(10);
    await Promise.resolve();
    await Promise.resolve();
  }
}

function showing(board = BOARD) {
  const drawing = {
    draw: ({ ply }) => moved.push(["draw", ply, now]),
    move: (_from, { ply }) => moved.push(["move", ply, now]),
  };
  const listener = { began: (part) => began.push(part), done: () => (done += 1) };
  const made = new Showing(drawing, board, BEATS, listener);
  made.add([scene(0)]);
  [moved, began, done] = [[], [], 0];
  return made;
}

beforeEach(() => {
  [now, moved, began, done, reduced] = [1_000, [], [], 0, false];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  globalThis.matchMedia = /** @type {*} */ (() => ({ matches: reduced }));
  globalThis.document = /** @type {*} */ ({ hidden: false });
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a simultaneous choice is one reveal, and a step with what comes of it", () => {
  assert.deepEqual(beatsOf([choice("action", 0), choice("action", 1), event("money")], BEATS), ["reveal", "step"]);
  assert.deepEqual(beatsOf([choice("answer_offer"), event("scored"), event("phase")], BEATS), [
    "barter",
    "scoring",
    "step",
  ]);
  assert.deepEqual(beatsOf([choice("other"), event("deal")], BEATS), ["step"]);
});

test("the parts of a scene take together as long as the server waits", () => {
  const board = {
    ...BOARD,
    beats: (_, to) => ["reveal", "scoring", "step"].map((beat) => ({ scene: to, beat })),
  };
  const to = scene(2, choice("action"), event("phase"));
  const made = parts(scene(1), to, board, BEATS);
  assert.deepEqual(
    made.map(({ ms }) => ms),
    [900, 3200, 800],
  );
  assert.equal(
    made.reduce((sum, { ms }) => sum + ms, 0),
    beatsOf(to.entries, BEATS).reduce((sum, beat) => sum + BEATS.ms[beat], 0),
  );
});

test("steps come one after the other, each for its time", async () => {
  const shown = showing();
  shown.add([offer(1), offer(2)]);
  assert.deepEqual(moved, [["move", 1, 1_000]]);
  await pass(690);
  assert.equal(moved.length, 1);
  await pass(20);
  assert.deepEqual(moved[1].slice(0, 2), ["move", 2]);
  assert.equal(done, 0);
  await pass(700);
  assert.deepEqual([done, shown.busy], [1, false]);
});

test("all is shown when the clock starts: offers are counted, and the rest is faster", async () => {
  const shown = showing();
  shown.due(2_000);
  shown.add([scene(1, choice("action", 0)), ...Array.from({ length: 12 }, (_, place) => offer(2 + place))]);
  await pass(1_990);
  assert.deepEqual(
    began.map(({ count }) => count),
    [1, 12],
  );
  assert.equal(moved.at(-1)[1], 13);
  await pass(20);
  assert.equal(done, 1);
});

test("a question that comes later does not cut what is shown, but shortens it in proportion", async () => {
  const shown = showing();
  shown.add([scene(1, choice("action", 0)), offer(2)]);
  await pass(100);
  shown.due(950);
  await pass(550);
  assert.equal(moved.length, 1, "a bit faster than 1300 ms");
  await pass(50);
  assert.equal(moved.length, 2);
  await pass(350);
  assert.equal(done, 1);
});

test("nothing takes longer than five seconds, and nothing is left out silently", async () => {
  const shown = showing();
  shown.add(Array.from({ length: 20 }, (_, place) => offer(1 + place)));
  await pass(5_010);
  assert.equal(done, 1);
  assert.deepEqual(
    began.map(({ count }) => count),
    [14, 1, 1, 1, 1, 1, 1],
    "the latest offers are shown one by one",
  );
});

test("a player who skips sees the last position at once, and is asked", async () => {
  const shown = showing();
  shown.add([scene(1, choice("action")), offer(2), offer(3)]);
  await pass(100);
  assert.equal(shown.skip(), true);
  await pass(10);
  assert.deepEqual(moved.at(-1).slice(0, 2), ["draw", 3]);
  assert.equal(done, 1);
  assert.equal(shown.skip(), false);
});

test("reduced motion shows the same states for the same time, without movement", async () => {
  reduced = true;
  const shown = showing();
  shown.add([offer(1), offer(2)]);
  await pass(710);
  assert.deepEqual(
    moved.map(([how, ply]) => [how, ply]),
    [
      ["draw", 1],
      ["draw", 2],
    ],
  );
  assert.equal(done, 0);
  await pass(700);
  assert.equal(done, 1);
});

test("a hidden page shows the present at once", () => {
  const shown = showing();
  Object.assign(globalThis.document, { hidden: true });
  shown.add([offer(1), offer(2)]);
  assert.deepEqual(moved, [["draw", 2, 1_000]]);
  assert.equal(done, 1);
});

test("what only the own seat learns takes no time", () => {
  const shown = showing();
  shown.add([scene(0)]);
  assert.deepEqual(moved, [["draw", 0, 1_000]]);
  assert.deepEqual([done, shown.busy], [1, false]);
});
