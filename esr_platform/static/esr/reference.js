// API reference: Swagger UI for the OpenAPI document.

import { find } from "./elements.js";
import { dark, whenChanged } from "./night.js";

const { SwaggerUIBundle } = /** @type {*} */ (globalThis);
const place = find(document, "#reference");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark());
dress();
whenChanged(dress);
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  validatorUrl: null,
});
