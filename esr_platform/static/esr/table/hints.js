// Hints for a first game: a guest is offered them once, and they are shown with the decisions of the first round.

import { element, html } from "../elements.js";
import { say } from "../words.js";

const KEY = "table-hints";

export class Hints {
  /**
   * @param {((question: Object) => string)|null} hintOf without it there are no hints
   * @param {boolean} offered whether this player is to be asked
   */
  constructor(hintOf, offered) {
    this.hintOf = hintOf;
    this.choice = kept() ?? (offered ? "" : "no");
    this.text = element("span", "");
    this.yes = button(say("Show hints"), () => this.choose("yes"));
    this.no = button("", () => this.choose("no"));
    /** @type {{question: Object|null, round: number}} */
    this.present = { question: null, round: 0 };
    this.element = html("p", { class: "sitting-hint", hidden: true }, this.text, " ", this.yes, " ", this.no);
  }

  /** @type {(present: {question: Object|null, round: number}) => void} */
  show(present) {
    this.present = present;
    const { question, round } = present;
    const hint = (round === 1 && question && this.hintOf?.(question)) || "";
    this.element.hidden = !hint || this.choice === "no";
    this.yes.hidden = this.choice === "yes";
    this.no.textContent = this.choice === "yes" ? say("Hide hints") : say("Dismiss hints");
    const text = this.choice === "yes" ? hint : say("Is this your first game? Hints explain the first round.");
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  choose(choice) {
    this.choice = choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // for this page then
    }
    this.show(this.present);
  }
}

function button(text, pressed) {
  const made = html("button", { type: "button", class: "plain" }, text);
  made.addEventListener("click", pressed);
  return made;
}

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
