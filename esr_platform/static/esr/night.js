// Whether pages are dark now: as the reader has chosen, or else as the system has it.

const system = matchMedia("(prefers-color-scheme: dark)");

export const dark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

/** Call `changed` whenever the system goes from day to night or back. */
export function whenChanged(changed) {
  system.addEventListener("change", changed);
}
