// Applies the chosen theme before the first paint, so this is a plain script and not a module.
// The default is the setting of the operating system.
const chosenTheme = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage may be blocked; use the setting of the system
  }
})();
if (chosenTheme === "light" || chosenTheme === "dark") document.documentElement.dataset.theme = chosenTheme;
