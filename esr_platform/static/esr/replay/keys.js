// The keys of a replay. They work wherever nothing is typed in, and leave those of the browser alone.

const TYPING = "input, textarea, select, [contenteditable], dialog";

/**
 * Listens to the keys of the page while a replay is on it.
 * @param {Object<string, () => void>} actions by key, `Shift+` before those with it
 * @param {(key: string) => boolean} awake whether a key means the replay now
 * @param {AbortSignal} signal
 */
export function listen(actions, awake, signal) {
  const heard = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.(TYPING)) return;
    if (event.key === " " && event.target.closest?.("button, a, summary")) return;
    const arrow = event.shiftKey && event.key.startsWith("Arrow");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions[arrow ? `Shift+${key}` : key];
    if (!action || !awake(key)) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", heard, { signal });
}
