// The table of a game that has no drawing of its own: its view as it is, seats as columns, what has changed marked.

import { say } from "../words.js";

/** @type {(name: string, text?: string, kind?: string) => HTMLElement} */
function element(name, text = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = kind;
  return made;
}

const WORDS = { true: () => say("yes"), false: () => say("no"), null: () => "–" };

/** @type {(value: *, tokens: Object<string, string>) => string} a value of a document in one line */
function written(value, tokens) {
  if (value === null || value === undefined || typeof value === "boolean") return WORDS[value ?? null]();
  if (Array.isArray(value)) return value.map((one) => written(one, tokens)).join(" · ") || "–";
  if (typeof value === "object")
    return Object.entries(value)
      .map(([key, one]) => `${named(key)} ${written(one, tokens)}`)
      .join(", ");
  return tokens[value] ?? String(value);
}

/** @type {(key: string) => string} */
const named = (key) => key.replaceAll("_", " ");

/** A cell that says what it holds, and whether that is new. */
class Cell {
  constructor() {
    this.drawn = element("td");
    this.value = undefined;
  }

  write(value, tokens, telling) {
    const text = written(value, tokens);
    this.drawn.classList.toggle("new", telling && this.value !== undefined && text !== this.value);
    if (text !== this.value) this.drawn.textContent = this.value = text;
  }
}

/** A table of cells by row, made when a row is met first. */
class Rows {
  constructor(columns) {
    this.columns = columns;
    this.body = element("tbody");
    this.rows = new Map();
  }

  write(key, values, tokens, telling) {
    if (!this.rows.has(key)) this.add(key);
    this.rows.get(key).forEach((cell, column) => cell.write(values[column], tokens, telling));
  }

  add(key) {
    const cells = Array.from({ length: this.columns }, () => new Cell());
    const head = element("th", named(key));
    head.setAttribute("scope", "row");
    const row = element("tr");
    row.append(head, ...cells.map((cell) => cell.drawn));
    this.body.append(row);
    this.rows.set(key, cells);
  }
}

/** @type {(names: string[]) => HTMLElement} */
function head(names) {
  const row = element("tr");
  row.append(element("td"), ...names.map((name) => Object.assign(element("th", name), { scope: "col" })));
  const made = element("thead");
  made.append(row);
  return made;
}

/**
 * The drawing of a table, in `root`.
 * @param {HTMLElement} root
 * @param {{names: string[], tokens: Object<string, string>}} table
 */
export function mount(root, { names, tokens = {} }) {
  const seats = new Rows(names.length);
  const common = new Rows(1);
  const board = element("div", "", "plain-board");
  const left = element("table", "", "plain-seats");
  left.append(head(names), seats.body);
  const right = element("table", "", "plain-common");
  right.append(common.body);
  board.append(left, right);
  root.replaceChildren(board);

  function draw({ view, yous }, telling = false) {
    for (const [key, value] of Object.entries(view)) {
      if (key === "players")
        for (const part of Object.keys(value[0] ?? {}))
          seats.write(
            part,
            value.map((one) => one[part]),
            tokens,
            telling,
          );
      else if (!["you", "seat", "seats", "game"].includes(key))
        common.write(key, [seatName(key, value, names)], tokens, telling);
    }
    const own = yous.find((you) => you !== null) ?? {};
    for (const part of Object.keys(own))
      seats.write(
        `${say("own")} ${part}`,
        yous.map((you) => (you ? you[part] : "?")),
        tokens,
        telling,
      );
  }

  return {
    draw: (scene) => draw(scene),
    move: async (_from, to) => draw(to, true),
    side: null,
    resize() {},
  };
}

/** @type {(key: string, value: *, names: string[]) => *} whose turn it is, by name */
const seatName = (key, value, names) => (key === "turn" && names[value] ? names[value] : value);
