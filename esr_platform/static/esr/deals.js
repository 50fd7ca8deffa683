// The arithmetic of deals, with the browser's own WebCrypto: docs/ladders.md says what is checked and why.
// Seeds, keys and hashes are strings of 64 lower-case hex digits, as pages and documents have them.

const HEX = /^[0-9a-f]{64}$/;

// Browsers give WebCrypto to pages that came over HTTPS, or from the machine itself.
export const subtle = globalThis.crypto?.subtle;
export const WITHOUT = "This browser checks deals only on pages that came over HTTPS.";

const ascii = new TextEncoder();

function bytes(hex) {
  if (!HEX.test(hex)) throw new RangeError(`Not 64 hex digits: ${hex}`);
  return Uint8Array.from(hex.match(/../g), (digits) => parseInt(digits, 16));
}

function hex(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The SHA-256 of the bytes: the commitment to a seed, the published hash of a key.
export async function sha256(value) {
  return hex(await subtle.digest("SHA-256", bytes(value)));
}

// A key with which seedOf makes the seeds of its series.
export function keyOf(value) {
  return subtle.importKey("raw", bytes(value), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

// HMAC-SHA256(key, "<name>/<season>/<number>"): the only seed that this deal can have.
export async function seedOf(key, name, season, number) {
  return hex(await subtle.sign("HMAC", key, ascii.encode(`${name}/${season}/${number}`)));
}

// What is wrong with a series itself, as sentences: `series` has name, key_hash, key (or null).
export async function faultsOfSeries(series) {
  if (series.key === null || (await sha256(series.key)) === series.key_hash) return [];
  return [`The key of ${series.name} is not the one whose hash was published when the season opened.`];
}

// What is wrong with a deal, as sentences: `deal` has name, number, commitment, seed (or null while it is closed);
// `key` is from keyOf, or null while it is secret.
export async function faultsOfDeal(deal, season, key) {
  const which = `Deal ${deal.number} of ${deal.name}`;
  const faults = [];
  if (deal.seed !== null && (await sha256(deal.seed)) !== deal.commitment) {
    faults.push(`${which}: the commitment is not the SHA-256 of its seed.`);
  }
  if (key !== null && (await seedOf(key, deal.name, season, deal.number)) !== deal.seed) {
    faults.push(`${which}: its seed is not what the key gives for its number.`);
  }
  return faults;
}
