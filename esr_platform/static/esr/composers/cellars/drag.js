// Dragging a bottle with a mouse or a finger, and letting it go over a place. Never the only way.

const BEGINS_PX = 6;

/**
 * @param {HTMLElement[]} sources
 * @param {(source: HTMLElement, target: Element|null) => void} over what lies under the pointer, `null` at the end
 * @param {(source: HTMLElement, target: Element|null) => void} dropped
 */
export function draggable(sources, over, dropped) {
  for (const source of sources)
    source.addEventListener("pointerdown", (event) => event.button === 0 && begin(source, event, over, dropped));
}

function begin(source, { pointerId, clientX, clientY }, over, dropped) {
  /** @type {HTMLElement|null} */
  let flying = null;
  const life = new AbortController();
  const { signal } = life;

  function moved(event) {
    if (event.pointerId !== pointerId) return;
    if (!flying && Math.hypot(event.clientX - clientX, event.clientY - clientY) < BEGINS_PX) return;
    const node = (flying ??= lifted(source));
    node.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -70%)`;
    over(source, document.elementFromPoint(event.clientX, event.clientY));
  }

  function ended(event) {
    if (event.pointerId !== pointerId) return;
    life.abort();
    if (!flying) return;
    flying.remove();
    over(source, null);
    addEventListener("click", (click) => click.stopPropagation(), {
      capture: true,
      once: true,
      signal: AbortSignal.timeout(50),
    }); // the end of a drag is no click
    if (event.type === "pointerup") dropped(source, document.elementFromPoint(event.clientX, event.clientY));
  }

  addEventListener("pointermove", moved, { signal });
  addEventListener("pointerup", ended, { signal });
  addEventListener("pointercancel", ended, { signal });
}

function lifted(source) {
  const copy = source.querySelector("svg").cloneNode(true);
  copy.classList.add("compose-flying");
  copy.setAttribute("aria-hidden", "true");
  document.body.append(copy);
  return copy;
}
