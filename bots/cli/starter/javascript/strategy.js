// The strategy of the bot. Change this file.
//
// Every decision has a kind, and `choose` calls the method with this name. `decision` contains the question and the
// limits of the answer. `view` contains everything that this seat can see. See examples.json for real examples.
"use strict";

const COLOURS = "RYGB"; // order of the four numbers in lists such as offers and holdings
const PRICE = [3.5, 3, 2.5, 2]; // value of one gem in money
const EVENT = 4.5; // value of an event card
const BOLDNESS = 0.3; // randomness when choosing an action; otherwise, two of these bots always choose the same one
const DRAW = 1.2; // value in stars of passing without a bid, which draws a bottle
const KEEP = 4; // number of bottles to keep in hand for the next bids

class Strategy {
  // One seat in one game. Attributes of `this` last until the game ends.
  constructor(hello) {
    this.seat = hello.seat;
    this.dice = BigInt(`0x${hello.seed.slice(0, 16)}`) | 1n; // the same seed gives the same game
  }

  // Return the move. Decisions without a method get the default move, which is always legal.
  choose(decision, view, _log) {
    const methods = ["action", "guess", "open_barter", "answer_offer", "bid", "lay"];
    return methods.includes(decision.kind) ? this[decision.kind](decision, view) : decision.default;
  }

  // A random number from 0 to 1 (xorshift64).
  random() {
    this.dice ^= BigInt.asUintN(64, this.dice << 13n);
    this.dice ^= this.dice >> 7n;
    this.dice ^= BigInt.asUintN(64, this.dice << 17n);
    return Number(this.dice >> 11n) / 2 ** 53;
  }

  // --- Edel, Stein & Reich -------------------------------------------------------------------------------------------

  // Choose money, the event card or gems: the most valuable action, with some randomness.
  action(decision, view) {
    return best(decision.options, (action) => this.worth(action, view) * (1 + BOLDNESS * this.random()));
  }

  // With two seats: guess the opponent's hidden action. We guess the action that we would have chosen.
  guess(decision, view) {
    return this.action(decision, view);
  }

  // Value of an action in this round, in money.
  worth(action, view) {
    const owner = view.active ?? this.seat; // two seats share the card of the active seat
    const card = view.players[owner].gem_card; // "5RRY" is five million, or two red gems and a yellow gem
    if (action === "money") return Number(card[0]);
    if (action === "gems") return sum([...card.slice(1)].map((colour) => PRICE[COLOURS.indexOf(colour)]));
    return EVENT; // the event card, or the free choice with five seats
  }

  // Offer one gem of the cheapest color if the action is worth at least twice as much.
  open_barter(decision, view) {
    const offer = cheapest(decision.holdings, 1);
    return offer && 2 * price(offer) <= this.worth(decision.action, view) ? { offer } : "decline";
  }

  // Outbid while the action minus its cost is worth more than the payment. More gems always outbid.
  answer_offer(decision, view) {
    const offer = cheapest(decision.holdings, sum(decision.standing) + 1);
    const gains = offer && this.worth(decision.action, view) - price(offer) > price(decision.standing);
    return gains ? { offer } : "accept";
  }

  // --- Die Weinhändler -----------------------------------------------------------------------------------------------

  // Bid once: the bottle that gains most if no player bids after us. Two bids cannot be equal.
  bid(decision, view) {
    if (decision.bid.length) return "pass";
    const gain = (card) => sum(this.received(value(card), view).map(stars)) - stars(card);
    const card = best(decision.hand.filter((card) => !decision.taken.includes(value(card))), gain);
    return card && gain(card) > DRAW ? { cards: [card] } : "pass";
  }

  // The bottles that a bid of `total` currently takes: those of the next higher bid, or the display.
  received(total, view) {
    const higher = view.players.filter((player) => player.total !== null && player.total > total);
    return higher.length ? best(higher, (player) => -player.total).bid : view.display;
  }

  // Lay bottles next to the same wine. Keep some bottles for bidding until the last round.
  lay(decision, view) {
    if (!view.last_round && !decision.must_lay && decision.hand.length <= KEEP) return "done";
    const cellars = view.players[this.seat].cellars;
    const cellar = decision.new_cellar || !cellars.length ? [] : cellars[cellars.length - 1];
    const moves = decision.cells.flatMap(({ cell, cards }) =>
      decision.hand.filter((card) => cards === "any" || card !== "empty").map((card) => ({ card, cell })),
    );
    return best(moves, (move) => promise(move, cellar)) ?? decision.default;
  }
}

// The item with the highest value; undefined if there are none.
function best(items, valueOf) {
  const values = items.map(valueOf);
  return items[values.indexOf(Math.max(...values))];
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// Value of gems in money.
const price = (gems) => sum(gems.map((count, index) => count * PRICE[index]));

// The `count` cheapest gems in `holdings`, or null if there are fewer.
function cheapest(holdings, count) {
  const taken = [0, 0, 0, 0];
  for (const index of [3, 2, 1, 0]) taken[index] = Math.min(holdings[index], count - sum(taken)); // blue is the cheapest
  return sum(taken) === count ? taken : null;
}

// Value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2.
const value = (card) => (card === "empty" ? 2 : 10 * Number(card.slice(1)));

// Stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25.
const stars = (card) => (card === "empty" ? 0 : Math.floor((Number(card.slice(1)) + 2) / 7));

// Value of a move: its stars, and a bottle of the same wine next to it, which can become a trio.
function promise({ card, cell: [level, x] }, cellar) {
  const near = [[0, -1], [0, 1], [-1, 0], [-1, 1], [1, -1], [1, 0]].map(([up, right]) => `${level + up},${x + right}`);
  const same = (spot) => near.includes(`${spot.level},${spot.x}`) && spot.card !== "empty" && spot.card[0] === card[0];
  return stars(card) + cellar.filter(same).length;
}

module.exports = { Strategy };
