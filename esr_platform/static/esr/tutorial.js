// A tutorial with its table drawn: what has happened since the last decision moves before one's eyes, and an offer is
// put together by clicking gems. htmx brings the next decision in place of the last one. Without this script, the page
// has a plain table and number fields, and each decision is a page.

import { find } from "./elements.js";
import { boardAt } from "./replay/board.js";
import { Composer } from "./tutorial/composer.js";
import { Steps } from "./tutorial/steps.js";

/** @type {Steps|null} the table that is shown */
let shown = null;

/** @param {HTMLElement} part */
async function begin(part) {
  const { table, scenes } = JSON.parse(find(part, 'script[type="application/json"]').textContent);
  const board = await boardAt(part.dataset.board);
  /** @type {HTMLFormElement|null} */
  const form = document.querySelector("[data-offer]");
  if (form) new Composer(form, board.verdict).begin();
  const steps = new Steps(board, find(part, "[data-board-place]"), table, scenes);
  shown = steps;
  part.classList.add("begun");
  await steps.play();
  part.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
}

/** Begin with the decision that the page has now. */
function start() {
  /** @type {HTMLElement|null} */
  const part = document.querySelector("[data-tutorial]:not([data-started])");
  if (!part) return;
  part.dataset.started = "";
  shown?.end();
  begin(part).catch((error) => {
    console.error(error);
    part.classList.add("failed");
  });
}

document.addEventListener("htmx:afterSettle", ({ target }) => {
  start();
  const heading = target.id === "tutorial" ? document.getElementById("lesson") : null;
  heading?.focus({ preventScroll: true });
});
document.addEventListener("htmx:historyRestore", start);
start();
