// Keeps the lobby, or the page of a game by link, up to date: its stream notifies about changes. It brings the changed
// parts of the page to visitors who all see the same; those with an account or a game then request them. When a game
// begins, its page is opened. Without this script or the stream, a reload has the same effect.

import { place, refresh } from "./live.js";
import { Notifier, Title } from "./table/alerts.js";
import { Sound } from "./table/sound.js";
import { CROWD_KEEP_ALIVE_MS, Stream } from "./table/stream.js";
import { say } from "./words.js";

const PARTS = "your-games open-games quick running-games";

/** Minimum time between requests, plus a random delay so that visitors do not all send theirs at the same moment. */
const APART_MS = 2_000;
const SPREAD_MS = 700;

/** Period of requests while there are no events. */
const BLIND_MS = 5_000;

class Lobby {
  constructor(root) {
    this.root = root;
    this.said = root.querySelector("[data-lobby-said]");
    this.fetched = 0;
    this.open = "";
    this.blind = true;
    this.title = new Title();
    this.sound = new Sound();
    this.notifier = new Notifier();
  }

  start() {
    const { signal } = new AbortController(); // the page ends with its document
    this.title.begin(signal);
    this.sound.begin(signal);
    for (const button of this.root.querySelectorAll('[data-do="notify"]')) this.notifier.switchBy(button);
    document.addEventListener("visibilitychange", () => document.hidden || this.title.call(false));
    const listener = {
      heard: (event) => this.heard(event),
      there: () => (this.blind = false),
      lost: () => (this.blind = true),
      over: () => (this.blind = true),
    };
    new Stream(this.root.dataset.lobbyStream, listener, CROWD_KEEP_ALIVE_MS).start();
    setInterval(() => this.blind && this.soon(), BLIND_MS);
    document.addEventListener("visibilitychange", () => this.due && this.soon());
    this.root.addEventListener("focusout", () => this.held && this.soon());
    document.addEventListener(
      "htmx:oobBeforeSwap",
      ({ detail }) => (this.held ||= detail.target.contains(document.activeElement)),
    );
  }

  heard({ type, data }) {
    if (type === "game") this.go(data.href);
    else if (type === "challenge") this.tell(say("You have a new challenge."), say("New challenge"));
    else if (type === "lobby") this.open = data.offers.length;
    if (data.parts) place(data.parts);
    else if (type === "challenge" || type === "lobby") this.soon();
  }

  /** Open the game that has begun. */
  go(href) {
    if (this.gone) return;
    this.gone = true;
    this.tell(say("Your game starts now."), say("Your game starts"));
    location.assign(href);
  }

  tell(text, title) {
    this.said.textContent = text;
    this.sound.play("turn");
    this.notifier.tell(text);
    if (document.hidden) this.title.call(true, title);
  }

  /** Request the parts once after a burst of events. A hidden page waits until it is visible. */
  soon() {
    this.due = document.hidden;
    if (this.waiting || this.due) return;
    const wait = Math.max(0, this.fetched + APART_MS - performance.now()) + Math.random() * SPREAD_MS;
    this.waiting = setTimeout(() => this.renew().catch(() => {}), wait);
  }

  async renew() {
    this.fetched = performance.now();
    this.waiting = null;
    this.held = false;
    await refresh(`${this.root.dataset.parts}?open=${this.open}`, (this.root.dataset.partIds ?? PARTS).split(" "));
    dressLinks();
  }
}

/** Add a button to invitation links: it opens the sharing menu on phones, and copies the link elsewhere. */
function dressLinks() {
  for (const link of document.querySelectorAll("[data-link]:not(:has(+ [data-added]))")) {
    const shares = "share" in navigator && matchMedia("(pointer: coarse)").matches;
    if (!shares && !navigator.clipboard) return;
    const className = link.closest(".invitation") ? "button send" : "plain";
    const textContent = shares ? say("Share link") : say("Copy link");
    const button = Object.assign(document.createElement("button"), { type: "button", className, textContent });
    button.dataset.added = "";
    button.addEventListener("click", async () => {
      if (shares) return navigator.share({ url: link.textContent ?? "" }).catch(() => {}); // or the menu was closed
      await navigator.clipboard.writeText(link.textContent ?? "");
      button.textContent = say("Copied");
      return undefined;
    });
    link.after(button);
  }
}

/** Show one bot field per seat that a bot can take, and allow only the Standard time control in rated games. */
function dressForm(form) {
  const { ladder } = form.elements;
  const opponents = [...form.querySelectorAll("[data-opponent]")];
  const show = () => {
    const seats = Number(ladder.selectedOptions[0]?.dataset.seats ?? 5);
    const open = form.elements.kind?.value !== "bots";
    for (const opponent of opponents) opponent.hidden = Number(opponent.dataset.opponent) > seats - 1 - (open ? 1 : 0);
    form.querySelector("[data-opponents]").hidden = opponents.every((opponent) => opponent.hidden);
    const rated = form.elements.counts?.value === "rated";
    form.elements.clock
      .querySelectorAll("option")
      .forEach((option) => (option.disabled = rated && option.value !== "usual"));
    if (rated) form.elements.clock.value = "usual";
  };
  form.addEventListener("change", show);
  show();
}

const root = document.querySelector("[data-lobby-stream]");
if (root) new Lobby(root).start();
const form = document.querySelector("[data-game-form]");
if (form) dressForm(form);
dressLinks();
