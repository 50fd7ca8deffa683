// A table answers its filters, its heads and its pages without a new page: htmx requests the page of the new address and swaps
// the parts with data-answer. The address always says what is shown, so that it can be kept, sent and gone back from. Without
// this script the form has a button.

const PAUSE_MS = 250;
const SMALLEST = new Set(["", "page"]); // parameters that do not change the table

let waiting = 0;

/** @returns {HTMLFormElement|null} another one after going back */
const filters = () => document.querySelector("form[data-filters]");

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
  const part = document.querySelector("[data-answer]:not(form *)");
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
  const { id } = link.closest("[data-answer]");
  const { sort } = link.dataset;
  await answer(new URL(link.href), "push");
  const part = document.getElementById(id);
  const again = sort && part.querySelector(`[data-sort="${CSS.escape(sort)}"]`);
  if (again) again.focus({ preventScroll: true });
  else {
    part.setAttribute("tabindex", "-1");
    part.focus({ preventScroll: true });
    part.scrollIntoView({ block: "start" });
  }
}

function hideButton() {
  for (const part of document.querySelectorAll("[data-only-without-script]")) part.hidden = true;
}

document.addEventListener("submit", (event) => {
  if (event.target !== filters()) return;
  event.preventDefault();
  ask();
});
document.addEventListener("change", ({ target }) => target.form && target.form === filters() && ask());
document.addEventListener("input", ({ target }) => {
  if (target.type !== "search" || target.form !== filters()) return;
  clearTimeout(waiting);
  waiting = setTimeout(ask, PAUSE_MS);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('[data-answer] a[href^="?"]');
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  follow(link);
});
document.addEventListener("htmx:historyRestore", hideButton);
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.etc.push || detail.etc.replace) location.assign(detail.pathInfo.finalRequestPath); // let the browser say what is wrong
});
hideButton();
