// The search field in the header: a combobox with suggestions (WAI-ARIA). The key / focuses the field. Without this
// script, the form opens the search page.

import { around } from "./elements.js";
import { say, sayCount } from "./words.js";

const WAIT_MS = 150;

/** @typedef {{name: string, what: string, address: string}} Suggestion */

const input = /** @type {HTMLInputElement} */ (document.querySelector("[data-suggestions]")); // null on some pages

/** @type {Suggestion[]} */
let shown = [];
let active = -1;
let asked = "";
let timer = 0;
let quietUntil = 0;

const list = document.createElement("ul");
const said = document.createElement("p");

function prepare() {
  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", say("Suggestions"));
  said.className = "hidden";
  said.setAttribute("role", "status");
  input.after(list, said);
  for (const [name, value] of [
    ["role", "combobox"],
    ["aria-autocomplete", "list"],
    ["aria-expanded", "false"],
    ["aria-controls", list.id],
  ]) {
    input.setAttribute(name, value);
  }
}

/** @param {Suggestion} suggestion @param {number} index */
function option(suggestion, index) {
  const item = document.createElement("li");
  item.id = `suggestion-${index}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  const what = document.createElement("span");
  what.className = "meta";
  what.textContent = suggestion.what;
  item.append(`${suggestion.name} `, what);
  item.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  item.addEventListener("click", () => location.assign(suggestion.address));
  return item;
}

/** @param {Suggestion[]} suggestions */
function show(suggestions) {
  shown = suggestions;
  list.replaceChildren(...suggestions.map(option));
  list.hidden = !suggestions.length;
  input.setAttribute("aria-expanded", String(!list.hidden));
  mark(-1);
}

function hide() {
  clearTimeout(timer);
  asked = "";
  show([]);
}

/** @param {number} index of the suggestion that Enter opens, or -1 if Enter searches */
function mark(index) {
  list.children[active]?.setAttribute("aria-selected", "false");
  active = index;
  const chosen = list.children[index];
  chosen?.setAttribute("aria-selected", "true");
  chosen?.scrollIntoView({ block: "nearest" });
  if (chosen) input.setAttribute("aria-activedescendant", chosen.id);
  else input.removeAttribute("aria-activedescendant");
}

async function ask() {
  const text = input.value.trim();
  asked = text;
  if (!text || Date.now() < quietUntil) return show([]);
  try {
    const response = await fetch(`${input.dataset.suggestions}?q=${encodeURIComponent(text)}`);
    if (response.status === 429) quietUntil = Date.now() + 1000 * Number(response.headers.get("retry-after") ?? 60);
    const found = response.ok ? (await response.json()).suggestions : [];
    if (asked !== text || document.activeElement !== input) return; // the response to an earlier request
    show(found);
    said.textContent = found.length
      ? sayCount("%(count)s suggestion", "%(count)s suggestions", found.length)
      : say("No suggestions.");
  } catch {
    show([]); // the site does not respond; Enter still searches
  }
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && shown.length) {
    event.preventDefault();
    const places = shown.length + 1; // one of them is the field itself
    mark(((active + 1 + step + places) % places) - 1);
  } else if (event.key === "Enter" && active >= 0) {
    event.preventDefault();
    location.assign(shown[active].address);
  } else if (event.key === "Escape" && shown.length) {
    event.preventDefault();
    hide();
  }
}

/** @param {KeyboardEvent} event */
function onSlash(event) {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (around(event, "input, textarea, select, [contenteditable]")) return;
  const menu = input?.closest("[popover]");
  if (menu instanceof HTMLElement && !input.checkVisibility()) menu.showPopover();
  /** @type {HTMLInputElement|null} */
  const field = input ?? document.querySelector("main input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}

if (input) {
  prepare();
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener("keydown", onKey);
  input.addEventListener("blur", hide);
}
document.addEventListener("keydown", onSlash);
