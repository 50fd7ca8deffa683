// The move that a player has built but not sent. It survives a lost connection and a reload of the page.

const KEY = "draft";

/** The draft of one decision: any JSON value. A browser tab has one, since it has one open decision. */
export class Draft {
  /** @param {string} of the match and the decision */
  constructor(of) {
    this.of = of;
    this.value = stored(of);
  }

  /** @type {() => *} null if there is no draft */
  get() {
    return this.value;
  }

  /** @type {(value: *) => void} */
  set(value) {
    this.value = value;
    store({ of: this.of, value });
  }

  clear() {
    this.value = null;
    store(null);
  }
}

function stored(of) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return kept?.of === of ? kept.value : null;
  } catch {
    return null;
  }
}

function store(kept) {
  try {
    if (kept) sessionStorage.setItem(KEY, JSON.stringify(kept));
    else sessionStorage.removeItem(KEY);
  } catch {
    // it lasts as long as the page
  }
}
