// <verify-cup src="…/ledger.json" worker="…/worker.js">: a button that downloads the ledger of a cup and verifies it in
// the browser. Without this script the element shows its content: how to verify the cup by hand.

const INSECURE = "Open this page over HTTPS to verify the cup.";
const MOST_SHOWN = 20;

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

const count = (number) => number.toLocaleString("en");

class VerifyCup extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    this.button = element("button", { type: "button", className: "button", textContent: "Verify cup" });
    this.bar = element("progress", { hidden: true, max: 1, value: 0 });
    this.bar.setAttribute("aria-label", "Verification of the cup");
    this.said = element("p", { className: "verdict" });
    this.said.setAttribute("role", "status");
    this.list = element("ul", { className: "checks" });
    this.prepend(this.button, this.bar, this.said, this.list);
    this.button.addEventListener("click", () => this.run());
  }

  disconnectedCallback() {
    this.worker?.terminate();
  }

  async run() {
    if (!globalThis.crypto?.subtle) return this.say(INSECURE, true);
    this.button.disabled = true;
    this.bar.hidden = false;
    this.bar.removeAttribute("value");
    this.list.replaceChildren();
    this.say("Downloading the ledger.", false);
    try {
      const response = await fetch(this.getAttribute("src") ?? "");
      if (!response.ok) throw new Error(`The site responded with status ${response.status}. Try again in a minute.`);
      this.tell(await this.verify(await response.json()));
    } catch (error) {
      this.say(`Verification stopped. ${error instanceof Error ? error.message : error}`, true);
    }
    this.bar.hidden = true;
    this.button.disabled = false;
  }

  // The report of a worker, so that the page stays responsive.
  verify(ledger) {
    const worker = new Worker(this.getAttribute("worker") ?? "", { type: "module" });
    this.worker = worker;
    this.say("Verifying.", false);
    return new Promise((resolve, reject) => {
      worker.addEventListener("error", () => reject(new Error("The script could not be loaded. Reload the page.")));
      worker.addEventListener("message", ({ data }) => {
        if (data.done !== undefined) this.bar.value = data.done;
        if (data.error !== undefined) reject(new Error(data.error));
        if (data.report) resolve(data.report);
      });
      worker.postMessage(ledger);
    }).finally(() => worker.terminate());
  }

  tell({ keyed, frozen, over, removed, checks }) {
    const faults = checks.flatMap((check) => check.faults).length;
    Object.assign(this.said.dataset, { faults, keyed, frozen });
    this.list.replaceChildren(...checks.map((check) => this.item(check, keyed)));
    if (removed) this.list.append(this.removals(removed));
    if (faults) this.say(`Verification failed: ${count(faults)} ${faults === 1 ? "fault" : "faults"}.`, true);
    else if (!keyed)
      this.say("No faults so far. Deals, pairings and ties can be verified once the key is public.", false);
    else if (!frozen)
      this.say(
        "The cup was canceled before its entrant list was frozen. Only the hashes of its ledger were verified.",
        false,
      );
    else if (over) this.say("Verified: deals, pairings, points and final standings match the ledger.", false);
    else this.say("Verified: everything up to the last ended round matches the ledger.", false);
  }

  item({ id, name, done, faults }, keyed) {
    const waits = !keyed && ["deals", "pairings", "standings"].includes(id);
    const state = faults.length ? "failed" : waits ? "waiting" : done ? "verified" : "none";
    const words = {
      failed: "failed",
      waiting: "not possible until the key is public",
      verified: `${count(done)} verified`,
      none: "none",
    };
    const item = element("li", { textContent: `${name}: ${words[state]}` });
    Object.assign(item.dataset, { check: id, state });
    if (faults.length) {
      const shown = faults.slice(0, MOST_SHOWN).map((fault) => element("li", { textContent: fault }));
      const rest = faults.length - shown.length;
      if (rest) shown.push(element("li", { textContent: `and ${count(rest)} more` }));
      const list = element("ul");
      list.append(...shown);
      item.append(list);
    }
    return item;
  }

  removals(removed) {
    const item = element("li", { textContent: `Reasons that moderators removed: ${count(removed)}` });
    Object.assign(item.dataset, { check: "removed", state: "none" });
    return item;
  }

  say(sentence, alarm) {
    this.said.classList.toggle("alarm", alarm);
    this.said.textContent = sentence;
  }
}

customElements.define("verify-cup", VerifyCup);
