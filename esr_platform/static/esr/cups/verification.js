// Verifies the ledger of a cup (`cup-ledger/2`) with the browser's WebCrypto; see docs/reference/cup-ledger.md.
//
// Every entry is compared with the result of the entries before it. While the key is secret, only the hashes and
// the points can be verified.

import { eliminated, finalStandings, follows, isBalanced, isDecided, nextRound } from "./pairings.js";
import { range, seatings, sum } from "./standings.js";

const FORMAT = "cup-ledger/2";
const START = "0".repeat(64);
const MOST_REPLACEMENTS = 2;

const { subtle } = globalThis.crypto;
const utf8 = new TextEncoder();
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const sha256 = async (data) => hex(await subtle.digest("SHA-256", data));
const same = (one, other) => canonical(one) === canonical(other);

// JSON in one form: keys sorted, no spaces.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "undefined";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

// The checks of a ledger, in the order in which the page lists them: a name, what was counted, and faults as sentences.
const CHECKS = {
  hashes: "Hashes of the entries and reasons",
  entrants: "Entrant list and key",
  deals: "Deals",
  points: "Points of the tables",
  pairings: "Pairings",
  events: "Rulings and withdrawals",
  standings: "Standings and tie-breaks",
};

class Report {
  constructor(keyed) {
    this.keyed = keyed;
    this.frozen = false;
    this.over = false;
    this.removed = 0;
    this.checks = Object.entries(CHECKS).map(([id, name]) => ({ id, name, done: 0, faults: [] }));
  }

  #check(id) {
    return /** @type {*} */ (this.checks.find((one) => one.id === id));
  }

  count(id, number = 1) {
    this.#check(id).done += number;
  }

  fault(id, sentence) {
    this.#check(id).faults.push(sentence);
  }

  // Count a check, and note the sentence if it failed.
  expect(id, isTrue, sentence) {
    this.count(id);
    if (!isTrue) this.fault(id, sentence);
  }
}

// Verify a ledger. `progress` is called with a number from 0 to 1. Resolves to a report { keyed, frozen, over,
// removed, checks }: whether the key is public, whether there are an entrant list and final standings, how many
// reasons were removed, and for each check
// { id, name, done, faults }.
export async function verify(ledger, progress = (/** @type {number} */ _done) => {}) {
  if (ledger.format !== FORMAT)
    throw new Error(`Unknown format ${ledger.format}. This page can verify only ${FORMAT}.`);
  const report = new Report(ledger.key !== null);
  await verifyHashes(ledger, report);
  const frozen = ledger.entries.find((entry) => entry.kind === "entrants")?.document;
  if (!frozen) {
    const played = ledger.entries.some(({ kind }) => ["round", "results", "ruling", "end"].includes(kind));
    if (played || ledger.entrants_hash) report.fault("entrants", "The entrant list is missing.");
    return report;
  }
  report.frozen = true;
  verifyEnd(ledger, report);
  const replay = new Replay(frozen, await planOf(ledger, frozen, report), report, ledger.key, await sealed(ledger));
  for (const [number, entry] of ledger.entries.entries()) {
    try {
      await replay.follow(entry);
    } catch (error) {
      report.fault("hashes", `Entry ${entry.number} is malformed (${error instanceof Error ? error.message : error}).`);
    }
    progress((number + 1) / ledger.entries.length);
  }
  return report;
}

async function verifyHashes({ cup, entries }, report) {
  let previous = START;
  for (const [at, { number, kind, document, hash }] of entries.entries()) {
    const expected = await sha256(utf8.encode(canonical({ cup, number, kind, document, previous })));
    report.expect("hashes", number === at + 1 && hash === expected, `Entry ${at + 1} does not match its hash.`);
    await verifyReason(entries[at], report, `The reason of entry ${at + 1} does not match its hash.`);
    previous = hash;
  }
}

