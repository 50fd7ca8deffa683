// A tutorial with its table drawn: what has happened since the last decision moves before one's eyes, and an offer is
// put together by clicking gems. Without this script the page has a plain table and number fields.

import { find } from "./elements.js";
import { boardAt } from "./replay/board.js";
import { Composer } from "./tutorial/composer.js";
import { Steps } from "./tutorial/steps.js";

/** @type {HTMLElement|null} */
const tutorial = document.querySelector("[data-tutorial]");
/** @type {HTMLFormElement|null} */
const form = document.querySelector("[data-offer]");

/** @param {HTMLElement} part */
async function begin(part) {
  const { table, scenes } = JSON.parse(find(part, 'script[type="application/json"]').textContent);
  const board = await boardAt(part.dataset.board);
  if (form) new Composer(form, board.verdict).begin();
  const place = find(part, "[data-board-place]");
  place.hidden = false;
  const steps = new Steps(board, place, table, scenes);
  find(part, "[data-grid]").hidden = true;
  part.classList.add("begun");
  await steps.play();
  part.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
}

if (tutorial) begin(tutorial);
