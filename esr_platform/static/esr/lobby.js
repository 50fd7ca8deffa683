// The lobby as it changes: its stream says that something has, and the parts marked with data-lobby are fetched anew.
// A game that begins takes the page there. Without this script, or without the stream, a reload does the same.

import { Stream } from "./sitting/stream.js";
import { say } from "./words.js";

/** Not more often than this, and not all who stand here in one moment. */
const APART_MS = 2_000;
const SPREAD_MS = 700;

/** While no events come. */
const BLIND_MS = 5_000;

class Lobby {
  constructor(root) {
    this.root = root;
    this.said = root.querySelector("[data-lobby-said]");
    this.fetched = 0;
    this.blind = true;
  }

  start() {
    const listener = {
      heard: (event) => this.heard(event),
      there: () => (this.blind = false),
      lost: () => (this.blind = true),
      over: () => (this.blind = true),
    };
    new Stream(this.root.dataset.lobbyStream, listener).start();
    setInterval(() => this.blind && !document.hidden && this.soon(), BLIND_MS);
    document.addEventListener("visibilitychange", () => document.hidden || this.soon());
    this.root.addEventListener("focusout", () => this.held && this.soon());
  }

  heard({ type, data }) {
    if (type === "game") this.go(data.href);
    else if (type === "challenge") this.tell(say("Somebody challenges you."), say("You are challenged"));
    if (type === "challenge" || type === "lobby") this.soon();
  }

  /** To the table: whoever looks for a game, or has accepted one, wants to sit there. */
  go(href) {
    if (this.gone) return;
    this.gone = true;
    this.tell(say("Your game begins."), say("Your game begins"));
    location.assign(href);
  }

  tell(text, title) {
    this.said.textContent = text;
    if (document.hidden) {
      this.title ??= document.title;
      document.title = `• ${title}`;
      document.addEventListener("visibilitychange", () => (document.title = this.title), { once: true });
    }
  }

  soon() {
    if (this.waiting) return;
    const wait = Math.max(0, this.fetched + APART_MS - performance.now()) + Math.random() * SPREAD_MS;
    this.waiting = setTimeout(() => this.renew().catch(() => {}), wait);
  }

  async renew() {
    this.fetched = performance.now();
    this.waiting = null;
    const address = location.pathname + location.search;
    const response = await fetch(address, { headers: { accept: "text/html" }, redirect: "manual" });
    if (response.type === "opaqueredirect") this.go(address); // the page now leads to the table of a game that has begun
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    this.held = false;
    for (const part of document.querySelectorAll("[data-lobby]")) this.take(part, fresh.getElementById(part.id));
    dressLinks();
  }

  /** A part in which somebody is about to press something stays as it is until they have left it. */
  take(part, next) {
    if (!next || shown(next) === shown(part)) return;
    if (part.contains(document.activeElement)) this.held = true;
    else part.replaceChildren(...next.childNodes);
  }
}

// What a part shows; the tokens of its forms are other ones each time and mean the same.
function shown(part) {
  const copy = part.cloneNode(true);
  for (const extra of copy.querySelectorAll("[data-copy-link]")) extra.remove();
  return copy.innerHTML.replace(/(name="csrfmiddlewaretoken" value=")[^"]*/g, "$1");
}

/** A link to be sent gets a button that copies it. */
function dressLinks() {
  for (const link of document.querySelectorAll("[data-link]:not(:has(+ [data-copy-link]))")) {
    if (!navigator.clipboard) return;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "plain", textContent: say("Copy it") });
    button.dataset.copyLink = "";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(link.textContent);
      button.textContent = say("Copied");
    });
    link.after(button);
  }
}

/** The form shows as many opponents as the table has seats for, and only where bots are to sit there. */
function dressForm(form) {
  const table = form.elements.table;
  const opponents = [...form.querySelectorAll("[data-opponent]")];
  const show = () => {
    const seats = Number(table.selectedOptions[0]?.dataset.seats ?? 5);
    const open = form.elements.kind.value !== "bots";
    for (const opponent of opponents) opponent.hidden = Number(opponent.dataset.opponent) > seats - 1 - (open ? 1 : 0);
    form.querySelector("[data-opponents]").hidden = opponents.every((opponent) => opponent.hidden);
    const rated = form.elements.counts.value === "rated";
    form.elements.clock.querySelectorAll("option").forEach((option) => (option.disabled = rated && option.value !== "usual"));
    if (rated) form.elements.clock.value = "usual";
  };
  form.addEventListener("change", show);
  show();
}

const root = document.querySelector("[data-lobby-stream]");
if (root) new Lobby(root).start();
const form = document.querySelector("[data-offer-form]");
if (form) dressForm(form);
dressLinks();
