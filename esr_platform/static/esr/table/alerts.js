// Alerts for a player whose tab is in the background: its title, and notifications of the system if they are turned on.

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

const KEY = "notifications";

/** Notifications while the page is hidden, off by default. The browser asks for permission when they are turned on. */
export class Notifier {
  constructor() {
    this.on = this.allowed && stored();
  }

  /** Whether this browser has notifications, and they are not blocked for this site. */
  get possible() {
    return isSecureContext && "Notification" in window && Notification.permission !== "denied";
  }

  get allowed() {
    return this.possible && Notification.permission === "granted";
  }

  /** @type {() => Promise<boolean>} whether notifications are on now */
  async toggle() {
    this.on = !this.on && this.possible && (await Notification.requestPermission()) === "granted";
    store(this.on);
    return this.on;
  }

  /** Let a button turn notifications on and off. It stays hidden where there are none. */
  switchBy(button) {
    const show = () => {
      button.hidden = !this.possible;
      button.setAttribute("aria-pressed", String(this.on));
    };
    Object.assign(button.dataset, { on: say("on"), off: say("off") });
    button.addEventListener("click", () => this.toggle().then(show));
    show();
  }

  /** @type {(text: string) => void} a click leads back to the page */
  tell(text) {
    if (!this.on || !this.allowed || !document.hidden) return;
    try {
      const note = new Notification(text, { body: document.title, tag: location.pathname });
      note.addEventListener("click", () => {
        focus();
        note.close();
      });
      document.addEventListener("visibilitychange", () => note.close(), { once: true });
    } catch {
      this.on = false; // browsers on phones allow notifications only to service workers
    }
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
