import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { scanRecords, sequenceOf } from '../edge/spool/record-bytes.js';

const SEGMENT = /^(\d{16})\.seg$/;

/**
 * The deliveries above a sequence number in an edge's spool, in order. Only reads, so the edge may be running: a record
 * that is being written is left for the next call.
 */
export async function readSpool(directory: string, after: number): Promise<readonly Delivery[]> {
  const deliveries: Delivery[] = [];
  for await (const { payload } of spooledPayloads(directory, after)) {
    deliveries.push(JSON.parse(payload.toString('utf8')) as Delivery);
  }
  return deliveries;
}

/** The same one by one, as JSON: a whole spool does not fit into memory. */
export async function* spooledPayloads(
  directory: string,
  after: number,
): AsyncGenerator<{ readonly sequence: number; readonly payload: Buffer }> {
  const names = (await readdir(directory)).filter((name) => SEGMENT.test(name)).sort();
  for (const [index, name] of names.entries()) {
    const next = Number(SEGMENT.exec(names[index + 1] ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
    if (next <= after + 1) continue;
    const bytes = await readFile(join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    for (const { payload } of scanRecords(bytes).stretches) {
      const sequence = payload === null ? null : sequenceOf(payload);
      if (payload !== null && sequence !== null && sequence > after) yield { sequence, payload };
    }
  }
}
