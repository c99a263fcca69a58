const EMPTY = new Int32Array(256);
/** Tables for eight bytes at once (slicing-by-8) of the reversed Castagnoli polynomial. */
const TABLES = Array.from({ length: 8 }, () => new Int32Array(256));
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  TABLES[0]?.fill(crc, byte, byte + 1);
}
const [T0 = EMPTY, T1 = EMPTY, T2 = EMPTY, T3 = EMPTY, T4 = EMPTY, T5 = EMPTY, T6 = EMPTY, T7 = EMPTY] =
  TABLES;
for (const [n, table] of TABLES.slice(1).entries()) {
  for (let byte = 0; byte < 256; byte++) {
    const crc = TABLES[n]?.[byte] ?? 0;
    table[byte] = (crc >>> 8) ^ (T0[crc & 0xff] ?? 0);
  }
}

/** CRC-32C of a part of `bytes`, masked as LevelDB stores it (util/crc32c.h). */
export function maskedCrc(bytes: Buffer, start: number, end: number): number {
  let crc = -1;
  let at = start;
  const entry = (table: Int32Array, index: number) => table[index & 0xff] ?? 0;
  for (; at + 8 <= end; at += 8) {
    const low = crc ^ bytes.readInt32LE(at);
    const high = bytes.readInt32LE(at + 4);
    crc =
      entry(T7, low) ^
      entry(T6, low >>> 8) ^
      entry(T5, low >>> 16) ^
      entry(T4, low >>> 24) ^
      entry(T3, high) ^
      entry(T2, high >>> 8) ^
      entry(T1, high >>> 16) ^
      entry(T0, high >>> 24);
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ entry(T0, crc ^ (bytes[at] ?? 0));
  const found = ~crc;
  return (((found >>> 15) | (found << 17)) + 0xa282ead8) >>> 0;
}
