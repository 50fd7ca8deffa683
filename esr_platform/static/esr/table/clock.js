// The clock of the own decision: the time per decision, then the time bank, and an alarm for the last ten seconds.

import { element } from "../elements.js";
import { say } from "../words.js";
import { asClock, Countdown } from "./times.js";

const ALARM_MS = 10_000;
const TICK_MS = 200;

export class Clock {
  /** @param {() => void} alarm called once a decision, when ten seconds are left */
  constructor(alarm) {
    this.alarm = alarm;
    this.time = element("b", "sitting-time");
    this.bank = element("span", "caption");
    this.element = element("p", "sitting-clock", this.time, " ", this.bank);
    this.element.setAttribute("role", "timer");
    this.element.hidden = true;
    /** @type {Countdown|null} */
    this.countdown = null;
  }

  /** @type {(clock: Object|null, decision: number|null, came?: number) => void} what the server said, and when */
  set(clock, decision, came) {
    if (decision !== this.decision) this.warned = false;
    this.decision = decision;
    this.countdown = clock && decision !== null ? new Countdown(clock, came) : null;
    this.element.hidden = !this.countdown;
    clearInterval(this.timer);
    if (!this.countdown) return;
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.tick();
  }

  stop() {
    this.set(null, null);
  }

  tick() {
    if (!this.countdown) return;
    const { leftMs, moveMs, bankMs } = this.countdown;
    const inBank = moveMs <= 0 && bankMs > 0;
    write(this.time, asClock(inBank ? leftMs : moveMs));
    write(this.bank, wordsOf(leftMs, inBank, bankMs));
    const late = leftMs < ALARM_MS;
    this.element.classList.toggle("late", late);
    this.element.classList.toggle("in-bank", inBank);
    if (!late || this.warned) return;
    this.warned = true;
    this.alarm();
  }
}

function wordsOf(leftMs, inBank, bankMs) {
  if (leftMs <= 0) return say("Time is up: the default move is played.");
  if (inBank) return say("of your time bank");
  return bankMs ? say("+ %(time)s time bank", { time: asClock(bankMs) }) : "";
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
