// A decision of a game for which nobody has drawn a composer: its legal moves as a list to choose from, or, where there
// are too many of them, a field for the move as JSON, which the table checks.

import { element, html } from "../elements.js";
import { say } from "../words.js";
import { composing } from "./form.js";

/** @type {(value: *, tokens: Object<string, string>) => string} a move in words, as far as its game has words for it */
export function worded(value, tokens = {}) {
  if (Array.isArray(value)) return value.map((one) => worded(one, tokens)).join(" · ") || "–";
  if (value !== null && typeof value === "object")
    return Object.entries(value)
      .map(([key, one]) => `${named(key)} ${worded(one, tokens)}`)
      .join(", ");
  return tokens[value] ?? named(String(value));
}

const named = (key) => key.replaceAll("_", " ");

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

let lists = 0;

function listed({ question: { legal }, table }, hold) {
  lists += 1;
  const items = legal.map((move, place) => {
    const field = html("input", { type: "radio", name: `compose-${lists}`, value: place });
    field.addEventListener("change", () => hold.change({ place }));
    return html("label", { class: "legal" }, field, element("span", "", worded(move, table.tokens)));
  });
  const fields = items.map((item) => item.querySelector("input"));
  const ask = say("Choose a move.");
  return {
    body: element("div", "compose-list", ...items),
    start: { place: null },
    fits: ({ place }) => place === null || place in legal,
    show: ({ place }) => fields.forEach((field, each) => (field.checked = each === place)),
    judge({ place }) {
      const move = place === null ? null : legal[place];
      const text = move === null ? ask : JSON.stringify(move);
      return {
        text,
        good: move !== null,
        ways: [
          {
            name: "main",
            label: say("Send move"),
            note: move === null ? say("Choose a move first") : worded(move, table.tokens),
            move,
            why: ask,
          },
        ],
      };
    },
    legal: (move) => legal.some((one) => same(one, move)),
    focus: () => (fields.find((field) => field.checked) ?? fields[0]).focus(),
  };
}

/** What was written, and why it is no move: `{move}` or `{why}`. */
function parsed(text) {
  if (!text.trim()) return { why: say("Enter the move as JSON.") };
  try {
    const move = JSON.parse(text);
    if (typeof move === "string" || (move !== null && typeof move === "object" && !Array.isArray(move)))
      return { move };
    return { why: say("A move must be a quoted string or an object.") };
  } catch {
    return {
      why: say("Invalid JSON. Put strings in double quotes, for example %(example)s.", { example: '"pass"' }),
    };
  }
}

function written({ question }, hold) {
  const field = html("textarea", { rows: 3, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  field.addEventListener("input", () => hold.change({ text: field.value }));
  const { kind, seat, legal, default: usual, ...bounds } = question;
  const told = Object.entries(bounds).map(([key, value]) =>
    html("div", {}, html("dt", {}, named(key)), html("dd", {}, html("code", {}, JSON.stringify(value)))),
  );
  return {
    body: element(
      "div",
      "compose-json",
      html("dl", { class: "facts-list" }, ...told),
      html("label", {}, element("span", "", say("Your move as JSON")), field),
    ),
    start: { text: JSON.stringify(usual) },
    fits: ({ text }) => typeof text === "string",
    show: ({ text }) => field.value !== text && (field.value = text),
    judge({ text }) {
      const { move = null, why = "" } = parsed(text);
      return {
        text: why || say("The move is checked when you send it."),
        good: move !== null,
        ways: [{ name: "main", label: say("Send move"), move, why }],
      };
    },
    legal: () => true,
    focus: () => field.focus(),
  };
}

/**
 * @param {HTMLElement} root
 * @param {Object} about see docs/internals/composers.md
 */
export function compose(root, about) {
  const { kind, legal } = about.question;
  return composing(root, about, (hold) => ({
    title: say("Your decision: %(kind)s", { kind: named(kind) }),
    ...(legal ? listed : written)(about, hold),
  }));
}

/** What the keys do. @type {() => [string, string][]} */
export const keys = () => [
  ["↑ ↓", say("Choose a move")],
  ["Enter", say("Send the selected move")],
];
