// The end of a game: the result, then the rematch, the replay and the next game.

import { element, html } from "../elements.js";
import { listed, say } from "../words.js";
import { markOf } from "./seats.js";

const FORFEITS = {
  resign: () => say("resigned"),
  abandoned: () => say("left the game"),
};

/**
 * The main number of a score; undefined if the game ended early. The step at which a seat gave up is no score.
 * @type {(score: Object) => number|undefined}
 */
export const pointsOf = (score) =>
  Object.entries(score).find(([key, value]) => key !== "forfeit_at" && Number.isFinite(value))?.[1];

export class End {
  /**
   * @param {HTMLElement} root
   * @param {{names: string[], drawings: Object}} table
   * @param {{over: string, rematch: HTMLElement|null, lobby: string, unit: string, seat: number}} about
   */
  constructor(root, table, about) {
    this.root = root;
    this.table = table;
    this.about = about;
  }

  /** @type {(data: {status: string, reason?: string, outcome?: Object, href?: string}) => void} */
  show({ status, reason, outcome, href }) {
    const over = href || this.about.over;
    const title = html("h2", { tabindex: -1 }, this.titleOf(status, outcome));
    const ranking = outcome ? this.ranking(outcome) : null;
    const finished = status === "finished";
    this.root.replaceChildren(title, reason ? html("p", {}, reason) : "", ranking ?? "", this.ways(over, finished));
    Object.assign(this.root.dataset, { status, won: String(outcome?.ranks[this.about.seat] === 1) });
    this.root.hidden = false;
    if (
      document.activeElement === document.body ||
      this.root.closest("sitting-table")?.contains(document.activeElement)
    )
      title.focus();
  }

  titleOf(status, outcome) {
    if (status === "aborted") return say("The game was aborted.");
    if (!outcome) return say("The game is over.");
    const { seat: own } = this.about;
    const winners = outcome.ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
    winners.sort((one, other) => Number(other === own) - Number(one === own)); // "You" begins the sentence
    if (winners.length > 1)
      return say("%(names)s tied for first place.", { names: listed(winners.map((seat) => this.nameOf(seat))) });
    return winners[0] === own ? say("You win.") : say("%(name)s wins.", { name: this.table.names[winners[0]] });
  }

  nameOf(seat) {
    return seat === this.about.seat ? say("You") : this.table.names[seat];
  }

  ranking({ ranks, scores }) {
    const seats = ranks.map((_, seat) => seat).sort((one, other) => ranks[one] - ranks[other]);
    const rows = seats.map((seat) => {
      const left = FORFEITS[scores[seat].forfeit]?.();
      const score = pointsOf(scores[seat]);
      const told = [score === undefined ? "" : `${score} ${this.about.unit}`, left ?? ""].filter(Boolean).join(", ");
      return html(
        "li",
        {},
        element("span", "meta", `${ranks[seat]}.`),
        markOf(this.table.drawings.sprite, seat),
        element("b", "", this.nameOf(seat)),
        element("span", "", told),
      );
    });
    return html("ol", { class: "sitting-ranking" }, ...rows);
  }

  ways(over, finished) {
    const replay = html(
      "a",
      { class: "button", href: over, "data-replay": "" },
      finished ? say("Open replay") : say("Open match page"),
    );
    const { rematch, lobby } = this.about;
    const next = html("a", { class: "button", href: lobby }, say("Find next game"));
    return element("div", "actions", finished && rematch, replay, next);
  }
}
