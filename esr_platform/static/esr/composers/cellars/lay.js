// Laying a bottle: drag it onto a niche, or choose it and then the niche. What it would earn stands there before it is
// sent, and until then another one may be tried.

import { EMPTY } from "../../boards/cellars/bottles.js";
import { reasons } from "../../boards/cellars/facts.js";
import { vaultOf } from "../../boards/cellars.js";
import { element } from "../../elements.js";
import * as words from "../../words.js";
import { isArrow, towards } from "../keys.js";
import { capital } from "../phrases.js";
import { bottlesText, handOf } from "./bottle_buttons.js";
import { draggable } from "./drag.js";
import { cellsFor, isLegal } from "./legal.js";
import { inCell, nichesOf } from "./niches.js";
import { earning } from "./points.js";

const { say, sayCount } = words;

const NOTHING = { bottle: null, cell: null };

/** @type {(about: Object, hold: import("../form.js").Hold) => import("../form.js").Form} */
export function laying(about, hold) {
  const { question, table, seat } = about;
  const { view } = about.moment;
  const { tokens = {} } = table;
  const { hand, must_lay: must } = question;
  const cells = question.new_cellar ? [] : (view.players[seat].cellars.at(-1) ?? []);
  const open = question.cells.map(({ cell }) => cell);

  const fits = (place, cell) =>
    place !== null &&
    cell !== null &&
    cellsFor(question, hand[place]).some(([level, x]) => level === cell[0] && x === cell[1]);

  function take(place) {
    const { bottle, cell } = hold.draft();
    home.open();
    if (bottle === place) hold.change(NOTHING);
    else hold.change({ bottle: place, cell: fits(place, cell) ? cell : null });
  }

  function put(cell) {
    const { bottle } = hold.draft();
    if (fits(bottle, cell)) hold.change({ bottle, cell });
  }

  const bottles = handOf(hand, tokens, take);
  const niches = nichesOf(cells, open, tokens, put);
  const begun = view.players[seat].cellars.length;
  const body = element("div", "compose-lay", bottles.element);
  const home = homeOf(niches, body, about);
  draggable(bottles.buttons, aim, drop);

  function aim(source, target) {
    const niche = target && nicheUnder(target);
    for (const button of niches.buttons)
      button.classList.toggle("aimed", button === niche && fits(Number(source.dataset.bottle), cellOf(button)));
    for (const button of niches.buttons)
      button.classList.toggle("open-now", target !== null && fits(Number(source.dataset.bottle), cellOf(button)));
    if (!target) show(hold.draft());
  }

  function drop(source, target) {
    const niche = target && nicheUnder(target);
    const place = Number(source.dataset.bottle);
    if (niche && fits(place, cellOf(niche))) hold.change({ bottle: place, cell: cellOf(niche) });
  }

  const nicheUnder = (target) => niches.buttons.find((button) => button.contains(target));

  const ghostOf = ({ bottle, cell }) => (bottle !== null && cell ? earning(cells, hand[bottle], cell) : null);

  function show(draft) {
    bottles.show(draft.bottle === null ? [] : [draft.bottle]);
    niches.show(ghostOf(draft));
    for (const button of niches.buttons) {
      const can = fits(draft.bottle, cellOf(button));
      button.classList.toggle("open-now", can);
      button.setAttribute("aria-disabled", String(!can));
    }
  }

  function judge(draft) {
    const ghost = ghostOf(draft);
    const asked = draft.bottle === null ? say("Choose a bottle, then a place for it.") : noCell(hand[draft.bottle]);
    if (!ghost)
      return {
        text: asked,
        good: false,
        ways: [
          done(),
          { name: "main", label: say("Lay bottle"), note: say("choose a bottle first"), move: null, why: asked },
        ],
      };
    /** @type {(cell: number[]) => string|undefined} */
    const at = ([level, x]) =>
      level === ghost.cell[0] && x === ghost.cell[1] ? ghost.card : inCell(cells, [level, x])?.card;
    const text = say("%(bottle)s would earn %(points)s (%(why)s).", {
      bottle: capital(bottlesText([ghost.card], tokens)),
      points: ghost.points,
      why: reasons(ghost, at, words),
    });
    const main = {
      name: "main",
      label: say("Lay %(bottle)s", { bottle: bottlesText([ghost.card], tokens) }),
      note: sayCount("1 point", "%(count)s points", ghost.points),
      move: { card: ghost.card, cell: ghost.cell },
    };
    return { text, good: true, ways: [done(), main] };
  }

  function noCell(code) {
    if (cellsFor(question, code).length) return say("Now choose a place.");
    return code === EMPTY
      ? say("There is no place for an empty bottle. Full bottles must cover the empty ones first.")
      : say("There is no place for this bottle.");
  }

  function done() {
    const label = say("Finish laying");
    if (!must)
      return {
        name: "other",
        label,
        note: sayCount("you keep 1 bottle", "you keep %(count)s bottles", hand.length),
        move: "done",
      };
    const why = sayCount(
      "You must lay 1 more bottle. You can keep six in your hand.",
      "You must lay %(count)s more bottles. You can keep six in your hand.",
      must,
    );
    return {
      name: "other",
      label,
      note: sayCount("lay 1 more bottle first", "lay %(count)s more bottles first", must),
      move: null,
      why,
    };
  }

  function press(event) {
    const { key, target } = event;
    const onBottle = target.closest?.("[data-bottle]");
    const onNiche = target.closest?.(".compose-cellar [data-cell]");
    if (isArrow(key)) walk(key, onBottle, onNiche);
    else if (key === " " && onBottle) taken(onBottle);
    else if (key === "Enter" && (onNiche || onBottle)) hold.press("main");
    else if (key === "Escape" || key === "Backspace") back(onNiche);
    else if (/^p$/i.test(key)) hold.select("other");
    else return false;
    return true;
  }

  function walk(key, onBottle, onNiche) {
    if (onNiche) return walkNiches(key, onNiche);
    const next = onBottle
      ? (towards(onBottle, bottles.buttons, key) ?? onBottle)
      : bottles.buttons[hold.draft().bottle ?? 0];
    next?.focus();
    return undefined;
  }

  /** The niche that the arrows choose is where the bottle would lie. */
  function walkNiches(key, from) {
    const next = towards(from, legalNiches(hold.draft().bottle), key);
    if (!next) return;
    hold.change({ ...hold.draft(), cell: cellOf(next) });
    next.focus();
  }

  const legalNiches = (bottle) => niches.buttons.filter((button) => fits(bottle, cellOf(button)));

  /** Space takes the bottle and goes on to the niches. */
  function taken(button) {
    const place = Number(button.dataset.bottle);
    const first = legalNiches(place).at(-1); // the one furthest down
    home.open();
    hold.change({ bottle: place, cell: first ? cellOf(first) : null });
    first?.focus();
  }

  function back(onNiche) {
    const { bottle } = hold.draft();
    hold.change(NOTHING);
    if (onNiche) bottles.buttons[bottle ?? 0]?.focus();
  }

  return {
    title: must
      ? sayCount("Lay at least 1 bottle", "Lay at least %(count)s bottles", must)
      : say("Lay a bottle or finish"),
    lead:
      question.new_cellar && begun
        ? say("Your cellar is full. The next bottle starts a new one.")
        : say("Each star is 1 point. A trio of the same bottle earns 4 points, a run of one color earns 1."),
    body,
    start: NOTHING,
    fits: ({ bottle, cell }) =>
      (bottle === null && cell === null) || (bottle in hand && (cell === null || fits(bottle, cell))),
    show,
    judge,
    press,
    legal: (move) => isLegal(question, move),
    focus: () => bottles.buttons[0]?.focus(),
    end: home.leave,
  };
}

const cellOf = (niche) => niche.dataset.cell.split(",").map(Number);

/** One's own cellar is drawn once: at its place on the board, or below the hand where there is no board. */
function homeOf({ element: frame, levels }, body, { board, seat }) {
  const place = element("div", "compose compose-niches", frame);
  const vault = board && vaultOf(board, seat);
  (vault ?? body).append(place);
  vault?.classList.add("laying");
  vault?.style.setProperty("--levels", String(levels));
  return {
    open: () => board && vaultOf(board, seat),
    leave() {
      place.remove();
      vault?.classList.remove("laying");
    },
  };
}
