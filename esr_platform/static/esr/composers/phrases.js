// Small things about sentences.

/** @type {(text: string) => string} as at the beginning of a sentence */
export const capital = (text) => text.slice(0, 1).toLocaleUpperCase() + text.slice(1);
