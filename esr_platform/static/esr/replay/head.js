// Where in the game one is, in words and in lozenges, at the head of the page.

import { html } from "../elements.js";

export class Head {
  /**
   * @param {HTMLElement} root
   * @param {{board: Object<string, *>, game: import("./game.js").Game|null}} player without a game, the board tells the
   *   place
   */
  constructor(root, player) {
    this.root = root;
    this.player = player;
    this.text = html("span");
    this.pips = html("span", { class: "pips", "aria-hidden": "true" });
    root.replaceChildren(this.text, this.pips);
  }

  show({ scene }) {
    const { board, game } = this.player;
    const place = board.place?.(scene);
    this.text.textContent = place?.text ?? game?.chapters[game.chapterAt(scene.ply)].title ?? "";
    const [now, of] = place?.pips ?? [0, 0];
    if (this.pips.dataset.now === `${now}/${of}`) return;
    this.pips.dataset.now = `${now}/${of}`;
    this.pips.replaceChildren(
      ...Array.from({ length: of }, (_, pip) =>
        html("i", { class: pip + 1 === now ? "now" : pip < now ? "past" : "" }),
      ),
    );
  }
}
