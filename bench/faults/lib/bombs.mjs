import { deflateSync, gzipSync } from 'node:zlib';

const MIB = 1024 * 1024;

/** Bodies that are small on the wire and large in memory, with their content encoding. */
export function bombs(bytes = 24 * MIB) {
  const plain = Buffer.alloc(bytes, 'a');
  return {
    gzip: { encoding: 'gzip', body: gzipSync(plain, { level: 9 }) },
    deflate: { encoding: 'deflate', body: deflateSync(plain, { level: 9 }) },
    zstd: { encoding: 'zstd', body: zstdOf(bytes) },
    'gzip in gzip': { encoding: 'gzip, gzip', body: gzipSync(gzipSync(plain)) },
    'gzip twice, declared once': { encoding: 'gzip', body: gzipSync(gzipSync(plain)) },
  };
}

/** A zstd frame of run-length blocks: 4 bytes for every 128 KiB (RFC 8878, 3.1.1.2.2). */
export function zstdOf(bytes) {
  const block = 128 * 1024;
  const blocks = Math.ceil(bytes / block);
  const frame = Buffer.alloc(6 + blocks * 4);
  frame.set([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
  for (let index = 0; index < blocks; index += 1) {
    const last = index === blocks - 1 ? 1 : 0;
    const at = 6 + index * 4;
    frame.writeUIntLE(last | (1 << 1) | (block << 3), at, 3);
    frame[at + 3] = 0x61;
  }
  return frame;
}

/** Valid JSON that is expensive to read. */
export function hostileJson() {
  const member = (name, text) => `{"message":"m","extra":{"${name}":${text}}}`;
  const keys = (count, keyOf) => Array.from({ length: count }, (_, index) => `"${keyOf(index)}":0`).join(',');
  return {
    'depth 100,000': member('deep', '['.repeat(100_000) + ']'.repeat(100_000)),
    '100,000 items': member('wide', `[${'0,'.repeat(100_000)}0]`),
    '60,000 numeric keys': member('keys', `{${keys(60_000, (index) => 4_294_967_295 - index * 7)}}`),
    '40,000 keys alike': member(
      'keys',
      `{${keys(40_000, (index) => `k${'a'.repeat(5)}${index.toString(2)}`)}}`,
    ),
    '10,000 numeric keys': member('keys', `{${keys(9_999, (index) => 4_294_967_295 - index * 65_536)}}`),
  };
}

/** 10 million items in one array: a few KB that decompress to 20 MB. */
export function tenMillionItems() {
  const event = `{"message":"m","extra":{"wide":[${'0,'.repeat(9_999_999)}0]}}`;
  return { encoding: 'gzip', body: gzipSync(`{}\n{"type":"event"}\n${event}`, { level: 9 }) };
}

/** An envelope with as many items as fit. */
export function manyItems() {
  return { encoding: 'gzip', body: gzipSync(`{}\n${'{"type":"x"}\n\n'.repeat(1_400_000)}`, { level: 9 }) };
}
