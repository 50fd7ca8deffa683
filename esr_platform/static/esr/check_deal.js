// <check-deal>: a button beside a deal whose block is over, which checks it here. Without this script the element shows
// what it holds: how to do the same by hand.

import { faultsOfDeal, faultsOfSeries, keyOf, subtle, WITHOUT } from "./deals.js";

function verdict(faults, keyed) {
  if (faults.length) return faults.join(" ");
  const commitment = "The commitment is the SHA-256 of the seed";
  return keyed
    ? `${commitment}, the seed is what the season's key gives for this number, and the key is the one of the hash.`
    : `${commitment}. The season's key is still secret: it opens when the season is over.`;
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
      textContent: "Check this deal here",
    });
    const said = Object.assign(document.createElement("p"), { className: "verdict" });
    said.setAttribute("role", "status");
    this.prepend(button, said);
    button.addEventListener("click", async () => {
      const faults = subtle
        ? await check(/** @type {*} */ (this.dataset)).catch((error) => [error.message])
        : [WITHOUT];
      said.classList.toggle("alarm", faults.length > 0);
      said.textContent = verdict(faults, Boolean(this.dataset.key));
    });
  }
}

customElements.define("check-deal", CheckDeal);
