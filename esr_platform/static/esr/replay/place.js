// The address of a moment: #104 is after step 104 of the record, ?seat=2 what the second seat saw.

/** How long scrubbing rests before the address follows: browsers allow so many changes in a while. */
const REST_MS = 250;

/** @type {(hash: string, last: number) => number|null} */
export function plyIn(hash, last) {
  const found = /^#(\d{1,6})$/.exec(hash);
  return found ? Math.min(Number(found[1]), last) : null;
}

/** @type {(search: string, seats: number) => number|null} counted from 0, null: everybody */
export function seatIn(search, seats) {
  const seat = Number(new URLSearchParams(search).get("seat"));
  return seat >= 1 && seat <= seats ? seat - 1 : null;
}

/** @type {(ply: number, seat: number|null) => string} */
export function addressOf(ply, seat) {
  const address = new URL(location.href);
  if (seat === null) address.searchParams.delete("seat");
  else address.searchParams.set("seat", String(seat + 1));
  address.hash = String(ply);
  return address.href;
}

/** Keeps the address at the moment that is shown, and the moment at an address that is typed in. */
export class Place {
  /** @param {import("./player.js").Player} player */
  constructor(player) {
    this.player = player;
    this.waiting = 0;
    this.begun = false;
    addEventListener("hashchange", () => this.arrive());
  }

  /** Take player and perspective from the address; at the beginning where it names nothing. */
  begin() {
    const { player } = this;
    player.seat = seatIn(location.search, player.game.seats);
    player.ply = player.game.stopAt(plyIn(location.hash, player.game.last) ?? 0);
  }

  arrive() {
    const ply = plyIn(location.hash, this.player.game.last);
    if (ply === null) return;
    this.player.pause();
    this.player.go(ply, 0);
  }

  show() {
    if (!this.begun) {
      this.begun = true; // the first moment is the one that the address asked for
      return;
    }
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      history.replaceState(history.state, "", addressOf(this.player.ply, this.player.seat));
    }, REST_MS);
  }
}
