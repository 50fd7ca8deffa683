// <game-replay>: a game to go through, step by step. Without this script the page has the same game in sentences.

import { find } from "./elements.js";
import { boardAt, Table } from "./replay/board.js";
import { Controls, listen } from "./replay/controls.js";
import { fetched } from "./replay/game.js";
import { Head } from "./replay/head.js";
import { Moves, Text } from "./replay/moves.js";
import { Place } from "./replay/place.js";
import { Player } from "./replay/player.js";
import { figuresOf, Scrubber } from "./replay/scrubber.js";

class GameReplay extends HTMLElement {
  /** @type {AbortController} */
  begun;

  /** @type {Player} */
  player;

  connectedCallback() {
    if (this.begun) return;
    this.begun = new AbortController();
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.begun?.abort();
    this.player?.pause();
  }

  /** Draw the moment that the address asks for. */
  async begin() {
    const table = JSON.parse(find(this, 'script[type="application/json"]').textContent);
    const [game, board] = await Promise.all([
      fetched(this.dataset.document ?? "", table.names),
      boardAt(this.dataset.board),
    ]);
    table.ranks = game.ranks;
    const player = (this.player = new Player(game, board));
    const place = new Place(player);
    place.begin();
    this.hidden = false;
    this.add(player, table, place);
    this.classList.add("begun");
    player.show();
    player.tell();
    performance.mark("replay-drawn");
  }

  add(player, table, place) {
    const [side, moves, scrubber] = ["side", "moves", "scrubber"].map((name) => find(this, `[data-${name}]`));
    /** @type {HTMLElement} */
    const page = this.closest("[data-replay-page]") ?? this;
    const figures = figuresOf(player);
    const controls = new Controls(this, page, player, figures);
    const text = new Text(page, player);
    const board = new Table(find(this, "[data-board-place]"), side, player, table);
    player.add(new Scrubber(scrubber, player, figures, table.drawings.sprite));
    player.add(new Moves(moves, player));
    player.add(new Head(find(page, "[data-place]"), player));
    player.add(controls);
    player.add(place);
    player.add(text);
    player.add(board); // last: boards measure what they draw, and by then all else of this moment is there
    this.addEventListener("as-text", () => text.toggle());
    listen(controls.keyboard(), (key) => !text.open || key === "t", this.begun.signal);
  }

  /** The sentences are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
    this.closest("[data-replay-page]")?.classList.add("as-text");
  }
}

customElements.define("game-replay", GameReplay);
