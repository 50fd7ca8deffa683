// The reference of the API, drawn from its OpenAPI document by Swagger UI.

import { dark, whenChanged } from "./night.js";

const place = document.getElementById("reference");
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
