// Ledgers of cups, which tests/ladder/cups/ledgers.py plays at random: all are verified, and every forgery is found.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { perfectMatching } from "../../esr_platform/static/esr/cups/matching.js";
import { follows } from "../../esr_platform/static/esr/cups/pairings.js";
import { canonical, sha256, verify } from "../../esr_platform/static/esr/cups/verification.js";

const ROUNDS = JSON.parse(readFileSync(new URL("./swiss_rounds.json", import.meta.url), "utf-8"));
const SAMPLES = JSON.parse(readFileSync(new URL("./ledgers.json", import.meta.url), "utf-8"));
const utf8 = new TextEncoder();

const failed = (report) => report.checks.filter((check) => check.faults.length).map((check) => check.id);
const of = (ledger, kind, number = 0) => ledger.entries.filter((entry) => entry.kind === kind)[number].document;

async function rechained(ledger) {
  let previous = "0".repeat(64);
  for (const entry of ledger.entries) {
    const { number, kind, document } = entry;
    previous = await sha256(utf8.encode(canonical({ cup: ledger.cup, number, kind, document, previous })));
    entry.hash = previous;
  }
  return ledger;
}

for (const [name, ledger] of Object.entries(SAMPLES)) {
  test(`the ledger of ${name} seats is verified`, async () => {
    const report = await verify(structuredClone(ledger));
    assert.deepEqual(
      report.checks.flatMap((check) => check.faults),
      [],
    );
    assert.equal(report.keyed, true);
    for (const id of ["hashes", "entrants", "deals", "points", "pairings", "standings"]) {
      assert.ok(report.checks.find((check) => check.id === id).done > 0, id);
    }
  });
}

test("of a cup that was canceled before its entrant list was frozen, only hashes are verified", async () => {
  const document = { reason_hash: null };
  const entries = [{ number: 1, kind: "cancelled", document, reason: null, salt: null }];
  const canceled = { ...structuredClone(SAMPLES["swiss 2"]), entrants_hash: "", entries };
  const report = await verify(await rechained(canceled));
  assert.deepEqual([report.keyed, report.frozen, report.over, failed(report)], [true, false, false, []]);
  assert.deepEqual(
    report.checks.filter((check) => check.done).map((check) => check.id),
    ["hashes"],
  );
  canceled.entrants_hash = SAMPLES["swiss 2"].entrants_hash;
  assert.deepEqual(failed(await verify(canceled)), ["entrants"]);
});

// The games of the first round at tables that games alone decided.
function games(ledger) {
  const { blocks, gone } = of(ledger, "results");
  const ruled = ledger.entries.filter(({ kind, document }) => kind === "ruling" && document.round === 1);
  const plain = blocks.filter((_, at) => !gone[at].length && !ruled.some(({ document }) => document.table === at));
  return plain.flat().flatMap((block) => block.games);
}

const blocks = (ledger, round = 0) => of(ledger, "results", round).blocks.flat();

function append(ledger, kind, document) {
  const number = ledger.entries.length + 1;
  const signed = { ...document, author: 3, reason_hash: null };
  ledger.entries.push({ number, kind, document: signed, hash: "", reason: null, salt: null });
}

