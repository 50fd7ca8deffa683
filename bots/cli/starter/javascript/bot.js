// Plays one seat of one game: reads one message per line and writes one answer per line.
//
// You do not have to change this file. The decisions are in strategy.js.
"use strict";

const { createInterface } = require("node:readline");
const { Strategy } = require("./strategy.js");

// Standard output is only for answers. Print debug output with console.error.
const send = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

let strategy;
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    // The first message: the game, the number of seats, our seat and the time limits.
    strategy = new Strategy(message);
    send({ type: "ready" });
  } else if (message.type === "decide") {
    // A decision: the question, everything that we can see, and the events since our last decision.
    send({ id: message.id, move: strategy.choose(message.decision, message.view, message.log) });
  }
});
