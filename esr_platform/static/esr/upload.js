// The form for a file: a file that is too large is refused before it is sent, a file may be dropped on the form, and
// after a refusal by the site the chosen file stays chosen (hx-preserve). Without this script the form works by itself.

import { around, find } from "./elements.js";

/** @type {() => HTMLFormElement} another one after each refusal */
const form = () => /** @type {HTMLFormElement} */ (document.querySelector("form[data-upload]"));

const file = () => find(form(), "input[type=file]", HTMLInputElement);
const field = () => /** @type {HTMLElement} */ (file().closest(".field"));
const progress = (text) => (find(form(), "[data-progress]").textContent = text);

function say(sentence) {
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

function unsay() {
  field().querySelector(".wrong")?.remove();
  file().removeAttribute("aria-invalid");
  file().setAttribute("aria-describedby", "id_file_helptext");
}

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace(".0", "")} MiB`;

function fits() {
  const chosen = file().files?.[0];
  const most = Number(file().dataset.mostBytes);
  if (!chosen || chosen.size <= most) return true;
  say(`The file has ${mib(chosen.size)}, and ${mib(most)} is the most. Leave out what the bot does not need.`);
  return false;
}

/** The file itself was kept, and so does not know what the site says of it. The first mistake gets the focus. */
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
  if (fits()) progress("Sending…");
  else event.preventDefault();
});
document.addEventListener("htmx:afterSettle", ({ target }) => target === form() && show());
for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(
    failure,
    ({ target }) => target === form() && progress("It did not arrive. Nothing has changed; try again."),
  );
}
document.addEventListener("change", (event) => {
  if (event.target === file()) {
    unsay();
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
