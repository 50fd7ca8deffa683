// What all composers share: what the decision is about, the place where a move is put together, a sentence on it, and
// the buttons that send it. Nothing leaves that the form does not call legal. See docs/internals/composers.md.

import { element, findAll, html } from "../elements.js";
import { say } from "../words.js";
import { hear, isControl } from "./keys.js";

/**
 * @typedef {Object} Way one thing that may be sent, and its button
 * @property {string} name `main` for what was put together, `other` for what needs nothing put together
 * @property {string} label
 * @property {string} [note] what follows from it
 * @property {*} move `null`: not as things stand
 * @property {string} [why] why not
 * @property {boolean} [strong] whether it is as likely to be wanted as what was put together
 */

/**
 * @typedef {Object} Form one kind of decision
 * @property {string} title
 * @property {string} [lead] what is at stake
 * @property {HTMLElement} body where the move is put together
 * @property {Object} start the draft of which nothing is chosen yet
 * @property {(draft: Object) => boolean} fits whether a draft that was kept is one of this decision
 * @property {(draft: Object) => void} show
 * @property {(draft: Object) => {text: string, good: boolean, ways: Way[]}} judge
 * @property {(event: KeyboardEvent) => boolean} [press] whether the key meant something
 * @property {(move: *) => boolean} legal
 * @property {() => void} [focus]
 * @property {() => void} [end]
 */

/**
 * @typedef {Object} Hold what a form may do
 * @property {() => Object} draft
 * @property {(draft: Object) => void} change
 * @property {(name: string) => void} select the way that Enter sends; its button gets the focus
 * @property {(name: string) => void} press as if its button was pressed
 */

let made = 0;

/**
 * @param {HTMLElement} root
 * @param {Object} about see docs/internals/composers.md
 * @param {(hold: Hold) => Form} formOf
 */
export function composing(root, about, formOf) {
  const composer = new Composing(about);
  composer.begin(root, formOf);
  return {
    title: composer.form.title,
    lead: composer.form.lead ?? "",
    focus: () => composer.focus(),
    draft: () => composer.draft,
    say: (reason) => composer.refused(reason),
    update: () => composer.form.show(composer.draft),
    destroy: () => composer.destroy(),
  };
}

class Composing {
  /** @type {Form} */
  form;

  /** @type {HTMLElement} */
  element;

  /** @type {() => void} */
  stop;

  /** @type {*} */
  draft;

  /** @type {{text: string, good: boolean, ways: Way[]}} what the form says of the draft */
  judged;

  constructor(about) {
    made += 1;
    this.about = about;
    /** @type {string|null} */
    this.selected = null;
    this.busy = false;
    this.said = html("p", { class: "compose-said", id: `compose-said-${made}`, "aria-live": "polite" });
    this.refusal = html("span", { class: "hidden", id: `compose-refused-${made}` });
    this.buttons = new Map();
    this.bar = element("div", "compose-ways");
  }

  begin(root, formOf) {
    this.form = formOf({
      draft: () => this.draft,
      change: (draft) => this.change(draft),
      select: (name) => this.select(name),
      press: (name) => this.press(name),
    });
    const { form } = this;
    const parts = element("div", "compose-parts", form.body, element("div", "compose-end", this.said, this.bar));
    this.element = element("div", "compose", parts, this.refusal);
    this.element.tabIndex = -1;
    this.element.addEventListener("click", (event) => this.clicked(event));
    root.replaceChildren(this.element);
    this.stop = hear(this.about.home ?? root, (event) => this.pressed(event));
    const kept = this.about.draft?.get?.() ?? null;
    this.draft = isFitting(form, kept) ? kept : form.start;
    this.draw();
  }

  change(draft) {
    this.draft = draft;
    this.about.draft?.set?.(draft);
    this.refusal.textContent = "";
    this.selected = null;
    this.draw();
  }

