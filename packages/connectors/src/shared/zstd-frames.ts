import { CulpritError } from '@culprit/core';

/** The window that RFC 8878 recommends decoders to support. A frame can claim gigabytes in nine bytes. */
const WINDOW_BYTES = 8 * 1024 * 1024;

const ZSTANDARD = 0xfd2fb528;
const SKIPPABLE = 0x184d2a5;

/** Reads the headers of all frames and blocks. Throws `malformed` if it is not Zstandard, `too_large` if a window exceeds the limit. */
export function checkZstdFrames(bytes: Uint8Array, maxBytes: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  if (bytes.length === 0) throw broken();
  try {
    while (at < bytes.length) {
      const magic = view.getUint32(at, true);
      if (magic === ZSTANDARD) at = afterFrame(view, at, Math.max(WINDOW_BYTES, maxBytes));
      else if (magic >>> 4 === SKIPPABLE) at += 8 + view.getUint32(at + 4, true);
      else throw broken();
    }
  } catch (error) {
    throw error instanceof RangeError ? broken() : error;
  }
  if (at !== bytes.length) throw broken();
}

function afterFrame(view: DataView, start: number, maxWindow: number): number {
  const flags = view.getUint8(start + 4);
  const single = (flags & 0x20) !== 0;
  const sizeBytes = flags >> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >> 6);
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  let at = start + 5 + (single ? 0 : 1) + dictionary;
  const window = single ? contentSize(view, at, sizeBytes) : windowSize(view.getUint8(start + 5));
  if (window > maxWindow) {
    throw new CulpritError('too_large', 'The body needs too large a decoding window. Use a smaller window.');
  }
  at += sizeBytes;
  for (let last = false; !last; ) {
    const block = view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
    last = (block & 1) === 1;
    const repeated = ((block >> 1) & 3) === 1;
    at += 3 + (repeated ? 1 : block >> 3);
  }
  return at + ((flags & 4) === 0 ? 0 : 4);
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function broken(): CulpritError {
  return new CulpritError('malformed', 'The body is not valid zstd. Send it complete or uncompressed.');
}
