// The theme in the header: system, light or dark. theme.js applies it before the first paint.

const root = document.documentElement;
const label = document.querySelector("[data-theme-select]");
const select = label?.querySelector("select");

/** @param {string} theme */
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

if (label instanceof HTMLElement && select) {
  select.value = root.dataset.theme ?? "system";
  select.addEventListener("change", () => choose(select.value));
  label.hidden = false;
}
