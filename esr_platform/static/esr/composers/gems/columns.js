// The colour columns once more, below those of the table: a row each for an offer, for what is chosen, for what is
// there.

import { COLOURS, colourName } from "../../boards/gems/codes.js";
import { heard } from "../../boards/gems/elements.js";
import { stone } from "../../boards/gems/piles.js";
import { mark } from "../../boards/gems/rows.js";
import { element, html } from "../../elements.js";
import { say } from "../../words.js";

/** From here on one gem and the number say it better. */
const TOO_MANY = 6;

/**
 * A row.
 * @param {{who: Node[], cells: HTMLElement[], sum?: HTMLElement, kind?: string, label: string}} parts
 */
export function row({ who, cells, sum, kind = "", label }) {
  const made = element(
    "div",
    `compose-row ${kind}`.trim(),
    element("div", "who", ...who),
    ...cells,
    sum ?? element("div", "sum"),
  );
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  cells.forEach((cell, colour) => (cell.dataset.column = COLOURS[colour]));
  return made;
}

/** @type {(...rows: HTMLElement[]) => HTMLElement} */
export const columns = (...rows) => element("div", "compose-columns", ...rows);

/** @type {(seat: number, text: string) => Node[]} whose row it is */
export const whose = (seat, text) => [mark(seat), element("span", "", text)];

/** @type {(colour: number, count: number) => HTMLElement} gems and their number */
export function gems(colour, count) {
  const drawn = Array.from({ length: count > TOO_MANY ? 1 : count }, () => stone(colour));
  const number = element("b", count ? "" : "zero", count);
  number.setAttribute("aria-hidden", "true");
  return element(
    "span",
    "compose-gems",
    element("span", "some", ...drawn),
    number,
    heard(`${count} ${colourName(COLOURS[colour])}`),
  );
}

/** @type {(colour: number, count: number) => HTMLElement} a cell that shows what is there */
export const count = (colour, number) => element("div", `cell${number ? "" : " none"}`, gems(colour, number));

/**
 * A cell in which gems are added and taken back.
 * @param {number} colour
 * @param {number} held how many there are
 * @param {(by: number) => void} change
 */
export function stepper(colour, held, change) {
  const name = colourName(COLOURS[colour]);
  const button = (kind, sign, label, by) => {
    const made = html(
      "button",
      { type: "button", class: `step ${kind}`, "aria-label": label, [`data-${kind}`]: COLOURS[colour] },
      sign,
    );
    made.addEventListener("click", () => change(by));
    return made;
  };
  const take = button("take", "−", say("Remove one %(colour)s", { colour: name }), -1);
  const add = button("add", "+", say("Add one %(colour)s", { colour: name }), 1);
  const shown = element("span", "amount");
  return {
    element: element("div", "cell stepper", take, shown, add),
    /** @param {number} number */
    show(number) {
      shown.replaceChildren(
        stone(colour),
        element("b", number ? "" : "zero", number),
        element("span", "of", say("of %(count)s", { count: held })),
      );
      shown.closest(".cell")?.classList.toggle("some", number > 0);
      take.setAttribute("aria-disabled", String(number === 0));
      add.setAttribute("aria-disabled", String(number >= held));
    },
  };
}

/**
 * A cell that is pointed at.
 * @param {number} colour
 * @param {string} of its row
 * @param {string} whose for those who listen
 * @param {() => void} pick
 */
export function pickable(colour, of, whose, pick) {
  const button = html("button", {
    type: "button",
    class: "pick",
    "data-pick": of,
    "data-colour": COLOURS[colour],
    "aria-pressed": "false",
  });
  button.addEventListener("click", () => button.getAttribute("aria-disabled") !== "true" && pick());
  return {
    element: element("div", "cell", button),
    button,
    /** @param {{count: number, enabled: boolean, note?: string}} option @param {boolean} picked */
    show({ count: number, enabled, note = "" }, picked) {
      const key = JSON.stringify([number, note]);
      if (button.dataset.shown !== key)
        button.replaceChildren(
          heard(`${whose}: `),
          gems(colour, number),
          ...(note ? [element("i", "note", note)] : []),
        );
      button.dataset.shown = key;
      button.setAttribute("aria-pressed", String(picked));
      button.setAttribute("aria-disabled", String(!enabled));
    },
  };
}
