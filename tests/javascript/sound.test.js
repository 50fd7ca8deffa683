// The sounds of a table: on from the first tap, one switch that is remembered, short and quiet.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { NOTES, Sound } from "../../esr_platform/static/esr/table/sound.js";

let kept;
let played;
let listeners;

class FakeContext {
  state = "running";
  currentTime = 0;
  destination = {};
  createOscillator() {
    const wave = { frequency: { value: 0 }, connect: (next) => next, start: () => {}, stop: () => {} };
    played.push(wave.frequency);
    return wave;
  }
  createGain() {
    return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (next) => next };
  }
  resume() {}
  close() {}
}

beforeEach(() => {
  [kept, played, listeners] = [new Map(), [], {}];
  Object.assign(globalThis, {
    AudioContext: FakeContext,
    localStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) },
    addEventListener: (name, listener) => (listeners[name] = listener),
  });
});

test("nothing sounds before the first tap, and then all does", () => {
  const sound = new Sound();
  sound.begin(new AbortController().signal);
  sound.play("reveal");
  assert.equal(played.length, 0);
  listeners.pointerdown();
  sound.play("reveal");
  assert.equal(played.length, NOTES.reveal.length);
  sound.play("step");
  assert.equal(played.length, NOTES.reveal.length, "other names are silent");
});

test("the switch is remembered, and gives a sample when it is turned on", () => {
  const sound = new Sound();
  sound.begin(new AbortController().signal);
  assert.equal(sound.toggle(), false);
  const later = new Sound();
  later.begin(new AbortController().signal);
  listeners.pointerdown();
  later.play("turn");
  assert.equal(played.length, 0);
  assert.equal(later.toggle(), true);
  assert.equal(played.length, NOTES.turn.length);
  assert.equal(new Sound().on, true);
});

test("every sound is over within 0.6 s", () => {
  for (const notes of Object.values(NOTES))
    assert.ok(Math.max(...notes.map(([, after, seconds]) => after + seconds)) <= 0.6);
});
