// The pairings of a cup in every format; see docs/reference/cup-ledger.md.

import { perfectMatching } from "./matching.js";
import { clashes, compare, History, range, sum } from "./standings.js";

const SWEEPS = 6;
const WINDOW = 8;
const MOST_EXACT = 2n ** 50n;

// A plan is fixed before the start: { format, seats, entrants: { owners, most }, rounds, lots, places, design }.
// The round after `played`, or null at the end of the cup. `left` has the entrants who have left it.
export function nextRound(plan, played, left) {
  if (plan.format === "knockout") return knockoutRound(plan, played);
  if (plan.format === "round-robin") return schedule(plan)[played.length] ?? null;
  const history = new History(plan.entrants, plan.seats, played, plan.lots);
  if (plan.format === "halving") return halvingRound(history, left);
  const among = range(plan.entrants.owners.length).filter((one) => !left.has(one));
  if (played.length >= plan.rounds || among.length < plan.seats) return null;
  return swissRound(history, among);
}

// Whether a round is correct: equal to the expected one, or at two seats in a Swiss round one of equal cost.
export function follows(plan, played, left, round) {
  const expected = nextRound(plan, played, left);
  if (!expected) return false;
  if (JSON.stringify([expected.tables, expected.byes]) === JSON.stringify([round.tables, round.byes])) return true;
  if (plan.seats !== 2 || !["swiss", "halving"].includes(plan.format)) return false;
  return isLeast(new History(plan.entrants, plan.seats, played, plan.lots), round, expected);
}

// The final standings, as [rank, entrant, match points]. `left` has the states of the entrants who left.
export function finalStandings(plan, played, left) {
  const rows = new History(plan.entrants, plan.seats, played, plan.lots).standings();
  const last = rows.map(() => 0);
  const place = rows.map(() => 0);
  if (["knockout", "halving"].includes(plan.format) && played.length) {
    for (const [number, { round }] of played.entries()) for (const one of everyoneIn(round)) last[one] = number + 1;
    const { round, results } = played[played.length - 1];
    if (plan.format === "halving") {
      for (const one of everyoneIn(round)) place[one] = Number(left.has(one));
    } else if (nextRound(plan, played, left) === null) {
      for (const [at, one] of ranking(round.tables[0], results[0]).entries()) place[one] = at;
    }
  }
  const isOut = (entrant) => Number(left.get(entrant) === "disqualified");
  const key = ({ entrant, rank }) => [isOut(entrant), -last[entrant], place[entrant], rank];
  rows.sort((one, other) => compare(key(one), key(other)));
  return rows.map((row, at) => [at + 1, row.entrant, row.matchPoints]);
}

const everyoneIn = ({ tables, byes }) => [...tables.flat(), ...byes];

// --- Swiss -----------------------------------------------------------------------------------------------------------

export function swissRound(history, among) {
  const standings = history.standings(among);
  return history.seats === 2 ? pairs(history, standings) : tables(history, standings);
}

// By place, the place of the ideal opponent: half a score group below or above.
function folds(points) {
  const targets = range(points.length);
  for (let start = 0, end = 0; start < points.length; start = end) {
    while (end < points.length && points[end] === points[start]) end++;
    const half = Math.floor((end - start) / 2);
    for (let place = start; place < end; place++) targets[place] += place < start + half ? half : -half;
  }
  return targets;
}

// The costs of two places: rematch, clash, bye, squared difference, distance from the fold. The first is decisive.
function costOf(history, standings, targets, place, other) {
  const [one, two] = [standings[place], standings[other]];
  return [
    Number(history.met[one.entrant].has(two.entrant)),
    clashesOfTwo(history.entrants, one.entrant, two.entrant),
    0,
    (one.matchPoints - two.matchPoints) ** 2,
    Math.abs(targets[place] - other),
  ];
}

function clashesOfTwo({ owners, most }, one, other) {
  return Number(most < 2 && owners[one] !== null && owners[one] === owners[other]);
}

function fewestByes(history, standings) {
  const fewest = Math.min(...standings.map((row) => history.rows[row.entrant].byes));
  return range(standings.length).filter((place) => history.rows[standings[place].entrant].byes === fewest);
}

