import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { replaceUnseen } from '@culprit/core/internal/domain/unseen';
import { wantsColour } from '../config/child-env.js';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** Marks our own styles in a text. Random for each process, so text from outside cannot contain it. */
const MARK = `\u0001${randomBytes(8).toString('hex')}:`;
const OWN_STYLE = new RegExp(`${MARK}(\\d+);`, 'g');

/** Styles text if the stream shows colours. Only `print` and `printError` can write the result. */
export function styleFor(stream: { readonly isTTY?: boolean }): (style: Style, text: string) => string {
  const colour = wantsColour(stream);
  return (style, text) => (colour ? `${MARK}${STYLES[style]};${text}${MARK}0;` : text);
}

/** Text that is safe on a terminal: its only escape sequences are our own styles; whatever hides or reorders text becomes `·`. */
export function forTerminal(text: string): string {
  return text
    .split(OWN_STYLE)
    .map((part, index) =>
      index % 2 === 1 ? `\u001b[${part}m` : replaceUnseen(part.replaceAll('\r', '·'), () => '·'),
    )
    .join('');
}

/** Writes to standard output. All text that a command prints goes through here. False: the stream asks to wait. */
export function print(text: string): boolean {
  return process.stdout.write(forTerminal(text));
}

/** The same for standard error. */
export function printError(text: string): boolean {
  return process.stderr.write(forTerminal(text));
}

/** A JSON document for programs. Its invisible characters are escaped, so it is equal and safe on a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return replaceUnseen(JSON.stringify(value, null, indent), (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Standard error for readline, whose own escape sequences move the cursor. Nothing is written while `hidden` is true. */
export function promptOutput(hidden: () => boolean): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (hidden()) done();
      else process.stderr.write(chunk, () => done());
    },
  });
}
