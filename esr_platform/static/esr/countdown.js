// Times to come: elements with data-countdown count the seconds to the moment that stands there, times with data-local
// get the viewer's own time beside them, and a field with data-local-time says what its UTC is here. Without this
// script the page says the time in UTC, and how long until then when it was made.

import { findAll } from "./elements.js";
import { say } from "./words.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function left(until) {
  const seconds = Math.round((until - Date.now()) / 1000);
  if (seconds <= 0) return say("now");
  const [days, hours, minutes] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  return say("in %(span)s", { span: span(days, hours, minutes, seconds) });
}

function span(days, hours, minutes, seconds) {
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

function hint(input) {
  const place = document.createElement("p");
  place.className = "caption";
  place.setAttribute("role", "status");
  input.after(place);
  const show = () => {
    const moment = new Date(`${input.value}Z`);
    place.textContent = Number.isNaN(moment.getTime())
      ? ""
      : say("Local time: %(time)s (%(left)s)", { time: local(moment), left: left(moment) });
  };
  input.addEventListener("input", show);
  show();
}

for (const input of document.querySelectorAll("input[data-local-time]")) hint(input);
tick();
setInterval(tick, 1000);