  draw() {
    this.form.show(this.draft);
    this.judged = this.form.judge(this.draft);
    const { text, good, ways } = this.judged;
    this.tell(text, good);
    for (const way of ways) this.drawWay(way);
    const order = ways.map(({ name }) => this.buttons.get(name));
    if (order.some((button, place) => this.bar.children[place] !== button)) this.bar.replaceChildren(...order);
  }

  drawWay(way) {
    if (!this.buttons.has(way.name)) this.buttons.set(way.name, this.button(way.name));
    const button = this.buttons.get(way.name);
    const parts = [element("b", "", way.label), way.note && element("span", "", way.note)];
    const key = JSON.stringify([way.label, way.note]);
    if (button.dataset.shown !== key) button.replaceChildren(...parts.filter(Boolean));
    button.dataset.shown = key;
    button.setAttribute("aria-disabled", String(way.move === null));
    button.classList.toggle("selected", this.selected === way.name);
    button.classList.toggle("strong", Boolean(way.strong));
  }

  button(name) {
    const described = `${this.said.id} ${this.refusal.id}`;
    const button = html("button", {
      type: "button",
      class: `compose-way ${name}`,
      "data-send": name,
      "aria-describedby": described,
    });
    button.addEventListener("click", () => this.press(name));
    return button;
  }

  tell(text, good) {
    if (this.said.textContent !== text) this.said.textContent = text;
    this.said.classList.toggle("good", good);
    this.said.classList.remove("asked");
  }

  select(name) {
    this.selected = name;
    this.draw();
    this.buttons.get(name)?.focus();
  }

  /** Send, or say why not; the button keeps the focus. */
  async press(name) {
    const way = this.judged.ways.find((one) => one.name === name);
    if (!way || this.busy) return;
    if (way.move === null || !this.form.legal(way.move)) {
      this.tell(way.why || this.judged.text, false);
      this.said.classList.add("asked");
      return;
    }
    this.busy = true;
    this.refusal.textContent = "";
    const reason = await sent(this.about.send, way.move);
    this.busy = !reason; // what was sent is sent
    if (reason) this.refused(reason);
  }

  /** What the table said against it; the page shows it, the buttons are described by it. */
  refused(reason) {
    this.refusal.textContent = reason;
  }

  /** A click of a finger or a mouse leaves the keys to the table: the next one is not meant for that button. */
  clicked({ detail, target }) {
    if (detail > 0 && target.closest("button, label") && !target.closest("[data-send]"))
      this.element.focus({ preventScroll: true });
  }

  pressed(event) {
    if (this.form.press?.(event)) {
      event.preventDefault();
      const onWay = /** @type {HTMLElement|null|undefined} */ (document.activeElement?.closest("[data-send]"));
      if (onWay && onWay.dataset.send !== this.selected) this.element.focus({ preventScroll: true });
      return;
    }
    if (event.key !== "Enter" || isControl(event.target)) return;
    event.preventDefault();
    this.press(this.selected ?? (this.touched() ? "main" : ""));
  }

  /** Whether anything was put together: Enter alone sends nothing. */
  touched() {
    return JSON.stringify(this.draft) !== JSON.stringify(this.form.start);
  }

  focus() {
    if (this.form.focus) this.form.focus();
    else findAll(this.element, "button:not([aria-disabled='true'])").at(0)?.focus();
  }

  destroy() {
    this.stop();
    this.form.end?.();
    this.element.remove();
  }
}

function isFitting(form, kept) {
  try {
    return kept !== null && typeof kept === "object" && Boolean(form.fits(kept));
  } catch {
    return false; // kept by an older page
  }
}

/** Why the table did not take a move; empty if it did. */
async function sent(send, move) {
  try {
    const answer = await send(move);
    return answer?.sent === false ? answer.reason : "";
  } catch (error) {
    const problem = /** @type {{detail?: string, message?: string}|null} */ (error);
    return problem?.detail ?? problem?.message ?? say("The move was not accepted. Try again.");
  }
}