function pairs(history, standings) {
  const size = standings.length;
  const odd = size % 2;
  const targets = folds(standings.map((row) => row.matchPoints));
  const edges = /** @type {[number, number, number[]][]} */ ([]);
  for (let place = 0; place < size; place++) {
    for (let other = place + 1; other < size; other++) {
      edges.push([place, other, costOf(history, standings, targets, place, other)]);
    }
  }
  const byes = odd ? fewestByes(history, standings) : [];
  for (const place of byes) edges.push([place, size, [0, 0, size - 1 - place, 0, 0]]);
  const matched = perfectMatching(size + odd, weighted(edges, (size + odd) / 2));
  const found = matched.sort(([one], [other]) => one - other);
  const entrant = (place) => standings[place].entrant;
  return {
    tables: found.filter(([, other]) => other < size).map((pair) => pair.map(entrant)),
    byes: found.filter(([, other]) => other === size).map(([place]) => entrant(place)),
  };
}

// Weights that a matching maximizes: one unit of a cost is more than a whole round of the costs after it.
function weighted(edges, count) {
  const units = /** @type {bigint[]} */ ([]);
  let unit = 1n;
  for (let at = 4; at >= 0; at--) {
    units[at] = unit;
    unit *= 1n + BigInt(count) * BigInt(edges.reduce((most, [, , costs]) => Math.max(most, costs[at]), 0));
  }
  // Numbers are exact up to 2 ** 53 and much faster than BigInts; `unit` is more than any cost.
  const as = /** @type {(one: number | bigint) => any} */ (unit < MOST_EXACT ? Number : BigInt);
  const factors = units.map(as);
  const costs = edges.map(([, , parts]) => parts.reduce((total, part, at) => total + factors[at] * as(part), as(0)));
  let top = as(0);
  for (const cost of costs) if (cost > top) top = cost;
  return edges.map(([one, other], at) => [one, other, top - costs[at]]);
}

// The cost of a whole round at two seats, in which everyone in `standings` plays or has a bye.
function roundCost(history, standings, round) {
  const place = new Map(standings.map((row, at) => [row.entrant, at]));
  const targets = folds(standings.map((row) => row.matchPoints));
  const costs = round.tables.map((table) => {
    const [better, worse] = table.map((one) => place.get(one)).sort((one, other) => one - other);
    return costOf(history, standings, targets, better, worse);
  });
  const byes = round.byes.map((one) => [0, 0, standings.length - 1 - (place.get(one) ?? 0), 0, 0]);
  return range(5).map((at) => sum([...costs, ...byes].map((parts) => parts[at])));
}

function isLeast(history, round, best) {
  const everyone = [...best.tables.flat(), ...best.byes].sort((one, other) => one - other);
  const seated = [...round.tables.flat(), ...round.byes].sort((one, other) => one - other);
  if (compare(everyone, seated) || round.tables.some((table) => table.length !== 2)) return false;
  const standings = history.standings(everyone);
  const place = new Map(standings.map((row, at) => [row.entrant, at]));
  const firsts = round.tables.map(([one]) => place.get(one));
  const isOrdered =
    firsts.every((first, at) => !at || firsts[at - 1] < first) &&
    round.tables.every(([one, other]) => (place.get(one) ?? 0) < (place.get(other) ?? 0));
  const byes = ({ byes: these }) => these.map((one) => history.rows[one].byes);
  if (!isOrdered || JSON.stringify(byes(round)) !== JSON.stringify(byes(best))) return false;
  return compare(roundCost(history, standings, round), roundCost(history, standings, best)) === 0;
}

// At three to five seats: fold the score groups, then swap entrants while that removes rematches or clashes.
function tables(history, standings) {
  const { seats } = history;
  const order = standings.map((row) => row.entrant);
  const byes = new Set(
    range(order.length)
      .sort((one, other) => history.rows[order[one]].byes - history.rows[order[other]].byes || other - one)
      .slice(0, order.length % seats)
      .map((place) => order[place]),
  );
  const playing = standings.filter((row) => !byes.has(row.entrant));
  const found = fold(playing, seats);
  improve(found, history, new Map(standings.map((row) => [row.entrant, row.matchPoints])));
  return { tables: found, byes: order.filter((one) => byes.has(one)) };
}

