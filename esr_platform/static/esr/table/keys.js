// Keyboard shortcuts of a table: those of its composer and those of all tables. Letters work only inside the table.

import { around, html } from "../elements.js";
import { say } from "../words.js";

const TYPING = "input, textarea, select, [contenteditable]";

export class Keys {
  /**
   * @param {HTMLElement} root the table
   * @param {[string, string][]} own keys of the composer and their descriptions
   */
  constructor(root, own) {
    /** @type {HTMLDialogElement|null} */
    this.dialog = root.querySelector('[data-dialog="keys"]');
    const skip = ["Space", say("Skip ahead while moves are shown")];
    const all = [...own, skip, ["Tab", say("Next button")], ["?", say("Show this list")]];
    this.dialog?.querySelector("[data-keys]")?.replaceChildren(...all.map(([keys, text]) => rowOf(keys, text)));
    root.addEventListener("keydown", (event) => this.pressed(event));
    root.addEventListener("click", (event) => around(event, '[data-do="keys"]') && this.toggle());
  }

  pressed(event) {
    if (event.key !== "?" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (around(event, TYPING)) return;
    event.preventDefault();
    this.toggle();
  }

  toggle() {
    if (!this.dialog) return;
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}

function rowOf(keys, text) {
  const names = keys.split(" ").flatMap((key) => [key === "+" ? key : html("kbd", {}, key), " "]);
  return html("div", {}, html("dt", {}, ...names), html("dd", {}, text));
}
