// Which moves composers let through. The engine decides in the end; these bounds keep a button from sending nonsense.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isLegal as isLegalCellars } from "../../esr_platform/static/esr/composers/cellars/legal.js";
import { isHeld, isLegal } from "../../esr_platform/static/esr/composers/gems/legal.js";

const ANSWER = {
  kind: "answer_offer",
  holdings: [2, 1, 0, 3],
  standing: [1, 0, 0, 0],
  offers_made: 1,
  offers_limit: 3,
};

test("an offer has four counts of gems that its player holds, and at least one gem", () => {
  assert.ok(isHeld([2, 1, 0, 3], [2, 1, 0, 3]));
  for (const offer of [[0, 0, 0, 0], [3, 0, 0, 0], [1, 0, 0], [-1, 1, 0, 0], [0.5, 1, 0, 0], "1000", null]) {
    assert.equal(isHeld(offer, [2, 1, 0, 3]), false, JSON.stringify(offer));
  }
});

test("an offer that answers another one is higher, and there is a limit of offers", () => {
  assert.ok(isLegal(ANSWER, "accept"));
  assert.ok(isLegal(ANSWER, { offer: [2, 0, 0, 0] }));
  assert.equal(isLegal(ANSWER, { offer: [1, 0, 0, 0] }), false);
  assert.equal(isLegal({ ...ANSWER, offers_made: 3 }, { offer: [2, 0, 0, 0] }), false);
});

test("a move has exactly the keys of its kind", () => {
  assert.equal(isLegal(ANSWER, { offer: [2, 0, 0, 0], extra: 1 }), false);
  assert.equal(isLegal(ANSWER, []), false);
  assert.equal(isLegal({ kind: "of a later version" }, "accept"), false);
});

test("a robbery takes one gem from each of the named seats", () => {
  const question = { kind: "immediate", card: "rob", take: { 1: ["R", "Y"], 3: ["B"] } };
  assert.ok(isLegal(question, { take: { 1: "Y", 3: "B" } }));
  assert.ok(isLegal(question, "decline"));
  assert.equal(isLegal(question, { take: { 1: "Y" } }), false);
  assert.equal(isLegal(question, { take: { 1: "G", 3: "B" } }), false);
});

test("Free Choice alone returns a gem and may take the same one back", () => {
  const question = { kind: "free_choice", alone: true, give: ["R"], take: { supply: [0, 1, 0, 0] } };
  assert.ok(isLegal(question, { give: "R", take: ["R", "Y"] }));
  assert.equal(isLegal(question, { give: "R", take: ["Y", "Y"] }), false, "the supply has one");
  assert.equal(isLegal(question, { give: "R", take: ["Y"] }), false, "two are to be taken");
  assert.equal(isLegal({ ...question, alone: false }, { give: "R", take: ["Y"] }), false);
});

test("a bid adds bottles of the hand to a total that nobody has yet", () => {
  const hand = ["R2", "W3"];
  const alone = isLegalCellars({ kind: "bid", hand, taken: [] }, { cards: ["R2"] });
  assert.ok(alone);
  assert.equal(isLegalCellars({ kind: "bid", hand, taken: [] }, { cards: [] }), false);
  assert.equal(isLegalCellars({ kind: "bid", hand, taken: [] }, { cards: ["R2", "R2"] }), false, "there is one of it");
  assert.ok(isLegalCellars({ kind: "bid", hand, taken: [] }, "pass"));
});

test("a bottle is laid from the hand into an open niche, and a player who must lay is not done", () => {
  const question = { kind: "lay", hand: ["R2"], must_lay: 1, cells: [{ cards: "any", cell: [0, 0] }] };
  assert.ok(isLegalCellars(question, { card: "R2", cell: [0, 0] }));
  assert.equal(isLegalCellars(question, { card: "R2", cell: [0, 2] }), false);
  assert.equal(isLegalCellars(question, { card: "W3", cell: [0, 0] }), false);
  assert.equal(isLegalCellars(question, "done"), false);
  assert.ok(isLegalCellars({ ...question, must_lay: 0 }, "done"));
});
