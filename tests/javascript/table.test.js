// What a running table does between the server and the page: events, clocks, drafts, and reconnecting.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Notifier } from "../../esr_platform/static/esr/table/alerts.js";
import { Draft } from "../../esr_platform/static/esr/table/drafts.js";
import { End, pointsOf } from "../../esr_platform/static/esr/table/end.js";
import { Events } from "../../esr_platform/static/esr/table/events.js";
import { Post } from "../../esr_platform/static/esr/table/post.js";
import { Told } from "../../esr_platform/static/esr/table/scenes.js";
import { Gap, Stream } from "../../esr_platform/static/esr/table/stream.js";
import { asClock, Countdown } from "../../esr_platform/static/esr/table/times.js";

test("an event is complete at an empty line, wherever pieces of the response end", () => {
  const events = new Events();
  const pieces = ["event: mo", 'ments\nid: 7\ndata: {"a":', "\ndata: 1}\n", "\n: a comment\n"];
  assert.deepEqual(
    pieces.flatMap((piece) => events.add(piece)),
    [{ type: "moments", id: "7", data: { a: 1 } }],
  );
});

test("a line may end with a carriage return that the next piece continues", () => {
  const events = new Events();
  assert.deepEqual(events.add("data: 1\r"), []);
  assert.deepEqual(events.add("\n\r\n"), [{ type: "message", id: null, data: 1 }]);
});

test("an event without data is none, and does not name the next one", () => {
  const events = new Events();
  assert.deepEqual(events.add("event: ping\n\n"), []);
  assert.deepEqual(events.add("data: 2\n\n"), [{ type: "message", id: null, data: 2 }]);
});

test("a clock counts a second that has begun, and never goes below zero", () => {
  assert.deepEqual([60_001, 59_000, 1, 0, -5].map(asClock), ["1:01", "0:59", "0:01", "0:00", "0:00"]);
});

test("a countdown takes the bank last", () => {
  let now = 1_000;
  mock.method(performance, "now", () => now);
  const countdown = new Countdown({ move_ms: 5_000, bank_ms: 60_000, left_ms: 65_000 });
  assert.deepEqual([countdown.moveMs, countdown.leftMs], [5_000, 65_000]);
  now += 6_000;
  assert.deepEqual([countdown.moveMs, countdown.leftMs], [0, 59_000]);
  assert.equal(new Countdown({ move_ms: 5_000, bank_ms: 60_000, left_ms: 30_000 }).moveMs, 0);
});

function storage() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

test("a draft outlives its page, but belongs to one decision", () => {
  globalThis.sessionStorage = /** @type {*} */ (storage());
  new Draft("match:3").set({ offer: [1, 0, 0, 0] });
  assert.deepEqual(new Draft("match:3").get(), { offer: [1, 0, 0, 0] });
  assert.equal(new Draft("match:4").get(), null);
  new Draft("match:3").clear();
  assert.equal(new Draft("match:3").get(), null);
});

test("a draft works without storage, and ignores what is not JSON", () => {
  globalThis.sessionStorage = /** @type {*} */ ({ ...storage(), getItem: () => "{" });
  assert.equal(new Draft("match:3").get(), null);
});

const moment = (ply, entries = 1) => ({ ply, view: { you: null }, yous: [null], entries: Array(entries).fill({}) });

test("moments that were told already are left out, and a gap is an error", () => {
  const told = new Told(undefined);
  assert.deepEqual(
    told.add({ log_from: 0, moments: [moment(1), moment(2)] }, 0).map(({ ply }) => ply),
    [1, 2],
  );
  assert.deepEqual(
    told.add({ log_from: 1, moments: [moment(2), moment(3)] }, 0).map(({ ply }) => ply),
    [3],
  );
  assert.throws(() => told.add({ log_from: 5, moments: [moment(9)] }, 0), Gap);
});

test("a reset begins where the server says", () => {
  const told = new Told(undefined);
  told.add({ log_from: 0, moments: [moment(1)] }, 0);
  assert.deepEqual(
    told.add({ log_from: 5, moments: [moment(9)], reset: true }, 0).map(({ ply }) => ply),
    [9],
  );
});

/** A stream whose answers come one after the other, and what its listener hears. */
function streaming(...answers) {
  const heard = [];
  const listener = {
    heard: ({ data }) => heard.push(data),
    lost: () => heard.push("lost"),
    there: () => heard.push("there"),
    over: (why) => heard.push(`over: ${why}`),
  };
  const stream = new Stream("/stream/", /** @type {*} */ (listener));
  const asked = [];
  globalThis.fetch = /** @type {*} */ (
    async (_address, { headers }) => {
      asked.push(headers["last-event-id"] ?? null);
      const answer = answers.shift();
      if (!answer) throw new TypeError("The network is away.");
      return answer;
    }
  );
  return { stream, heard, asked };
}

const events = (text) => new Response(text, { status: 200 });

beforeEach(() => mock.method(Math, "random", () => 1));
afterEach(() => mock.restoreAll());

test("a stream asks again from the last event that it has heard", async () => {
  const { stream, heard, asked } = streaming(events("id: 4\ndata: 1\n\n"), events("id: 5\ndata: 2\n\n"));
  await stream.connection();
  await stream.connection();
  assert.deepEqual(asked, [null, "4"]);
  assert.deepEqual(heard, ["there", 1, "lost", "there", 2, "lost"]);
});

test("a stream waits longer after each failure, up to a limit, and as long as the server asks", async () => {
  const { stream } = streaming();
  const waits = [];
  for (let tries = 0; tries < 7; tries += 1) waits.push(await stream.connection());
  assert.deepEqual(waits, [400, 800, 1600, 3200, 6400, 8000, 8000]);
  const busy = streaming(new Response(null, { status: 503, headers: { "retry-after": "30" } }));
  assert.equal(await busy.stream.connection(), 30_000);
});

