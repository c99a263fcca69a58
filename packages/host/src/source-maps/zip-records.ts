// Without Node's APIs: the board's page writes archives, too.

/** An entry of a ZIP archive (APPNOTE 6.3.10), of less than 4 GiB. */
export interface ZipEntry {
  /** With `/`, relative. */
  readonly name: string;
  /** CRC-32 of the bytes before compression. */
  readonly crc: number;
  readonly packed: number;
  readonly plain: number;
  /** DEFLATE; otherwise it is stored. */
  readonly deflated: boolean;
}

const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01: the same files give the same archive. */
const DATE = 0x0021;

/** Stands before the bytes of an entry. */
export function localRecord(entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  return record(30, name, (view) => {
    view.setUint32(0, 0x04034b50, true);
    facts(view, 4, entry, name.length);
  });
}

/** Stands in the directory at the end. `at`: where the entry's local record starts. */
export function directoryRecord(entry: ZipEntry, at: number): Uint8Array<ArrayBuffer> {
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
export function endRecord({ entries, at, bytes }: Directory): Uint8Array<ArrayBuffer> {
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

function facts(view: DataView, at: number, { crc, packed, plain, deflated }: ZipEntry, nameBytes: number) {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint16(at + 4, deflated ? DEFLATED : 0, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, packed, true);
  view.setUint32(at + 18, plain, true);
  view.setUint16(at + 22, nameBytes, true);
}
