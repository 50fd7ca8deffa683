// The line above the chain: the parts of a round, and the stack.

import { element } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { back, row } from "./bottles.js";
import { show } from "./elements.js";

const PATIENCE = 20;
const STILL = 3;

/** @param {{tokens: Object<string, string>}} table */
export function ribbon({ tokens }) {
  const line = element("div", "ribbon");
  return {
    element: line,
    /** @param {Object} scene */
    draw({ view }) {
      const facts = [view.stage, view.stack, view.stack_bottom, view.idle_rounds, view.last_round];
      show(line, facts, () => [
        parts(view),
        view.idle_rounds >= STILL && !view.last_round && element("p", "caption idle", idle(view)),
        stack(view, tokens),
      ]);
    },
  };
}

const idle = ({ idle_rounds: count }) =>
  say("%(count)s rounds without a card from the stack (after %(most)s, the next round is the last)", {
    count,
    most: PATIENCE,
  });

/** The round as a timeline: what is going on is marked. */
function parts({ stage }) {
  const found = [
    ["bid", say("Bidding")],
    ["lay", say("Laying")],
    [null, say("Over")],
  ];
  const items = found
    .filter(([name]) => name !== null || stage === null)
    .map(([name, said]) => {
      const item = element("li", name === stage ? "is-now" : "", said);
      if (name === stage) item.setAttribute("aria-current", "step");
      return item;
    });
  return element("ol", "parts", ...items);
}

function stack({ stack: left, stack_bottom: bottom }, tokens) {
  const said = left ? sayCount("1 card in the stack", "%(count)s cards in the stack", left) : say("The stack is empty");
  const pile = element("p", "stack", left > 0 && back("stack"), element("span", "", said));
  if (bottom.length) {
    pile.append(element("span", "bottom", element("i", "", say("At the bottom")), row(bottom, tokens, "under")));
  }
  return pile;
}
