import { CulpritError } from '@culprit/core';

/** A part of a `multipart/form-data` body (RFC 7578). */
export interface FormPart {
  readonly name: string;
  readonly filename: string | null;
  /** Its bytes while they arrive. Read them before the next part: what is not read is skipped. */
  readonly pieces: AsyncIterable<Buffer>;
}

/** What stands before the first part, and a part's headers, may have this many bytes. */
const HEAD_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

/** The parts of a body, at most `most`, while they arrive. @throws `malformed` */
export async function* formParts(
  contentType: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): AsyncGenerator<FormPart> {
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  if (boundary === null) throw malformed('it is not multipart/form-data with a boundary');
  const mark = `--${boundary[1] ?? boundary[2]}`;
  const window = slidingWindow(body);
  await window.until(mark, 'its boundary is missing');
  for (let count = 0; ; count++) {
    const next = await window.take(2, 'a boundary is cut');
    if (next === '--') return;
    if (next !== '\r\n') throw malformed('a boundary is cut');
    if (count === most) throw malformed(`it has over ${most} parts`);
    const head = await window.until('\r\n\r\n', 'a part does not end');
    const pieces = window.before(`\r\n${mark}`, 'a part does not end');
    yield { ...dispositionOf(head), pieces };
    for await (const _ of pieces) {
      // Skipped.
    }
  }
}

/** The bytes that have arrived and are not read yet: one piece of the body, and the end of the one before. */
function slidingWindow(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const source = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  let held: Buffer = NOTHING;
  const more = async (why: string) => {
    const { value, done } = await source.next();
    if (done === true) throw malformed(why);
    const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
  };
  return {
    async take(count: number, why: string): Promise<string> {
      while (held.length < count) await more(why);
      const taken = held.toString('latin1', 0, count);
      held = held.subarray(count);
      return taken;
    },
    /** The text before `mark`, which is short. */
    async until(mark: string, why: string): Promise<string> {
      for (;;) {
        const at = held.indexOf(mark, 0, 'latin1');
        if (at > HEAD_BYTES || (at < 0 && held.length > HEAD_BYTES)) throw malformed(why);
        if (at >= 0) {
          const text = held.toString('latin1', 0, at);
          held = held.subarray(at + mark.length);
          return text;
        }
        await more(why);
      }
    },
    /** The bytes before `mark`, of any length. */
    async *before(mark: string, why: string): AsyncGenerator<Buffer> {
      for (;;) {
        const at = held.indexOf(mark, 0, 'latin1');
        const end = at >= 0 ? at : Math.max(0, held.length - mark.length + 1);
        const piece = held.subarray(0, end);
        held = held.subarray(at >= 0 ? end + mark.length : end);
        if (piece.length > 0) yield piece;
        if (at >= 0) return;
        await more(why);
      }
    },
  };
}

function dispositionOf(head: string): Pick<FormPart, 'name' | 'filename'> {
  const line = /^content-disposition:[ \t]*form-data([^\r\n]*)/im.exec(head)?.[1] ?? '';
  const value = (key: string) => new RegExp(`;[ \\t]*${key}="([^"]{0,200})"`, 'i').exec(line)?.[1] ?? null;
  const name = value('name');
  if (name === null) throw malformed('a part has no name');
  return { name, filename: value('filename') };
}

const malformed = (why: string) => new CulpritError('malformed', `The form cannot be read: ${why}.`);
