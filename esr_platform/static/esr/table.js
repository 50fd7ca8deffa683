// <sitting-table>: a running game as one of its players sees and plays it.
//
// Events of its stream (docs/api.md) tell it what happened; moves and actions go to the API. Its page is
// ladder/pages/templates/pages/play/table.html. It is the same for all games: a board draws the position
// (docs/boards.md) and a composer builds moves (docs/composers.md). Without this script, the page shows the game as
// text with a form.

import { element, find, findAll, html } from "./elements.js";
import { boardAt } from "./replay/board.js";
import { Head } from "./replay/head.js";
import { Sound, Title } from "./table/alerts.js";
import { Clock } from "./table/clock.js";
import { Decision } from "./table/decision.js";
import { End } from "./table/end.js";
import { Keys } from "./table/keys.js";
import { Moves } from "./table/moves.js";
import { Post } from "./table/post.js";
import { Rematch } from "./table/rematch.js";
import { Rights } from "./table/rights.js";
import { Showing, Told } from "./table/scenes.js";
import { Seats } from "./table/seats.js";
import { Stream } from "./table/stream.js";
import { Tabs } from "./table/tabs.js";
import { Talk } from "./table/talk.js";
import { asClock } from "./table/times.js";
import { Turn } from "./table/turn.js";
import { say, sayCount } from "./words.js";

/** A lost connection is reported only after this time. */
const WORTH_A_WORD_MS = 900;

/** How long chat is polled after the game, and how often. */
const AFTERWARDS_MS = 180_000;
const SELDOM_MS = 6_000;

/** Why the stream has ended. */
const OVER = {
  closed: () => say("You were disconnected because this game is open in too many windows or because you signed out."),
  refused: () => say("You no longer have access to this game."),
  "signed-out": () => say("You are signed out. Sign in again to continue."),
  unknown: () => say("You have no seat in this game."),
};

class SittingTable extends HTMLElement {
  /** @type {AbortController} ends what listens outside this element */
  life;

  /**
   * @type {{names: string[], drawings: Object<string, *>, ranks?: number[]}} the argument of the board, see
   *   docs/boards.md
   */
  table;

  /** @type {number} */
  seat;

  /** @type {Object<string, *>} the present state of this seat; undefined before the first event */
  present;

  /** @type {Object<string, *>} the module of the board */
  board;

  /** @type {Object<string, *>} the module of the composer */
  composer;

  /** @type {Object<string, *>} what `mount` of the board returned */
  drawing;

  /** @type {Stream} */
  stream;

  /** @type {Clock} */
  clock;

  /** @type {Told} */
  told;

  /** @type {Showing} */
  showing;

  /** @type {Post} */
  post;

  /** @type {Title} */
  tab;

  /** @type {Sound} */
  sound;

  /** @type {Turn} */
  turn;

  /** @type {Seats} */
  seats;

  /** @type {Rights} */
  rights;

  /** @type {Talk} */
  talk;

  /** @type {Decision} */
  decision;

  /** @type {Rematch|null} */
  rematch;

  /** @type {Moves} */
  moves;

  /** @type {Head[]} */
  places = [];

  /** @type {HTMLElement} */
  endPlace;

  /** @type {HTMLElement} */
  lostNote;

  /** @type {HTMLElement & {text: HTMLElement}} */
  back;

  ended = false;
  talkUntil = 0;
  waitingToTell = 0;

  connectedCallback() {
    if (this.life) return;
    this.life = new AbortController();
    this.tabIndex = -1;
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.life?.abort();
    this.stream?.stop();
    this.clock?.stop();
  }

  /** @type {(name: string) => HTMLElement} */
  find(name) {
    return find(this, `[data-${name}]`);
  }

  async begin() {
    const { board, composer = "", stream = "" } = this.dataset;
    this.table = JSON.parse(find(this, 'script[type="application/json"]').textContent);
    this.seat = Number(this.dataset.seat);
    this.ended = false;
    [this.board, this.composer] = await Promise.all([boardAt(board), import(composer)]);
    if (this.life.signal.aborted) return;
    this.mount();
    this.furnish();
    const { heard, lost, there, over } = this;
    const listener = { heard, lost, there, over };
    for (const name of Object.keys(listener)) listener[name] = listener[name].bind(this);
    this.stream = new Stream(stream, listener);
    this.stream.start();
  }

  /** Create the board. The page gives the order of seats. */
  mount() {
    const root = this.find("board-place");
    this.drawing = this.board.mount(root, this.table);
    if (this.drawing.side) this.find("side").append(this.drawing.side);
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.told = new Told(this.board.remember);
    this.showing = new Showing(this.drawing);
  }