function fold(playing, seats) {
  const found = /** @type {number[][]} */ ([]);
  let pool = /** @type {number[]} */ ([]);
  for (const [at, { entrant, matchPoints }] of playing.entries()) {
    pool.push(entrant);
    if (at + 1 < playing.length && playing[at + 1].matchPoints === matchPoints) continue;
    const count = Math.floor(pool.length / seats);
    for (const number of range(count)) found.push(range(seats).map((part) => pool[part * count + number]));
    pool = pool.slice(count * seats);
  }
  return found;
}

function improve(found, history, points) {
  const cost = (table) => {
    const spread = table.map((one) => points.get(one));
    const width = Math.max(...spread) - Math.min(...spread);
    return [history.rematches(table), clashes(history.entrants, table), width ** 2];
  };
  const costs = found.map(cost);
  const isBad = (number) => costs[number][0] > 0 || costs[number][1] > 0;
  for (const window of [WINDOW, found.length]) {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const bad = range(found.length).filter(isBad);
      const swapped = bad.map((number) => isBad(number) && swap(found, costs, number, window, cost));
      if (!swapped.some(Boolean)) break;
    }
  }
}

// Make the best swap of table `number` with a table at most `window` away. Returns whether one lowers the costs.
function swap(found, costs, number, window, cost) {
  let best = /** @type {*} */ (null);
  const last = Math.min(found.length - 1, number + window);
  for (let other = Math.max(0, number - window); other <= last; other++) {
    if (other === number) continue;
    const before = costs[number].map((part, at) => part + costs[other][at]);
    for (const at of found[number].keys()) {
      for (const place of found[other].keys()) {
        const mine = found[number].with(at, found[other][place]);
        const theirs = found[other].with(place, found[number][at]);
        const after = [cost(mine), cost(theirs)];
        const gain = before.map((part, index) => after[0][index] + after[1][index] - part);
        if (compare(gain, [0, 0, 0]) < 0 && (!best || compare(gain, best.gain) < 0)) {
          best = { gain, other, mine, theirs, after };
        }
      }
    }
  }
  if (!best) return false;
  [found[number], found[best.other]] = [best.mine, best.theirs];
  [costs[number], costs[best.other]] = best.after;
  return true;
}

// --- Round robin -----------------------------------------------------------------------------------------------------

const schedules = new WeakMap();

function schedule(plan) {
  if (!schedules.has(plan)) schedules.set(plan, plan.seats === 2 ? circle(plan.places) : inRounds(plan));
  return schedules.get(plan);
}

function circle(places) {
  let ring = places.length % 2 ? [...places, null] : [...places];
  const half = ring.length / 2;
  return range(ring.length - 1).map(() => {
    const meeting = range(half).map((at) => [ring[at], ring[ring.length - 1 - at]]);
    ring = [ring[0], ring[ring.length - 1], ...ring.slice(1, -1)];
    return {
      tables: meeting.filter((pair) => !pair.includes(null)),
      byes: meeting.filter((pair) => pair.includes(null)).map(([one, other]) => one ?? other),
    };
  });
}

// Whether any two places of a design meet equally often, up to one.
export function isBalanced(design, size) {
  const meetings = range(size).map(() => new Array(size).fill(0));
  for (const table of design) {
    if (new Set(table).size !== table.length) return false;
    for (const one of table) for (const other of table) if (one !== other) meetings[one][other] += 1;
  }
  const counts = meetings.flatMap((row, one) => row.filter((_, other) => other > one));
  return Math.max(...counts) - Math.min(...counts) <= 1;
}

// Each table goes to the first round in which none of its entrants plays yet.
function inRounds({ design, places }) {
  const rounds = /** @type {{tables: number[][], byes: number[]}[]} */ ([]);
  const playing = /** @type {Set<number>[]} */ ([]);
  for (const table of design.map((those) => those.map((place) => places[place]))) {
    const free = playing.findIndex((busy) => table.every((one) => !busy.has(one)));
    const number = free < 0 ? rounds.length : free;
    rounds[number] ??= { tables: [], byes: [] };
    playing[number] ??= new Set();
    rounds[number].tables.push(table);
    for (const one of table) playing[number].add(one);
  }
  return rounds;
}

// --- Knockout --------------------------------------------------------------------------------------------------------

