// A table answers its filters, its heads and its pages without loading the whole page anew. The address says what is
// shown all the same, so that it can be kept, sent and gone back from. Without this script the form has a button.

const PAUSE_MS = 250;
const SMALLEST = new Set(["", "page"]); // parameters that say nothing of the table

/** @type {HTMLFormElement} */
const form = document.querySelector("form[data-filters]");
let asked = new AbortController();
let waiting = 0;

/** @returns {URL} what the form asks for, without what asks for nothing */
function formAddress() {
  const address = new URL(location.pathname, location.href);
  for (const [name, value] of new FormData(form)) {
    if (String(value).trim() && !SMALLEST.has(name)) address.searchParams.set(name, String(value).trim());
  }
  return address;
}

/** @param {Document} fresh the page as the server gives it for the new address */
function take(fresh) {
  for (const part of document.querySelectorAll("[data-answer]")) {
    const next = fresh.getElementById(part.id);
    if (next) part.replaceChildren(...next.childNodes);
  }
  const now = fresh.querySelector("form[data-filters]");
  for (const input of now?.querySelectorAll("input[type=hidden]") ?? []) {
    const old = form.querySelector(`input[type=hidden][name="${CSS.escape(input.name)}"]`);
    if (old) old.value = input.value;
    else form.append(input.cloneNode());
  }
  for (const old of form.querySelectorAll("input[type=hidden]")) {
    if (!now?.querySelector(`input[type=hidden][name="${CSS.escape(old.name)}"]`)) old.remove();
  }
  document.title = fresh.title;
}

/** The fields say what the address says, after going back. @param {URL} address */
function fill(address) {
  for (const field of form.querySelectorAll("input[type=search], select")) field.value = address.searchParams.get(field.name) ?? "";
}

/** @param {URL} address @returns {Promise<boolean>} whether the answer is on the page */
async function answer(address) {
  asked.abort();
  asked = new AbortController();
  document.documentElement.toggleAttribute("data-asking", true);
  try {
    const response = await fetch(address, { headers: { accept: "text/html" }, signal: asked.signal });
    if (!response.ok) throw new Error(response.statusText);
    take(new DOMParser().parseFromString(await response.text(), "text/html"));
    return true;
  } catch (reason) {
    if (reason.name === "AbortError") return false;
    location.assign(address); // let the browser say what is wrong
    return false;
  } finally {
    document.documentElement.toggleAttribute("data-asking", false);
  }
}

async function ask() {
  clearTimeout(waiting);
  const address = formAddress();
  if (address.search === location.search) return;
  history.replaceState(null, "", address);
  await answer(address);
}

/** A head or a page was clicked. @param {HTMLAnchorElement} link */
async function follow(link) {
  const address = new URL(link.href);
  const { sort } = link.dataset;
  const part = link.closest("[data-answer]");
  history.pushState(null, "", address);
  fill(address);
  if (!(await answer(address))) return;
  const again = sort && part.querySelector(`[data-sort="${CSS.escape(sort)}"]`);
  if (again) again.focus({ preventScroll: true });
  else {
    part.setAttribute("tabindex", "-1");
    part.focus({ preventScroll: true });
    part.scrollIntoView({ block: "start" });
  }
}

if (form && !form.dataset.alive) {
  form.dataset.alive = "";
  for (const part of form.querySelectorAll("[data-only-without-script]")) part.hidden = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  form.addEventListener("change", ask);
  form.addEventListener("input", (event) => {
    if (event.target.type !== "search") return;
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE_MS);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('[data-answer] a[href^="?"]');
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow(link);
  });
  addEventListener("popstate", () => {
    fill(new URL(location.href));
    answer(new URL(location.href));
  });
}
