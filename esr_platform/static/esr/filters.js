// A table answers its filters, its heads and its pages without a new page: htmx requests the page of the new address
// and swaps the parts with data-answer. The address always says what is shown, so that it can be kept, sent and gone
// back from. Without this script the form has a button.

import { around, find, findAll } from "./elements.js";

const PAUSE_MS = 250;
const SMALLEST = new Set(["", "page"]); // parameters that do not change the table

let waiting = 0;

/** @type {() => HTMLFormElement} another one after going back */
const filters = () => /** @type {HTMLFormElement} */ (document.querySelector("form[data-filters]"));

/** @type {(event: Event) => HTMLFormElement|null|undefined} the form of the field that an event comes from */
const formOf = ({ target }) => /** @type {HTMLInputElement|null} */ (target)?.form;

/** @param {HTMLFormElement} form @returns {URL} what the form asks for, without empty parameters */
function formAddress(form) {
  const address = new URL(location.pathname, location.href);
  for (const [name, value] of new FormData(form)) {
    if (String(value).trim() && !SMALLEST.has(name)) address.searchParams.set(name, String(value).trim());
  }
  return address;
}

/** @param {URL} address @param {"push"|"replace"} history what becomes of the current address */
function answer({ pathname, search }, history) {
  const part = find(document, "[data-answer]:not(form *)");
  const selectOOB = [...filters().querySelectorAll("[data-answer]")].map((other) => `#${other.id}`).join(",");
  const swap = { target: part, select: `#${part.id}`, swap: "outerHTML", selectOOB };
  return htmx.ajax("GET", pathname + search, { source: filters().parentElement, ...swap, [history]: "true" });
}

function ask() {
  clearTimeout(waiting);
  const address = formAddress(filters());
  if (address.search !== location.search) answer(address, "replace");
}

/** A head or a page was clicked. @param {HTMLAnchorElement} link */
async function follow(link) {
  const id = link.closest("[data-answer]")?.id ?? "";
  const { sort } = link.dataset;
  await answer(new URL(link.href), "push");
  const part = find(document, `#${CSS.escape(id)}`);
  /** @type {HTMLElement|null} */
  const again = sort ? part.querySelector(`[data-sort="${CSS.escape(sort)}"]`) : null;
  if (again) again.focus({ preventScroll: true });
  else {
    part.setAttribute("tabindex", "-1");
    part.focus({ preventScroll: true });
    part.scrollIntoView({ block: "start" });
  }
}

function hideButton() {
  for (const part of findAll(document, "[data-only-without-script]")) part.hidden = true;
}

document.addEventListener("submit", (event) => {
  if (event.target !== filters()) return;
  event.preventDefault();
  ask();
});
document.addEventListener("change", (event) => formOf(event) && formOf(event) === filters() && ask());
document.addEventListener("input", (event) => {
  if (!around(event, "input[type=search]:not([data-whole])") || formOf(event) !== filters()) return;
  clearTimeout(waiting);
  waiting = setTimeout(ask, PAUSE_MS);
});
document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement|null} */ (around(event, '[data-answer] a[href^="?"]'));
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  follow(link);
});
document.addEventListener("htmx:historyRestore", hideButton);
document.addEventListener("htmx:responseError", ({ detail }) => {
  // Let the browser say what is wrong.
  if (detail.etc.push || detail.etc.replace) location.assign(detail.pathInfo.finalRequestPath);
});
hideButton();
