import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type ArchiveFacts, planArchive } from '../../../source-maps/archive-plan.js';
import type { ChunkedArchive } from '../../../source-maps/send-archive.js';
import { crc32 } from '../../../source-maps/web/crc32.js';
import { directoryRecord, endRecord, localRecord, type ZipEntry } from '../../../source-maps/zip-records.js';
import type { PairedFiles } from './pair-files.js';

/** The archive of an upload. Browsers keep large blobs on the disk. */
export async function archiveOf({ scripts, maps }: PairedFiles, facts: ArchiveFacts): Promise<Blob> {
  const plan = planArchive(scripts, facts);
  const parts: BlobPart[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  const add = async (name: string, content: Blob) => {
    const { crc, packed, deflated } = await pack(content);
    const entry: ZipEntry = { name, crc, packed: packed.size, plain: content.size, deflated };
    const local = localRecord(entry);
    directory.push(directoryRecord(entry, at));
    parts.push(local, packed);
    at += local.length + packed.size;
  };
  for (const { entry, map } of plan.maps) await add(entry, maps.get(map) ?? new Blob());
  await add('manifest.json', new Blob([plan.manifest]));
  const bytes = directory.reduce((sum, { length }) => sum + length, 0);
  parts.push(...directory, endRecord({ entries: directory.length, at, bytes }));
  return new Blob(parts);
}

/** Compresses a file piece by piece, where the browser can. */
async function pack(content: Blob) {
  let crc = 0;
  const counted = content.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        crc = crc32(piece, crc);
        controller.enqueue(piece);
      },
    }),
  );
  const deflated = 'CompressionStream' in globalThis;
  const stream = deflated ? counted.pipeThrough(new CompressionStream('deflate-raw')) : counted;
  const packed = await new Response(stream).blob();
  return { crc, packed, deflated };
}

/** The same in chunks, each named by its SHA-1, which browsers have only on https, and only of the whole at once. */
export async function chunked(archive: Blob, size: number): Promise<ChunkedArchive> {
  const part = (index: number) => archive.slice(index * size, (index + 1) * size);
  const whole = sha1.create();
  const chunks: string[] = [];
  for (let index = 0; index * size < archive.size; index++) {
    const bytes = new Uint8Array(await part(index).arrayBuffer());
    whole.update(bytes);
    chunks.push(bytesToHex(sha1(bytes)));
  }
  return { checksum: bytesToHex(whole.digest()), chunks, read: part };
}