  /** Create everything around the board. */
  furnish() {
    const { table } = this;
    const { csrf = "", seatActions = "" } = this.dataset;
    const { signal } = this.life;
    this.post = new Post(csrf);
    this.lostNote = html("p", { class: "sitting-lost", role: "status", hidden: true });
    this.prepend(this.lostNote);
    this.tab = new Title();
    this.tab.begin(signal);
    this.sound = new Sound();
    this.sound.begin(signal);
    this.turn = new Turn(this.find("waiting"), this.find("alert"), table.names);
    this.clock = new Clock(() => this.warn());
    this.seats = new Seats(table);
    this.back = this.wayBack();
    this.endPlace = html("section", { class: "sitting-end panel", hidden: true });
    this.find("composer-place").before(this.back, this.endPlace);
    find(this, ".sitting-panel").before(this.seats.element);
    this.rights = new Rights(this, this.post, seatActions, (text) => this.turn.tell(text));
    this.talk = new Talk(this, table, this.post, seatActions);
    this.moves = new Moves(find(this, '[data-panel="moves"]'));
    this.tabs = new Tabs(this, (name) => (name === "moves" ? this.moves.toTheEnd() : this.talk.count()));
    new Keys(this, this.composer.keys?.() ?? []);
    this.places = this.heads();
    this.movesButton();
    this.decision = this.deciding();
    this.soundButton();
  }

  deciding() {
    const about = { table: this.table, board: this.find("board-place"), home: this, seat: this.seat };
    const { decisions: address = "", match = "" } = this.dataset;
    const way = { post: this.post, address, match, clock: this.clock.element };
    return new Decision(this.find("composer-place"), this.composer, about, way, (number, problem) =>
      this.answered(number, problem),
    );
  }

  /** Where in the game one is: above the board, and on phones in the bar. */
  heads() {
    const place =
      this.board.place ?? (() => ({ text: this.present ? say("Round %(round)s", { round: this.present.round }) : "" }));
    const roots = findAll(document, ".sitting-place");
    return roots.map((root) => new Head(root, { board: { place }, game: null }));
  }

  /** On phones, the moves take the place of the board. */
  movesButton() {
    for (const button of findAll(document, "[data-show-moves]"))
      button.addEventListener("click", () => {
        const shown = this.classList.toggle("shows-moves");
        button.setAttribute("aria-pressed", String(shown));
        scrollTo(0, 0);
      });
  }

  wayBack() {
    const button = html("button", { type: "button", class: "button send", "data-do": "return" }, say("Return to game"));
    const text = html("span");
    const part = html("p", { class: "sitting-back", hidden: true }, text, " ", button);
    return Object.assign(part, { text });
  }

  soundButton() {
    const button = find(this, '[data-do="sound"]');
    Object.assign(button.dataset, { on: say("on"), off: say("off") });
    const said = () => button.setAttribute("aria-pressed", String(this.sound.on));
    button.addEventListener("click", () => {
      this.sound.toggle();
      said();
    });
    said();
  }

  // --- Events ---------------------------------------------------------------------------------------------------

  heard({ type, data }) {
    if (type === "moments") this.newMoments(data);
    else if (type === "present") this.show(data.present ?? data);
    else if (type === "chat") this.talk.hear(data);
    else if (type === "viewers") this.watched(data.viewers);
    else if (type === "end") this.end(data);
    else if (type === "rematch") this.askedAgain(data);
  }

  newMoments(data) {
    const first = !this.told.last;
    const scenes = this.told.add(data, this.seat);
    this.showing.add(scenes, first || data.reset);
    if (scenes.length) {
      for (const place of this.places) place.show({ scene: scenes.at(-1) });
      this.moves.changed();
    }
    if (data.present) this.show(data.present);
    if (first && scenes.length) this.drawn();
  }

