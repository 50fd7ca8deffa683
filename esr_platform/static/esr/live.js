// Parts of a page that change. An element with an id and data-live is requested again while the page is visible, after
// the milliseconds that data-live gives or else 3 s, from the URL in data-from or else from the page itself. A part
// without content in its page yet has data-from and is requested at once. Without scripts, a reload shows the same.
//
// The rules for all parts that are replaced are here, whether htmx requests them or a stream brings them: a part in use
// is not replaced, an unchanged part is not touched (a screen reader would read it again), open details stay open, and
// a link with data-go leads to another page. A page that has not changed is answered by 304 without content.

import { findAll } from "./elements.js";

const PERIOD_MS = 3000;
const LONGEST_MS = 60000;

/** @type {Map<string, string>} the ETag of the last response, by its address and parts */
const tags = new Map();

let failures = 0;
let skipped = false;

/**
 * Request parts of a page and put them in place of the current ones.
 * @param {string} address
 * @param {string[]} ids of the parts
 * @returns {Promise<void>} when the parts are in place; it is rejected if the site cannot be reached
 */
export function refresh(address, ids) {
  const main = document.querySelector("main");
  const selectOOB = ids.map((id) => `#${id}`).join(",");
  const tag = tags.get(`${address} ${selectOOB}`);
  const headers = tag ? { "If-None-Match": tag } : {};
  return htmx.ajax("GET", address, { source: main, target: main, swap: "none ignoreTitle:true", selectOOB, headers });
}

function inUse(part) {
  const selection = document.getSelection();
  return (
    part.contains(document.activeElement) ||
    (!!selection && !selection.isCollapsed && part.contains(selection.anchorNode))
  );
}

/** What a part shows. Tokens of forms differ every time and mean the same, and scripts add elements with data-added. */
function shown(part) {
  const copy = part.cloneNode(true);
  for (const added of copy.querySelectorAll("[data-added]")) added.remove();
  return copy.outerHTML.replace(/(name="csrfmiddlewaretoken" value=")[^"]*/g, "$1");
}

/** Whether `next`, the same part as it is now, is to replace `part`. The details that are open there open in it. */
function differs(part, next) {
  for (const open of part.querySelectorAll("details[open][id]")) {
    next.querySelector(`#${CSS.escape(open.id)}`)?.setAttribute("open", "");
  }
  return shown(next) !== shown(part);
}

/** @type {Map<string, Element>} the newest versions of parts that are in use, by id */
const late = new Map();

/**
 * Put parts that a stream has brought in place of the current ones. A part in use is replaced when it is no longer in
 * use.
 * @param {string} html
 * @param {(part: Element) => void} [add] adds a part that the page does not have yet
 */
export function place(html, add) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const next of template.content.children) late.set(next.id, next);
  for (const [id, next] of late) {
    const part = document.getElementById(id);
    if (part && inUse(part)) continue;
    late.delete(id);
    if (!part) add?.(next);
    else if (differs(part, next)) part.replaceWith(next);
  }
}

for (const type of ["focusout", "selectionchange"]) {
  document.addEventListener(type, () => late.size && setTimeout(() => place("")));
}

document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  const { target, fragment } = detail;
  skipped ||= inUse(target);
  if (inUse(target) || !differs(target, fragment.firstElementChild)) detail.shouldSwap = false;
});

document.addEventListener("htmx:oobAfterSwap", ({ target }) => {
  /** @type {HTMLAnchorElement|null} */
  const go = target.querySelector("[data-go]");
  if (go) location.assign(go.href);
});

// A part that the page no longer has changes no more.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.shouldSwap) return; // an error says nothing about the parts
  for (const id of detail.etc.selectOOB?.split(",") ?? []) {
    if (!detail.serverResponse.includes(` id="${id.slice(1)}"`))
      document.querySelector(id)?.removeAttribute("data-live");
  }
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  failures = detail.successful ? 0 : failures + 1;
  const { xhr, etc, pathInfo } = detail;
  if (!etc?.selectOOB || xhr.status !== 200) return;
  // A part that was in use is still old, so the next response must be complete.
  tags.set(`${pathInfo.requestPath} ${etc.selectOOB}`, skipped ? "" : (xhr.getResponseHeader("ETag") ?? ""));
  skipped = false;
});

function bring(parts) {
  const source = (part) => part.dataset.from ?? location.pathname + location.search;
  const idsFrom = (address) => parts.filter((part) => source(part) === address).map((part) => part.id);
  return Promise.allSettled([...new Set(parts.map(source))].map((address) => refresh(address, idsFrom(address))));
}

async function follow() {
  const parts = findAll(document, "[data-live]");
  if (parts.length && !document.hidden) await bring(parts);
  const period = Math.min(LONGEST_MS, ...parts.map((part) => Number(part.dataset.live) || PERIOD_MS));
  setTimeout(follow, Math.min(period * 2 ** failures, LONGEST_MS)); // ask less often while the site is away
}

const empty = findAll(document, "[data-live][data-from]");
if (empty.length) bring(empty);
setTimeout(follow, PERIOD_MS);
