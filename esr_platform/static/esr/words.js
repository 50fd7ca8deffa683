// The words of scripts in the language of the page. English stands in the scripts themselves; any other language comes
// as one document, whose address the page names in <html data-words>. Without it they speak English.

/** @typedef {Object<string, string|number>} Values what stands for the placeholders of a text, such as %(name)s */

/** @type {{words: Object<string, string|string[]>, plurals: number[]}} */
const ENGLISH = { words: {}, plurals: [] };

async function fetched() {
  const address = globalThis.document?.documentElement.dataset.words;
  if (!address) return ENGLISH;
  try {
    const response = await fetch(address);
    return response.ok ? await response.json() : ENGLISH;
  } catch {
    return ENGLISH; // the site is away: English is better than nothing
  }
}

const catalogue = await fetched();

/** @type {(text: string, values: Values) => string} */
const filled = (text, values) => text.replace(/%\((\w+)\)s/g, (whole, name) => String(values[name] ?? whole));

/**
 * A text in the language of the page.
 * @param {string} msgid the English text, with placeholders such as %(name)s
 * @param {Values} [values]
 * @returns {string}
 */
export function say(msgid, values = {}) {
  const found = catalogue.words[msgid];
  return filled(typeof found === "string" ? found : msgid, values);
}

/** @type {(names: string[]) => string} names as a list in the language of the page: "A, B and C" */
export const listed = (names) =>
  new Intl.ListFormat(globalThis.document?.documentElement.lang || "en", { type: "conjunction" }).format(names);

/**
 * A text that counts something; %(count)s is the number.
 * @param {string} one the English text for one
 * @param {string} many the English text for any other number
 * @param {number} count
 * @param {Values} [values]
 * @returns {string}
 */
export function sayCount(one, many, count, values = {}) {
  const forms = catalogue.words[one];
  const place = catalogue.plurals[count < 200 ? count : 100 + (count % 100)];
  const text = Array.isArray(forms) ? forms[place ?? 1] : count === 1 ? one : many;
  return filled(text, { count, ...values });
}