test("a stream ends for good when the server says so, and believes only several 404 in a row", async () => {
  const signedOut = streaming(new Response(null, { status: 401 }));
  await signedOut.stream.connection();
  assert.deepEqual(signedOut.heard, ["over: signed-out"]);
  const unknown = streaming(...Array.from({ length: 4 }, () => new Response(null, { status: 404 })));
  for (let tries = 0; tries < 4; tries += 1) await unknown.stream.connection();
  assert.deepEqual(unknown.heard, ["lost", "lost", "lost", "over: unknown"]);
});

test("an event that does not follow makes the stream ask for everything again", async () => {
  const { stream, asked } = streaming(events("id: 4\ndata: 1\n\n"), events("id: 9\ndata: 2\n\n"), events(""));
  await stream.connection();
  stream.listener.heard = () => {
    throw new Gap("entries are missing");
  };
  await stream.connection();
  await stream.connection();
  assert.deepEqual(asked, [null, "4", null]);
});

test("an answer that is refused for now is sent again when the server says, and shown as not received", async () => {
  const refused = (status, seconds) => new Response("", { status, headers: { "retry-after": seconds } });
  const responses = [refused(503, "2"), refused(429, "7"), null, Response.json({ played: 1 })];
  const waits = [];
  mock.method(globalThis, "setTimeout", (then, ms) => waits.push(ms) && then());
  mock.method(globalThis, "fetch", async () => responses.shift() ?? Promise.reject(new TypeError("no connection")));
  globalThis.document = /** @type {*} */ ({ cookie: "" });
  let waiting = 0;
  const answer = await new Post("token").until(
    "/1",
    { move: 1 },
    { wanted: () => true, waiting: () => (waiting += 1) },
  );
  assert.deepEqual([answer.status, answer.document, waiting], [200, { played: 1 }, 3]);
  assert.deepEqual(waits, [2_000, 7_000, 2_000]);
});

/** Stands for a browser whose user answers the question for permission with `answer`. */
function withNotifications(permission, answer = permission) {
  const shown = [];
  class Notification extends EventTarget {
    static permission = permission;
    static async requestPermission() {
      Notification.permission = answer;
      return answer;
    }
    constructor(text, { body }) {
      super();
      shown.push([text, body]);
    }
    close() {}
  }
  const page = new EventTarget();
  Object.assign(page, { hidden: true, title: "Your game" });
  const kept = new Map();
  Object.assign(globalThis, {
    Notification,
    window: { Notification },
    isSecureContext: true,
    document: page,
    location: { pathname: "/play/tables/7/" },
    localStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) },
  });
  return { shown, page };
}

test("notifications are off until a player turns them on and the browser allows them", async () => {
  const { shown } = withNotifications("default", "granted");
  const notifier = new Notifier();
  notifier.tell("Your turn");
  assert.deepEqual(shown, []);
  assert.equal(await notifier.toggle(), true);
  notifier.tell("Your turn");
  assert.deepEqual(shown, [["Your turn", "Your game"]]);
  assert.equal(new Notifier().on, true, "the browser remembers the switch");
  assert.equal(await notifier.toggle(), false);
  assert.equal(new Notifier().on, false);
});

test("a notification comes only while the page is hidden", async () => {
  const { shown, page } = withNotifications("granted");
  const notifier = new Notifier();
  await notifier.toggle();
  page.hidden = false;
  notifier.tell("Your turn");
  assert.deepEqual(shown, []);
});

test("notifications that the browser blocks are not offered", async () => {
  const { shown } = withNotifications("default", "denied");
  const notifier = new Notifier();
  assert.equal(notifier.possible, true);
  assert.equal(await notifier.toggle(), false);
  assert.equal(notifier.possible, false);
  notifier.tell("Your turn");
  assert.deepEqual(shown, []);
});

test("the step at which a seat gave up is not shown as its score", () => {
  assert.equal(pointsOf({ money: 95, gems: [3, 2, 4, 1], forfeit: "resign", forfeit_at: 12 }), 95);
  assert.equal(pointsOf({ forfeit_at: 12, forfeit: "resign", points: 0 }), 0);
  assert.equal(pointsOf({ forfeit: "abandoned", forfeit_at: 12 }), undefined);
  assert.equal(pointsOf({}), undefined);
});

test("where all have left, whoever left last wins", () => {
  const end = new End(/** @type {*} */ (null), { names: ["Ada", "Bob"], drawings: {} }, /** @type {*} */ ({ seat: 1 }));
  const scores = [12, 9].map((at) => ({ forfeit: "abandoned", forfeit_at: at }));
  const [lost, won] = [
    [1, 2],
    [2, 1],
  ].map((ranks) => end.titleOf("finished", { ranks, scores }));
  assert.ok(lost.includes("Ada"));
  assert.ok(!won.includes("Ada"));
});

test("where the first place is shared, your own name begins the sentence at every seat", () => {
  globalThis.document = /** @type {*} */ ({ documentElement: { lang: "en" } });
  const titles = [0, 1].map((seat) => {
    const table = { names: ["Ada", "Bob"], drawings: {} };
    const end = new End(/** @type {*} */ (null), table, /** @type {*} */ ({ seat }));
    return end.titleOf("finished", { ranks: [1, 1], scores: [{}, {}] });
  });
  assert.ok(titles[0].indexOf("Bob") > 0);
  assert.ok(titles[1].indexOf("Ada") > 0);
});
