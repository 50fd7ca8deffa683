// The table of a tutorial, and the steps that led to it: shown once, and again when asked for.

import { say } from "../words.js";

/** How long one step moves, in milliseconds, and how long it rests. */
const STEP_MS = 420;
const REST_MS = 380;

export class Steps {
  /**
   * @param {Object} board the module of a board, see docs/internals/boards.md
   * @param {HTMLElement} place
   * @param {Object} table
   * @param {Object[]} scenes from the last decision to this one
   */
  constructor(board, place, table, scenes) {
    let memory = null;
    this.scenes = scenes.map((scene) => {
      const standing = board.remember ? (memory = board.remember(memory, { ...scene, standing: memory })) : null;
      return { ...scene, standing };
    });
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.turn = 0;
    const root = document.createElement("div");
    place.append(root);
    this.board = board.mount(root, table);
    if (this.board.side) place.append(this.board.side);
    if (scenes.length > 2) place.append(this.again());
    this.away = new AbortController();
    addEventListener("resize", () => this.board.resize?.(), { signal: this.away.signal });
  }

  /** Stop: another decision is shown. */
  end() {
    this.turn += 1;
    this.away.abort();
  }

  /** The button that shows the last steps once more. */
  again() {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "tutorial-again" });
    button.textContent = say("Replay last steps");
    button.addEventListener("click", () => this.play());
    return button;
  }

  /** Go through the steps; at once to the last where motion is not wanted. A second call ends the first. */
  async play() {
    const turn = (this.turn += 1);
    if (this.reduced.matches) return this.board.draw(this.scenes.at(-1));
    this.board.draw(this.scenes[0]);
    for (let place = 1; place < this.scenes.length; place += 1) {
      await this.board.move(this.scenes[place - 1], this.scenes[place], { milliseconds: STEP_MS });
      await new Promise((done) => setTimeout(done, REST_MS));
      if (turn !== this.turn) return undefined;
    }
    return undefined;
  }
}
