// API reference: Redoc for the OpenAPI document.

import { find } from "./elements.js";
import { dark, whenChanged } from "./night.js";

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
  const theme = dark() ? NIGHT : {};
  Redoc.init(
    place.dataset.schema,
    { disableSearch: true, hideDownloadButton: true, nativeScrollbars: true, theme },
    place,
  );
};
draw();
whenChanged(draw);
