// The players at the table: their presence, the turn, and their time banks.

import { element, svg } from "../elements.js";
import { say } from "../words.js";
import { asClock } from "./times.js";

const WORDS = {
  here: () => say("Online"),
  away: () => say("Offline"),
  substitute: () => say("Substitute bot plays"),
  left: () => say("Left the game"),
  bot: () => say("Bot"),
};

/** @type {(sprite: string, seat: number) => SVGElement} the merchant's mark of a seat */
export const markOf = (sprite, seat) =>
  svg(
    "svg",
    { class: "mark", width: 20, height: 20, "aria-hidden": "true" },
    svg("use", { href: `${sprite}#mark-${seat + 1}` }),
  );

export class Seats {
  /** @param {{names: string[], drawings: Object}} table */
  constructor(table) {
    this.rows = table.names.map((name, seat) => rowOf(table, name, seat));
    this.element = element("ul", "sitting-seats panel", ...this.rows.map(({ item }) => item));
    this.element.setAttribute("aria-label", say("Players"));
  }

  /** @type {(present: Object) => void} */
  show({ seat: own, decision, here, clocks, waiting, rights }) {
    const agreed = rights?.abort?.agreed ?? [];
    this.rows.forEach(({ item, state, bank }, seat) => {
      const isAsked = seat === own ? decision !== null : waiting.includes(seat);
      item.classList.toggle("asked", isAsked);
      item.dataset.here = here?.[seat] ?? "";
      item.classList.toggle("aborts", agreed.includes(seat));
      const parts = [
        seat === own ? say("You") : "",
        stateOf(here?.[seat], seat === own),
        agreed.includes(seat) ? say("Offers to abort") : "",
      ];
      const text = [...parts, isAsked ? say("To move") : ""].filter(Boolean).join(" · ");
      if (state.textContent !== text) state.textContent = text;
      const left = clocks?.[seat];
      bank.textContent = Number.isFinite(left) ? say("Time bank %(time)s", { time: asClock(left) }) : "";
    });
  }
}

const stateOf = (here, isOwn) => (isOwn && here === "here" ? "" : (WORDS[here]?.() ?? ""));

function rowOf(table, name, seat) {
  const state = element("span", "meta");
  const bank = element("span", "meta bank");
  const item = element(
    "li",
    "",
    markOf(table.drawings.sprite, seat),
    element("span", "", element("b", "", name), state),
    bank,
  );
  return { item, state, bank };
}
