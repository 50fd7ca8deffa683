// What has happened, in sentences and in the reader's language, as the page has them for those without scripts. They are
// fetched for who wants to read them, and again with every round.

import { element, html } from "../elements.js";
import { say } from "../words.js";

export class Moves {
  /** @param {HTMLElement} panel */
  constructor(panel) {
    this.panel = panel;
    this.wanted = false;
    this.round = null;
    const button = html("button", { type: "button", class: "plain" }, say("Show the game so far"));
    button.addEventListener("click", () => this.want());
    panel.replaceChildren(button);
  }

  /** Somebody reads them. */
  want() {
    this.wanted = true;
    this.load();
  }

  /** @type {(present: Object) => void} */
  show({ round }) {
    const isNew = round !== this.round;
    this.round = round;
    if (isNew && this.wanted && !this.panel.hidden) this.load();
  }

  async load() {
    if (this.loading) return;
    this.loading = true;
    const story = await fetched().catch(() => null);
    this.loading = false;
    if (story) this.panel.replaceChildren(element("div", "story sitting-story", ...story));
  }
}

async function fetched() {
  const response = await fetch(location.pathname, { headers: { accept: "text/html" } });
  if (!response.ok) return null;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...(page.querySelector(".story")?.children ?? [])].filter((part) => part.matches("h3, ul, p"));
}
