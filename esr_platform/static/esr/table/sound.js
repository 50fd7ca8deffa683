// The sounds of a table: short, quiet, made by the browser. They are on from the first tap or key at a table, with one
// switch, which the browser remembers.

const KEY = "table-sound";

const VOLUME = 0.09;

/**
 * The notes of each sound: hertz, start and duration in seconds.
 * @type {Object<string, [number, number, number][]>}
 */
export const NOTES = {
  turn: [
    [523, 0, 0.14],
    [698, 0.11, 0.18],
  ],
  reveal: [
    [392, 0, 0.05],
    [440, 0.05, 0.05],
    [494, 0.1, 0.08],
  ],
  barter: [[587, 0, 0.07]],
  scoring: [
    [1047, 0, 0.06],
    [1319, 0.07, 0.12],
  ],
  end: [
    [523, 0, 0.16],
    [659, 0.14, 0.16],
    [784, 0.28, 0.3],
  ],
  warn: [
    [659, 0, 0.1],
    [659, 0.18, 0.1],
  ],
};

export class Sound {
  constructor() {
    this.on = stored();
    /** @type {AudioContext|null} */
    this.context = null;
  }

  /** @type {(signal: AbortSignal) => void} browsers play nothing before the first tap or key on a page */
  begin(signal) {
    const touched = () => this.on && this.open();
    addEventListener("pointerdown", touched, { signal });
    addEventListener("keydown", touched, { signal });
    signal.addEventListener("abort", () => this.context?.close());
  }

  /** @type {() => boolean} whether sound is on now */
  toggle() {
    this.on = !this.on;
    store(this.on);
    if (this.on) {
      this.open();
      this.play("turn"); // as a sample
    }
    return this.on;
  }

  open() {
    this.context ??= new AudioContext();
    if (this.context.state === "suspended") this.context.resume();
  }

  /** @type {(name: string) => void} one of `NOTES`; other names are silent */
  play(name) {
    const { context } = this;
    if (!this.on || context?.state !== "running") return;
    for (const [hertz, after, seconds] of NOTES[name] ?? []) {
      const begin = context.currentTime + after;
      const [wave, volume] = [context.createOscillator(), context.createGain()];
      wave.type = "triangle";
      wave.frequency.value = hertz;
      volume.gain.setValueAtTime(VOLUME, begin);
      volume.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
      wave.connect(volume).connect(context.destination);
      wave.start(begin);
      wave.stop(begin + seconds);
    }
  }
}

function stored() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

function store(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // Only this page remembers it.
  }
}
