// A tutorial with its table drawn: what has happened since the last decision moves before one's eyes, and an offer is
// put together by clicking gems. Without this script the page has a plain table and number fields.

import { boardAt } from "./replay/board.js";
import { Composer } from "./tutorial/composer.js";
import { Showing } from "./tutorial/showing.js";

const part = document.querySelector("[data-tutorial]");
const form = document.querySelector("[data-offer]");

async function begin() {
  const { table, scenes } = JSON.parse(part.querySelector('script[type="application/json"]').textContent);
  const board = await boardAt(part.dataset.board);
  if (form) new Composer(form, board.verdict).begin();
  const place = part.querySelector("[data-board-place]");
  place.hidden = false;
  const showing = new Showing(board, place, table, scenes);
  part.querySelector("[data-grid]").hidden = true;
  part.classList.add("begun");
  await showing.play();
  part.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
}

if (part) begin();
