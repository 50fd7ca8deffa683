// The rematch of a game that has ended: the offer, missing answers, and the outcome. Players who stay on the
// page see it there, and are taken to the new game when it begins.

import { html } from "../elements.js";
import { listed, say } from "../words.js";

/** Why an offer has ended. */
const OVER = {
  declined: ({ declined }) => say("%(names)s declined the rematch.", { names: declined }),
  withdrawn: () => say("The rematch offer was withdrawn."),
  expired: () => say("The rematch offer was not answered in time."),
};

export class Rematch {
  /**
   * @param {{names: string[]}} table
   * @param {number} seat of the player
   * @param {(want: boolean) => Promise<import("./post.js").Answer|null>} send asks or accepts, or withdraws or
   *   declines
   * @param {(called: boolean) => void} call starts or stops calling the player back to the page
   */
  constructor(table, seat, send, call) {
    this.table = table;
    this.seat = seat;
    this.send = send;
    this.call = call;
    this.text = html("p", { role: "status", hidden: true });
    this.buttons = html("p", { class: "actions" });
    this.element = html("div", { class: "sitting-rematch" }, this.text, this.buttons);
    this.show(null);
  }

  /** Whether a request is open, so that news of it will come. */
  get open() {
    return this.request?.state === "open";
  }

  /** @param {{state: string, by: number, waiting: number[], declined: number[], href: string|null}|null} request */
  show(request) {
    this.request = request;
    this.element.dataset.state = request?.state ?? "";
    if (request?.href) {
      location.assign(request.href);
      return;
    }
    const asked = request !== null && this.open && request.waiting.includes(this.seat);
    this.call(asked);
    this.tell(request ? this.sentence(request) : "");
    const accept = asked
      ? this.button("accept", say("Accept rematch"), true)
      : this.button("offer", say("Offer rematch"), true);
    const refuse = asked
      ? this.button("decline", say("Decline rematch"), false)
      : this.button("withdraw", say("Withdraw rematch offer"), false);
    const held = this.buttons.contains(document.activeElement);
    if (asked) this.buttons.replaceChildren(accept, " ", refuse);
    else if (request && this.open) this.buttons.replaceChildren(...(request.by === this.seat ? [refuse] : []));
    else this.buttons.replaceChildren(accept);
    if (held) this.buttons.querySelector("button")?.focus();
  }

  sentence({ state, by, waiting, declined }) {
    const names = (seats) => listed(seats.map((seat) => this.table.names[seat]));
    if (state !== "open") return OVER[state]?.({ declined: names(declined) }) ?? "";
    if (waiting.includes(this.seat)) return say("%(name)s offers a rematch.", { name: this.table.names[by] });
    const values = { names: names(waiting) };
    return by === this.seat
      ? say("You offered a rematch. Waiting for %(names)s.", values)
      : say("You accepted the rematch. Waiting for %(names)s.", values);
  }

  button(name, text, want) {
    const kind = want ? "button send" : "button";
    const button = html("button", { type: "button", class: kind, "data-answer": name }, text);
    button.addEventListener("click", () => this.press(button, want));
    return button;
  }

  async press(button, want) {
    button.disabled = true;
    const answer = await this.send(want);
    button.disabled = false;
    if (!answer) this.tell(say("Not sent: connection lost. Try again."));
    else if (answer.status >= 400) this.tell(answer.document.detail || say("This is not possible at the moment."));
    else this.show(answer.document.rematch);
  }

  tell(text) {
    this.text.textContent = text;
    this.text.hidden = !text;
  }
}
