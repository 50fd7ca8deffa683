// Immediate cards, a gem given for an action, and Free Choice: what is pointed at, what follows, what is sent.

import { eventCard } from "../../boards/gems/cards.js";
import {
  COLOURS,
  cardName,
  cardRule,
  colourName,
  gemsText,
  listing,
  quoted,
  total,
  vectorOf,
} from "../../boards/gems/codes.js";
import { namesOf } from "../../boards/gems/rows.js";
import { element } from "../../elements.js";
import { say, sayCount } from "../../words.js";
import { capital } from "../phrases.js";
import { columns, gems, row, whose } from "./columns.js";
import { isLegal } from "./legal.js";
import { adjusted, halfScoring, halved, threeOf } from "./outcomes.js";
import { picking } from "./picks.js";
import { stake } from "./stakes.js";

/** @typedef {import("./picks.js").Row} Row */

const own = (about) => about.moment.view.players[about.seat].gems;

/**
 * @type {(counts: number[], enabled: (colour: number) => boolean, note?: (colour: number) => string) => {count: number,
 *   enabled: boolean, note?: string}[]}
 */
const options = (counts, enabled, note = () => "") =>
  counts.map((count, colour) => ({ count, enabled: enabled(colour), note: note(colour) }));

const declining = (about) => ({
  label: say("Decline card"),
  note: say("%(card)s is discarded", { card: quoted(about.question.card) }),
});

const leadOf = ({ question }) => cardRule(question.card);

/**
 * A row of colours that belongs to nobody.
 * @type {(text: string, counts: number[], enabled: (colour: number) => boolean, note?: (colour: number) => string) =>
 *   Row[]}
 */
const colourRow = (text, counts, enabled, note) => [
  { id: "colour", group: "colour", seat: null, pile: "supply", text, options: () => options(counts, enabled, note) },
];

/** Scoring one colour at once, at half its value. */
export function halving(about, hold) {
  const { view } = about.moment;
  const { seat, table } = about;
  const name = namesOf(table);
  const all = view.players.map((player) => player.gems);
  const note = (colour) => {
    const { share, returned } = halfScoring(all, colour);
    const winner = share.findIndex((_, other) => returned[other] > 0);
    if (winner < 0) return say("no one");
    if (returned[seat]) return say("+%(share)s for you", { share: share[seat] });
    return sayCount("+%(share)s for %(name)s", "+%(share)s for others", returned.filter(Boolean).length, {
      share: share[winner],
      name: name(winner),
    });
  };
  /** @type {(picks: Object<string, string>) => string} */
  const text = ({ colour }) =>
    colour
      ? halfText(halfScoring(all, COLOURS.indexOf(colour)), colour, (other) =>
          other === seat ? say("You") : name(other),
        )
      : say("Choose the color to score.");
  return picking(about, hold, {
    title: capital(cardName("half")),
    lead: leadOf(about),
    rows: colourRow(say("Your gems"), own(about), () => true, note).map((one) => ({ ...one, seat, pile: seat })),
    move: ({ colour }) => (colour ? { colour } : null),
    text,
    send: ({ colour }) => ({ label: say("Score %(colour)s", { colour: colourName(colour) }) }),
    decline: declining(about),
  });
}

function halfText({ share, returned }, colour, name) {
  const leaders = returned.flatMap((count, seat) => (count ? [seat] : []));
  if (!leaders.length) return say("No player has %(colour)s, so nothing happens.", { colour: colourName(colour) });
  const each = { names: listing(leaders.map(name)), share: share[leaders[0]], returned: returned[leaders[0]] };
  return leaders.length > 1
    ? say("%(names)s: get %(share)s and return %(returned)s gems each.", each)
    : sayCount(
        "%(names)s: gets %(share)s and returns 1 gem.",
        "%(names)s: gets %(share)s and returns %(count)s gems.",
        each.returned,
        each,
      );
}

/** Three gems of one colour. */
export function takingThree(about, hold) {
  const { supply } = about.moment.view;
  const taken = (colour) => threeOf(supply, COLOURS.indexOf(colour));
  const what = (colour) => gemsText(vectorOf(Array(taken(colour)).fill(colour)));
  return picking(about, hold, {
    title: capital(cardName("three")),
    lead: leadOf(about),
    rows: colourRow(say("Supply"), supply, () => true),
    move: ({ colour }) => (colour ? { colour } : null),
    text({ colour }) {
      if (!colour) return say("Choose a color.");
      if (taken(colour) === 3) return say("You get %(gems)s.", { gems: what(colour) });
      return taken(colour)
        ? say("You get %(gems)s because the supply has no more.", { gems: what(colour) })
        : say("You get nothing because the supply has no %(colour)s.", { colour: colourName(colour) });
    },
    send: ({ colour }) => ({ label: say("Take %(gems)s", { gems: what(colour) }) }),
    decline: declining(about),
  });
}

