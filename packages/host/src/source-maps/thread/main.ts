import { parentPort } from 'node:worker_threads';
import type { JobAnswer, JobMessage, Jobs } from './jobs.js';
import { readMap } from './read-map.js';
import { RefusedArchive, unpack } from './unpack.js';

async function work({ name, request }: JobMessage): Promise<unknown> {
  if (name === 'unpack') return unpack(request as Jobs['unpack']['request']);
  const { path, places } = request as Jobs['read']['request'];
  return readMap(path, places);
}

parentPort?.on('message', async (job: JobMessage) => {
  let answer: JobAnswer;
  try {
    answer = { ok: true, value: await work(job) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unknown error';
    const { code } = error as NodeJS.ErrnoException;
    answer = { ok: false, refused: error instanceof RefusedArchive, detail, code };
  }
  parentPort?.postMessage(answer);
});
