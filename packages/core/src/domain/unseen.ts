/**
 * Characters that are invisible, reorder text or break a line: C0 and C1 controls, soft hyphen, fillers, zero-width and
 * bidirectional marks, tags, variation selectors without an emoji, non-characters and lone surrogates. Not the tab, and not CR and
 * LF, which each place treats in its own way.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matched on purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|[\ufe00-\ufe0d]|(?<!\p{Emoji})[\ufe0e\ufe0f]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** The text with each such character replaced. */
export function replaceUnseen(text: string, replace: (character: string) => string): string {
  return text.replace(UNSEEN, replace);
}
