import { bytesOf } from './log-file.js';

/** Decompresses a block of Google's Snappy format (format_description.txt). Throws for damaged input. */
export function unsnappy(input: Buffer): Buffer {
  const length = bytesOf(input).varint();
  // A block has a few KiB; a damaged length must not take memory.
  if (length > 64 * 1024 * 1024) throw new RangeError('too long');
  const output = Buffer.alloc(length);
  let from = 0;
  while ((input[from++] ?? 0) >= 0x80);
  let to = 0;
  const little = (at: number, bytes: number) => input.readUIntLE(at, bytes);
  while (from < input.length) {
    const tag = input[from++] ?? 0;
    let size = tag >>> 2;
    let offset: number;
    if ((tag & 3) === 0) {
      const more = Math.max(0, size - 59);
      if (more > 0) size = little(from, more);
      from += more;
      size += 1;
      if (input.copy(output, to, from, from + size) !== size) throw new RangeError('cut off');
      from += size;
      to += size;
      continue;
    }
    if ((tag & 3) === 1) {
      offset = ((tag >>> 5) << 8) | (input[from++] ?? 0);
      size = (size & 7) + 4;
    } else {
      const bytes = (tag & 3) === 2 ? 2 : 4;
      offset = little(from, bytes);
      from += bytes;
      size += 1;
    }
    if (offset === 0 || offset > to || to + size > length) throw new RangeError('copies from outside');
    for (let end = to + size; to < end; to++) output[to] = output[to - offset] ?? 0;
  }
  if (to !== length) throw new RangeError('cut off');
  return output;
}
