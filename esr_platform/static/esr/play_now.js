// Play now: hides the numbers of seats and the opponents that the chosen game does not have. Without this script, the
// server explains a combination that cannot be played.

/** @typedef {HTMLFormElement & {elements: Record<"game"|"seats"|"opponent", RadioNodeList>}} Form */

const form = /** @type {Form|null} */ (document.querySelector("[data-play-now]"));

/** @type {(form: Form, name: string) => HTMLInputElement[]} */
const radios = (form, name) => Array.from(form.querySelectorAll(`input[name=${name}]`));

/** @type {(input: HTMLInputElement) => string[]} what it can be combined with */
const fits = (input) => (input.dataset.fits ?? "").split(" ");

/**
 * Offer only the inputs that fit `wanted`. If another one is checked, the `best` of those is checked instead.
 *
 * @param {HTMLInputElement[]} inputs
 * @param {string} wanted
 * @param {(offered: HTMLInputElement[]) => HTMLInputElement|undefined} best
 */
function offer(inputs, wanted, best) {
  for (const input of inputs) {
    input.disabled = !fits(input).includes(wanted);
    /** @type {HTMLElement} */ (input.closest("label")).hidden = input.disabled;
  }
  const offered = inputs.filter((input) => !input.disabled);
  if (offered.some((input) => input.checked)) return;
  const chosen = best(offered) ?? offered[0];
  if (chosen) chosen.checked = true;
}

/** @type {(form: Form) => void} */
function show(form) {
  const game = form.elements.game.value;
  for (const line of form.querySelectorAll("[data-game]")) {
    /** @type {HTMLElement} */ (line).hidden = /** @type {HTMLElement} */ (line).dataset.game !== game;
  }
  for (const label of form.querySelectorAll("[data-recommended]")) {
    const games = /** @type {HTMLElement} */ (label).dataset.recommended ?? "";
    label.classList.toggle("recommended", games.split(" ").includes(game));
  }
  const seats = radios(form, "seats");
  const before = seats.findIndex((input) => input.checked);
  const distance = (input) => Math.abs(seats.indexOf(input) - before);
  offer(seats, game, (offered) => offered.toSorted((a, b) => distance(a) - distance(b))[0]);
  offer(radios(form, "opponent"), `${game}/${form.elements.seats.value}`, (offered) =>
    offered.find((input) => input.closest(".recommended")),
  );
  for (const details of form.querySelectorAll("details")) {
    details.hidden = !details.querySelector("input:enabled");
    details.open ||= details.querySelector("input:checked") !== null;
  }
}

if (form) {
  form.addEventListener("change", () => show(form));
  addEventListener("pageshow", () => show(form)); // the browser can restore other choices
  show(form);
}
