// <check-deal>: a button that verifies a public deal in the browser. Without this script the element shows its content:
// how to verify the deal by hand.

import { faultsOfDeal, faultsOfSeries, keyOf, subtle, WITHOUT } from "./deals.js";

function verdict(faults, keyed) {
  if (faults.length) return faults.join(" ");
  return keyed
    ? "Verified: the seed matches its commitment and the season key, and the key matches its published hash."
    : "Verified: the seed matches its commitment. The season key is secret until the season is over.";
}

async function check({ name, season, number, commitment, seed, key, keyHash }) {
  const faults = key ? await faultsOfSeries({ name, key, key_hash: keyHash }) : [];
  const mac = key ? await keyOf(key) : null;
  return [...faults, ...(await faultsOfDeal({ name, number, commitment, seed }, season, mac))];
}

class CheckDeal extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("button")) return;
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      className: "button",
      textContent: "Verify deal",
    });
    const said = Object.assign(document.createElement("p"), { className: "verdict" });
    said.setAttribute("role", "status");
    this.prepend(button, said);
    button.addEventListener("click", async () => {
      const faults = subtle
        ? await check(/** @type {*} */ (this.dataset)).catch((error) => [error.message])
        : [WITHOUT];
      said.classList.toggle("alarm", faults.length > 0);
      Object.assign(said.dataset, { faults: faults.length, keyed: Boolean(this.dataset.key) });
      said.textContent = verdict(faults, Boolean(this.dataset.key));
    });
  }
}

customElements.define("check-deal", CheckDeal);
