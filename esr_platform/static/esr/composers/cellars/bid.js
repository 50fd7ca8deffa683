// A bid: bottles of the hand are added to what lies there, the total must be no one else's, and a sentence says what it
// would take.

import { row as bottleRow, euros } from "../../boards/cellars/bottles.js";
import { element } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { isArrow, towards } from "../keys.js";
import { taking } from "./auction.js";
import { bottlesText, handOf } from "./bottle_buttons.js";
import { isLegal, mayAdd, totalWith } from "./legal.js";

/** @type {(about: Object, hold: import("../form.js").Hold) => import("../form.js").Form} */
export function bidding(about, hold) {
  const { question, table, seat } = about;
  const { view } = about.moment;
  const { tokens = {}, names } = table;
  const { hand, bid, total: before } = question;

  function toggle(place) {
    const { taken } = hold.draft();
    hold.change({
      taken: taken.includes(place) ? taken.filter((one) => one !== place) : [...taken, place].sort((a, b) => a - b),
    });
  }

  const bottles = handOf(hand, tokens, toggle);
  const lying =
    bid.length > 0 &&
    element(
      "div",
      "compose-lying",
      element("span", "caption", say("Your bid: %(total)s", { total: euros(before) })),
      still(bid, tokens),
    );
  const codes = ({ taken }) => taken.map((place) => hand[place]);

  function judge(draft) {
    const added = codes(draft);
    const sum = euros(totalWith(question, added));
    const values = { bottles: bottlesText(added, tokens), total: sum };
    const ask = say("Choose bottles to add to your bid.");
    if (!added.length)
      return {
        text: ask,
        good: false,
        ways: [
          pass(),
          { name: "main", label: say("Add bottles"), note: say("choose bottles first"), move: null, why: ask },
        ],
      };
    const label = say("Add %(bottles)s", values);
    if (!mayAdd(question, added)) {
      const text = say("Another player has bid %(total)s. Choose different bottles.", values);
      return {
        text,
        good: false,
        ways: [pass(), { name: "main", label, note: say("bid %(total)s", values), move: null, why: text }],
      };
    }
    const text = [
      say("If you add %(bottles)s, your bid is %(total)s.", values),
      standing(totalWith(question, added)),
    ].join(" ");
    return {
      text,
      good: true,
      ways: [pass(), { name: "main", label, note: say("bid %(total)s", values), move: { cards: added } }],
    };
  }

  function standing(tenths) {
    const { from, cards, place, of } = taking(view, seat, tenths);
    const values = { bottles: bottlesText(cards, tokens), name: from === null ? "" : names[from] };
    const rank =
      of > 1 && place === of
        ? say("It is the lowest bid.")
        : place === 1 && of > 1
          ? say("It is the highest bid.")
          : "";
    const takes =
      from === null
        ? say("You would currently get the display: %(bottles)s.", values)
        : say("You would currently get the bid of %(name)s: %(bottles)s.", values);
    return [rank, takes].filter(Boolean).join(" ");
  }

  function pass() {
    if (before !== null) {
      const { from, cards } = taking(view, seat, before);
      const what = { bottles: bottlesText(cards, tokens), name: from === null ? "" : names[from] };
      return {
        name: "other",
        label: say("Pass at %(total)s", { total: euros(before) }),
        note: from === null ? say("currently wins the display") : say("currently wins %(bottles)s", what),
        move: "pass",
      };
    }
    const drawn = Math.min(2, view.stack);
    const note = drawn
      ? sayCount("you get the last card of the stack", "you draw %(count)s cards and keep the cheaper one", drawn)
      : say("the stack is empty, so you get nothing");
    return { name: "other", label: say("Pass without a bid"), note, move: "pass" };
  }

  function press(event) {
    const { key, target } = event;
    const here = target.closest?.("[data-bottle]");
    if (isArrow(key)) (here ? (towards(here, bottles.buttons, key) ?? here) : bottles.buttons[0])?.focus();
    else if (key === "Enter" && here) hold.press("main");
    else if (key === "Backspace" || key === "Escape") hold.change({ taken: [] });
    else if (/^p$/i.test(key)) hold.select("other");
    else return false;
    return true;
  }

  return {
    title: say("Your bid"),
    lead: say(
      "The highest bid takes the display. Other bids take the next higher bid. The lowest bid becomes the display.",
    ),
    body: element("div", "compose-bid", lying, bottles.element),
    start: { taken: [] },
    fits: ({ taken }) =>
      taken.every((place, index) => Number.isInteger(place) && place in hand && taken.indexOf(place) === index),
    show: ({ taken }) => bottles.show(taken),
    judge,
    press,
    legal: (move) => isLegal(question, move),
    focus: () => bottles.buttons[0]?.focus(),
  };
}

/** Bottles that nobody follows from scene to scene. */
function still(codes, tokens) {
  const made = bottleRow(codes, tokens, "");
  for (const one of made.children) one.removeAttribute("data-fly");
  return made;
}
