// What would come of a card or an action, as far as all of it is on the table: pure arithmetic of the rules.

import { gemCardOf, VALUES, vectorOf } from "../../boards/gems/codes.js";

const ADJUSTED = 4;
const TAKEN = 3;

/**
 * A colour scored at once at half its value.
 * @param {number[][]} gems by seat
 * @param {number} colour its index
 * @returns {{share: number[], returned: number[]}} by seat
 */
export function halfScoring(gems, colour) {
  const counts = gems.map((held) => held[colour]);
  const most = Math.max(...counts);
  const leaders = counts.filter((count) => count === most).length;
  const wins = counts.map((count) => count > 0 && count === most);
  const share = Math.floor(VALUES[colour] / 2 / leaders);
  const back = leaders > 1 ? Math.min(2, most) : Math.ceil(most / 2);
  return { share: wins.map((win) => (win ? share : 0)), returned: wins.map((win) => (win ? back : 0)) };
}

/** @type {(supply: number[], colour: number) => number} how many “three of a colour” brings */
export const threeOf = (supply, colour) => Math.min(TAKEN, supply[colour]);

/**
 * One's gems once two colours are set to four, as far as the supply goes.
 * @param {number[]} gems
 * @param {number[]} supply
 * @param {string} card such as `adjust:RB`
 */
export function adjusted(gems, supply, card) {
  const set = vectorOf([...card.split(":")[1]]);
  return gems.map((count, colour) =>
    set[colour] ? Math.max(Math.min(count, ADJUSTED), Math.min(ADJUSTED, count + supply[colour])) : count,
  );
}

/** @type {(gems: number[]) => number[]} one's gems once half of each colour, rounded down, is returned */
export const halved = (gems) => gems.map((count) => count - Math.floor(count / 2));

/**
 * What a gem card brings as money and as gems, with what the supply has.
 * @param {string|null} card
 * @param {number[]} supply
 * @returns {{money: number, gems: number[]}}
 */
export function worthOf(card, supply) {
  if (!card) return { money: 0, gems: [0, 0, 0, 0] };
  const { money, colours } = gemCardOf(card);
  return { money, gems: vectorOf(colours).map((count, colour) => Math.min(count, supply[colour])) };
}

/** The gem card that a seat acts with: its own; with two players there is one a turn. */
export function cardOf(view, seat) {
  return view.players[view.active ?? seat]?.gem_card ?? null;
}