  drawn() {
    this.classList.add("begun");
    this.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  /** @param {Object} present the present state of this seat */
  show(present) {
    if (this.ended) return;
    const settled = present.decision !== null && present.decision <= this.decision.settled;
    const now = settled ? { ...present, decision: null, question: null, clock: null } : present;
    this.present = now;
    const begun = this.turn.show(now);
    this.clock.set(now.clock, now.decision);
    this.seats.show(now);
    this.rights.show(now);
    this.showBack(now);
    this.showOutages(now);
    this.showing.add(this.told.own(now.you, this.seat));
    // After all that came with it.
    queueMicrotask(() => this.told.last && this.decision.show(this.present, this.told.last));
    this.tab.call(now.decision !== null);
    if (begun) this.sound.turn();
  }

  /** A substitute bot plays in the own seat. */
  showBack({ here, rights, running }) {
    const replaced = running && here?.[this.seat] === "substitute";
    this.back.hidden = !replaced && !rights?.return;
    this.back.text.textContent = rights?.return
      ? say("A substitute bot plays for you.")
      : say("A substitute bot plays in your seat until the end. You can only watch.");
  }

  /** Time in which the site was unavailable. It is not charged to any player. */
  showOutages({ outage_ms: ms }) {
    const note = this.find("outages");
    note.hidden = !ms;
    const text = ms
      ? say("The site was unavailable for %(time)s. Running clocks were extended.", { time: asClock(ms) })
      : "";
    if (note.textContent !== text) note.textContent = text; // screen readers repeat a text that is written again
  }

  /** A decision was answered. The next one may have been asked before this was known here. */
  answered(number, problem) {
    if (this.present.decision === number) this.show({ ...this.present, decision: null, question: null, clock: null });
    if (problem) this.turn.tell(problem);
  }

  warn() {
    this.sound.warn();
    this.decision.say(say("10 seconds left."));
  }

  /** The number of spectators. */
  watched(viewers) {
    const place = this.find("watching");
    if (place) place.textContent = viewersText(viewers);
  }

  /** @param {{status: string, reason?: string, outcome?: Object, href?: string}} data */
  end(data) {
    if (this.ended) return;
    this.show({
      ...this.present,
      decision: null,
      question: null,
      clock: null,
      running: false,
      waiting: [],
      rights: null,
    });
    this.ended = true;
    this.table.ranks = data.outcome?.ranks;
    if (this.table.ranks && this.told.last) this.showing.add([this.told.last]); // a board may show the winner
    this.talkUntil = performance.now() + AFTERWARDS_MS;
    // The server ends the stream soon after the game; chat is then polled.
    this.stream.leastWaitMs = SELDOM_MS;
    this.lostNote.hidden = true;
    const { over = "", lobby = "", rematch } = this.dataset;
    const unit = this.board.unit ?? "";
    this.rematch = rematch === undefined ? null : this.newRematch();
    new End(this.endPlace, this.table, {
      over,
      rematch: this.rematch?.element ?? null,
      lobby,
      unit,
      seat: this.seat,
    }).show(data);
    this.classList.add("ended");
  }

  newRematch() {
    const send = (want) => this.post.once(`${this.dataset.seatActions}rematch`, { want }).catch(() => null);
    const call = (called) => {
      if (called && !this.tab.calling) this.sound.turn();
      this.tab.call(called, say("Rematch?"));
    };
    return new Rematch(this.table, this.seat, send, call);
  }

  /** A rematch request is new or has changed. A page that waits for an answer continues to listen. */
  askedAgain(request) {
    this.rematch?.show(request);
    if (this.rematch?.open) this.talkUntil = Math.max(this.talkUntil, performance.now() + AFTERWARDS_MS);
  }

  // --- the connection --------------------------------------------------------------------------------------------

  lost() {
    if (this.ended && performance.now() > this.talkUntil) this.stream.stop();
    if (this.ended || this.waitingToTell) return;
    this.waitingToTell = setTimeout(
      () => {
        this.lostNote.textContent = say("Connection lost. The clock is still running. Reconnecting.");
        this.lostNote.hidden = false;
      },
      navigator.onLine ? WORTH_A_WORD_MS : 0,
    );
  }

  there() {
    clearTimeout(this.waitingToTell);
    this.waitingToTell = 0;
    this.lostNote.hidden = true;
  }

  /** @param {string} why the stream has ended for good */
  over(why) {
    this.there();
    if (this.ended) return;
    this.clock.stop();
    this.tab.call(false);
    this.decision.close();
    this.lostNote.replaceChildren(
      OVER[why]?.() ?? OVER.closed(),
      " ",
      html("a", { href: location.pathname }, say("Reload page")),
    );
    this.lostNote.hidden = false;
  }

  /** Show an error. */
  fail(error) {
    console.error(error);
    const text = say("The board could not be displayed. Reload the page.");
    this.prepend(element("p", "notice", text));
  }
}

const viewersText = (viewers) => sayCount("%(count)s watching", "%(count)s watching", viewers);

customElements.define("sitting-table", SittingTable);
