import { crc32, deflateRawSync } from 'node:zlib';

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
    const entry = { name, crc: crc32(plain), packed: packed.length, plain: plain.length };
    directory.push(directoryRecord(entry, at));
    put(localRecord(entry));
    put(packed);
  }
  const from = at;
  for (const entry of directory) put(entry);
  put(endRecord({ entries: directory.length, at: from, bytes: at - from }));
}

/** A compressed entry of a ZIP archive (APPNOTE 6.3.10), of less than 4 GiB. */
interface ZipEntry {
  /** With `/`, relative. */
  readonly name: string;
  /** CRC-32 of the bytes before compression. */
  readonly crc: number;
  readonly packed: number;
  readonly plain: number;
}

const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01: the same files give the same archive. */
const DATE = 0x0021;

/** Stands before the bytes of an entry. */
function localRecord(entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  return record(30, name, (view) => {
    view.setUint32(0, 0x04034b50, true);
    facts(view, 4, entry, name.length);
  });
}

/** Stands in the directory at the end. `at`: where the entry's local record starts. */
function directoryRecord(entry: ZipEntry, at: number): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  return record(46, name, (view) => {
    view.setUint32(0, 0x02014b50, true);
    view.setUint16(4, VERSION, true);
    facts(view, 6, entry, name.length);
    view.setUint32(42, at, true);
  });
}

interface Directory {
  readonly entries: number;
  readonly at: number;
  readonly bytes: number;
}

/** Ends the archive. */
function endRecord({ entries, at, bytes }: Directory): Uint8Array<ArrayBuffer> {
  return record(22, new Uint8Array(), (view) => {
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, entries, true);
    view.setUint16(10, entries, true);
    view.setUint32(12, bytes, true);
    view.setUint32(16, at, true);
  });
}

function record(length: number, name: Uint8Array, fill: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length + name.length);
  fill(new DataView(bytes.buffer));
  bytes.set(name, length);
  return bytes;
}

function facts(view: DataView, at: number, { crc, packed, plain }: ZipEntry, nameBytes: number) {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint16(at + 4, DEFLATED, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, packed, true);
  view.setUint32(at + 18, plain, true);
  view.setUint16(at + 22, nameBytes, true);
}
