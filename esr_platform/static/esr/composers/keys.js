// Keys for a composer: heard wherever the focus is inside the table, but never what is typed into a field or meant for
// a browser.

const TYPING = "input:not([type=radio]), textarea, select, [contenteditable]";

/** What Enter presses by itself. */
const CONTROLS = "a[href], button, summary, input:not([type=radio]), select, textarea, [role=tab], [role=slider]";

/** @type {(target: Element) => boolean} */
export const isControl = (target) => Boolean(target.closest?.(CONTROLS));

/**
 * @param {HTMLElement} home
 * @param {(event: KeyboardEvent) => void} pressed
 * @returns {() => void} stops it
 */
export function hear(home, pressed) {
  const heard = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest?.(`${TYPING}, dialog`)) return;
    pressed(event);
  };
  home.addEventListener("keydown", heard);
  return () => home.removeEventListener("keydown", heard);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {(key: string) => boolean} */
export const isArrow = (key) => key in ARROWS;

/**
 * The next element in the direction of an arrow, as they lie on the page; `null` where there is none.
 * @param {HTMLElement} from
 * @param {HTMLElement[]} others
 * @param {string} key
 * @returns {HTMLElement|null}
 */
export function towards(from, others, key) {
  const [right, down] = ARROWS[key];
  const [x, y] = middle(from);
  /** @type {{other: HTMLElement, far: number}|null} */
  let best = null;
  for (const other of others.filter((one) => one !== from)) {
    const [dx, dy] = middle(other).map((at, axis) => at - [x, y][axis]);
    const [along, across] = right ? [dx * right, Math.abs(dy)] : [dy * down, Math.abs(dx)];
    if (along < 4 || (right && across > along + 8)) continue;
    const far = along + 2 * across;
    if (!best || far < best.far) best = { other, far };
  }
  return best?.other ?? null;
}

const middle = (node) => {
  const { left, top, width, height } = node.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};
