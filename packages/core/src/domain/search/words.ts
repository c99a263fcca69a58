/** Characters of a word that count. */
const WORD_CHARS = 32;

const RUNS_OF_LETTERS = /[\p{L}\p{N}]+/gu;
/** `applyVoucher` has two parts, `HTTPServer` too. */
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{N}+/gu;

/**
 * The words of a text, lower-case and cut, in order, some of them several times: runs of letters and digits, and the
 * parts of names in camel case. Linear in the length of the text.
 */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const whole of text.match(RUNS_OF_LETTERS) ?? []) {
    words.push(cut(whole.toLowerCase()));
    if (!/\p{Lu}/u.test(whole)) continue;
    const parts = whole.match(PARTS) ?? [];
    if (parts.length > 1) for (const part of parts) if (part.length > 1) words.push(cut(part.toLowerCase()));
  }
  return words;
}

/** The words that a searched text names; names in camel case stay whole. */
export function searchedWords(text: string): readonly string[] {
  return (text.toLowerCase().match(RUNS_OF_LETTERS) ?? []).map(cut);
}

/** Not between the halves of one character. */
function cut(word: string): string {
  if (word.length <= WORD_CHARS) return word;
  return word.slice(0, WORD_CHARS).replace(/[\uD800-\uDBFF]$/, '');
}
