// Shows the values of a rating chart at the pointer, or at the point that the arrow keys select. The tables below the
// chart list the same values without this script.

import { findAll } from "./elements.js";
import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const LOCALE = document.documentElement.lang || undefined;

/**
 * @typedef {{x: number, y: number, rating: string, version: string, at: Date, name: string}} Point `version`: "-" for
 *   people
 */

/** @param {HTMLElement} figure @returns {Point[]} every moment drawn, from the left */
function points(figure) {
  const traces = findAll(figure, "template[data-points]");
  const found = traces.flatMap((trace) =>
    (trace.dataset.points ?? "").split(";").map((text) => {
      const [x, y, rating, version, at] = text.split(" ");
      return {
        x: Number(x),
        y: Number(y),
        rating,
        version,
        at: new Date(at),
        name: traces.length > 1 ? (trace.dataset.trace ?? "") : "",
      };
    }),
  );
  return found.sort((a, b) => a.x - b.x);
}

/** @param {Point} point @returns {string} the moment in words */
function said(point) {
  const when = point.at.toLocaleString(LOCALE, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  const { rating, version } = point;
  const what =
    version === "-"
      ? say("%(rating)s, %(when)s", { rating, when })
      : say("%(rating)s, v%(version)s, %(when)s", { rating, version, when });
  return point.name ? `${point.name}: ${what}` : what;
}

/** @param {string} name @param {Record<string, string>} attributes @param {Element} parent */
function drawn(name, attributes, parent) {
  const part = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  part.style.setProperty("visibility", "hidden");
  return parent.appendChild(part);
}

/** @param {HTMLElement} figure */
function enliven(figure) {
  const all = points(figure);
  const plot = /** @type {SVGElement|null} */ (figure.querySelector(".plot"));
  if (!all.length || !plot || figure.dataset.chart === "alive") return;
  figure.dataset.chart = "alive";
  const line = drawn("line", { class: "pointed", y1: "0", y2: "100%" }, plot);
  const dot = drawn("circle", { class: "pointed-at", r: "4" }, plot);
  const tip = figure.appendChild(document.createElement("p"));
  tip.className = "chart-tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  let at = all.length - 1;

  const show = (place) => {
    at = Math.max(0, Math.min(all.length - 1, place));
    const point = all[at];
    for (const [name, value] of Object.entries({ x1: point.x, x2: point.x })) line.setAttribute(name, `${value}%`);
    dot.setAttribute("cx", `${point.x}%`);
    dot.setAttribute("cy", `${point.y}%`);
    for (const part of [line, dot]) part.style.setProperty("visibility", "visible");
    const box = plot.getBoundingClientRect();
    tip.style.setProperty("--at", `${box.left - figure.getBoundingClientRect().left + (box.width * point.x) / 100}px`);
    tip.classList.toggle("left", point.x > 50);
    tip.textContent = said(point);
    tip.hidden = false;
  };
  const hide = () => {
    tip.hidden = true;
    for (const part of [line, dot]) part.style.setProperty("visibility", "hidden");
  };
  const nearest = (event) => {
    const box = plot.getBoundingClientRect();
    const [x, y] = [(100 * (event.clientX - box.left)) / box.width, (100 * (event.clientY - box.top)) / box.height];
    const far = (point) => Math.abs(point.x - x) + Math.abs(point.y - y) / 20; // of two lines the nearer one
    return all.reduce((best, point, place) => (far(point) < far(all[best]) ? place : best), 0);
  };

  plot.setAttribute("tabindex", "0");
  plot.addEventListener("pointermove", (event) => show(nearest(event)));
  plot.addEventListener("pointerdown", (event) => show(nearest(event)));
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("focus", () => plot.matches(":focus-visible") && show(at));
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") hide();
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
}

for (const figure of findAll(document, "[data-chart]")) enliven(figure);
