// What a player sends: with the token against forgery, and until it has arrived.

/** An answer that takes longer is asked for again: the same one again is harmless. */
const PATIENCE_MS = 8_000;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** A decision that was just asked may not be known yet on another machine. */
const BELIEVED_404 = 5;

/**
 * @typedef {Object} Answer
 * @property {number} status 0: it was given up before it arrived
 * @property {number} [waitMs] how long the server asks to wait before the next attempt
 * @property {Object<string, *>} document what came back: a result, or a problem with `code` and `detail`
 */

export class Post {
  /** @param {string} token of the page; a newer one in the cookie counts more */
  constructor(token) {
    this.token = token;
  }

  /** @type {(address: string, body: Object) => Promise<Answer>} once; throws where nothing comes back */
  async once(address, body) {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrftoken": this.csrf() },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return {
      status: response.status,
      document: read(text),
      waitMs: Number(response.headers.get("retry-after")) * 1_000 || 0,
    };
  }

  /**
   * Again and again, until there is an answer that will not change. A busy server (429, 5xx) is asked again after the
   * time that it names, like one that cannot be reached.
   * @param {string} address
   * @param {Object} body
   * @param {{wanted: () => boolean, waiting: () => void}} who whether it still is to be sent, and who hears that it
   *   waits
   * @returns {Promise<Answer>}
   */
  async until(address, body, { wanted, waiting }) {
    let unknown = 0;
    for (let tries = 0; wanted(); tries += 1) {
      const answer = await this.once(address, body).catch(() => null);
      if (answer?.status === 404) unknown += 1;
      if (answer && !isPassing(answer.status, unknown)) return answer;
      if (answer?.status !== 404) waiting();
      const longest = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
      await new Promise((done) => setTimeout(done, Math.max(longest, Math.min(answer?.waitMs ?? 0, 20_000))));
    }
    return { status: 0, document: {} };
  }

  /** Signing in elsewhere gives another token. */
  csrf() {
    return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? this.token;
  }
}

const isPassing = (status, unknown) => status >= 500 || status === 429 || (status === 404 && unknown < BELIEVED_404);

function read(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // a page of a proxy
  }
}
