import { crc32, deflateRawSync } from 'node:zlib';
import { directoryRecord, endRecord, localRecord } from './zip-records.js';

/** A file of a ZIP archive. */
export interface ArchivedFile {
  /** With `/`, relative. */
  readonly name: string;
  readonly read: () => Uint8Array;
}

/** Writes a ZIP archive of fewer than 65,535 files and 4 GiB, one file at a time. */
export function writeArchive(files: Iterable<ArchivedFile>, write: (bytes: Buffer) => void): void {
  const directory: Uint8Array[] = [];
  let at = 0;
  const put = (bytes: Uint8Array) => {
    write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    at += bytes.length;
  };
  for (const { name, read } of files) {
    const plain = read();
    const packed = deflateRawSync(plain);
    const sizes = { packed: packed.length, plain: plain.length };
    const entry = { name, crc: crc32(plain), ...sizes, deflated: true };
    directory.push(directoryRecord(entry, at));
    put(localRecord(entry));
    put(packed);
  }
  const from = at;
  for (const entry of directory) put(entry);
  put(endRecord({ entries: directory.length, at: from, bytes: at - from }));
}
