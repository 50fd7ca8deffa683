// The moves in sentences, as the page shows them without scripts: the last two rounds, and all of them on request. They
// are requested again a moment after something has happened.

import { html } from "../elements.js";
import { say } from "../words.js";

/** Several moves that come one after the other are requested once. */
const SOON_MS = 500;

/** A player who reads earlier moves is not scrolled away from them. */
const AT_THE_END_PX = 40;

export class Moves {
  /** @param {HTMLElement} panel */
  constructor(panel) {
    this.panel = panel;
    this.all = false;
    this.timer = 0;
    this.stale = false;
    this.story = html("div", { class: "story sitting-story" });
    this.more = html("button", { type: "button", class: "plain", hidden: true }, say("Show all moves"));
    this.more.addEventListener("click", () => this.showAll());
    panel.replaceChildren(this.more, this.story);
    document.addEventListener("visibilitychange", () => this.stale && this.changed());
    addEventListener("online", () => this.stale && this.changed());
  }

  /** Something has happened at the table. */
  changed() {
    this.stale = true;
    if (this.timer || document.hidden || !navigator.onLine) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      const isShowing = Boolean(this.panel.closest("[data-beat]")); // then the table calls again
      if (!isShowing && navigator.onLine) this.load();
    }, SOON_MS);
  }

  showAll() {
    this.all = true;
    this.load();
  }

  async load() {
    this.stale = false;
    const { scrollHeight, scrollTop, clientHeight } = this.panel;
    const wasAtTheEnd = scrollHeight - scrollTop - clientHeight < AT_THE_END_PX;
    const address = `${location.pathname}moves/${this.all ? "?all" : ""}`;
    await htmx.ajax("GET", address, { source: this.panel, target: this.story }).catch(() => {
      this.stale = true; // the connection was lost
    });
    this.more.hidden = this.all || !this.story.querySelector("[data-earlier]");
    if (wasAtTheEnd) this.toTheEnd();
  }

  /** Show the latest move. */
  toTheEnd() {
    this.panel.scrollTop = this.panel.scrollHeight;
  }
}
