// The chart that is also the slider: what every seat had over the steps, marks where money moved, combs for offers.

import { say } from "../words.js";
import { Chart } from "./chart.js";

export class Scrubber {
  /**
   * @param {HTMLElement} root
   * @param {import("./player.js").Player} player
   * @param {import("./figures.js").Figures} figures
   * @param {string} sprite
   */
  constructor(root, player, figures, sprite) {
    this.root = root;
    this.player = player;
    this.chart = new Chart(figures, sprite);
    root.append(this.chart.drawing);
    root.setAttribute("role", "slider");
    root.setAttribute("tabindex", "0");
    root.setAttribute("aria-valuemin", "0");
    root.setAttribute("aria-valuemax", String(player.game.last));
    root.setAttribute("aria-label", figures.name || say("Step"));
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointermove", (event) => this.drag(event));
    new ResizeObserver(() => this.resize()).observe(root);
  }

  press(event) {
    if (event.button !== 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.player.scrub(this.at(event));
  }

  drag(event) {
    if (this.root.hasPointerCapture(event.pointerId)) this.player.scrub(this.at(event));
  }

  at(event) {
    return this.chart.plyAt(event.clientX - this.root.getBoundingClientRect().left);
  }

  resize() {
    this.chart.draw(this.root.clientWidth, this.root.clientHeight);
    this.changed();
  }

  changed() {
    this.chart.move(this.player.ply, this.player.hiding);
  }

  show({ scene }) {
    this.chart.move(scene.ply, this.player.hiding);
    this.root.setAttribute("aria-valuenow", String(scene.ply));
    this.root.setAttribute("aria-valuetext", this.spoken(scene.ply));
  }

  spoken(ply) {
    const said = this.player.game.sentences(ply).join(" ");
    return said || say("Step %(step)s: secret choice", { step: ply });
  }
}
