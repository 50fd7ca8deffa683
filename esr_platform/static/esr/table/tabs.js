// Tabs: arrows go from one to the next, and one panel is there.

import { findAll } from "../elements.js";

export class Tabs {
  /**
   * @param {HTMLElement} root
   * @param {(name: string) => void} changed a tab was chosen
   */
  constructor(root, changed) {
    this.tabs = findAll(root, "[data-tab]");
    this.panels = findAll(root, "[data-panel]");
    this.changed = changed;
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => this.choose(tab));
      tab.addEventListener("keydown", (event) => this.key(event, tab));
    }
  }

  key(event, tab) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = this.tabs[(this.tabs.indexOf(tab) + by + this.tabs.length) % this.tabs.length];
    this.choose(next);
    next.focus();
  }

  choose(chosen) {
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
    for (const panel of this.panels) panel.hidden = panel.dataset.panel !== chosen.dataset.tab;
    this.changed(chosen.dataset.tab ?? "");
  }
}
