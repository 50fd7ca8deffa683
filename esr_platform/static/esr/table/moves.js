// The moves in sentences, as the page shows them without scripts. They are requested when the player opens them, and
// again in every round.

import { element, html } from "../elements.js";
import { say } from "../words.js";

export class Moves {
  /** @param {HTMLElement} panel */
  constructor(panel) {
    this.panel = panel;
    this.story = null;
    this.round = null;
    const button = html("button", { type: "button", class: "plain" }, say("Show moves"));
    button.addEventListener("click", () => this.load());
    panel.replaceChildren(button);
  }

  /** @type {(present: Object) => void} */
  show({ round }) {
    const isNew = round !== this.round;
    this.round = round;
    if (isNew && this.story?.isConnected && !this.panel.hidden) this.load();
  }

  load() {
    this.story ??= element("div", "story sitting-story");
    const shown = () => this.story.childElementCount && this.panel.replaceChildren(this.story);
    htmx.ajax("GET", `${location.pathname}moves/`, { source: this.panel, target: this.story }).then(shown, () => {});
  }
}
