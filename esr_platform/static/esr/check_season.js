// <check-season src="…/deals.jsonl">: a button that downloads all deals of a season and verifies them in the browser.
// Without this script the element shows its content: how to verify the deals by hand.

import { faultsOfDeal, faultsOfSeries, keyOf, subtle, WITHOUT } from "./deals.js";

const AT_ONCE = 256;
const MOST_SHOWN = 20;
const FORMAT = "season-deals/1";

const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
const deals = (number) => count(number, "deal", "deals");

async function* linesOf(response) {
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest) throw new Error("The download is incomplete. Try again.");
}

// The state of one series while its deals are read.
class Series {
  constructor(head, key) {
    this.head = head;
    this.key = key;
    this.last = 0;
  }

  // Faults in the number of the next deal, as sentences.
  next(number) {
    const expected = this.last + 1;
    this.last = number;
    return number === expected ? [] : [`${this.head.name}: found deal ${number} instead of deal ${expected}.`];
  }

  end() {
    const { name, deals: made } = this.head;
    return this.last === made ? [] : [`${name} has ${deals(made)}, but the last one in the file is ${this.last}.`];
  }
}

async function open(head) {
  if (head.format !== FORMAT) throw new Error(`Unknown format ${head.format}. This page can verify only ${FORMAT}.`);
  const found = new Map();
  for (const one of head.series) {
    found.set(one.name, new Series(one, one.key === null ? null : await keyOf(one.key)));
  }
  return found;
}

// Verify all deals of `response`; calls `progress` with { done, of, closed, keyed, faults }.
async function check(response, progress) {
  const lines = linesOf(response);
  const head = JSON.parse((await lines.next()).value || "null");
  const series = await open(head);
  /** @type {{done: number, closed: number, faults: string[], of: number, keyed: boolean}} */
  const state = { done: 0, closed: 0, faults: [], of: 0, keyed: head.series.every((one) => one.key !== null) };
  state.of = head.series.reduce((sum, one) => sum + one.deals, 0);
  for (const one of head.series) state.faults.push(...(await faultsOfSeries(one)));
  /** @type {Promise<string[]>[]} */
  let waiting = [];
  const settle = async () => {
    state.faults.push(...(await Promise.all(waiting)).flat());
    state.done += waiting.length;
    waiting = [];
    progress(state);
  };
  for await (const line of lines) {
    const deal = JSON.parse(line);
    const its = series.get(deal.name);
    if (!its) throw new Error(`The file contains a deal of ${deal.name}, which is not a series of this season.`);
    state.faults.push(...its.next(deal.number));
    state.closed += Number(deal.seed === null);
    waiting.push(faultsOfDeal(deal, head.season, its.key));
    if (waiting.length === AT_ONCE) await settle();
  }
  await settle();
  for (const its of series.values()) state.faults.push(...its.end());
  return state;
}

function verdict({ done, closed, keyed, faults }) {
  if (faults.length) return `Verification failed: ${count(faults.length, "fault", "faults")} in ${deals(done)}.`;
  if (!done) return "No deals yet.";
  if (keyed) return `Verified: ${deals(done)} match the season keys and no deal number is missing.`;
  const open = done - closed ? `Verified so far: ${deals(done - closed)} match their commitments.` : "";
  const hidden = closed ? ` ${deals(closed)} ${closed === 1 ? "is" : "are"} not public yet.` : "";
  const rest = "No deal number is missing. You can verify the season keys when the season is over.";
  return `${open}${hidden} ${rest}`.trim();
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

class CheckSeason extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    this.button = element("button", { type: "button", className: "button", textContent: "Verify all deals" });
    this.bar = element("progress", { hidden: true, max: 1, value: 0 });
    this.bar.setAttribute("aria-label", "Deals verified");
    this.said = element("p", { className: "verdict" });
    this.said.setAttribute("role", "status");
    this.faults = element("ul", { className: "games" });
    this.prepend(this.button, this.bar, this.said, this.faults);
    this.button.addEventListener("click", () => this.run());
  }

  async run() {
    if (!subtle) return this.say(WITHOUT, true);
    this.button.disabled = true;
    this.bar.hidden = false;
    this.faults.replaceChildren();
    try {
      const response = await fetch(this.getAttribute("src") ?? "");
      if (!response.ok) throw new Error(`The site responded with status ${response.status}. Try again in a minute.`);
      this.tell(await check(response, (state) => this.show(state)));
    } catch (error) {
      this.say(`Verification stopped. ${error instanceof Error ? error.message : error}`, true);
    }
    this.bar.hidden = true;
    this.button.disabled = false;
  }

  show({ done, of }) {
    this.bar.value = of ? done / of : 1;
    this.say(`${done.toLocaleString("en")} of ${deals(of)} verified.`, false);
  }

  tell(state) {
    this.say(verdict(state), state.faults.length > 0);
    const { done, closed, keyed, faults } = state;
    Object.assign(this.said.dataset, { done, closed, keyed, faults: faults.length });
    const shown = state.faults.slice(0, MOST_SHOWN).map((fault) => element("li", { textContent: fault }));
    const rest = state.faults.length - shown.length;
    if (rest) shown.push(element("li", { textContent: `and ${rest.toLocaleString("en")} more` }));
    this.faults.replaceChildren(...shown);
  }

  say(sentence, alarm) {
    this.said.classList.toggle("alarm", alarm);
    this.said.textContent = sentence;
  }
}

customElements.define("check-season", CheckSeason);
