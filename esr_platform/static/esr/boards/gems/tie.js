// The line from the rows of those who barter to their conversation, where that stands to the right of the board.

import { svg } from "../../elements.js";

const NEAR = 80;

/**
 * @param {HTMLElement} board the frame that the line leaves from; what holds it is positioned
 * @returns {{element: SVGElement, draw: (rows: HTMLElement[], side: HTMLElement) => void}}
 */
export function tie(board) {
  const line = svg("path", { class: "way" });
  const dots = svg("path", { class: "dots" });
  const drawn = svg("svg", { class: "tie", "aria-hidden": "true" }, line, dots);
  return {
    element: drawn,
    draw(rows, side) {
      const from = board.getBoundingClientRect();
      const to = side.getBoundingClientRect();
      const gap = to.left - from.right;
      const shown = rows.length > 0 && side.isConnected && gap > 6 && gap < NEAR;
      drawn.style.setProperty("display", shown ? "block" : "none");
      if (!shown) return;
      drawn.style.setProperty("left", `${from.width - 6}px`);
      drawn.style.setProperty("width", `${gap + 6}px`);
      drawn.style.setProperty("height", `${from.height}px`);
      const at = rows.map((row) => middle(row) - from.top);
      const end = Math.min(
        Math.max((at[0] + at[at.length - 1]) / 2, to.top - from.top + 40),
        to.bottom - from.top - 20,
      );
      const bus = 6 + Math.round(gap / 2);
      dots.setAttribute("d", at.map((y) => `M2 ${y}a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z`).join(""));
      line.setAttribute("d", `${at.map((y) => `M5 ${y}H${bus}V${end}`).join("")}H${gap + 6}`);
    },
  };
}

const middle = (row) => {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
};
