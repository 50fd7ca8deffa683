// An offer put together by clicking: a gem in the head of a column adds one, the sign below takes it back, and a
// sentence says whether the offer is higher. The fields stay what is sent.

import { find, findAll } from "../elements.js";
import { say } from "../words.js";

export class Composer {
  /**
   * @param {HTMLFormElement} form
   * @param {((standing: number[]|null, offer: number[], holdings: number[]) => {higher: boolean, text: string})}
   *   [verdict]
   */
  constructor(form, verdict) {
    this.form = form;
    this.verdict = verdict;
    this.fields = /** @type {HTMLInputElement[]} */ (findAll(form, "input[type=number]"));
    this.heads = findAll(form, "thead th").slice(1);
    this.said = find(form, "[data-verdict]");
  }

  begin() {
    this.fields.forEach((field, at) => this.dress(field, this.heads[at]));
    this.form.addEventListener("input", () => this.judge());
    this.form.classList.add("dressed");
    if (this.offer().some(Boolean)) this.judge();
  }

  /** Give a column its two buttons. */
  dress(field, head) {
    const word = field.dataset.word;
    const add = this.button("add", say("Add one %(word)s", { word }), () => this.change(field, 1));
    add.append(...head.childNodes);
    head.replaceChildren(add);
    const take = this.button("take", say("Remove one %(word)s", { word }), () => this.change(field, -1));
    take.textContent = "−";
    field.after(take);
  }

  button(kind, label, act) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: kind, title: label });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    return button;
  }

  change(field, by) {
    const next = Number(field.value) + by;
    if (next < 0 || next > Number(field.max)) return;
    field.value = String(next);
    this.judge();
  }

  offer() {
    return this.fields.map((field) => Number(field.value) || 0);
  }

  /** Say whether the offer may be made. It can be sent in any case: the page then says what is wrong with it. */
  judge() {
    if (!this.verdict) return;
    const standing = this.fields.map((field) => Number(field.dataset.standing));
    const holdings = this.fields.map((field) => Number(field.max));
    const { higher, text } = this.verdict(standing.some(Boolean) ? standing : null, this.offer(), holdings);
    const sentence = Object.assign(document.createElement("p"), { textContent: text });
    this.said.replaceChildren(sentence);
    this.said.classList.toggle("higher", higher);
  }
}
