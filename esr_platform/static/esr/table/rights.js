// What a player can do besides moves: resign, abort, claim victory, return. Actions that cannot be undone ask for a
// confirmation, which explains the consequences.

import { around, findAll } from "../elements.js";
import { say } from "../words.js";

/** Actions with a confirmation dialog. */
const ASKS = ["resign", "abort", "claim"];

export class Rights {
  /**
   * @param {HTMLElement} root the table
   * @param {import("./post.js").Post} post
   * @param {string} address of actions
   * @param {(text: string) => void} tell
   */
  constructor(root, post, address, tell) {
    this.root = root;
    this.post = post;
    this.address = address;
    this.tell = tell;
    root.addEventListener("click", (event) => this.pressed(around(event, "[data-do]")?.dataset.do ?? ""));
    for (const dialog of root.querySelectorAll("dialog")) dialog.addEventListener("click", closeOutside);
    for (const name of ASKS) {
      const dialog = this.dialog(name);
      dialog?.addEventListener("close", () => dialog.returnValue === "yes" && this.act(name));
    }
  }

  /** @type {(name: string) => HTMLDialogElement|null} */
  dialog(name) {
    return this.root.querySelector(`[data-dialog="${name}"]`);
  }

  pressed(name) {
    if (ASKS.includes(name)) this.ask(name);
    else if (name === "return") this.act(name);
  }

  ask(name) {
    const dialog = this.dialog(name);
    if (!dialog) return;
    dialog.returnValue = "";
    if (!dialog.open) dialog.showModal();
  }

  /** @type {(present: Object) => void} */
  show({ rights, running }) {
    const may = running ? rights : null;
    for (const text of findAll(this.root, "[data-resigning]")) text.hidden = text.dataset.resigning !== may?.resigning;
    this.allow("resign", may?.resign);
    this.allow("claim", may?.claim);
    this.allow("return", may?.return);
    this.allow("abort", may?.abort?.allowed || may?.abort?.agree);
  }

  allow(name, allowed) {
    for (const button of findAll(this.root, `[data-do="${name}"]`)) button.hidden = !allowed;
    const dialog = this.dialog(name);
    if (!allowed && dialog?.open) dialog.close("");
  }

  async act(name) {
    const answer = await this.post.once(`${this.address}${name}`, {}).catch(() => null);
    if (!answer) this.tell(say("Not sent: connection lost. Try again."));
    else if (answer.status >= 400) this.tell(answer.document.detail || say("This is not possible at the moment."));
    else if (name === "abort") this.tell(say("You offered to abort this game."));
  }
}

function closeOutside(event) {
  if (event.target === event.currentTarget) event.currentTarget.close("");
}
