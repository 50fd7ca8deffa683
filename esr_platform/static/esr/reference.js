// The reference of the API, drawn from its OpenAPI document by Swagger UI.

const place = document.getElementById("reference");
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  validatorUrl: null,
});