/** The opponents from whom a gem can be taken, a row each. */
function victims({ question, moment, table }, group) {
  return Object.entries(question.take).map(([key, held]) => {
    const seat = Number(key);
    const { gems: counts } = moment.view.players[seat];
    const text = namesOf(table)(seat);
    return {
      id: key,
      group: group ?? key,
      seat,
      pile: seat,
      text,
      options: () => options(counts, (colour) => held.includes(COLOURS[colour])),
    };
  });
}

/** One gem for one of somebody else. */
export function swapping(about, hold) {
  const { question, seat, table } = about;
  const give = {
    id: "give",
    group: "give",
    seat,
    pile: seat,
    text: say("You give"),
    options: () => options(own(about), (colour) => question.give.includes(COLOURS[colour])),
  };
  const others = victims(about, "take");
  const taken = (picks) => others.find(({ id }) => picks[id]);
  const move = (picks) => {
    const from = taken(picks);
    return picks.give && from ? { give: picks.give, seat: from.seat, take: picks[from.id] } : null;
  };
  return picking(about, hold, {
    title: capital(cardName("swap")),
    lead: leadOf(about),
    rows: [...others, give],
    order: ["give", "take"],
    move,
    text(picks) {
      const ready = move(picks);
      if (!ready)
        return picks.give
          ? say("Now choose the gem that you want.")
          : say("Choose the gem that you give and a gem of another player.");
      if (ready.give === ready.take)
        return say("Both gems are %(colour)s, so nothing changes.", { colour: colourName(ready.give) });
      return say("You give %(name)s 1 %(own)s and get 1 %(other)s.", {
        name: namesOf(table)(ready.seat),
        own: colourName(ready.give),
        other: colourName(ready.take),
      });
    },
    send: (picks) => ({
      label: say("Swap gems"),
      note: say("%(own)s for %(other)s", { own: colourName(picks.give), other: colourName(move(picks)?.take) }),
    }),
    decline: declining(about),
  });
}

/** A gem of every opponent goes to the bank. */
export function robbing(about, hold) {
  const rows = victims(about, null);
  const missing = (picks) => rows.filter(({ id }) => !picks[id]);
  const taken = (picks) => Object.fromEntries(rows.map(({ id }) => [id, picks[id]]));
  return picking(about, hold, {
    title: capital(cardName("rob")),
    lead: leadOf(about),
    rows,
    move: (picks) => (missing(picks).length ? null : { take: taken(picks) }),
    text: (picks) =>
      missing(picks).length
        ? say("Choose a gem of %(names)s.", { names: listing(missing(picks).map(({ text }) => text)) })
        : say("The gems return to the supply. You do not get them."),
    send: (picks) => ({
      label: say("Return gems to supply"),
      note: listing(
        rows.map(({ id, text }) => say("%(name)s %(colour)s", { name: text, colour: colourName(picks[id]) })),
      ),
    }),
    decline: declining(about),
  });
}

/** A gem for an action that its opener did not open for. */
export function giving(about, hold) {
  const { question, table, seat } = about;
  const { view } = about.moment;
  const name = namesOf(table)(question.to);
  const what = stake(view, question.action, seat);
  return picking(about, hold, {
    title: say("%(name)s makes no offer", { name }),
    lead: say("Give one gem to act and take %(what)s. If you decline, no one acts.", { what }),
    rows: [
      {
        id: "gift",
        group: "gift",
        seat,
        pile: seat,
        text: say("You give"),
        options: () => options(own(about), (colour) => question.colours.includes(COLOURS[colour])),
      },
    ],
    move: ({ gift }) => (gift ? { gift } : null),
    text: ({ gift }) =>
      gift
        ? say("%(name)s must accept 1 %(colour)s.", { name, colour: colourName(gift) })
        : say("Choose the gem to give."),
    send: ({ gift }) => ({
      label: say("Give 1 %(colour)s", { colour: colourName(gift) }),
      note: say("and take %(what)s", { what }),
    }),
    decline: { label: say("Give no gem"), note: say("no one acts") },
  });
}

