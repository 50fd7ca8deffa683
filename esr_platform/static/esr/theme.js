// Applies the chosen colours before the first paint, so this is a plain script and not a module.
// Without a choice the system's setting counts.
const chosenTheme = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage may be forbidden; the system's setting is fine
  }
})();
if (chosenTheme === "light" || chosenTheme === "dark") document.documentElement.dataset.theme = chosenTheme;
