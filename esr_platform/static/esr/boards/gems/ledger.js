// The scoring drawn: the columns of the table again, each with what it paid, and beside it the sentences.

import { element } from "../../elements.js";
import { say } from "../../words.js";
import { seatName } from "../names.js";
import { held } from "./cards.js";
import { CERTIFICATE_VALUES, COLOURS, listing } from "./codes.js";
import { drawing } from "./elements.js";
import { pile } from "./piles.js";
import { colourHead, fill, mark, nameOf, namesOf } from "./rows.js";
import { paidIn, payment, sentences } from "./scoring.js";

/** Cells say where they stand by two numbers: by seat and column in a wide table, column by column in a narrow one. */
function placed(className, role, column, line, ...children) {
  const made = element("div", className, ...children);
  made.setAttribute("role", role);
  made.style.setProperty("--column", String(column));
  made.style.setProperty("--line", String(line));
  made.dataset.column = String(column);
  return made;
}

const headOf = (column, text, value) => {
  const made = placed("colour", "columnheader", column, 0, element("i", "", text), value && element("b", "", value));
  if (column === 5) made.prepend(drawing("event-cert", "cert"));
  return made;
};

function heads() {
  const colours = COLOURS.map((_, colour) => {
    const head = colourHead(colour);
    head.style.setProperty("--column", String(colour + 1));
    head.style.setProperty("--line", "0");
    return head;
  });
  const seat = placed("colour who", "columnheader", 0, 0, element("i", "", say("Seat")));
  const sums = [
    headOf(5, say("Certificates"), CERTIFICATE_VALUES.join(" / ")),
    headOf(6, say("Paid")),
    headOf(7, say("Millions")),
  ];
  return row([seat, ...colours, ...sums]);
}

function row(cells) {
  const made = element("div", "line", ...cells);
  made.setAttribute("role", "row");
  return made;
}

const amount = (paid) => element("b", `paid${paid ? "" : " zero"}`, paid ? `+${paid}` : "0");

function paymentCell(table, scoring, entry, seat) {
  const column = entry.of === "cert" ? 5 : COLOURS.indexOf(entry.of) + 1;
  const got = payment(scoring, entry, seat);
  const counted = entry.of === "cert" ? certificates(got) : element("div", "pile", ...pile(column - 1, got));
  return placed(
    `payment${got.paid || got.returned ? " got" : ""}`,
    "cell",
    column,
    seat + 1,
    who(table, seat),
    counted,
    amount(got.paid),
    got.why && element("i", "caption", got.why),
  );
}

/** The name once more, for the narrow table. */
function who(table, seat) {
  const made = element("span", "again", mark(seat), seatName(table, seat));
  made.setAttribute("aria-hidden", "true");
  return made;
}

function certificates({ count, lead }) {
  const number = element("b", `number${lead ? ` ${lead}` : ""}${count ? "" : " zero"}`, count);
  return element(
    "div",
    "pile",
    count
      ? element(
          "span",
          "stones certs",
          ...Array.from({ length: Math.min(count, 5) }, () => drawing("event-cert", "cert")),
        )
      : element("i", "caption", say("none")),
    number,
  );
}

function seatLine(table, scoring, seat) {
  const sum = scoring.rows.reduce((paid, entry) => paid + paidIn(entry, seat), 0);
  const cards = scoring.cards[seat].length > 0 && element("span", "held", ...held(scoring.cards[seat]));
  return row([
    placed("who", "rowheader", 0, seat + 1, ...nameOf(table, seat), cards),
    ...scoring.rows.map((entry) => paymentCell(table, scoring, entry, seat)),
    placed("sum", "cell", 6, seat + 1, who(table, seat), amount(sum)),
    placed(
      "sum",
      "cell",
      7,
      seat + 1,
      who(table, seat),
      element("span", "was", say("%(money)s, now", { money: scoring.money[seat] })),
      element("b", "millions", scoring.after.money[seat]),
    ),
  ]);
}

/** The table of a scoring. */
export function ledger(table) {
  const board = element("div", "scored");
  board.setAttribute("role", "table");
  board.style.setProperty("--seats", String(table.seats));
  return {
    element: board,
    draw({ scoring }) {
      if (!scoring) return;
      board.setAttribute("aria-label", say("Scoring of phase %(phase)s", { phase: scoring.phase }));
      fill(board, [scoring, table.names], () => [
        heads(),
        ...table.names.map((_, seat) => seatLine(table, scoring, seat)),
      ]);
    },
  };
}

/**
 * The panel beside it: at the end the ranks, every payment in sentences, and a button that gives way to the table.
 * @param {(shown: boolean) => void} showScoring
 */
export function scoringPanel(table, { scoring, view, dealt }, showScoring) {
  const name = namesOf(table);
  const told = scoring.rows.map((entry) => {
    const { head, text } = sentences(scoring, entry, name);
    return element("p", "", element("b", "", head), " ", text);
  });
  const placed = placing(table, scoring, view);
  return [
    element("h2", "", headline(scoring, placed, name)),
    ranking(scoring, placed, table),
    element("div", "told", ...told),
    toggle(showScoring, !dealt),
  ];
}

function toggle(showScoring, shown) {
  const text = () => (shown ? say("Show board") : say("Show scoring"));
  const button = element("button", "plain", text());
  button.type = "button";
  button.addEventListener("click", () => {
    shown = !shown;
    showScoring(shown);
    button.textContent = text();
  });
  return button;
}

function headline(scoring, placed, name) {
  if (!scoring.last) return say("Scoring of phase %(phase)s", { phase: scoring.phase });
  const first = placed.filter(({ rank }) => rank === 1).map(({ seat }) => seat);
  const values = { names: listing(first.map(name)), money: scoring.after.money[first[0]] };
  return first.length > 1
    ? say("%(names)s tied for first place with %(money)s", values)
    : say("%(names)s wins with %(money)s", values);
}

/**
 * Seats by rank. At the end those are the ranks of the result, where it is known: a seat that has left is last,
 * whatever it has. Without them seats rank by money, at the end also by gems.
 * @returns {{seat: number, rank: number}[]}
 */
function placing(table, scoring, view) {
  const known = scoring.last && table.ranks;
  const key = (seat) => {
    if (known) return [-known[seat]];
    const { money, gems } = view.players[seat];
    return scoring.last ? [money, gems.reduce((sum, count) => sum + count, 0), ...gems] : [scoring.after.money[seat]];
  };
  const ahead = (one, other) => {
    const [mine, theirs] = [key(one), key(other)];
    const place = mine.findIndex((value, index) => value !== theirs[index]);
    return place < 0 ? 0 : mine[place] - theirs[place];
  };
  const seats = view.players.map((_, seat) => seat);
  const rankOf = (seat) => (known ? known[seat] : 1 + seats.filter((other) => ahead(other, seat) > 0).length);
  return seats.sort((one, other) => ahead(other, one)).map((seat) => ({ seat, rank: rankOf(seat) }));
}

function ranking(scoring, placed, table) {
  const items = placed.map(({ seat, rank }) =>
    element(
      "li",
      "",
      element("span", "rank", rank),
      mark(seat),
      seatName(table, seat),
      element("b", "", scoring.after.money[seat]),
    ),
  );
  return element("ol", "ranking", ...items);
}