/** Free Choice: alone one gem back and two taken, among several one taken. */
export function freelyChoosing(about, hold) {
  const { question, seat } = about;
  const { supply, count } = question.take;
  const there = (picks) => supply.map((number, colour) => number + Number(COLOURS[colour] === picks.give));
  const rest = (picks, other) =>
    there(picks).map((number, colour) => number - Number(COLOURS[colour] === picks[other]));
  const names = ["first", "second"].slice(0, count);
  /** @type {Row[]} */
  const taking = names.map((id, place) => ({
    id,
    group: id,
    seat: null,
    pile: "supply",
    text: place ? say("and") : say("You take"),
    options: (picks) => options(rest(picks, names[1 - place]), (colour) => rest(picks, names[1 - place])[colour] > 0),
  }));
  const give = {
    id: "give",
    group: "give",
    seat,
    pile: seat,
    text: say("You return"),
    options: () => options(own(about), (colour) => question.give.includes(COLOURS[colour])),
  };
  const taken = (picks) => COLOURS.flatMap((colour) => names.filter((id) => picks[id] === colour).map(() => colour));
  const wanted = (picks) => (question.alone ? Math.min(2, total(there(picks))) : 1);
  const whole = (picks) => (!question.alone || picks.give) && taken(picks).length === wanted(picks);
  const what = (picks) => gemsText(vectorOf(taken(picks)));
  return picking(about, hold, {
    title: say("Free Choice"),
    lead: question.alone
      ? say("You are alone: return one gem and take any two.")
      : say("Several players chose it: take one gem from the supply."),
    rows: question.alone ? [give, ...taking] : taking,
    move: (picks) => (whole(picks) ? { ...(question.alone && { give: picks.give }), take: taken(picks) } : null),
    text(picks) {
      if (question.alone && !picks.give) return say("Choose the gem to return.");
      if (!whole(picks))
        return taken(picks).length
          ? say("Choose one more gem.")
          : sayCount("Choose the gem to take.", "Choose the gems to take.", wanted(picks));
      return question.alone
        ? say("You return 1 %(colour)s and take %(gems)s.", { colour: colourName(picks.give), gems: what(picks) })
        : say("You take %(gems)s.", { gems: what(picks) });
    },
    send: (picks) => ({
      label: say("Take %(gems)s", { gems: what(picks) }),
      note: picks.give && say("for 1 %(colour)s", { colour: colourName(picks.give) }),
    }),
    decline: { label: say("Take nothing"), note: say("nothing changes") },
  });
}

/** Cards that leave nothing to choose but whether: what one would have afterwards stands there. */
export function applying(about, hold) {
  const { question, seat, moment } = about;
  const { supply } = moment.view;
  const before = own(about);
  const after = question.card === "halve_all" ? halved(before) : adjusted(before, supply, question.card);
  const got = after.map((count, colour) => Math.max(0, count - before[colour]));
  const lost = after.map((count, colour) => Math.max(0, before[colour] - count));
  const told = [
    total(got) ? say("take %(gems)s", { gems: gemsText(got) }) : "",
    total(lost) ? say("return %(gems)s", { gems: gemsText(lost) }) : "",
  ].filter(Boolean);
  const text = told.length ? say("You %(what)s.", { what: listing(told) }) : say("Nothing changes for you.");
  const cells = (counts) =>
    counts.map((count, colour) =>
      element("div", count === before[colour] ? "cell" : "cell deciding", gems(colour, count)),
    );
  return {
    title: capital(cardName(question.card)),
    lead: leadOf(about),
    body: columns(
      row({
        who: whose(seat, say("You have")),
        cells: cells(before),
        sum: element("div", "sum", eventCard(question.card)),
        kind: "own",
        label: say("You have"),
      }),
      row({ who: whose(seat, say("After")), cells: cells(after), kind: "own", label: say("After") }),
    ),
    start: { choice: null },
    fits: ({ choice }) => choice === null,
    show() {},
    judge: () => ({
      text,
      good: true,
      ways: [
        { name: "other", ...declining(about), move: "decline" },
        { name: "main", label: say("Use card"), move: "apply" },
      ],
    }),
    press({ key }) {
      if (/^d$/i.test(key)) hold.select("other");
      else if (/^c$/i.test(key)) hold.select("main");
      else return false;
      return true;
    },
    legal: (move) => isLegal(question, move),
  };
}
