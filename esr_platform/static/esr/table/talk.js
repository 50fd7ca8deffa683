// Chat: messages of players in casual games, preset messages in all games. A message that a moderator hides disappears.
// Messages that were read in this tab stay read when the page is reloaded. Own messages are never unread.

import { around, element, findAll, html } from "../elements.js";
import { say } from "../words.js";
import { markOf } from "./seats.js";

/** Maximum number of messages on the page. */
const MOST = 200;

export class Talk {
  /**
   * @param {HTMLElement} root the table
   * @param {{names: string[], drawings: Object}} table
   * @param {import("./post.js").Post} post
   * @param {string} address of actions
   */
  constructor(root, table, post, address) {
    this.root = root;
    this.table = table;
    this.post = post;
    this.address = address;
    /** @type {(name: string) => HTMLElement|null} */
    this.find = (name) => root.querySelector(`[data-${name}]`);
    this.list = this.find("talk-lines");
    this.said = this.find("talk-said");
    this.lines = new Map();
    this.unread = 0;
    this.key = `table-talk-read-${root.dataset.match}`;
    this.read = readUpTo(this.key);
    this.seat = Number(root.dataset.seat);
    this.presets = new Map(
      findAll(root, "[data-preset]").map((button) => [button.dataset.preset, button.textContent?.trim()]),
    );
    root.addEventListener("click", (event) => this.pressed(event));
    this.find("say")?.addEventListener("submit", (event) => this.submitted(event));
  }

  /** @type {(data: {lines: Object[]}) => void} lines that are new, and the numbers of `hidden` ones */
  hear({ lines }) {
    if (!this.list) return;
    for (const line of lines) {
      if (line.hidden) this.forget(this.lines.get(line.id));
      else this.take(line);
    }
    while (this.list.children.length > MOST) this.forget(this.list.firstElementChild);
    const empty = this.find("talk-empty");
    if (empty) empty.hidden = this.lines.size > 0;
    this.list.scrollTop = this.list.scrollHeight; // of the list alone: the page stays where it is
    this.count();
  }

  take(line) {
    if (this.lines.has(line.id)) return;
    const item = this.item(line);
    this.lines.set(line.id, item);
    this.list?.append(item);
    if (line.seat !== this.seat && line.id > this.read && !this.looking()) this.unread += 1;
  }

  forget(item) {
    if (!item) return;
    this.lines.delete(Number(item.dataset.line));
    item.remove();
  }

  item({ id, seat, preset, text }) {
    const words = preset ? (this.presets.get(preset) ?? text ?? preset) : text;
    const name = element("b", "", this.table.names[seat] ?? "");
    const report =
      seat === this.seat || preset
        ? null
        : html("button", { type: "button", class: "plain", "data-report": id }, say("Report message"));
    return html(
      "li",
      { "data-line": id },
      markOf(this.table.drawings.sprite, seat),
      name,
      " ",
      element("span", "", words),
      " ",
      report,
    );
  }

  /** Whether the talk is on the screen: its tab is chosen. */
  looking() {
    return !this.list?.closest("[hidden]");
  }

  count() {
    if (this.looking()) {
      this.unread = 0;
      this.read = Math.max(this.read, ...this.lines.keys());
      keep(this.key, this.read);
    }
    const place = this.find("unread");
    if (place) place.textContent = this.unread ? ` ${this.unread}` : "";
  }

  pressed(event) {
    const preset = around(event, "[data-preset]")?.dataset.preset;
    const button = around(event, "[data-report]");
    if (preset) this.send("chat", { preset });
    else if (button) this.report(Number(button.dataset.report), button);
  }

  async submitted(event) {
    event.preventDefault();
    const field = event.target.elements.text;
    const text = field.value.trim();
    // Or more was typed meanwhile.
    if (text && (await this.send("chat", { text })) && field.value.trim() === text) field.value = "";
  }

  async report(line, button) {
    if (await this.send("report", { line })) button.replaceWith(element("span", "meta", say("Reported")));
  }

  async send(name, body) {
    const answer = await this.post.once(`${this.address}${name}`, body).catch(() => null);
    const fine = answer !== null && answer.status < 400;
    if (fine && answer.document.line?.id) this.hear({ lines: [answer.document.line] });
    if (!this.said) return fine;
    this.said.textContent = fine ? "" : (answer?.document.detail ?? say("Not sent: connection lost. Try again."));
    return fine;
  }
}

function readUpTo(key) {
  try {
    return Number(sessionStorage.getItem(key)) || 0;
  } catch {
    return 0;
  }
}

function keep(key, line) {
  try {
    sessionStorage.setItem(key, String(line));
  } catch {
    // it counts as unread again on the next page
  }
}
