// Parts marked with data-live (and an id) are fetched again while the page is looked at, every three seconds or after
// the milliseconds that stand there. Without this script a reload does the same. A part in which somebody works or marks
// text stays as it is. A part with data-from is fetched from that page, at once: until then it says where to look. If a
// part gets a link marked with data-go, the page follows it.

const PERIOD_MS = 3000;
const LONGEST_MS = 60000;

function period() {
  const parts = [...document.querySelectorAll("[data-live]")];
  return parts.length ? Math.min(...parts.map((part) => Number(part.dataset.live) || PERIOD_MS)) : PERIOD_MS;
}

let wait = period();

function inUse(part) {
  const selection = document.getSelection();
  return part.contains(document.activeElement) || (!selection.isCollapsed && part.contains(selection.anchorNode));
}

// What a part shows; the tokens of its forms are other ones each time and mean the same.
function shown(part) {
  return part.innerHTML.replace(/(name="csrfmiddlewaretoken" value=")[^"]*/g, "$1");
}

// Where a part comes from: the page itself, unless it says otherwise.
function source(part) {
  return part.dataset.from ?? location.pathname + location.search;
}

function take(fresh, address) {
  for (const part of document.querySelectorAll("[data-live]")) {
    if (source(part) !== address) continue;
    const next = fresh.getElementById(part.id);
    if (!next?.hasAttribute("data-live") && !inUse(part)) part.removeAttribute("data-live");
    if (!next || inUse(part) || shown(next) === shown(part)) continue;
    part.className = next.className;
    part.replaceChildren(...next.childNodes); // the part itself stays: who listens to it goes on hearing it
    const go = part.querySelector("[data-go]");
    if (go) location.assign(go.href);
  }
}

async function bring(address) {
  const response = await fetch(address, { headers: { accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  take(new DOMParser().parseFromString(await response.text(), "text/html"), address);
}

function sources(parts) {
  return [...new Set([...document.querySelectorAll(parts)].map(source))];
}

async function refresh() {
  if (!document.querySelector("[data-live]")) return;
  if (!document.hidden) {
    try {
      await Promise.all(sources("[data-live]").map(bring));
      wait = period();
    } catch {
      wait = Math.min(2 * wait, LONGEST_MS); // the site is away: ask less often
    }
  }
  setTimeout(refresh, wait);
}

Promise.allSettled(sources("[data-live][data-from]").map(bring)).then(() => setTimeout(refresh, wait));
