// The form for a file: what is too large is said before it is sent, a file may be dropped on it, and after a refusal the
// chosen file stays chosen. Without this script the form works by itself.

const form = document.querySelector("form[data-upload]");

const file = () => form.querySelector("input[type=file]");
const progress = () => form.querySelector("[data-progress]");

function say(sentence) {
  const field = file().closest(".field");
  let wrong = field.querySelector(".wrong");
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
  file().closest(".field").querySelector(".wrong")?.remove();
  file().removeAttribute("aria-invalid");
  file().setAttribute("aria-describedby", "id_file_helptext");
}

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace(".0", "")} MiB`;

function fits() {
  const chosen = file().files[0];
  const most = Number(file().dataset.mostBytes);
  if (!chosen || chosen.size <= most) return true;
  say(`The file has ${mib(chosen.size)}, and ${mib(most)} is the most. Leave out what the bot does not need.`);
  return false;
}

function take(fresh) {
  const kept = file();
  const next = fresh.querySelector("form[data-upload]");
  if (!next) return location.reload(); // signed out in the meantime: the page says so
  next.querySelector("input[type=file]").replaceWith(kept);
  form.replaceChildren(...next.childNodes);
  if (form.querySelector("#id_file_error")) file().setAttribute("aria-describedby", "id_file_helptext id_file_error");
  const wrong = form.querySelector(".wrong, .notice");
  const control = wrong?.closest(".field")?.querySelector("input") ?? form.querySelector("input[type=file]");
  control.focus();
}

async function send() {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  progress().textContent = "Sending…";
  try {
    const response = await fetch(location.href, { method: "POST", body: new FormData(form) });
    if (response.redirected) return location.assign(response.url);
    const html = response.headers.get("content-type")?.startsWith("text/html");
    if (!html || response.status >= 500) throw new Error(response.statusText);
    take(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    progress().textContent = "It did not arrive. Nothing has changed; try again.";
    button.disabled = false;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (fits()) send();
});
form.addEventListener("change", (event) => {
  if (event.target === file()) {
    unsay();
    fits();
  }
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  form.addEventListener(kind, (event) => {
    const field = event.target.closest("[data-drop]");
    if (!field) return;
    event.preventDefault();
    field.classList.toggle("over", kind === "dragover");
    if (kind !== "drop" || event.dataTransfer.files.length !== 1) return;
    file().files = event.dataTransfer.files;
    file().dispatchEvent(new Event("change", { bubbles: true }));
  });
}
