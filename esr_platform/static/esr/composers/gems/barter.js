// Offers: theirs over one's own in the columns of the table; the column that decides is tinted, and a sentence says
// whether it is higher. Accepting, or declining to open, stands beside.

import { COLOURS, gemsText, total } from "../../boards/gems/codes.js";
import { verdict } from "../../boards/gems/offers.js";
import { stone } from "../../boards/gems/piles.js";
import { mark, namesOf } from "../../boards/gems/rows.js";
import { element, findAll, html } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { columns, count, row, stepper, whose } from "./columns.js";
import { isHeld, isLegal } from "./legal.js";
import { onPiles } from "./pointer.js";
import { contested, stake } from "./stakes.js";

const NOTHING = [0, 0, 0, 0];

/** Offers before the standing one that a phone shows. */
const TRAIL = 4;

const counted = (gems) => sayCount("1 gem", "%(count)s gems", total(gems));

/** @type {(about: Object, hold: import("../form.js").Hold) => import("../form.js").Form} */
export function bartering(about, hold) {
  const { question, table, seat } = about;
  const { view } = about.moment;
  const { holdings, other, action } = question;
  const standing = question.kind === "answer_offer" ? question.standing : null;
  const name = namesOf(table)(other);
  const spent = standing !== null && question.offers_made >= question.offers_limit;

  function change(colour, by) {
    const { offer } = hold.draft();
    const next = offer.map((number, place) => number + (place === colour ? by : 0));
    if (next[colour] >= 0 && next[colour] <= holdings[colour]) hold.change({ offer: next });
  }

  const steppers = COLOURS.map((_, colour) => stepper(colour, holdings[colour], (by) => change(colour, by)));
  const sum = element("b", "");
  const clear = html("button", { type: "button", class: "plain", "data-clear": "" }, say("Clear"));
  clear.addEventListener("click", () => hold.change({ offer: NOTHING }));
  const own = row({
    who: whose(seat, say("Your offer")),
    cells: steppers.map((one) => one.element),
    sum: element("div", "sum", sum, clear),
    kind: "own",
    label: say("Your offer"),
  });
  const theirs =
    standing &&
    row({
      who: whose(other, say("%(name)s offers", { name })),
      cells: standing.map((number, colour) => count(colour, number)),
      sum: element("div", "sum", element("b", "", counted(standing))),
      kind: "theirs",
      label: say("Offer of %(name)s", { name }),
    });
  const body = columns(...[trail(view.barter), theirs, own].filter(Boolean));
  const pointing = onPiles(
    about.board,
    ({ seat: pointed, colour }) => pointed === seat && change(colour, 1),
    (pointed, colour) => pointed === seat && holdings[colour] > 0,
  );

  function show({ offer }) {
    steppers.forEach((one, colour) => one.show(offer[colour]));
    sum.textContent = total(offer) ? counted(offer) : "";
    clear.hidden = !total(offer);
    const { column } = total(offer) ? verdict(standing, offer, holdings) : { column: null };
    for (const cell of findAll(body, "[data-column]"))
      cell.classList.toggle("deciding", column !== null && cell.dataset.column === COLOURS[column]);
    const byNumber = standing !== null && total(offer) > 0 && total(offer) !== total(standing);
    for (const cell of body.querySelectorAll(".own .sum, .theirs .sum")) cell.classList.toggle("deciding", byNumber);
  }

  function judge({ offer }) {
    const found = verdict(standing, offer, holdings);
    const text = spent
      ? say("The limit of %(count)s offers is reached. You must accept.", { count: question.offers_made })
      : found.text;
    const legal = found.higher && !spent;
    const note = total(offer)
      ? say("%(gems)s for %(what)s", { gems: gemsText(offer), what: stake(view, action, seat) })
      : say("build your offer first");
    const main = { name: "main", label: say("Make offer"), note, move: legal ? { offer } : null, why: text };
    return { text, good: legal, ways: [other_(), main] };
  }

  /** What needs nothing put together. */
  function other_() {
    const what = stake(view, action, other);
    if (!standing)
      return {
        name: "other",
        label: say("Make no offer"),
        note: say("%(name)s can then give one gem and act", { name }),
        move: "decline",
      };
    return {
      name: "other",
      label: say("Accept offer"),
      note: say("you get %(gems)s, %(name)s takes %(what)s", { gems: gemsText(standing), name, what }),
      move: "accept",
      strong: true,
    };
  }

  function press({ key, shiftKey }) {
    const colour = COLOURS.indexOf(key.toUpperCase());
    if (colour >= 0 && key.length === 1) change(colour, shiftKey ? -1 : 1);
    else if (key === "Backspace") hold.change({ offer: NOTHING });
    else if (/^o$/i.test(key)) hold.select("main");
    else if (standing ? /^a$/i.test(key) : /^d$/i.test(key)) hold.select("other");
    else return false;
    return true;
  }

  return {
    title: standing ? say("Answer the offer of %(name)s", { name }) : say("Open the barter with %(name)s", { name }),
    lead: contested(view, action, seat, other, name),
    body,
    start: { offer: NOTHING },
    fits: ({ offer }) => isHeld(offer, holdings) || String(offer) === String(NOTHING),
    show,
    judge,
    press,
    legal: (move) => isLegal(question, move),
    end: pointing,
  };
}

/** The offers so far in one line, for where the conversation is out of sight. */
function trail(barter) {
  if (!barter?.offers.length) return null;
  const items = barter.offers.slice(-TRAIL).map(({ seat, offer }, place, shown) => {
    const stones = offer.flatMap((number, colour) =>
      number > 2 ? [stone(colour), element("b", "", number)] : Array.from({ length: number }, () => stone(colour)),
    );
    return element("li", place === shown.length - 1 ? "latest" : "", mark(seat), element("span", "slip", ...stones));
  });
  const made = element("ol", "compose-trail", ...items);
  made.setAttribute("aria-hidden", "true"); // the conversation beside the board has it in words
  return made;
}