const swap = (list) => ([list[0], list[list.length - 1]] = [list[list.length - 1], list[0]]);
const FORGERIES = [
  ["entrants", (ledger) => of(ledger, "entrants").entrants[0].bot++],
  ["entrants", (ledger) => swap(of(ledger, "entrants").entrants)],
  ["entrants", (ledger) => (of(ledger, "entrants").key_hash = "0".repeat(64))],
  ["entrants", (ledger) => (of(ledger, "entrants").cup = 8)],
  ["entrants", (ledger) => (ledger.key = "00".repeat(32))],
  ["entrants", (ledger) => (of(ledger, "end").key = "00".repeat(32))],
  ["pairings", (ledger) => swap(of(ledger, "round", 1).tables)],
  ["pairings", (ledger) => swap(of(ledger, "round", 1).tables[0])],
  ["pairings", (ledger) => ledger.entries.splice(-2, 1)],
  ["deals", (ledger) => (blocks(ledger)[0].commitment = "0".repeat(64))],
  ["deals", (ledger) => (blocks(ledger)[1].commitment = blocks(ledger)[0].commitment)],
  ["deals", (ledger) => (blocks(ledger, 1)[0].commitment = blocks(ledger)[0].commitment)],
  ["points", (ledger) => (games(ledger)[0].ranks = games(ledger)[0].ranks.map((rank) => rank + 1000))],
  ["points", (ledger) => (games(ledger)[1].match = games(ledger)[0].match)],
  ["points", (ledger) => (games(ledger)[0].status = "void")],
  ["standings", (ledger) => ledger.entries.pop()],
  ["events", (ledger) => append(ledger, "ruling", { round: 1, table: 0, ruling: "void", entrant: null, points: null })],
  ["events", (ledger) => append(ledger, "changed", { fields: ["title"] })],
  ["events", (ledger) => append(ledger, "end", of(ledger, "end"))],
  ["points", (ledger) => swap(of(ledger, "results").points.find((points) => points && points[0] !== points.at(-1)))],
  ["points", (ledger) => swap(games(ledger).find(({ ranks }) => ranks && ranks[0] !== ranks.at(-1)).ranks)],
  ["points", (ledger) => of(ledger, "results").points.pop()],
  ["hashes", (ledger) => (of(ledger, "results").blocks = null)],
  ["events", (ledger) => of(ledger, "results").gone[0].push(0)],
  ["standings", (ledger) => swap(of(ledger, "end").standings)],
  ["standings", (ledger) => (of(ledger, "end").standings[0][2] = 99)],
  ["hashes", (ledger) => (ledger.entries[0].reason = "The room is ready.")],
  ["hashes", (ledger) => (ledger.entries[0].salt = "00".repeat(16))],
  [
    "hashes",
    ({ entries }) => Object.assign(entries[0], { reason: entries[0].reason.slice(1), salt: `${entries[0].salt}54` }),
  ],
  ["hashes", (ledger) => (ledger.entries[0].salt = null)],
  ["hashes", (ledger) => (ledger.entries[0].reason = null)],
  ["hashes", (ledger) => Object.assign(ledger.entries[1], { reason: "No.", salt: "00".repeat(16) })],
];

test("every forgery is found, also with new hashes", async () => {
  const names = ["swiss 2", "swiss 3", "knockout 2"];
  for (const name of names) {
    for (const [number, [id, forge]] of FORGERIES.entries()) {
      const forged = structuredClone(SAMPLES[name]);
      forge(forged);
      assert.ok(failed(await verify(forged)).length, `${name}, forgery ${number}`);
      assert.ok(failed(await verify(await rechained(forged))).includes(id), `${name}, forgery ${number}: ${id}`);
    }
  }
});

test("exactly those who left rank last, each at its own place", async () => {
  const leavers = [
    (ledger) => (of(ledger, "results").gone[0] = [0, 0]),
    (ledger) => (of(ledger, "results").gone[0] = [-1]),
    (ledger) => ledger.entries.splice(3, 0, ledger.entries.splice(4, 1)[0]),
  ];
  for (const [number, forge] of leavers.entries()) {
    const ledger = structuredClone(SAMPLES["round-robin 3"]);
    const at = ledger.entries.findIndex((entry) => entry.kind === "round");
    const entry = structuredClone(ledger.entries.find(({ kind }) => kind === "left"));
    const busy = ledger.entries.filter(({ kind }) => kind === "left").map(({ document }) => document.entrant);
    entry.document.entrant = of(ledger, "round").tables[0].find((one) => !busy.includes(one));
    ledger.entries.splice(at + 1, 0, entry);
    forge(ledger);
    assert.ok(failed(await verify(ledger)).includes("events"), `forgery ${number}`);
  }
});

test("disqualified entrants are behind all others", async () => {
  const ledger = structuredClone(SAMPLES["knockout 2"]);
  const { standings } = of(ledger, "end");
  const entry = structuredClone(ledger.entries.find(({ kind }) => kind === "left"));
  Object.assign(entry.document, { entrant: standings[0][1], state: "disqualified" });
  ledger.entries.splice(-1, 0, entry);
  assert.ok(failed(await verify(ledger)).includes("standings"));
});

