// One of a few: an action, a guess, one of two event cards. A choice can be changed until it is sent.

import { cardBack, eventCard } from "../../boards/gems/cards.js";
import { actionName, cardName, cardRule, gemsText, isScoring, quoted, total } from "../../boards/gems/codes.js";
import { drawing } from "../../boards/gems/elements.js";
import { namesOf } from "../../boards/gems/rows.js";
import { element, html } from "../../elements.js";
import { say } from "../../words.js";
import { isArrow, towards } from "../keys.js";
import { capital } from "../phrases.js";
import { isLegal } from "./legal.js";
import { cardOf, worthOf } from "./outcomes.js";

const KEYS = { money: "M", event: "E", gems: "G", free_choice: "F", face_up: "F", blind: "B" };

/**
 * @typedef {Object} Choice
 * @property {string} move
 * @property {string} label
 * @property {string} note what it gives
 * @property {Element} drawn
 */

/**
 * @param {Object} about
 * @param {import("../form.js").Hold} hold
 * @param {{title: string, lead: string, choices: Choice[], ask: string, send: (choice: Choice) => {label: string,
 *   note?: string, text: string}}} spec
 * @returns {import("../form.js").Form}
 */
function choosing(about, hold, { title, lead, choices, ask, send }) {
  const { question } = about;
  const choose = (move) => hold.change({ choice: move });
  const buttons = choices.map(({ move, label, note, drawn }) => {
    const key = element("kbd", "", KEYS[move]);
    key.setAttribute("aria-hidden", "true");
    const button = html(
      "button",
      {
        type: "button",
        class: "choice",
        "data-choice": move,
        "aria-pressed": "false",
        "aria-keyshortcuts": KEYS[move],
      },
      drawn,
      element("b", "", label),
      key,
      element("span", "note", note),
    );
    button.addEventListener("click", () => choose(move));
    return button;
  });

  function judge({ choice }) {
    const chosen = choices.find(({ move }) => move === choice);
    if (!chosen)
      return {
        text: ask,
        good: false,
        ways: [{ name: "main", label: say("Send move"), note: say("choose first"), move: null, why: ask }],
      };
    const { label, note, text } = send(chosen);
    return { text, good: true, ways: [{ name: "main", label, note, move: chosen.move }] };
  }

  function press({ key, target }) {
    const found = choices.find(({ move }) => KEYS[move].toLowerCase() === key.toLowerCase());
    const here = target.closest?.("[data-choice]");
    if (found) choose(found.move);
    else if (key === "Backspace") hold.change({ choice: null });
    else if (here && isArrow(key)) (towards(here, buttons, key) ?? here).focus();
    else return false;
    return true;
  }

  return {
    title,
    lead,
    body: element("div", "compose-choices", ...buttons),
    start: { choice: null },
    fits: ({ choice }) => choice === null || choices.some(({ move }) => move === choice),
    show: ({ choice }) =>
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.choice === choice))),
    judge,
    press,
    legal: (move) => isLegal(question, move),
  };
}

const sign = (action) => drawing(`act-${action}`, "sign", "0 0 24 24");

function gives(view, seat, action) {
  const { money, gems } = worthOf(cardOf(view, seat), view.supply);
  const { display } = view.event;
  if (action === "money") return say("%(money)s million", { money });
  if (action === "gems") return total(gems) ? gemsText(gems) : say("nothing because the supply has none of these gems");
  if (action === "event")
    return display ? say("%(card)s or a card from the stack", { card: quoted(display) }) : say("a card from the stack");
  return say("alone: return one gem and take two; otherwise: take one");
}

/** Hiding an action. */
export function acting(about, hold) {
  const { question, table, seat } = about;
  const { view } = about.moment;
  const duel = view.seats === 2;
  const other = namesOf(table)(1 - seat);
  const choices = question.options.map((move) => ({
    move,
    label: actionName(move),
    note: gives(view, seat, move),
    drawn: sign(move),
  }));
  const follows = duel
    ? say("%(name)s then has up to two guesses.", { name: other })
    : say("All choices are revealed at the same time.");
  return choosing(about, hold, {
    title: duel ? say("Hide an action") : say("Choose an action"),
    lead: duel
      ? say("You act if the action is not guessed. If the second guess is right, you barter for it.")
      : say("If you are alone, you act. Two players barter. Three or more block each other."),
    choices,
    ask: say("Choose an action."),
    send: ({ label }) => ({
      label: duel ? say("Hide %(action)s", { action: label }) : say("Play %(action)s", { action: label }),
      text: follows,
    }),
  });
}

/** Guessing which action lies there. */
export function guessing(about, hold) {
  const { question, table } = about;
  const { view } = about.moment;
  const name = namesOf(table)(view.active);
  const first = view.guesses.length === 0;
  const would = (move) => gives(view, view.active, move);
  const choices = question.options.map((move) => ({
    move,
    label: actionName(move),
    note: say("it would bring %(what)s", { what: would(move) }),
    drawn: sign(move),
  }));
  return choosing(about, hold, {
    title: first ? say("What did %(name)s hide?", { name }) : say("What did %(name)s hide? Second guess", { name }),
    lead: first
      ? say("If your first guess is right, %(name)s loses the action.", { name })
      : say("If your second guess is right, you barter for the action. If it is wrong, %(name)s acts.", { name }),
    choices,
    ask: say("Choose an action to guess."),
    send: ({ label }) => ({
      label: say("Guess %(action)s", { action: label }),
      text: first
        ? say("If the guess is right, the turn ends. If it is wrong, you guess again.")
        : say("If the guess is right, you barter. If it is wrong, %(name)s acts.", { name }),
    }),
  });
}

/** The event card on display, or the one nobody has seen. */
export function drawingOne(about, hold) {
  const { display } = about.question;
  const card = cardName(display);
  const fate = isScoring(display)
    ? say("You keep this card until the scoring.")
    : say("You then use the card or decline it.");
  return choosing(about, hold, {
    title: say("Take an event card"),
    lead: say("Take the face-up card or draw the top card of the stack."),
    choices: [
      { move: "face_up", label: capital(card), note: cardRule(display), drawn: eventCard(display) },
      {
        move: "blind",
        label: say("Card from the stack"),
        note: say("%(card)s is discarded without effect", { card: quoted(display) }),
        drawn: cardBack(),
      },
    ],
    ask: say("Choose a card."),
    send: ({ move }) =>
      move === "face_up"
        ? { label: say("Take %(card)s", { card: quoted(display) }), text: fate }
        : {
            label: say("Draw from the stack"),
            text: say("You cannot take %(card)s afterwards.", { card: quoted(display) }),
          },
  });
}
