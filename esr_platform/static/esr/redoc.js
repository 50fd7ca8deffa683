// API reference: Redoc for the OpenAPI document, with readable colors and headings without gaps.

import { find } from "./elements.js";
import { dark, whenChanged } from "./night.js";

const DAY = {
  colors: {
    primary: { main: "#7a2553" },
    text: { primary: "#231d18", secondary: "#5d5347" },
    success: { main: "#0f5c3a" },
    error: { main: "#8c1429" },
    warning: { main: "#6e4a00" },
    http: {
      get: "#0f5c3a",
      post: "#183f85",
      put: "#7a2553",
      delete: "#8c1429",
    },
  },
  schema: { typeNameColor: "#5d5347", typeTitleColor: "#5d5347", requireLabelColor: "#a3241b" },
  typography: { code: { color: "#8c1429" }, links: { color: "#7a2553" } },
};
const NIGHT = {
  colors: {
    primary: { main: "#e89cc0" },
    text: { primary: "#f0e7d6", secondary: "#b9ac99" },
    border: { dark: "#75685a", light: "#403831" },
    gray: { 50: "#221e1b", 100: "#332c26" },
    success: { main: "#86d3ab" },
    error: { main: "#ff9a8c" },
    warning: { main: "#ecbb3f" },
  },
  schema: {
    nestedBackground: "#221e1b",
    linesColor: "#8f8170",
    typeNameColor: "#b9ac99",
    typeTitleColor: "#b9ac99",
    requireLabelColor: "#ff9a8c",
  },
  typography: { code: { color: "#f59aa0", backgroundColor: "#332c26" }, links: { color: "#e89cc0" } },
  sidebar: { backgroundColor: "#221e1b", textColor: "#f0e7d6" },
  rightPanel: { backgroundColor: "#2b2622", textColor: "#f0e7d6" },
};

const { Redoc } = /** @type {*} */ (globalThis);
const place = find(document, "#reference");
const draw = () => {
  document.documentElement.classList.toggle("dark-mode", dark());
  const theme = dark() ? NIGHT : DAY;
  Redoc.init(
    place.dataset.schema,
    { disableSearch: true, hideDownloadButton: true, nativeScrollbars: true, hideSchemaPattern: true, theme },
    place,
  );
};

/** Redoc goes from headings of level 2 to level 5, and the keyboard cannot scroll its examples. */
function repair() {
  for (const heading of place.querySelectorAll("h5:not([aria-level])")) heading.setAttribute("aria-level", "3");
  for (const example of place.querySelectorAll("pre:not([tabindex])")) example.setAttribute("tabindex", "0");
}

new MutationObserver(repair).observe(place, { childList: true, subtree: true });
draw();
whenChanged(draw);
