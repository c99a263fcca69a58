/**
 * Characters that are invisible, reorder text or break a line: C0 and C1 controls, soft hyphen, fillers, zero-width and
 * bidirectional marks, tags, variation selectors without an emoji, non-characters and lone surrogates.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matched on purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|[\ufe00-\ufe0d]|(?<!\p{Emoji})[\ufe0e\ufe0f]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** Escapes invisible characters as `\u202e`. Line ends become `\n`; tabs stay. */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(UNSEEN, escaped);
}

/** Removes invisible characters, for text that is stored and not shown as evidence. */
export function withoutUnseen(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(UNSEEN, '');
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** At most `most` characters, never half of one; `…` replaces the rest. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 2);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** One line of visible characters, clipped. */
export function oneLine(text: string, most: number): string {
  return clip(withoutUnseen(text).replace(/\s+/g, ' ').trim(), most);
}
