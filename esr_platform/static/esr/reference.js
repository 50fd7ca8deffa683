// API reference: Swagger UI for the OpenAPI document, with the landmarks and headings of a page.

import { find } from "./elements.js";
import { dark, whenChanged } from "./night.js";

const { SwaggerUIBundle } = /** @type {*} */ (globalThis);
const place = find(document, "#reference");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark());
dress();
whenChanged(dress);

/**
 * Swagger UI's own layout has a second main element without the introduction, and no heading above its groups. Links
 * to operations are inside of buttons there, which open the operations and change the URL themselves.
 */
const plugin = ({ React: { createElement } }) => ({
  components: {
    ReferenceLayout({ getComponent, specSelectors }) {
      const part = (name) => createElement(getComponent(name, true));
      if (specSelectors.loadingStatus() !== "success")
        return createElement("div", { className: "swagger-ui" }, part("errors"));
      return createElement(
        "div",
        { className: "swagger-ui" },
        part("SvgAssets"),
        part("errors"),
        createElement("div", { className: "information-container wrapper" }, part("InfoContainer")),
        createElement(
          "div",
          { className: "scheme-container" },
          createElement("div", { className: "schemes wrapper" }, part("AuthorizeBtnContainer")),
        ),
        createElement(
          "div",
          { className: "wrapper" },
          createElement("h2", { className: "hidden" }, "Endpoints"),
          part("operations"),
          part("Models"),
        ),
      );
    },
    DeepLink: ({ text }) => createElement("span", null, text),
  },
});

SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [plugin],
  layout: "ReferenceLayout",
  deepLinking: true,
  validatorUrl: null,
});
