// The board of the home page: <best-table> follows the top live game, one round late, and <game-clip> plays the latest
// replay from its turning point. Both load the board and its style sheet after the page is painted; the place for it is
// reserved in home.css.

import { find, html } from "./elements.js";
import { boardAt } from "./replay/board.js";
import { fetched } from "./replay/game.js";
import { Player } from "./replay/player.js";
import { say } from "./words.js";

/** Steps a second of the replay, and how long its end is shown before it starts again, in milliseconds. */
const CLIP_SPEED = 0.5;
const REST_MS = 6000;

/** Where the replay starts if no step is its turning point, as a share of its steps. */
const USUAL_START = 0.6;

/** @type {() => Promise<void>} after the next frame was painted; a hidden page waits until it is shown */
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** @type {(address: string) => Promise<void>} adds a style sheet to the page; without it the board is still readable */
function sheetAt(address) {
  return new Promise((done) => {
    const link = html("link", { rel: "stylesheet", href: address });
    link.onload = link.onerror = () => done();
    document.head.append(link);
  });
}

class HomeBoard extends HTMLElement {
  /** @type {AbortController|null} ends what listens outside this element */
  away;

  /** @type {Object<string, *>} the module of the board */
  board;

  /** @type {Object<string, *>} what `mount` of the board returned */
  drawing;

  connectedCallback() {
    if (this.away) return;
    this.away = new AbortController();
    this.begin().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.away?.abort();
  }

  /** @returns {Promise<void>} */
  async begin() {
    throw new Error("An element with a board says how it begins.");
  }

  /** @returns {Promise<Object<string, *>>} the facts about the match, once the board is mounted */
  async mounted() {
    await painted();
    const table = JSON.parse(find(this, 'script[type="application/json"]').textContent);
    [this.board] = await Promise.all([boardAt(this.dataset.board), sheetAt(this.dataset.sheet ?? "")]);
    const root = find(this, "[data-board-place]");
    this.drawing = this.board.mount(root, table);
    new ResizeObserver(() => this.drawing.resize?.()).observe(root);
    this.keepHeight(root);
    return table;
  }

  /** Keep the height that the board needed at a width, so that the page below does not move with each step. */
  keepHeight(root) {
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      root.style.minHeight = contentRect.width === width ? `${Math.ceil(root.offsetHeight)}px` : "";
      width = contentRect.width;
    }).observe(root);
  }

  /** Show where in the game a scene is. */
  tellPlace(scene) {
    const place = this.board.place?.(scene)?.text;
    if (place) find(document, "[data-board-moment]").textContent = `${place} ·`;
  }

  /** The names and the link are there all the same. */
  fail(error) {
    console.error(error);
    this.hidden = true;
  }
}

/** live.js requests its moments; when the page follows another game or none, the section around it is requested. */
class BestTable extends HomeBoard {
  async begin() {
    const drawn = ({ target }) => target.id === this.dataset.moment && this.draw();
    document.addEventListener("htmx:oobAfterSwap", drawn, { signal: this.away?.signal });
    await this.mounted();
    this.draw();
  }

  draw() {
    const script = document.querySelector(`#${this.dataset.moment} script[type="application/json"]`);
    if (!script) return void this.renew();
    if (!this.drawing) return;
    const { match, ...scene } = JSON.parse(script.textContent);
    if (match !== Number(this.dataset.match)) return void this.renew();
    this.drawing.draw({ ...scene, standing: this.board.remember?.(null, { ...scene, standing: null }) ?? null });
    this.tellPlace(scene);
    this.classList.add("begun");
  }

  /** Let the section be requested, once. */
  renew() {
    this.away?.abort();
    this.closest("section")?.setAttribute("data-live", "");
  }
}

/** It plays while it is on the screen, unless a visitor paused it or prefers reduced motion. */
class GameClip extends HomeBoard {
  /** @type {Player} */
  player;

  start = 0;
  wanted = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  visible = false;
  rest = 0;

  async begin() {
    const { names } = await this.mounted();
    const game = await fetched(this.dataset.document ?? "", names);
    this.player = new Player(game, this.board);
    this.player.setSpeed(CLIP_SPEED);
    this.start = Number(this.dataset.start || Math.round(USUAL_START * game.last));
    this.player.ply = Math.min(this.start, game.last);
    this.player.add(this);
    this.player.show();
    const button = find(this, "[data-toggle]");
    button.hidden = false;
    button.addEventListener("click", () => this.toggle());
    const seen = new IntersectionObserver(([entry]) => this.see(entry.isIntersecting), { threshold: 0.25 });
    seen.observe(this);
    this.away?.signal.addEventListener("abort", () => {
      seen.disconnect();
      this.see(false);
    });
    this.classList.add("begun");
    this.changed();
  }

  see(visible) {
    this.visible = visible;
    this.play();
  }

  toggle() {
    this.wanted = !this.wanted;
    this.play();
    this.changed();
  }

  /** Go on or pause, as it is wanted and can be seen. */
  play() {
    clearTimeout(this.rest);
    if (!this.wanted || !this.visible) return this.player.pause();
    if (this.player.ply === this.player.game.last) this.player.go(this.start, 0);
    if (!this.player.playing) this.player.play();
    return undefined;
  }

  /** A part of the player: the moment. */
  show({ scene, from, milliseconds }) {
    if (from && this.drawing.move) this.drawing.move(from, scene, { milliseconds });
    else this.drawing.draw(scene);
    const sentence = this.player.game.sentences(scene.ply).join(" ");
    if (sentence) find(this, "[data-sentence]").textContent = sentence;
    this.dataset.ply = String(scene.ply);
    this.tellPlace(scene);
  }

  /** A part of the player: it was started or has come to its end. */
  changed() {
    find(this, "[data-toggle]").textContent = this.wanted ? say("Pause") : say("Play");
    this.dataset.playing = String(this.player.playing);
    const over = !this.player.playing && this.player.ply === this.player.game.last;
    if (over && this.wanted && this.visible) this.rest = setTimeout(() => this.play(), REST_MS);
  }
}

customElements.define("best-table", BestTable);
customElements.define("game-clip", GameClip);
