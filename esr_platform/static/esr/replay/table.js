// The board and the panel beside it, as parts of a player.

export class Table {
  /**
   * @param {HTMLElement} root where the board goes
   * @param {HTMLElement} beside where its panel goes
   * @param {import("./player.js").Player} player
   * @param {Object} table what a board is told of the table, see docs/boards.md
   */
  constructor(root, beside, player, table) {
    this.board = player.board.mount(root, table);
    if (this.board.side) beside.prepend(this.board.side);
    beside.closest(".replay-table")?.classList.toggle("whole", !this.board.side);
    new ResizeObserver(() => this.board.resize?.()).observe(root);
  }

  show({ scene, from, milliseconds }) {
    if (from && this.board.move) this.board.move(from, scene, { milliseconds });
    else this.board.draw(scene);
  }
}
