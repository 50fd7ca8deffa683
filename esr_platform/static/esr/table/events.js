// Server-sent events out of the pieces of a response: what `EventSource` does, with the status and the headers in hand.

/**
 * @typedef {Object} ServerEvent
 * @property {string} type
 * @property {string|null} id of this event; null: it says none
 * @property {Object} data
 */

/** Collects lines to events; a piece may end anywhere. */
export class Events {
  constructor() {
    this.rest = "";
    this.type = "message";
    /** @type {string|null} */
    this.id = null;
    /** @type {string[]} */
    this.lines = [];
  }

  clear() {
    this.type = "message";
    this.id = null;
    this.lines = [];
  }

  /** @type {(piece: string) => ServerEvent[]} the events that are complete with this piece */
  add(piece) {
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.line(line) ?? []);
  }

  /** @type {(line: string) => ServerEvent|null} */
  line(line) {
    if (line === "") return this.whole();
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? ["", "", ""];
    if (field === "event") this.type = value;
    else if (field === "id") this.id = value;
    else if (field === "data") this.lines.push(value);
    return null; // a comment has no field
  }

  /** @type {() => ServerEvent|null} */
  whole() {
    const { type, id, lines } = this;
    this.clear();
    return lines.length ? { type, id, data: JSON.parse(lines.join("\n")) } : null;
  }
}
