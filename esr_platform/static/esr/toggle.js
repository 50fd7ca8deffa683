// The theme button in the header: system, light, dark.

import { say } from "./words.js";

const NEXT = { system: "light", light: "dark", dark: "system" };
const NAMES = { system: say("System"), light: say("Light"), dark: say("Dark") };
const root = document.documentElement;
const button = /** @type {HTMLElement} */ (document.querySelector("[data-theme-toggle]")); // null on some pages

const current = () => root.dataset.theme ?? "system";

function label() {
  const name = NAMES[current()];
  button.textContent = name;
  button.setAttribute("aria-label", say("Theme: %(name)s. Switch to %(next)s", { name, next: NAMES[NEXT[current()]] }));
}

function choose(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // not kept for the next page, but applied to this one
  }
}

if (button) {
  button.addEventListener("click", () => {
    choose(NEXT[current()]);
    label();
  });
  label();
  button.hidden = false;
}
