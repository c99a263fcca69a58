/** SHA-1 (FIPS 180-4) of bytes that come in pieces. Browsers have it only on https, and only of the whole at once. */
export interface Sha1 {
  update(bytes: Uint8Array): void;
  /** Lower-case hex. Ends the hash. */
  hex(): string;
}

const BLOCK = 64;

export function sha1(): Sha1 {
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Uint32Array(80);
  const rest = new Uint8Array(BLOCK);
  let length = 0;
  const update = (bytes: Uint8Array) => {
    let at = 0;
    const kept = length % BLOCK;
    length += bytes.length;
    if (kept > 0) {
      at = Math.min(BLOCK - kept, bytes.length);
      rest.set(bytes.subarray(0, at), kept);
      if (kept + at < BLOCK) return;
      mix(state, words, rest, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) mix(state, words, bytes, at);
    rest.set(bytes.subarray(at));
  };
  return {
    update,
    hex() {
      const bits = length * 8;
      // A bit, zeros, and the length in 8 bytes fill the last block.
      const padding = new Uint8Array(BLOCK * Math.ceil((length + 9) / BLOCK) - length);
      padding[0] = 0x80;
      const view = new DataView(padding.buffer);
      view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
      view.setUint32(padding.length - 4, bits >>> 0);
      update(padding);
      return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
    },
  };
}

/** Mixes one block into the state. */
function mix(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, at: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, BLOCK);
  for (let n = 0; n < 16; n++) words[n] = view.getUint32(4 * n);
  for (let n = 16; n < 80; n++) {
    const word = (words[n - 3] ?? 0) ^ (words[n - 8] ?? 0) ^ (words[n - 14] ?? 0) ^ (words[n - 16] ?? 0);
    words[n] = (word << 1) | (word >>> 31);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let n = 0; n < 80; n++) {
    const turned = (a << 5) | (a >>> 27);
    const next = (turned + roundOf(n, b, c, d) + e + (words[n] ?? 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (const [index, value] of [a, b, c, d, e].entries()) state[index] = ((state[index] ?? 0) + value) | 0;
}

/** The function and the constant of a round. */
function roundOf(n: number, b: number, c: number, d: number): number {
  if (n < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (n < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (n < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
