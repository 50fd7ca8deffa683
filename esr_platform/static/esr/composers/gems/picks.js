// Pointing at gems: one in each row that needs one. Rows of one group share a single choice, such as the gems of all
// opponents in a swap.

import { COLOURS } from "../../boards/gems/codes.js";
import { element, findAll } from "../../elements.js";
import { say } from "../../words.js";
import { isArrow, towards } from "../keys.js";
import { columns, pickable, row, whose } from "./columns.js";
import { isLegal } from "./legal.js";
import { onPiles } from "./pointer.js";

/**
 * @typedef {Object} Row
 * @property {string} id also the key of its pick
 * @property {string} group rows of one group share a choice
 * @property {number|null} seat whose gems, for its mark; `null`: nobody's
 * @property {number|"supply"|null} pile whose pile on the table it stands for
 * @property {string} text
 * @property {(picks: Object<string, string>) => {count: number, enabled: boolean, note?: string}[]} options by colour
 */

/**
 * @typedef {Object} Spec
 * @property {string} title
 * @property {string} lead
 * @property {Row[]} rows
 * @property {string[]} [order] groups, in the order in which letters fill them
 * @property {(picks: Object<string, string>) => *} move `null` as long as something is missing
 * @property {(picks: Object<string, string>) => string} text what is missing, or what follows
 * @property {(picks: Object<string, string>) => {label: string, note?: string}} send
 * @property {{label: string, note: string}} decline
 */

/**
 * @param {Object} about
 * @param {import("../form.js").Hold} hold
 * @param {Spec} spec
 * @returns {import("../form.js").Form}
 */
export function picking(about, hold, spec) {
  const { question, seat: self } = about;
  const { rows } = spec;
  const order = spec.order ?? [...new Set(rows.map(({ group }) => group))];

  /** Picks that are still possible, one a group: the latest first. */
  function possible(picks, latest) {
    const kept = {};
    for (const one of [...rows].sort((a, b) => Number(b.id === latest) - Number(a.id === latest))) {
      const rivals = rows.filter(({ group, id }) => group === one.group && id !== one.id);
      if (picks[one.id] && !rivals.some(({ id }) => kept[id])) kept[one.id] = picks[one.id];
    }
    for (const one of rows)
      if (kept[one.id] && !one.options(kept)[COLOURS.indexOf(kept[one.id])].enabled) delete kept[one.id];
    return kept;
  }

  function pick(id, colour) {
    const { picks } = hold.draft();
    const next = picks[id] === colour ? without(picks, id) : { ...picks, [id]: colour };
    hold.change({ picks: possible(next, id) });
  }

  const made = rows.map((one) => {
    const cells = COLOURS.map((colour, place) => pickable(place, one.id, one.text, () => pick(one.id, colour)));
    const who = one.seat === null ? [element("span", "", one.text)] : whose(one.seat, one.text);
    return {
      one,
      cells,
      element: row({
        who,
        cells: cells.map((cell) => cell.element),
        kind: one.seat === self ? "own" : "",
        label: one.text,
      }),
    };
  });
  const body = columns(...made.map((each) => each.element));
  body.classList.add("picks");
  const canPoint = (pile, colour) => rows.some((one) => one.pile === pile && one.options({})[colour].enabled);
  const pointing = onPiles(about.board, ({ seat, colour }) => pointed(seat, colour), canPoint);

  /** A pile stands for its row; where it has several, for the first of them without a choice. */
  function pointed(pile, colour) {
    const { picks } = hold.draft();
    const there = rows.filter((one) => one.pile === pile);
    const one = there.find(({ id }) => !picks[id]) ?? there.at(-1);
    if (one?.options(picks)[colour].enabled) pick(one.id, COLOURS[colour]);
  }

  function show({ picks }) {
    for (const { one, cells } of made)
      one.options(picks).forEach((option, colour) => cells[colour].show(option, picks[one.id] === COLOURS[colour]));
  }

  function judge({ picks }) {
    const move = spec.move(picks);
    const text = spec.text(picks);
    const main = move === null ? { label: say("Send move"), note: say("choose first") } : spec.send(picks);
    return {
      text,
      good: move !== null,
      ways: [
        { name: "other", ...spec.decline, move: "decline" },
        { name: "main", ...main, move, why: text },
      ],
    };
  }

  /** The row a letter is meant for: that with the focus, or the first one without a choice in which it is possible. */
  function meant(target, colour, back) {
    const { picks } = hold.draft();
    const focused = rows.find(({ id }) => id === target.closest?.("[data-pick]")?.dataset.pick);
    if (back) return focused ?? rows.findLast(({ id }) => picks[id] === COLOURS[colour]);
    const open = order.filter((group) => !rows.some((one) => one.group === group && picks[one.id]));
    const groups = open.length ? open : order.slice(-1);
    return focused ?? rows.find((one) => one.group === groups[0] && one.options(picks)[colour].enabled);
  }

  function letter(colour, target, back) {
    const one = meant(target, colour, back);
    if (!one) return;
    const has = hold.draft().picks[one.id] === COLOURS[colour];
    if (has === back && (back || one.options(hold.draft().picks)[colour].enabled)) pick(one.id, COLOURS[colour]);
  }

  function press({ key, shiftKey, target }) {
    const colour = COLOURS.indexOf(key.toUpperCase());
    const here = target.closest?.("[data-pick]");
    if (colour >= 0 && key.length === 1) letter(colour, target, shiftKey);
    else if (key === "Backspace") hold.change({ picks: {} });
    else if (/^d$/i.test(key)) hold.select("other");
    else if (here && isArrow(key)) (towards(here, findAll(body, ".pick"), key) ?? here).focus();
    else return false;
    return true;
  }

  return {
    title: spec.title,
    lead: spec.lead,
    body,
    start: { picks: {} },
    fits: ({ picks }) =>
      JSON.stringify(possible(picks, null)) === JSON.stringify(inOrder(rows, picks)) &&
      Object.values(picks).every((colour) => COLOURS.includes(colour)),
    show,
    judge,
    press,
    legal: (move) => isLegal(question, move),
    end: pointing,
  };
}

const without = (picks, id) => Object.fromEntries(Object.entries(picks).filter(([key]) => key !== id));

/** @type {(rows: Row[], picks: Object<string, string>) => Object<string, string>} as `possible` gives them */
const inOrder = (rows, picks) => Object.fromEntries(rows.flatMap(({ id }) => (picks[id] ? [[id, picks[id]]] : [])));