// The key is public once the cup is over. The last entry then has the final standings, or cancels the cup; only
// changed settings may follow a cancellation.
function verifyEnd({ entries, key }, report) {
  const last = entries.findIndex(({ kind }) => kind === "end" || kind === "cancelled");
  if (last < 0) {
    const text = "The ledger is not finished: it contains neither final standings nor a cancellation.";
    if (key !== null) report.fault("standings", text);
    return;
  }
  for (const { number, kind } of entries.slice(last + 1)) {
    const isAllowed = entries[last].kind === "cancelled" && kind === "changed";
    if (!isAllowed) report.fault("events", `Entry ${number} follows the end of the cup.`);
  }
}

// The hash of a reason covers 16 bytes of salt and the text. Moderators can remove both.
async function verifyReason({ document, reason, salt }, report, fault) {
  const known = document?.reason_hash ?? null;
  if (reason === null && salt === null) {
    if (known !== null) report.removed++;
    return;
  }
  const isWhole = typeof reason === "string" && /^[0-9a-f]{32}$/.test(salt);
  const isRight = isWhole && known === (await sha256(new Uint8Array([...bytes(salt), ...utf8.encode(reason)])));
  report.expect("hashes", isRight, fault);
}

// A function from a purpose and numbers to 32 bytes in hex; null while the key is secret.
async function sealed(ledger) {
  if (ledger.key === null) return null;
  const key = await subtle.importKey("raw", bytes(ledger.key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const frozen = ledger.entries.find((entry) => entry.kind === "entrants").document;
  const list = await sha256(utf8.encode(canonical(frozen.entrants)));
  return async (...parts) => hex(await subtle.sign("HMAC", key, utf8.encode([list, ...parts].join("/"))));
}

async function planOf(ledger, frozen, report) {
  const size = frozen.entrants.length;
  const list = await sha256(utf8.encode(canonical(frozen.entrants)));
  report.expect("entrants", frozen.cup === ledger.cup, "The entrant list belongs to another cup.");
  report.expect("entrants", list === ledger.entrants_hash, "The entrant list does not match its published hash.");
  report.expect("entrants", frozen.key_hash === ledger.key_hash, "The key hash is not the published one.");
  if (frozen.design) {
    const isFair = frozen.design.every((table) => table.length === frozen.seats) && isBalanced(frozen.design, size);
    report.expect("pairings", isFair, "The design is not balanced: some entrants meet more often than others.");
  }
  const derived = await sealed(ledger);
  if (derived) {
    const known = (await sha256(bytes(ledger.key))) === frozen.key_hash;
    report.expect("entrants", known, "The key does not match the key hash that was published before the start.");
  }
  const permutation = async (purpose) => {
    if (!derived) return range(size);
    const values = await Promise.all(range(size).map((number) => derived(purpose, number)));
    return range(size).sort((one, other) => (values[one] < values[other] ? -1 : 1));
  };
  return {
    format: frozen.format,
    seats: frozen.seats,
    rounds: frozen.rounds,
    entrants: { owners: frozen.entrants.map((one) => one.owner), most: frozen.at_a_table },
    design: frozen.design ?? [],
    lots: await permutation("lot"),
    places: await permutation("place"),
  };
}

// --- Points ----------------------------------------------------------------------------------------------------------

// The points of a block by place, or null if a game has no result. Places that are `gone` rank last in every game.
function blockPoints({ games }, seats, gone) {
  if (games.some((game) => game.ranks === null)) return null;
  const orders = seatings(seats);
  if (games.length !== orders.length) throw new RangeError(`a block has ${games.length} games`);
  const points = range(seats).map(() => 0);
  for (const [number, { ranks }] of games.entries()) {
    if (ranks.length !== seats) throw new RangeError(`a game has ${ranks.length} ranks`);
    const ranked = range(seats);
    for (const [seat, place] of orders[number].entries()) {
      ranked[place] = ranks[seat] + (gone.includes(place) ? 2 * seats : 0);
    }
    for (const place of range(seats)) {
      points[place] += sum(ranked.map((rank) => (ranked[place] < rank ? 2 : Number(ranked[place] === rank)))) - 1;
    }
  }
  return points;
}

// The points of a table of which `least` blocks or more must count; null if fewer do.
function settled(blocks, seats, gone, least) {
  if (gone.length === seats) return null;
  const won = 2 * (seats - 1) * seatings(seats).length;
  if (gone.length === seats - 1) return range(seats).map((place) => (gone.includes(place) ? 0 : won));
  const counted = blocks.map((block) => blockPoints(block, seats, gone)).filter((points) => points !== null);
  return counted.length < least ? null : range(seats).map((place) => sum(counted.map((points) => points[place])));
}

// Whether a table plays no further block after `blocks`.
function isOver(blocks, seats, gone, least, leaving) {
  if (seats - gone.length < 2) return true;
  const isVoid = blocks.filter((block) => block.games.some((game) => game.status === "void")).length;
  const points = settled(blocks, seats, gone, least);
  if (isVoid > MOST_REPLACEMENTS) return true;
  if (points === null || !leaving) return points !== null;
  const played = blocks.filter((block) => blockPoints(block, seats, gone) !== null).length;
  return isDecided(points, leaving, played, least, 2 * (seats - 1) * seatings(seats).length);
}

// The points after a ruling on `table`, which had `points`.
function ruled(table, { ruling, entrant }, points) {
  if (ruling === "void") return null;
  if (!["loss", "bye"].includes(ruling)) throw new RangeError(`unknown ruling ${ruling}`);
  const half = (table.length - 1) * seatings(table.length).length;
  const before = ruling === "bye" || points === null || !table.includes(entrant) ? table.map(() => half) : points;
  return before.map((own, place) => (table[place] === entrant ? 0 : own));
}

// --- Entries ---------------------------------------------------------------------------------------------------------

class Replay {
  constructor(frozen, plan, report, key, derived) {
    this.frozen = frozen;
    this.key = key;
    this.plan = plan;
    this.report = report;
    this.derived = derived;
    this.rounds = /** @type {any[]} */ ([]);
    this.played = /** @type {any[]} */ ([]);
    this.left = /** @type {Map<number, string>} */ (new Map());
    this.away = /** @type {number[]} */ ([]);
    this.matches = /** @type {Set<number>} */ (new Set());
    this.running = /** @type {any} */ (null);
    this.rulings = /** @type {Map<number, any>} */ (new Map());
  }

  async follow({ kind, document }) {
    if (kind === "round") this.round(document);
    else if (kind === "results") await this.results(document);
    else if (kind === "ruling") this.ruling(document);
    else if (kind === "left") this.leave(document);
    else if (kind === "end") this.end(document);
  }

  round(document) {
    const where = `Round ${document.round}`;
    const isNext = document.round === this.played.length + 1 && this.running === null;
    this.report.expect("pairings", isNext, `${where} does not follow the round before it.`);
    this.running = document;
    this.rulings = new Map();
    this.away = [...this.left.keys()];
    this.rounds.push(document);
    if (this.derived) {
      const isRight = follows(this.plan, this.played, this.left, document);
      if (!isRight)
        this.report.fault("pairings", `${where}: the tables or byes do not follow from the results before it.`);
    }
  }

  async results(document) {
    const { round: number, points } = document;
    if (this.running?.round !== number) {
      this.report.fault("points", `Round ${number} ended before it started.`);
      return;
    }
    const { tables } = this.running;
    if ([points, document.gone, document.blocks].some((list) => list.length !== tables.length)) {
      this.report.fault("points", `Round ${number}: the numbers of results and tables differ.`);
    } else {
      for (const index of tables.keys()) {
        const where = `Round ${number}, table ${index + 1}`;
        await this.deals(document.blocks[index], [number, index + 1], where);
        this.table(index, document, where);
      }
    }
    this.played.push({ round: this.running, results: [...points] });
    this.running = null;
  }

  table(index, document, where) {
    const table = this.running.tables[index];
    const [blocks, gone, points] = [document.blocks[index], document.gone[index], document.points[index]];
    const isKnown = new Set(gone).size === gone.length && gone.every((place) => this.left.has(table[place]));
    if (!isKnown) this.report.fault("events", `${where}: an entrant ranks last twice or without having left the cup.`);
    const isWhole = this.away.every((one) => !table.includes(one) || gone.includes(table.indexOf(one)));
    if (!isWhole && !this.rulings.has(index)) {
      this.report.fault("events", `${where}: an entrant who had left the cup before the round does not rank last.`);
    }
    for (const block of blocks) this.games(block.games, where);
    const fromGames = settled(blocks, this.plan.seats, gone, this.frozen.blocks);
    if (this.rulings.has(index)) {
      const isRuled = same(points, this.rulings.get(index));
      this.report.expect("points", isRuled, `${where}: the points do not match the ruling.`);
      return;
    }
    this.report.expect("points", same(points, fromGames), `${where}: the points do not follow from the games.`);
    if (!this.isComplete(index, blocks, gone)) {
      this.report.fault("points", `${where}: wrong number of blocks.`);
    }
  }

  // Each block of a table has its own deal, which follows from its round, its table and its number.
  async deals(blocks, place, where) {
    if (!this.derived) return;
    for (const [at, { commitment }] of blocks.entries()) {
      const isRight = (await sha256(bytes(await this.derived("deal", ...place, at + 1)))) === commitment;
      const text = `${where}: the deal of block ${at + 1} does not follow from the key and the entrant list.`;
      this.report.expect("deals", isRight, text);
    }
  }

  // A match is in the ledger once. It has possible ranks exactly if it is finished.
  games(games, where) {
    for (const { match, status, ranks } of games) {
      if (this.matches.has(match)) this.report.fault("points", `${where}: match ${match} is in the ledger twice.`);
      this.matches.add(match);
      const right = ranks?.map((own) => 1 + ranks.filter((other) => other < own).length);
      if ((status === "finished") !== (ranks !== null) || !same(ranks, right ?? null)) {
        this.report.fault("points", `${where}: match ${match} has impossible ranks.`);
      }
    }
  }

  // Whether the table ended after its last block, and not before, unless an entrant had left.
  isComplete(index, blocks, gone) {
    const { plan, frozen } = this;
    const leaving = plan.format === "knockout" ? eliminated(this.running, plan.seats)[index] : 0;
    if (plan.seats - gone.length < 2) return true;
    const ends = range(Math.max(0, blocks.length - frozen.blocks + 1)).map((more) =>
      isOver(blocks.slice(0, frozen.blocks + more), plan.seats, gone, frozen.blocks, leaving),
    );
    return ends.at(-1) === true && (gone.length > 0 || !ends.slice(0, -1).includes(true));
  }

  ruling(document) {
    const { round: number, table: index } = document;
    const where = `Round ${number}, table ${index + 1}`;
    if (!this.rounds[number - 1]?.tables[index]) {
      this.report.fault("events", `${where}: the organizer ruled on a table that does not exist.`);
      return;
    }
    // In a running round, the points of the games do not count yet.
    const results = this.played[number - 1]?.results;
    const known = (results ? results[index] : this.rulings.get(index)) ?? null;
    const isRight = same(document.points, ruled(this.rounds[number - 1].tables[index], document, known));
    this.report.expect("events", isRight, `${where}: the points do not follow from the ruling.`);
    if (results) results[index] = document.points;
    else this.rulings.set(index, document.points);
  }

  leave({ entrant, state }) {
    if (entrant === null) return; // before the entrant list was frozen
    const isKnown = entrant in this.frozen.entrants && !this.left.has(entrant);
    this.report.expect("events", isKnown, `Entrant ${entrant} left twice or is not in the entrant list.`);
    if (!this.left.has(entrant)) this.left.set(entrant, state);
  }

  end({ key, standings }) {
    const { plan, played, report } = this;
    report.expect("entrants", key === this.key, "The key in the last entry is not the published key.");
    const isOver = this.running === null && nextRound(plan, played, this.left) === null;
    report.expect("pairings", isOver, "The cup ended before its last round.");
    const isRight = same(standings, finalStandings(plan, played, this.left));
    report.over = true;
    report.expect("standings", isRight, "The final standings do not follow from the results.");
    report.count("standings", standings.length - 1);
  }
}
