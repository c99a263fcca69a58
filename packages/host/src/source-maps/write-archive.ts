import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a ZIP archive. */
export interface ArchivedFile {
  /** With `/`, relative. */
  readonly name: string;
  readonly read: () => Uint8Array;
}

const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01: the same files give the same archive. */
const DATE = 0x0021;

/** Writes a ZIP archive of fewer than 65,535 files and 4 GiB, one file at a time. */
export function writeArchive(files: Iterable<ArchivedFile>, write: (bytes: Buffer) => void): void {
  const directory: Buffer[] = [];
  let at = 0;
  const put = (bytes: Buffer) => {
    write(bytes);
    at += bytes.length;
  };
  for (const { name, read } of files) {
    const plain = read();
    const packed = deflateRawSync(plain);
    const bytes = Buffer.from(name, 'utf8');
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt16LE(UTF8_NAMES, 2);
    facts.writeUInt16LE(DEFLATED, 4);
    facts.writeUInt16LE(DATE, 8);
    facts.writeUInt32LE(crc32(plain), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(plain.length, 18);
    facts.writeUInt16LE(bytes.length, 22);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([signature(0x02014b50), word(VERSION), facts, more, bytes]));
    put(Buffer.concat([signature(0x04034b50), facts, bytes]));
    put(packed);
  }
  const from = at;
  for (const entry of directory) put(entry);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(at - from, 8);
  end.writeUInt32LE(from, 12);
  put(Buffer.concat([signature(0x06054b50), end]));
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
