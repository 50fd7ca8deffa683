// Alerts for a player: the title of a tab in the background, and optional tones.

import { say } from "../words.js";

const BLINK_MS = 1_000;
const KEY = "table-sound";

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

/** Tones, off by default. The browser stores the setting. */
export class Sound {
  constructor() {
    this.on = stored();
    this.context = null;
  }

  /** Browsers play no sound before the first interaction with the page. */
  begin(signal) {
    const touched = () => this.on && this.open();
    addEventListener("pointerdown", touched, { signal });
    addEventListener("keydown", touched, { signal });
    signal.addEventListener("abort", () => this.context?.close());
  }

  toggle() {
    this.on = !this.on;
    store(this.on);
    if (this.on) {
      this.open();
      this.turn(); // as a sample
    }
    return this.on;
  }

  open() {
    this.context ??= new AudioContext();
    if (this.context.state === "suspended") this.context.resume();
  }

  /** It is your turn. */
  turn() {
    this.tone(523, 0, 0.14);
  }

  /** Ten seconds are left. */
  warn() {
    this.tone(659, 0, 0.1);
    this.tone(659, 0.18, 0.1);
  }

  tone(hertz, after, seconds) {
    if (!this.on || this.context?.state !== "running") return;
    const begin = this.context.currentTime + after;
    const [wave, volume] = [this.context.createOscillator(), this.context.createGain()];
    wave.frequency.value = hertz;
    volume.gain.setValueAtTime(0.12, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
    wave.connect(volume).connect(this.context.destination);
    wave.start(begin);
    wave.stop(begin + seconds);
  }
}

function stored() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

function store(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // for this page then
  }
}
