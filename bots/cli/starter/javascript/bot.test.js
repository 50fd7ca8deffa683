// Tests of the bot. Run them with `node --test`.
//
// examples.json contains a hello message and real decisions of almost every kind. To play games, run `esr check`.
"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const { test } = require("node:test");
const { hello, questions } = require("./examples.json");
const { Strategy } = require("./strategy.js");

const answers = () => {
  const strategy = new Strategy(hello);
  return questions.map(({ decision, view, log }) => strategy.choose(decision, view, log));
};

test("every answer is legal where the question lists the legal moves", () => {
  answers().forEach((move, index) => {
    const { kind, legal } = questions[index].decision;
    if (legal) assert.ok(legal.map((each) => JSON.stringify(each)).includes(JSON.stringify(move)), kind);
  });
});

test("the same seed gives the same answers", () => assert.deepEqual(answers(), answers()));

test("the program says ready and answers every question under its id", () => {
  const input = [hello, ...questions].map((message) => `${JSON.stringify(message)}\n`).join("");
  const { stdout, stderr } = spawnSync(process.execPath, ["bot.js"], { cwd: __dirname, input, encoding: "utf8" });
  const [ready, ...moves] = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(ready, { type: "ready" }, stderr);
  assert.deepEqual(moves.map(({ id }) => id), questions.map(({ id }) => id));
});