const advancing = (seats) => (seats % 2 ? 1 : seats / 2);

function knockoutRound({ entrants, seats }, played) {
  let alive = range(entrants.owners.length);
  for (const past of played) {
    if (alive.length === seats) return null;
    alive = survivors(past, seats, alive);
  }
  return bracket(entrants, alive, seats);
}

// The entrants of a knockout table, best first; equal points, and a void table, go by the seeding.
function ranking(table, points) {
  const scores = points ?? table.map(() => 0);
  const places = range(table.length).sort((one, other) => scores[other] - scores[one] || table[one] - table[other]);
  return places.map((place) => table[place]);
}

function survivors({ round, results }, seats, alive) {
  const place = new Map(alive.map((one, at) => [one, at]));
  const stay = new Map(round.byes.map((one) => [place.get(one), one]));
  for (const [number, leaving] of eliminated(round, seats).entries()) {
    const table = round.tables[number];
    const best = table.map((one) => place.get(one)).sort((one, other) => one - other);
    for (const [at, one] of ranking(table, results[number])
      .slice(0, table.length - leaving)
      .entries()) {
      stay.set(best[at], one);
    }
  }
  return [...stay].sort(([one], [other]) => one - other).map(([, one]) => one);
}

// How many entrants leave each table of a knockout round.
export function eliminated(round, seats) {
  const count = round.tables.length;
  const out = toEliminate(round.tables.flat().length + round.byes.length, seats);
  return range(count).map((number) => Math.floor((out + number) / count));
}

// Whether a knockout table is over after `blocks` blocks with these points, of `most` and up to two more.
export function isDecided(points, leaving, blocks, most, perBlock) {
  const ranked = points.toSorted((one, other) => other - one);
  const lead = ranked[ranked.length - leaving - 1] - ranked[ranked.length - leaving];
  const rest = Math.max(0, most - blocks);
  return lead > rest * perBlock || blocks >= most + 2 || (rest === 0 && lead > 0);
}

function toEliminate(alive, seats) {
  if (alive === seats) return seats - 1;
  const stay = advancing(seats);
  let target = seats;
  while (target % stay === 0 && (target / stay) * seats < alive) target = (target / stay) * seats;
  return Math.min(alive - target, Math.floor(alive / seats) * (seats - stay));
}

function bracket(entrants, alive, seats) {
  if (alive.length === seats) return { tables: [alive], byes: [] };
  const count = Math.ceil(toEliminate(alive.length, seats) / (seats - advancing(seats)));
  const first = alive.length - count * seats;
  const found = range(count).map(() => /** @type {number[]} */ ([]));
  for (const row of range(seats)) {
    const left = alive.slice(first + row * count, first + (row + 1) * count);
    if (row % 2) left.reverse();
    for (const table of found) {
      const now = clashes(entrants, table);
      const fitting = left.findIndex((one) => clashes(entrants, [...table, one]) === now);
      table.push(...left.splice(Math.max(0, fitting), 1));
    }
  }
  for (const table of found) table.sort((one, other) => one - other);
  return { tables: found, byes: alive.slice(0, first) };
}

// --- Successive halving ----------------------------------------------------------------------------------------------

// The stages, as pairs of the entrants left and the rounds that they play.
function stages(entrants, seats) {
  const found = /** @type {[number, number][]} */ ([]);
  for (let left = entrants; ; left = Math.max(seats, Math.ceil(left / 2))) {
    found.push([left, Math.ceil(Math.floor(entrants / seats) / Math.floor(left / seats))]);
    if (left === seats) return found;
  }
}

function halvingRound(history, left) {
  const { entrants, seats, played, lots } = history;
  let done = 0;
  let alive = range(entrants.owners.length);
  for (const [number, [size, rounds]] of stages(alive.length, seats).entries()) {
    if (number) {
      const past = new History(entrants, seats, played.slice(0, done), lots);
      const better = past.standings(alive).slice(0, size);
      alive = better.map((row) => row.entrant).sort((one, other) => one - other);
    }
    if (played.length < done + rounds) {
      const playing = alive.filter((one) => !left.has(one));
      return playing.length >= seats ? swissRound(history, playing) : null;
    }
    done += rounds;
  }
  return null;
}
