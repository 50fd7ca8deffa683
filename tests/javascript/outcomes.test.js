// What composers say that a card or an action will bring.

import assert from "node:assert/strict";
import { test } from "node:test";

import { adjusted, halfScoring, halved, threeOf } from "../../esr_platform/static/esr/composers/gems/outcomes.js";
import { stake } from "../../esr_platform/static/esr/composers/gems/stakes.js";

test("a colour is scored at half its value by whoever has most of it", () => {
  const { share, returned } = halfScoring(
    [
      [3, 0, 0, 0],
      [1, 0, 0, 0],
    ],
    0,
  );
  assert.ok(share[0] > 0);
  assert.deepEqual(returned, [2, 0]);
  assert.equal(share[1], 0);
});

test("a tie shares the value, and each returns two gems at most", () => {
  const alone = halfScoring(
    [
      [3, 0, 0, 0],
      [1, 0, 0, 0],
    ],
    0,
  ).share[0];
  const { share, returned } = halfScoring(
    [
      [3, 0, 0, 0],
      [3, 0, 0, 0],
    ],
    0,
  );
  assert.deepEqual(share, [Math.floor(alone / 2), Math.floor(alone / 2)]);
  assert.deepEqual(returned, [2, 2]);
});

test("nobody is paid for a colour that nobody has", () => {
  assert.deepEqual(
    halfScoring(
      [
        [0, 1, 0, 0],
        [0, 2, 0, 0],
      ],
      0,
    ),
    { share: [0, 0], returned: [0, 0] },
  );
});

test("cards stop at what the supply has", () => {
  assert.equal(threeOf([5, 2, 0, 1], 1), 2);
  assert.deepEqual(adjusted([1, 6, 0, 2], [9, 9, 9, 1], "adjust:RB"), [4, 6, 0, 3]);
  assert.deepEqual(adjusted([6, 0, 0, 0], [0, 0, 0, 0], "adjust:RY"), [4, 0, 0, 0]);
});

test("half of each colour, rounded down, is returned", () => {
  assert.deepEqual(halved([0, 1, 2, 5]), [0, 1, 1, 3]);
});

test("a seat without a gem card takes no gem", () => {
  const view = { active: null, players: [{ gem_card: null }], supply: [1, 1, 1, 1] };
  assert.equal(stake(view, "gems", 0), "no gem");
  assert.equal(stake(view, "money", 0), "0 million");
});
