// The hand as buttons: bottles to be taken, one at a time or several.

import { bottle } from "../../boards/cellars/bottles.js";
import { element, html } from "../../elements.js";
import { say } from "../../words.js";

/**
 * @param {string[]} hand
 * @param {Object<string, string>} tokens
 * @param {(place: number) => void} pressed
 */
export function handOf(hand, tokens, pressed) {
  const buttons = hand.map((code, place) => {
    const drawn = bottle(code, tokens, "");
    drawn.removeAttribute("data-fly"); // the table's own bottles fly, these do not
    drawn.removeAttribute("role");
    drawn.removeAttribute("aria-label");
    drawn.setAttribute("aria-hidden", "true");
    const label = tokens[code] ?? code;
    const button = html(
      "button",
      {
        type: "button",
        class: "bottle-button",
        "data-bottle": place,
        "data-code": code,
        "aria-pressed": "false",
        "aria-label": label,
        title: label,
      },
      drawn,
    );
    button.addEventListener("click", () => pressed(place));
    return button;
  });
  const row = element("div", "compose-hand", ...buttons);
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", say("Your hand"));
  return {
    element: row,
    buttons,
    show: (taken) =>
      buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(taken.includes(place)))),
  };
}

/** @type {(codes: string[], tokens: Object<string, string>) => string} “purple 11 and gray 10” */
export function bottlesText(codes, tokens) {
  const names = codes.map((code) => tokens[code] ?? code);
  if (!names.length) return say("nothing");
  if (names.length < 2) return names[0];
  return say("%(first)s and %(last)s", { first: names.slice(0, -1).join(", "), last: names.at(-1) ?? "" });
}
