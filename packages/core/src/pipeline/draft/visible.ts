import { replaceUnseen } from '../../domain/unseen.js';

/** Escapes invisible characters as `\u202e`. Line ends become `\n`; tabs stay. */
export function visible(text: string): string {
  return replaceUnseen(text.replace(/\r\n?/g, '\n'), escaped);
}

/** Removes invisible characters, for text that is stored and not shown as evidence. */
export function withoutUnseen(text: string): string {
  return replaceUnseen(text.replace(/\r\n?/g, '\n'), () => '');
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