test("a ruling has the points that it decides, and a design is balanced", async () => {
  const ruled = Object.values(SAMPLES).find((ledger) => ledger.entries.some((entry) => entry.kind === "ruling"));
  const ledger = structuredClone(ruled);
  const { seats } = of(ledger, "entrants");
  of(ledger, "ruling").points = new Array(seats).fill(1);
  assert.ok(failed(await verify(await rechained(ledger))).includes("events"));
  const design = structuredClone(SAMPLES["round-robin 3"]);
  of(design, "entrants").design[0] = of(design, "entrants").design[1];
  assert.ok(failed(await verify(await rechained(design))).includes("pairings"));
});

test("a ledger without its reasons is verified, and they are counted", async () => {
  const ledger = structuredClone(SAMPLES["swiss 3"]);
  const reasons = ledger.entries.filter((entry) => entry.reason !== null).length;
  assert.equal((await verify(ledger)).removed, 0);
  for (const entry of ledger.entries) Object.assign(entry, { reason: null, salt: null });
  const report = await verify(ledger);
  assert.ok(reasons > 1);
  assert.deepEqual([report.removed, failed(report)], [reasons, []]);
});

test("while the key is secret, hashes and points are verified", async () => {
  const ledger = structuredClone(SAMPLES["swiss 3"]);
  ledger.key = null;
  ledger.entries = ledger.entries.filter((entry) => entry.kind !== "end");
  const report = await verify(ledger);
  assert.deepEqual([report.keyed, failed(report)], [false, []]);
  swap(of(ledger, "results").points.find((points) => points && points[0] !== points.at(-1)));
  assert.ok(failed(await verify(await rechained(ledger))).includes("points"));
});

test("of all Swiss rounds at two seats, exactly those of least cost are right", () => {
  for (const { owners, lots, played, right, wrong } of ROUNDS) {
    const plan = { format: "swiss", seats: 2, rounds: 99, entrants: { owners, most: 1 }, lots };
    const accepted = (round) => follows(plan, played, new Set(), round);
    assert.ok(right.length && right.every(accepted));
    assert.ok(!wrong.some(accepted));
    const [first, ...rest] = right[0].tables;
    assert.ok(
      !accepted({ tables: [first.toReversed(), ...rest], byes: right[0].byes }),
      "the better one is named first",
    );
    assert.ok(!accepted({ tables: right[0].tables.toReversed(), byes: right[0].byes }), "tables are in order");
  }
  assert.ok(ROUNDS.some(({ right }) => right.length > 1));
});

test("a ledger of another format is refused", async () => {
  await assert.rejects(verify({ format: "cup-ledger/1" }), /cup-ledger\/1/);
});

// The greatest weight of all perfect matchings, or null.
function greatest(left, weights) {
  if (!left.length) return 0;
  const [one, ...rest] = left;
  const found = rest.map((other) => {
    const weight = weights.get(`${one} ${other}`);
    const more =
      weight === undefined
        ? null
        : greatest(
            rest.filter((any) => any !== other),
            weights,
          );
    return more === null ? null : weight + more;
  });
  const possible = found.filter((total) => total !== null);
  return possible.length ? Math.max(...possible) : null;
}

test("matchings have the greatest weight of all, with numbers and with BigInts", () => {
  let seed = 1;
  const below = (count) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % count;
  };
  for (let run = 0; run < 800; run++) {
    const size = 2 * (1 + below(5));
    const edges = [];
    for (let one = 0; one < size; one++) {
      for (let other = one + 1; other < size; other++) {
        if (below(100) < 40 + (run % 60)) edges.push([one, other, below(run % 2 ? 8 : 1000)]);
      }
    }
    const weights = new Map(edges.map(([one, other, weight]) => [`${one} ${other}`, weight]));
    const expected = greatest([...Array(size).keys()], weights);
    const total = (pairs) => pairs.reduce((sum, pair) => sum + weights.get(pair.join(" ")), 0);
    const exact = edges.map(([one, other, weight]) => [one, other, BigInt(weight)]);
    if (expected === null) {
      assert.throws(() => perfectMatching(size, edges), RangeError);
    } else {
      assert.equal(total(perfectMatching(size, edges)), expected);
      assert.equal(total(perfectMatching(size, exact)), expected);
    }
  }
});
