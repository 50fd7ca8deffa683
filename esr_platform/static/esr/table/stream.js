// A stream of events that reconnects automatically and resumes after the last event that was received.

import { Events } from "./events.js";
import { Pause } from "./times.js";

/** A connection is lost if nothing has come for this time after the next message was due. */
const SILENT_MS = 13_000;

/** The same when the page becomes visible. */
const STALE_MS = 2_000;

/** The server sends something at least every 7 s to players, and every 15 s to spectators and visitors of the lobby. */
const KEEP_ALIVE_MS = 7_000;
export const CROWD_KEEP_ALIVE_MS = 15_000;

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 8_000;

/** A new game may not be visible for a moment: the stream ends after this many 404 responses in a row. */
const BELIEVED_404 = 4;

/** Why a stream ends for good, by HTTP status. Other responses are retried. */
const FINAL = { 204: "closed", 400: "refused", 401: "signed-out", 403: "refused", 410: "closed" };

/** An event does not follow the previous one: everything must be sent again. */
export class Gap extends Error {}

/**
 * @typedef {Object} Listener
 * @property {(event: import("./events.js").ServerEvent) => void} heard each event, in order; it may throw a `Gap`
 * @property {() => void} lost the connection is lost and will be retried
 * @property {() => void} there the connection is established
 * @property {(why: string) => void} over the stream has ended for good: "closed", "refused", "signed-out" or "unknown"
 */

export class Stream {
  /**
   * @param {string} address
   * @param {Listener} listener
   * @param {number} keepAliveMs
   */
  constructor(address, listener, keepAliveMs = KEEP_ALIVE_MS) {
    this.address = address;
    this.listener = listener;
    this.keepAliveMs = keepAliveMs;
    /** @type {string|null} the id of the last event that was heard */
    this.place = null;
    /** @type {AbortController|null} the connection that is open */
    this.reading = null;
    this.over = false;
    this.isThere = false;
    this.failures = 0;
    this.leastWaitMs = 0;
    this.unknown = 0;
    this.lastByte = 0;
    this.pause = new Pause();
    this.away = new AbortController();
  }

  start() {
    const options = { signal: this.away.signal };
    document.addEventListener("visibilitychange", () => document.hidden || this.look(STALE_MS), options);
    addEventListener("online", () => this.again(), options);
    addEventListener("offline", () => this.cut(), options);
    addEventListener("pageshow", ({ persisted }) => persisted && this.again(), options);
    addEventListener("pagehide", () => this.cut(), options);
    this.watch = setInterval(() => this.look(SILENT_MS), 2_000);
    this.run();
  }

  /** End the stream. */
  stop() {
    this.over = true;
    this.away.abort();
    clearInterval(this.watch);
    this.cut();
    this.pause.end();
  }

  /** Replace a connection whose next message is this late. */
  look(lateMs) {
    if (this.reading && performance.now() - this.lastByte > this.keepAliveMs + lateMs) this.again();
  }

  cut() {
    this.reading?.abort();
  }

  /** Reconnect now. */
  again() {
    this.failures = 0;
    this.cut();
    this.pause.end();
  }

  /** Reconnect and request all events again. */
  anew() {
    this.place = null;
    this.again();
  }

  async run() {
    while (!this.over) {
      const wait = await this.connection();
      if (this.over) return;
      await this.pause.last(wait);
    }
  }

  /** One connection until it ends. Returns the time to wait before the next one in milliseconds. */
  async connection() {
    this.reading = new AbortController();
    this.lastByte = performance.now();
    try {
      const headers = { accept: "text/event-stream", ...(this.place === null ? {} : { "last-event-id": this.place }) };
      const response = await fetch(this.address, { headers, cache: "no-store", signal: this.reading.signal });
      if (response.status !== 200) return this.refused(response);
      await this.read(response);
    } catch (error) {
      if (error instanceof Gap) this.place = null;
      else if (error instanceof SyntaxError) console.warn(error);
    } finally {
      this.reading.abort();
      this.reading = null;
    }
    return this.broken();
  }

  /** Handle a response without events. */
  refused(response) {
    this.unknown = response.status === 404 ? this.unknown + 1 : 0;
    const why = this.unknown >= BELIEVED_404 ? "unknown" : FINAL[response.status];
    if (why) {
      this.end(why);
      return 0;
    }
    const asked = Number(response.headers.get("retry-after")) * 1_000 || 0;
    return Math.max(this.broken(), Math.min(asked, 60_000));
  }

  broken() {
    if (this.over) return 0;
    this.isThere = false;
    this.listener.lost();
    this.failures += 1;
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
    // Spread the reconnections of many clients.
    return Math.max(this.leastWaitMs, longest * (0.5 + Math.random() / 2));
  }

  end(why) {
    if (this.over) return;
    this.stop();
    this.listener.over(why);
  }

  async read(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new Events();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.lastByte = performance.now();
      this.connected();
      for (const event of events.add(value)) this.tell(event);
      if (this.over) return;
    }
  }

  connected() {
    this.failures = this.unknown = 0;
    if (this.isThere || this.over) return;
    this.isThere = true;
    this.listener.there();
  }

  tell(event) {
    if (this.over) return;
    if (event.type === "closed") return this.end("closed");
    this.listener.heard(event);
    if (event.id !== null) this.place = event.id; // only after the event was processed
    return undefined;
  }
}
