// What a player of Edel, Stein & Reich decides, in both variants: one form for every kind of decision. What a composer
// is: docs/internals/composers.md.

import { say } from "../words.js";
import { composing } from "./form.js";
import { bartering } from "./gems/barter.js";
import { acting, drawingOne, guessing } from "./gems/choices.js";
import { applying, freelyChoosing, giving, halving, robbing, swapping, takingThree } from "./gems/event_cards.js";
import { compose as plainly } from "./plain.js";

export { isLegal } from "./gems/legal.js";

const CARDS = {
  half: halving,
  three: takingThree,
  swap: swapping,
  rob: robbing,
  adjust: applying,
  halve_all: applying,
};

const FORMS = {
  action: acting,
  guess: guessing,
  open_barter: bartering,
  answer_offer: bartering,
  counter_gift: giving,
  event_card: drawingOne,
  free_choice: freelyChoosing,
};

const formOf = ({ kind, card }) => (kind === "immediate" ? CARDS[card.split(":")[0]] : FORMS[kind]);

/**
 * @param {HTMLElement} root
 * @param {Object} about see docs/internals/composers.md
 */
export function compose(root, about) {
  const form = formOf(about.question);
  return form ? composing(root, about, (hold) => form(about, hold)) : plainly(root, about);
}

const HINTS = {
  action: ({ seats }) =>
    seats === 2
      ? say("Hide an action that the other player does not expect.")
      : say("If you are the only player with an action, you get it. Two players with the same action barter for it."),
  open_barter: () =>
    say("Offer gems that you can spare. The player whose offer is accepted pays these gems and gets the action."),
  answer_offer: () =>
    say("More gems are a higher offer. With as many gems, red counts more than yellow, green and blue, in this order."),
  counter_gift: () => say("If you give one gem, you get the action without a barter."),
  event_card: () => say("Scoring cards pay at the end of the phase. Immediate cards have an effect now."),
  immediate: () => say("You can use the card now or decline it without cost."),
  free_choice: () => say("Gems of which you have the most pay at the end of the phase."),
  guess: () => say("Think about which action brings the other player the most."),
};

/**
 * One sentence for a player who decides this for the first time.
 * @type {(question: {kind: string}, table: {seats: number}) => string}
 */
export const hint = ({ kind }, table) => HINTS[kind]?.(table) ?? "";

/** What the keys do. @type {() => [string, string][]} */
export const keys = () => [
  ["M E G F", say("Choose an action")],
  ["R Y G B", say("Add or choose a gem of that color")],
  ["Shift + R Y G B", say("Remove a gem of that color")],
  ["Backspace", say("Clear the choice")],
  ["A O", say("Select Accept offer or Make offer")],
  ["D", say("Select Make no offer, Decline card, Give no gem or Take nothing")],
  ["F B", say("Choose the face-up event card or the stack")],
  ["C", say("Select Use card")],
  ["Enter", say("Send the selected move")],
];
