import { CulpritError } from '@culprit/core';

/** A part of a `multipart/form-data` body (RFC 7578). */
export interface FormPart {
  readonly name: string;
  readonly filename: string | null;
  /** A view of the body's bytes. */
  readonly bytes: Buffer;
}

const HEAD_BYTES = 4_096;
const CRLF = Buffer.from('\r\n');
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** The parts of a body, at most `most`. @throws `malformed` */
export function formParts(contentType: string, body: Uint8Array, most: number): readonly FormPart[] {
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  if (boundary === null) throw malformed('it is not multipart/form-data with a boundary');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`, 'latin1');
  const between = Buffer.concat([CRLF, mark]);
  const parts: FormPart[] = [];
  let at = bytes.indexOf(mark);
  if (at < 0) throw malformed('its boundary is missing');
  at += mark.length;
  while (!(bytes[at] === 0x2d && bytes[at + 1] === 0x2d)) {
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) throw malformed('a boundary is cut');
    const head = bytes.subarray(at + 2, at + 2 + HEAD_BYTES);
    const length = head.indexOf(END_OF_HEAD);
    const start = at + 2 + length + END_OF_HEAD.length;
    const end = length < 0 ? -1 : bytes.indexOf(between, start);
    if (end < 0) throw malformed('a part does not end');
    if (parts.length >= most) throw malformed(`it has over ${most} parts`);
    parts.push({ ...dispositionOf(head.toString('latin1', 0, length)), bytes: bytes.subarray(start, end) });
    at = end + between.length;
  }
  return parts;
}

function dispositionOf(head: string): Pick<FormPart, 'name' | 'filename'> {
  const line = /^content-disposition:[ \t]*form-data([^\r\n]*)/im.exec(head)?.[1] ?? '';
  const value = (key: string) => new RegExp(`;[ \\t]*${key}="([^"]{0,200})"`, 'i').exec(line)?.[1] ?? null;
  const name = value('name');
  if (name === null) throw malformed('a part has no name');
  return { name, filename: value('filename') };
}

const malformed = (why: string) => new CulpritError('malformed', `The form cannot be read: ${why}.`);
