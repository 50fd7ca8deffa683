// Alerts for a player: the title of a tab in the background.

import { say } from "../words.js";

const BLINK_MS = 1_000;

/** Changes the title of a hidden tab while its player is called. */
export class Title {
  constructor() {
    this.own = document.title;
    this.calling = false;
    this.words = "";
    this.timer = 0;
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.changed = () => this.show();
  }

  /** @type {(signal: AbortSignal) => void} */
  begin(signal) {
    document.addEventListener("visibilitychange", this.changed, { signal });
    signal.addEventListener("abort", () => this.call(false));
  }

  /** @type {(calling: boolean, words?: string) => void} whether this player is called, mostly since it is their turn */
  call(calling, words = say("Your turn")) {
    this.calling = calling;
    this.words = words;
    this.show();
  }

  show() {
    const blinking = this.calling && document.hidden;
    clearInterval(this.timer);
    document.title = this.own;
    if (!blinking) return;
    const turn = this.words;
    if (this.reduced.matches) {
      document.title = `• ${turn}`;
      return;
    }
    document.title = turn;
    this.timer = setInterval(() => (document.title = document.title === turn ? this.own : turn), BLINK_MS);
  }
}
