// Verifies a deal with the browser's WebCrypto; see docs/concepts/fairness-and-seeds.md.
// Seeds, keys and hashes are strings of 64 lower-case hex digits, as in pages and documents.

const HEX = /^[0-9a-f]{64}$/;

// Browsers provide WebCrypto only over HTTPS and on localhost.
export const subtle = globalThis.crypto?.subtle;
export const WITHOUT = "Your browser can verify deals only over HTTPS.";

const ascii = new TextEncoder();

function bytes(hex) {
  if (!HEX.test(hex)) throw new RangeError(`Not 64 hex digits: ${hex}`);
  return Uint8Array.from(hex.match(/../g), (digits) => parseInt(digits, 16));
}

function hex(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The SHA-256 of the bytes: the commitment to a seed, the published hash of a key.
async function sha256(value) {
  return hex(await subtle.digest("SHA-256", bytes(value)));
}

// Imports a key for seedOf.
export function keyOf(value) {
  return subtle.importKey("raw", bytes(value), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

// HMAC-SHA256(key, "<name>/<season>/<number>"): the seed of this deal.
async function seedOf(key, name, season, number) {
  return hex(await subtle.sign("HMAC", key, ascii.encode(`${name}/${season}/${number}`)));
}

// Faults of a series, as sentences: `series` has name, key_hash, key (or null).
export async function faultsOfSeries(series) {
  if (series.key === null || (await sha256(series.key)) === series.key_hash) return [];
  return [`${series.name}: the key does not match the hash that was published when the season opened.`];
}

// Faults of a deal, as sentences: `deal` has name, number, commitment, seed (null if it is not public yet); `key` is
// from keyOf, or null if it is secret.
export async function faultsOfDeal(deal, season, key) {
  const which = `Deal ${deal.number} of ${deal.name}`;
  const faults = [];
  if (deal.seed !== null && (await sha256(deal.seed)) !== deal.commitment) {
    faults.push(`${which}: the commitment is not the SHA-256 of the seed.`);
  }
  if (key !== null && (await seedOf(key, deal.name, season, deal.number)) !== deal.seed) {
    faults.push(`${which}: the seed is not derived from the season key and the deal number.`);
  }
  return faults;
}
