// The players at the table: their presence, the turn, and their time banks. Their names are at the board.

import { element, svg } from "../elements.js";
import { say } from "../words.js";
import { asClock } from "./times.js";

const WORDS = {
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
  /**
   * @param {HTMLElement} list
   * @param {{names: string[], drawings: Object}} table
   */
  constructor(list, table) {
    this.rows = table.names.map((name, seat) => rowOf(table, name, seat));
    list.replaceChildren(...this.rows.map(({ item }) => item));
  }

  /** @type {(present: Object) => void} */
  show({ seat: own, decision, here, clocks, waiting, rights }) {
    const agreed = rights?.abort?.agreed ?? [];
    this.rows.forEach(({ item, state, bank }, seat) => {
      const isAsked = seat === own ? decision !== null : waiting.includes(seat);
      item.classList.toggle("asked", isAsked);
      item.setAttribute("aria-current", String(isAsked));
      item.dataset.here = here?.[seat] ?? "";
      item.classList.toggle("aborts", agreed.includes(seat));
      const parts = [
        seat === own ? say("You") : "",
        WORDS[here?.[seat]]?.() ?? "",
        agreed.includes(seat) ? say("Offers to abort") : "",
      ];
      const text = parts.filter(Boolean).join(" · ");
      if (state.textContent !== text) state.textContent = text;
      const left = clocks?.[seat];
      bank.textContent = Number.isFinite(left) ? asClock(left) : "";
    });
  }
}

function rowOf(table, name, seat) {
  const state = element("span", "meta");
  const bank = element("span", "meta bank");
  bank.title = say("Time bank");
  const item = element("li", "", markOf(table.drawings.sprite, seat), element("b", "hidden", name), state, bank);
  item.title = name;
  return { item, state, bank };
}
