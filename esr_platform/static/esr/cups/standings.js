// The standings of a cup and their tie-breaks; see docs/reference/cup-ledger.md.
//
// Entrants are numbers from 0 in the order of the entrant list. A round is { tables, byes }, a played round is
// { round, results }; the result of a table has the points by place, or is null if the table is void.
// A fraction is a pair [numerator, denominator] of integers that products keep exact.

export const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
export const range = (count) => Array.from({ length: count }, (_, number) => number);

// The first difference decides.
export function compare(one, other) {
  for (const [at, value] of one.entries()) {
    if (value !== other[at]) return value < other[at] ? -1 : 1;
  }
  return 0;
}

export const lessFraction = (one, other) => one[0] * other[1] - other[0] * one[1];

// 2 for each opponent with fewer points, 1 for each with as many.
export function matchPoints(points) {
  return points.map((own) => sum(points.map((other) => (own > other ? 2 : Number(own === other)))) - 1);
}

// Three quarters of the most match points of a table, rounded up.
export const byePoints = (seats) => Math.ceil((3 * (seats - 1)) / 2);

// The seatings of a block: the place at the table of each seat.
export function seatings(seats) {
  const turns = range(seats).map((turn) => range(seats).map((seat) => (seat + turn) % seats));
  if (seats !== 3) return turns;
  return turns.flatMap(([first, second, third]) => [
    [first, Math.min(second, third), Math.max(second, third)],
    [first, Math.max(second, third), Math.min(second, third)],
  ]);
}

// How many entrants of a table exceed the limit of their owners; null is the site, whose bots may always meet.
export function clashes({ owners, most }, table) {
  const counts = /** @type {Map<number, number>} */ (new Map());
  for (const one of table) {
    if (owners[one] !== null) counts.set(owners[one], (counts.get(owners[one]) ?? 0) + 1);
  }
  return sum([...counts.values()].map((count) => Math.max(0, count - most)));
}

// All that was played in a cup. `lots` is a permutation of the entrants.
export class History {
  constructor(entrants, seats, played, lots) {
    this.entrants = entrants;
    this.seats = seats;
    this.played = played;
    this.lots = lots;
    this.lot = /** @type {number[]} */ ([]);
    lots.forEach((one, place) => (this.lot[one] = place));
    const size = entrants.owners.length;
    this.met = range(size).map(() => /** @type {Set<number>} */ (new Set()));
    this.rows = range(size).map(() => ({
      matchPoints: 0,
      points: 0,
      most: 0,
      byes: 0,
      opponents: /** @type {number[]} */ ([]),
    }));
    for (const { round, results } of played) {
      for (const one of round.byes) {
        this.rows[one].matchPoints += byePoints(seats);
        this.rows[one].byes += 1;
      }
      for (const [number, table] of round.tables.entries()) this.add(table, results[number]);
    }
  }

  add(table, points) {
    for (const one of table) for (const other of table) if (one !== other) this.met[one].add(other);
    if (points === null) return;
    const won = matchPoints(points);
    const most = Math.floor((2 * sum(points)) / points.length);
    for (const [place, one] of table.entries()) {
      const row = this.rows[one];
      row.matchPoints += won[place];
      row.points += points[place];
      row.most += most;
      row.opponents.push(...table.filter((other) => other !== one));
    }
  }

  // How many pairs of a table have met before.
  rematches(table) {
    return sum(table.map((one, place) => table.slice(place + 1).filter((other) => this.met[one].has(other)).length));
  }

  // By entrant of `group`, the match points against the others of it.
  direct(group) {
    const found = new Map([...group].map((one) => [one, 0]));
    if (found.size < 2) return found;
    for (const { round, results } of this.played) {
      for (const [number, table] of round.tables.entries()) {
        if (results[number] === null) continue;
        const inside = table.flatMap((one, place) => (found.has(one) ? [[one, results[number][place]]] : []));
        const won = matchPoints(inside.map(([, points]) => points));
        for (const [at, [one]] of inside.entries()) found.set(one, (found.get(one) ?? 0) + won[at]);
      }
    }
    return found;
  }

  // The rows of `among`, best first.
  standings(among = range(this.rows.length)) {
    const groups = /** @type {Map<number, number[]>} */ (new Map());
    for (const one of among) {
      const { matchPoints: total } = this.rows[one];
      groups.set(total, [...(groups.get(total) ?? []), one]);
    }
    const order = /** @type {{entrant: number, matchPoints: number, rank: number}[]} */ ([]);
    for (const [total, group] of [...groups].sort(([one], [other]) => other - one)) {
      const direct = this.direct(group);
      const ranked = group.map((one) => ({ entrant: one, direct: direct.get(one) ?? 0, ...this.fractions(one) }));
      ranked.sort(
        (one, other) =>
          other.direct - one.direct ||
          lessFraction(other.share, one.share) ||
          lessFraction(other.opponents, one.opponents) ||
          this.lot[one.entrant] - this.lot[other.entrant],
      );
      for (const { entrant } of ranked) order.push({ entrant, matchPoints: total, rank: order.length + 1 });
    }
    return order;
  }

  fractions(entrant) {
    const { points, most, opponents } = this.rows[entrant];
    const total = sum(opponents.map((one) => this.rows[one].matchPoints));
    return { share: most ? [points, most] : [0, 1], opponents: opponents.length ? [total, opponents.length] : [0, 1] };
  }
}
