// Two players: between the rows lie the hidden card and both guesses.

import { element } from "../../elements.js";
import { say } from "../../words.js";
import { actionCard } from "./cards.js";
import { fill, namesOf } from "./rows.js";

const OUTLINE = () => element("span", "action-card empty");

/** What lies there: the turn that goes on, or the one that has just ended. */
function lying({ view, past, yous, memory }) {
  if (past)
    return {
      seat: past.active,
      action: past.actions[past.active] ?? null,
      open: true,
      chosen: true,
      guesses: past.guesses,
      past: true,
    };
  const player = view.players[view.active];
  if (view.active === null || memory.over)
    return {
      seat: memory.round.active,
      action: memory.round.actions[memory.round.active] ?? null,
      open: true,
      chosen: true,
      guesses: memory.round.guesses,
      past: true,
    };
  const open = Boolean(player.action);
  const guesses = view.guesses.map((guess) => ({ guess, hit: open && guess === player.action }));
  return {
    seat: view.active,
    action: player.action ?? (player.chosen ? (yous[view.active]?.action ?? null) : null),
    open,
    chosen: player.chosen,
    guesses,
    past: false,
  };
}

function hidden({ action, open, chosen }) {
  if (open && action) return actionCard(action, true);
  return chosen ? actionCard(action, false) : OUTLINE();
}

function guess(made) {
  if (!made) return element("span", "guess", OUTLINE());
  const card = element("span", `guess ${made.hit ? "hit" : "miss"}`, actionCard(made.guess, true));
  card.append(element("i", "caption", made.hit ? say("hit") : say("miss")));
  return card;
}

/** The strip between two rows. */
export function betweenRows(table) {
  const name = namesOf(table);
  const own = element("div", "hides");
  const other = element("div", "guesses");
  const row = element("div", "row between", own, other);
  row.setAttribute("role", "row");
  for (const part of [own, other]) part.setAttribute("role", "cell");
  return {
    element: row,
    hidden: own,
    draw(moment) {
      const shown = lying(moment);
      row.classList.toggle("past", shown.past);
      fill(own, shown, () => [element("span", "", say("%(name)s hides", { name: name(shown.seat) })), hidden(shown)]);
      fill(other, shown, () => [
        element("span", "", say("%(name)s guesses", { name: name(1 - shown.seat) })),
        guess(shown.guesses[0]),
        guess(shown.guesses[1]),
      ]);
    },
  };
}
