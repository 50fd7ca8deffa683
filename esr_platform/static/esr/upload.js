// The upload form: rejects a file that is too large before it is sent, accepts a dropped file, and keeps the selected
// file after an error (hx-preserve). The form also works without this script.

import { around, find } from "./elements.js";
import { say } from "./words.js";

/** @type {() => HTMLFormElement} replaced after each error */
const form = () => /** @type {HTMLFormElement} */ (document.querySelector("form[data-upload]"));

const file = () => find(form(), "input[type=file]", HTMLInputElement);
const field = () => /** @type {HTMLElement} */ (file().closest(".field"));
const progress = (text) => (find(form(), "[data-progress]").textContent = text);

function showError(sentence) {
  let wrong = field().querySelector(".wrong");
  if (!wrong) {
    wrong = document.createElement("div");
    wrong.className = "wrong";
    wrong.id = "id_file_error";
    file().after(wrong);
  }
  wrong.setAttribute("role", "alert");
  wrong.replaceChildren(Object.assign(document.createElement("p"), { textContent: sentence }));
  file().setAttribute("aria-invalid", "true");
  file().setAttribute("aria-describedby", "id_file_helptext id_file_error");
}

function clearError() {
  field().querySelector(".wrong")?.remove();
  file().removeAttribute("aria-invalid");
  file().setAttribute("aria-describedby", "id_file_helptext");
}

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace(".0", "")} MiB`;

function fits() {
  const chosen = file().files?.[0];
  if (!chosen) return true;
  const { mostBytes, mostZipBytes } = file().dataset; // a zip file may contain an executable
  const most = Number(/\.zip$/i.test(chosen.name) ? mostZipBytes : mostBytes);
  if (chosen.size <= most) return true;
  const words = { size: mib(chosen.size), most: mib(most) };
  showError(say("The file is %(size)s. The limit is %(most)s. Remove files that the bot does not need.", words));
  return false;
}

/** Mark the preserved file input as invalid if the site rejected the file, and focus the first invalid field. */
function show() {
  if (form().querySelector("#id_file_error")) {
    file().setAttribute("aria-invalid", "true");
    file().setAttribute("aria-describedby", "id_file_helptext id_file_error");
  }
  const wrong = form().querySelector(".wrong, .notice");
  (wrong?.closest(".field")?.querySelector("input") ?? file()).focus();
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target !== form()) return;
  if (fits()) progress(say("Uploading…"));
  else event.preventDefault();
});
document.addEventListener("htmx:afterSettle", ({ target }) => target === form() && show());
for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(
    failure,
    ({ target }) => target === form() && progress(say("Upload failed. Check your connection and try again.")),
  );
}
document.addEventListener("change", (event) => {
  if (event.target === file()) {
    clearError();
    fits();
  }
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = around(event, "[data-drop]");
    if (!place) return;
    event.preventDefault();
    place.classList.toggle("over", kind === "dragover");
    const { files = null } = (kind === "drop" && /** @type {DragEvent} */ (event).dataTransfer) || {};
    if (files?.length !== 1) return;
    file().files = files;
    file().dispatchEvent(new Event("change", { bubbles: true }));
  });
}
