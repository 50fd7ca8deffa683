// Whose turn it is, as text for the page and for screen readers. Only the own turn interrupts a screen reader.

import { listed, say } from "../words.js";

/** @type {(present: Object, names: string[]) => string} `next`: the question follows after the latest moves */
export function waitingFor({ seat, decision, waiting, running, next }, names) {
  if (!running) return say("The game is over.");
  if (next) return say("Your turn is next.");
  if (decision !== null) return say("Your turn.");
  const others = waiting.filter((other) => other !== seat);
  return others.length
    ? say("Waiting for %(names)s.", { names: listed(others.map((other) => names[other])) })
    : say("Waiting for the other players.");
}

export class Turn {
  /**
   * @param {HTMLElement} waiting a polite live region
   * @param {HTMLElement} alert an assertive one
   * @param {string[]} names by seat
   */
  constructor(waiting, alert, names) {
    this.waiting = waiting;
    this.alert = alert;
    this.names = names;
    this.decision = null;
  }

  /** @type {(present: Object) => boolean} whether it has just become this player's turn */
  show(present) {
    const { decision } = present;
    this.write(this.waiting, waitingFor(present, this.names));
    const begun = decision !== null && decision !== this.decision;
    this.decision = decision;
    this.waiting.classList.toggle("yours", decision !== null);
    if (begun) this.alert.textContent = say("Your turn.");
    else if (decision === null) this.alert.textContent = "";
    return begun;
  }

  /** Something that is not the turn, politely. */
  tell(text) {
    this.write(this.waiting, text);
  }

  write(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }
}
