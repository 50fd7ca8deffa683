// <check-season src="…/deals.jsonl">: a button that fetches every deal of a season and checks them here, one after the
// other as they come. Without this script the element shows what it holds: how to do the same by hand.

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
  if (rest) throw new Error("The document was cut off. Try again.");
}

// What is known of one series while its deals go by.
class Series {
  constructor(head, key) {
    this.head = head;
    this.key = key;
    this.last = 0;
  }

  // What is wrong with the number of the next deal, as sentences.
  next(number) {
    const expected = this.last + 1;
    this.last = number;
    return number === expected ? [] : [`Deal ${number} of ${this.head.name} stands where ${expected} should stand.`];
  }

  end() {
    const { name, deals: made } = this.head;
    return this.last === made ? [] : [`${name} has made ${deals(made)}, and the last one here is ${this.last}.`];
  }
}

async function open(head) {
  if (head.format !== FORMAT) throw new Error(`This page can check ${FORMAT}, not ${head.format}.`);
  const found = new Map();
  for (const one of head.series) {
    found.set(one.name, new Series(one, one.key === null ? null : await keyOf(one.key)));
  }
  return found;
}

// Check everything that `response` holds; `progress` hears of { done, of, closed, keyed, faults } as it goes.
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
    if (!its) throw new Error(`The document has a deal of ${deal.name}, which is no series of the season.`);
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
  if (faults.length) return `${count(faults.length, "fault", "faults")} in ${deals(done)}.`;
  if (!done) return "No deal has been made yet, so there is nothing to check.";
  if (keyed)
    return `All right: each of ${deals(done)} is what the season's keys give for its number, and none is missing.`;
  const hidden = closed ? ` ${deals(closed)} ${closed === 1 ? "is" : "are"} still closed.` : "";
  const open = done - closed ? `All right so far: each of ${deals(done - closed)} keeps its commitment.` : "";
  const rest = "No number is missing. The keys are secret until the season is over; then check again.";
  return `${open}${hidden} ${rest}`.trim();
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

class CheckSeason extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    this.button = element("button", { type: "button", className: "button", textContent: "Check every deal here" });
    this.bar = element("progress", { hidden: true, max: 1, value: 0 });
    this.bar.setAttribute("aria-label", "Deals checked");
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
      if (!response.ok) throw new Error(`The site answered ${response.status}. Try again in a minute.`);
      this.tell(await check(response, (state) => this.show(state)));
    } catch (error) {
      this.say(`Not checked to the end. ${error instanceof Error ? error.message : error}`, true);
    }
    this.bar.hidden = true;
    this.button.disabled = false;
  }

  show({ done, of }) {
    this.bar.value = of ? done / of : 1;
    this.say(`${done.toLocaleString("en")} of ${deals(of)} checked.`, false);
  }

  tell(state) {
    this.say(verdict(state), state.faults.length > 0);
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
