// <sitting-table>: a running game as one of its players sees and plays it.
//
// Events of its stream (docs/reference/api.md) tell it what happened; moves and actions go to the API. Its page is
// ladder/pages/templates/pages/play/table.html. It is the same for all games: a board draws the position
// (docs/internals/boards.md) and a composer builds moves (docs/internals/composers.md).
// Without this script, the page shows the game as text with a form.

import { around, element, find, findAll, html } from "./elements.js";
import { boardAt } from "./replay/board.js";
import { Head } from "./replay/head.js";
import { Notifier, Title } from "./table/alerts.js";
import { Clock } from "./table/clock.js";
import { Decision } from "./table/decision.js";
import { End } from "./table/end.js";
import { Hints } from "./table/hints.js";
import { Keys } from "./table/keys.js";
import { Moves } from "./table/moves.js";
import { Post } from "./table/post.js";
import { Rematch } from "./table/rematch.js";
import { Rights } from "./table/rights.js";
import { Showing, Told } from "./table/scenes.js";
import { Seats } from "./table/seats.js";
import { Sound } from "./table/sound.js";
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

/** The button to skip ahead appears if moves are shown for at least this time. */
const WORTH_SKIPPING_MS = 1_000;

const PRESSED = "a, button, input, select, textarea, summary, dialog, [contenteditable]";

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
   * @type {{names: string[], drawings: Object<string, *>, beats: import("./table/scenes.js").Beats, ranks?: number[]}}
   *   the argument of the board, see docs/internals/boards.md
   */
  table;

  /** @type {number} */
  seat;

  /**
   * @type {Object<string, *>} the present state of this seat, without a question that is not shown yet; undefined
   *   before the first event
   */
  present;

  /** @type {Object<string, *>|null} the present state as it came */
  latest = null;

  /** When `latest` came. */
  came = 0;

  /** @type {{status: string, reason?: string, outcome?: Object, href?: string}|null} the end of the game */
  result = null;

  /** @type {Object<string, *>|null} the last offer of a rematch */
  request = null;

  /** @type {HTMLElement} the number of offers that are shown as one, and a button to skip ahead */
  shownNow;

  /** @type {HTMLElement} */
  note;

  /** @type {Object<string, *>} the module of the board */
  board;

  /** @type {Object<string, *>} the module of the composer */
  composer;

  /** @type {{draw: Function, move?: Function, side: HTMLElement|null, resize?: Function}} what its `mount` returned */
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

  /** @type {Notifier} */
  notifier;

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

  /** @type {Hints} */
  hints;

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
    const listener = { began: (part) => this.began(part), done: () => this.allShown() };
    this.showing = new Showing(this.drawing, this.board, this.table.beats, listener);
    this.showing.begin(this.life.signal);
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
    this.notifier = new Notifier();
    this.notifier.switchBy(find(this, '[data-do="notify"]'));
    this.sound = new Sound();
    this.sound.begin(signal);
    this.turn = new Turn(this.find("waiting"), this.find("alert"), table.names);
    this.clock = new Clock(() => this.warn());
    this.seats = new Seats(this.find("seats-place"), table);
    this.back = this.wayBack();
    const { hint } = this.composer;
    const hintOf = hint ? (question) => hint(question, table) : null;
    this.hints = new Hints(hintOf, this.dataset.guest !== undefined);
    this.find("composer-place").before(this.hints.element);
    this.endPlace = html("section", { class: "sitting-end panel", hidden: true });
    this.find("composer-place").before(this.back, this.endPlace);
    this.rights = new Rights(this, this.post, seatActions, (text) => this.turn.tell(text));
    this.talk = new Talk(this, table, this.post, seatActions);
    this.moves = new Moves(find(this, '[data-panel="moves"]'));
    this.tabs = new Tabs(this, (name) => (name === "moves" ? this.moves.toTheEnd() : this.talk.count()));
    new Keys(this, this.composer.keys?.() ?? []);
    this.places = this.heads();
    this.movesButton();
    this.decision = this.deciding();
    this.soundButton();
    this.skipping();
  }

  /** A key or a tap shows the latest position immediately, in this window only. */
  skipping() {
    const { signal } = this.life;
    this.note = html("span", { class: "caption" });
    const button = html("button", { type: "button", class: "plain", "data-do": "skip" }, say("Skip ahead"));
    this.shownNow = html("p", { class: "sitting-showing", hidden: true }, this.note, " ", button);
    this.find("waiting").after(this.shownNow);
    button.addEventListener("click", () => this.showing.skip());
    for (const name of ["board-place", "side"])
      this.find(name).addEventListener("click", (event) => around(event, PRESSED) || this.showing.skip());
    const pressed = (event) => {
      if (event.key !== " " || event.defaultPrevented || !this.showing.busy) return;
      if (around(event, PRESSED) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.showing.skip();
    };
    document.addEventListener("keydown", pressed, { signal });
  }

  // --- what is shown --------------------------------------------------------------------------------------------

  /** A part of a scene is shown now. */
  began({ scene, beat, ms, count }) {
    for (const place of this.places) place.show({ scene });
    this.dataset.beat = beat;
    this.note.textContent = count > 1 ? (this.board.joined ?? offersText)(count) : "";
    if (count > 1 || this.showing.leftMs >= WORTH_SKIPPING_MS) this.shownNow.hidden = false;
    const gain = beat === "step" && this.board.marks?.(scene).money.includes(this.seat);
    if (ms > 0) this.sound.play(gain ? "scoring" : beat);
  }

  /** All moves so far are shown: the question comes, or the result. */
  allShown() {
    this.shownNow.hidden = true;
    delete this.dataset.beat;
    this.moves.changed();
    if (this.result) this.end(this.result);
    else if (this.latest) this.show(this.latest);
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
    else if (type === "present") this.stands(data.present ?? data);
    else if (type === "chat") this.talk.hear(data);
    else if (type === "viewers") this.watched(data.viewers);
    else if (type === "end") this.end(data);
    else if (type === "rematch") this.askedAgain(data);
  }

  newMoments(data) {
    const first = !this.told.last;
    const scenes = this.told.add(data, this.seat);
    if (data.present) this.came = performance.now();
    this.due(data.present ?? this.latest);
    this.showing.add(scenes, first || data.reset);
    if (data.present) this.show(data.present);
    if (first && scenes.length) this.drawn();
  }

  drawn() {
    this.classList.add("begun");
    this.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  stands(present) {
    this.came = performance.now();
    this.due(present);
    this.show(present);
  }

  /** @type {(present: Object|null) => boolean} whether this seat is asked and has not answered here */
  isOpen = (present) => Boolean(present) && present.decision !== null && present.decision > this.decision.settled;

  /** The moves before a question are shown until its clock starts. */
  due(present) {
    const startsAt = this.came + (present?.clock?.starts_in_ms ?? 0);
    this.showing.due(this.isOpen(present) ? startsAt - performance.now() : null);
  }

  /** @param {Object} present the present state of this seat. A question waits until all moves before it are shown. */
  show(present) {
    if (this.ended) return;
    this.latest = present;
    const open = this.isOpen(present);
    const next = open && this.showing.busy && present.decision !== this.decision.number;
    const now = open && !next ? present : { ...present, decision: null, question: null, clock: null, next };
    this.present = now;
    const begun = this.turn.show(now);
    this.clock.set(now.clock, now.decision, this.came);
    this.hints.show(now);
    this.seats.show(now);
    this.rights.show(now);
    this.showBack(now);
    this.showOutages(now);
    this.showing.add(this.told.own(now.you, this.seat));
    // After all that came with it.
    queueMicrotask(() => this.told.last && this.decision.show(this.present, this.told.last));
    this.tab.call(now.decision !== null);
    if (begun) this.called(say("Your turn"));
  }

  /** This player is called back to the page. */
  called(text) {
    this.sound.play("turn");
    this.notifier.tell(text);
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
    this.sound.play("warn");
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
    this.result = data;
    if (this.showing.busy) return; // until the last moves and the scoring are shown
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
    this.sound.play("end");
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
    if (this.request) this.askedAgain(this.request);
  }

  newRematch() {
    const send = (want) => this.post.once(`${this.dataset.seatActions}rematch`, { want }).catch(() => null);
    const call = (called) => {
      if (called && !this.tab.calling) this.called(say("Rematch?"));
      this.tab.call(called, say("Rematch?"));
    };
    return new Rematch(this.table, this.seat, send, call);
  }

  /** A rematch request is new or has changed. A page that waits for an answer continues to listen. */
  askedAgain(request) {
    this.request = request;
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

const offersText = (count) => sayCount("1 offer", "%(count)s offers", count);

const viewersText = (viewers) => sayCount("%(count)s watching", "%(count)s watching", viewers);

customElements.define("sitting-table", SittingTable);
