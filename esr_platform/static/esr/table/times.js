// Clocks as they are read, a clock that runs down, and a pause.

/** @type {(milliseconds: number) => string} minutes and seconds; a second that has begun counts */
export function asClock(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What is left of a decision, by the server's word when it came and by this machine's monotonic clock since. */
export class Countdown {
  /**
   * @param {{move_ms: number, bank_ms: number, left_ms: number, starts_in_ms?: number}} clock
   * @param {number} [came] when the clock came from the server
   */
  constructor(clock, came = performance.now()) {
    this.bankMs = Math.min(clock.bank_ms, clock.left_ms);
    this.allMs = clock.left_ms;
    this.until = came + (clock.starts_in_ms ?? 0) + clock.left_ms;
  }

  /** All of it. Before the clock starts, nothing runs down. */
  get leftMs() {
    return Math.min(this.allMs, Math.max(0, this.until - performance.now()));
  }

  /** Before the bank is touched. */
  get moveMs() {
    return Math.max(0, this.leftMs - this.bankMs);
  }
}

/** A pause that something else can end early. */
export class Pause {
  end = () => {};

  /** @type {(milliseconds: number) => Promise<void>} */
  last(milliseconds) {
    return new Promise((done) => {
      const timer = setTimeout(done, milliseconds);
      this.end = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
