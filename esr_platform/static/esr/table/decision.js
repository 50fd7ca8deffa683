// The open decision of the player: the composer of the game builds a move, and this sends it once.
// Composers are described in docs/internals/composers.md.

import { element } from "../elements.js";
import { say } from "../words.js";
import { Draft } from "./drafts.js";

/** Why an answer does not count, by the code of the problem. */
const BEFORE = {
  late: () => say("Too late: the default move was played for you."),
  answered: () => say("This decision was already answered."),
};

/**
 * @typedef {Object} Sent
 * @property {boolean} sent
 * @property {string} reason why not; "" where it was sent
 */

export class Decision {
  /**
   * @param {HTMLElement} root
   * @param {Object} module of composers
   * @param {Object} about what every composer of this table is given
   * @param {{post: import("./post.js").Post, address: string, match: string, clock: HTMLElement}} way
   * @param {(number: number, problem: string) => void} done called when a decision is settled; `problem` is empty if
   *   it was settled by this move
   */
  constructor(root, module, about, way, done) {
    this.root = root;
    this.module = module;
    this.about = about;
    this.way = way;
    this.done = done;
    /** @type {number|null} */
    this.number = null;
    this.settled = 0;
    /** @type {Object<string, *>|null} what `compose` of the module returned */
    this.composer = null;
    /** @type {number|null} */
    this.sending = null;
    /** @type {Draft|null} */
    this.draft = null;
    this.title = element("h2", "");
    this.title.tabIndex = -1;
    this.lead = element("p", "caption");
    this.place = element("div", "sitting-compose");
    this.said = element("p", "wrong sitting-refused");
    this.said.setAttribute("role", "status");
    root.append(element("header", "sitting-decision", this.title, this.lead, way.clock), this.place, this.said);
  }

  /** @type {(present: Object, moment: Object) => void} the present state; decisions answered here stay closed */
  show(present, moment) {
    const asked = present.decision !== null && present.decision > this.settled ? present.decision : null;
    if (asked === this.number) {
      if (asked !== null) this.composer?.update?.(present, moment);
      return;
    }
    const focused = this.root.contains(document.activeElement);
    this.close();
    if (asked !== null) this.open(present, moment, focused);
    else if (focused) this.about.home.focus({ preventScroll: true }); // the keys of the table work there
  }

  open(present, moment, focused) {
    const number = present.decision;
    this.number = number;
    this.draft = new Draft(`${this.way.match}:${number}`);
    this.root.hidden = false;
    this.say("");
    this.composer = this.module.compose(this.place, {
      ...this.about,
      question: present.question,
      present,
      moment,
      draft: this.draft,
      send: (move) => this.send(number, move),
    });
    this.title.textContent = this.composer?.title || say("Your turn");
    this.lead.textContent = this.composer?.lead ?? "";
    if (focused || document.activeElement === document.body) this.title.focus({ preventScroll: true });
  }

  close() {
    this.composer?.destroy?.();
    this.composer = null;
    this.arrived(this.number);
    this.number = null;
    this.place.replaceChildren();
    this.root.hidden = true;
  }

  /**
   * Send a move. A refused move can be changed and sent again.
   * @param {number} number of the decision
   * @param {*} move
   * @returns {Promise<Sent>}
   */
  async send(number, move) {
    if (this.sending === number) return { sent: false, reason: say("The move is being sent.") };
    if (number !== this.number) return { sent: false, reason: say("This decision is no longer open.") };
    this.sending = number;
    this.root.setAttribute("aria-busy", "true");
    this.say(say("Sending."));
    const answer = await this.way.post.until(
      `${this.way.address}${number}`,
      { id: number, move },
      {
        wanted: () => this.number === number,
        waiting: () => this.number === number && this.say(say("Not received yet. Trying again.")),
      },
    );
    this.arrived(number);
    return this.judged(number, answer);
  }

  /**
   * Another move may be in transit: the stream can bring the next decision before the response to a move.
   * @param {number|null} number
   */
  arrived(number) {
    if (this.sending !== number) return;
    this.sending = null;
    this.root.removeAttribute("aria-busy");
  }

  judged(number, { status, document: found }) {
    if (status === 0) return { sent: false, reason: say("This decision is no longer open.") };
    if (status === 200) return this.settle(number, "");
    if (status === 409) return this.settle(number, (BEFORE[found.code] ?? BEFORE.answered)());
    const reason = found.detail || say("The move was not accepted (HTTP status %(status)s). Try again.", { status });
    if (this.number === number) {
      this.say(reason);
      this.composer?.say?.(reason);
    }
    return { sent: false, reason };
  }

  /** Close a decision that was settled by this move or another one. */
  settle(number, problem) {
    const focused = this.root.contains(document.activeElement);
    this.settled = Math.max(this.settled, number);
    if (this.number === number) {
      this.draft?.clear();
      this.close();
      if (focused) this.about.home.focus({ preventScroll: true }); // or the keyboard would begin at the top of the page
    }
    this.done(number, problem);
    return { sent: !problem, reason: problem };
  }

  say(text) {
    this.said.textContent = text;
  }
}
