// Times from now. Elements with data-countdown count the seconds to the time in this attribute. The viewer's own
// time is added to <time data-local>, and below fields with data-local-time. Below fields with data-zone-time, the UTC
// appears; the field with data-time-zone of their form names their time zone. Without this script, pages show UTC.

import { findAll } from "./elements.js";
import { say } from "./words.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function left(until) {
  const seconds = Math.round((until - Date.now()) / 1000);
  if (seconds <= -60) return say("%(span)s ago", { span: span(-seconds).replace(/ \d+ s$/, "") });
  return seconds <= 0 ? say("now") : say("in %(span)s", { span: span(seconds) });
}

function span(seconds) {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  if (minutes) return `${minutes} min ${seconds % 60} s`;
  return `${seconds} s`;
}

function local(moment) {
  const shown = moment.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return `${shown}, ${zone}`;
}

function tick() {
  for (const part of findAll(document, "[data-countdown]")) {
    const text = left(new Date(part.dataset.countdown ?? ""));
    if (part.textContent !== text) part.textContent = text;
  }
  if (zone === "UTC") return;
  for (const time of findAll(document, "time[data-local]:not([data-said])")) {
    time.dataset.said = "";
    time.append(` (${local(new Date(time.getAttribute("datetime") ?? ""))})`);
  }
}

function hint(input, text) {
  const place = document.createElement("p");
  place.className = "caption";
  place.setAttribute("role", "status");
  input.after(place);
  const show = () => {
    place.textContent = text();
  };
  input.form?.addEventListener("input", show);
  show();
}

function localHint(input) {
  const moment = new Date(`${input.value}Z`);
  if (Number.isNaN(moment.getTime())) return "";
  return say("Local time: %(time)s (%(left)s)", { time: local(moment), left: left(moment) });
}

// The moments at which clocks in a time zone show a time: none or two on the days when clocks change.
function momentsIn(timeZone, text) {
  const wall = Date.parse(`${text}Z`);
  const shown = (moment) => Date.parse(`${new Date(moment).toLocaleString("sv-SE", { timeZone }).replace(" ", "T")}Z`);
  const offsets = new Set([wall - 86_400_000, wall + 86_400_000].map((moment) => shown(moment) - moment));
  return [...offsets].map((offset) => wall - offset).filter((moment) => shown(moment) === wall);
}

function zoneHint(input) {
  if (!input.value) return "";
  const timeZone = input.form.querySelector("[data-time-zone]").value;
  const moments = momentsIn(timeZone, input.value);
  if (!moments.length) return say("This time does not exist in %(zone)s.", { zone: timeZone });
  const moment = new Date(Math.min(...moments));
  const time = moment.toLocaleString([], { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return say("%(time)s UTC (%(left)s)", { time, left: left(moment) });
}

const guessed = document.querySelector("select[data-time-zone][data-guess]");
if (guessed instanceof HTMLSelectElement && [...guessed.options].some((option) => option.value === zone)) {
  guessed.value = zone;
}
for (const input of document.querySelectorAll("input[data-local-time]")) hint(input, () => localHint(input));
for (const input of document.querySelectorAll("input[data-zone-time]")) hint(input, () => zoneHint(input));
tick();
setInterval(tick, 1000);
