// Buttons, choices and links below a replay, and the words that follow the moment.

import { around, find } from "../elements.js";
import { say } from "../words.js";
import { addressOf } from "./place.js";
import { SPEEDS } from "./player.js";

const SECRET = () => say("This choice is still secret.");

/** @type {(text: string) => Promise<void>} */
async function copied(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true, className: "hidden" });
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

export class Controls {
  /**
   * @param {HTMLElement} root the whole replay
   * @param {HTMLElement} page what holds it, with other buttons that do something to it
   * @param {import("./player.js").Player} player
   * @param {import("./scrubber.js").Figures} figures
   */
  constructor(root, page, player, figures) {
    this.root = root;
    this.player = player;
    this.phases = (figures.phases.length ? figures.phases : figures.rounds).map(({ ply }) => ply);
    const foot = find(root, ".replay-foot"); // a board may have attributes of the same names
    /** @type {(name: string) => HTMLElement} */
    this.find = (name) => foot.querySelector(`[data-${name}]`) ?? find(root, `:scope > [data-${name}]`);
    this.dialog = find(root, ":scope > [data-keys]", HTMLDialogElement);
    this.speeds = find(foot, "[data-speed]", HTMLSelectElement);
    this.seats = find(foot, "[data-seat]", HTMLSelectElement);
    this.actions = this.all();
    page.addEventListener("click", (event) => this.clicked(event));
    this.speeds.addEventListener("change", () => player.setSpeed(Number(this.speeds.value)));
    this.seats.addEventListener("change", () => player.look(this.seats.value === "" ? null : Number(this.seats.value)));
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close());
    player.hiding = stored();
  }

  /** Everything that can be done, by the name that buttons have in data-do. */
  all() {
    const { player } = this;
    const paused = (act) => () => {
      player.pause();
      act();
    };
    const by = (ply) => paused(() => player.go(ply()));
    return {
      first: by(() => 0),
      last: by(() => player.game.last),
      back: by(() => player.neighbor(-1)),
      next: by(() => player.neighbor(1)),
      "chapter-back": paused(() => player.chapter(-1)),
      "chapter-next": paused(() => player.chapter(1)),
      "phase-back": paused(() => player.jump(-1, this.phases)),
      "phase-next": paused(() => player.jump(1, this.phases)),
      play: () => player.toggle(),
      slower: () => player.faster(-1),
      faster: () => player.faster(1),
      everybody: () => player.look(null),
      copy: () => this.copy(),
      text: () => this.text(),
      keys: () => this.keys(),
      hide: () => this.hide(),
      more: () => this.more(),
    };
  }

  /** The keys of look and docs/guides/replays.md. */
  keyboard() {
    const { actions, player } = this;
    const seats = Object.fromEntries(
      Array.from({ length: player.game.seats }, (_, seat) => [String(seat + 1), () => player.look(seat)]),
    );
    return {
      ArrowLeft: actions.back,
      ArrowRight: actions.next,
      "Shift+ArrowLeft": actions["chapter-back"],
      "Shift+ArrowRight": actions["chapter-next"],
      PageUp: actions["phase-back"],
      PageDown: actions["phase-next"],
      Home: actions.first,
      End: actions.last,
      " ": actions.play,
      "-": actions.slower,
      "+": actions.faster,
      "=": actions.faster,
      0: actions.everybody,
      ...seats,
      c: actions.copy,
      t: actions.text,
      h: actions.hide,
      "?": actions.keys,
    };
  }

  clicked(event) {
    const button = around(event, "[data-do]");
    if (!button || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.actions[button.dataset.do ?? ""]();
  }

  async copy() {
    const { player } = this;
    player.pause();
    try {
      await copied(addressOf(player.ply, player.seat));
      this.announce(say("Link to #%(step)s copied.", { step: player.ply }));
    } catch {
      this.announce(say("The browser did not allow copying. Copy the URL from the address bar instead."));
    }
  }

  text() {
    this.player.pause();
    this.root.dispatchEvent(new CustomEvent("as-text"));
  }

  keys() {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  hide() {
    store(!this.player.hiding);
    this.player.hide(!this.player.hiding);
  }

  more() {
    const open = this.root.classList.toggle("more");
    for (const button of this.root.querySelectorAll('[data-do="more"]'))
      button.setAttribute("aria-expanded", String(open));
  }

  announce(text) {
    this.find("said").textContent = text;
  }

  changed() {
    const { player } = this;
    const play = this.find("play");
    find(play, "span").textContent = player.playing ? say("Pause") : say("Play");
    play.classList.toggle("playing", player.playing);
    this.speeds.value = String(player.speed);
    this.seats.value = player.seat === null ? "" : String(player.seat);
    find(this.root, '[data-do="hide"]').setAttribute("aria-pressed", String(player.hiding));
    for (const name of ["slower", "faster"]) {
      const end = name === "slower" ? SPEEDS[0] : SPEEDS.at(-1);
      this.root.querySelector(`[data-do="${name}"]`)?.toggleAttribute("disabled", player.speed === end);
    }
  }

  show({ scene }) {
    const { player } = this;
    const at = (name, off) =>
      this.root
        .querySelectorAll(`[data-do="${name}"]`)
        .forEach((button) => button.setAttribute("aria-disabled", String(off)));
    for (const name of ["first", "back", "chapter-back"]) at(name, scene.ply === 0);
    for (const name of ["last", "next", "chapter-next"]) at(name, scene.ply === player.game.last);
    this.find("sentence").textContent = player.game.sentences(scene.ply).join(" ") || SECRET();
    const link = this.find("copy");
    link.textContent = say("Copy link to #%(step)s", { step: scene.ply });
    link.setAttribute("href", `#${scene.ply}`);
  }
}

/** Whether somebody wants to be surprised, on this and on other replays. */
function stored() {
  try {
    return localStorage.getItem("hide-what-comes") === "yes";
  } catch {
    return false;
  }
}

function store(hiding) {
  try {
    localStorage.setItem("hide-what-comes", hiding ? "yes" : "no");
  } catch {
    // not kept for the next replay, but for this one
  }
}

const TYPING = "input, textarea, select, [contenteditable], dialog";

/**
 * Listens to the keys of the page while a replay is on it. They work wherever nothing is typed in, and leave those of
 * the browser alone.
 * @param {Object<string, () => void>} actions by key, `Shift+` before those with it
 * @param {(key: string) => boolean} awake whether a key means the replay now
 * @param {AbortSignal} signal
 */
export function listen(actions, awake, signal) {
  const heard = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.(TYPING)) return;
    if (event.key === " " && event.target.closest?.("button, a, summary")) return;
    const arrow = event.shiftKey && event.key.startsWith("Arrow");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions[arrow ? `Shift+${key}` : key];
    if (!action || !awake(key)) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", heard, { signal });
}
