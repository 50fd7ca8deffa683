// What a player has put together and not sent. It outlives a connection, and a page that is loaded again.

const KEY = "draft";

/** The draft of one decision; any JSON value. There is one a browser tab, for there is one decision at a time. */
export class Draft {
  /** @param {string} of the match and the decision */
  constructor(of) {
    this.of = of;
    this.value = stored(of);
  }

  /** @type {() => *} null where there is none */
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
