// What changes from one JSON value to the next: games/replays/patches.py says how patches are written.

/**
 * `old` as `change` makes it. What does not change is shared, so that a drawing can tell by `===` what stayed.
 * @param {*} old
 * @param {Array|Object|null} change
 * @returns {*}
 */
export function patched(old, change) {
  if (change === null) return old;
  if (Array.isArray(change)) return change[0];
  if (!Array.isArray(old)) {
    const made = { ...old };
    for (const key in change) made[key] = patched(old[key], change[key]);
    return made;
  }
  const made = "-" in change ? old.slice(0, change["-"]) : old.slice();
  for (const place in change) if (place !== "+" && place !== "-") made[place] = patched(made[place], change[place]);
  return "+" in change ? made.concat(change["+"]) : made;
}
