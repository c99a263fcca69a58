// fill.mjs STORE RUNS FOLDER: fills a storage with runs, like one that has been in use for a long time. The last line is JSON.
// A partially filled storage is continued.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@culprit/connectors/storage';
import { openPlace, quiet } from './places.mjs';
import { batchOf, itemOf, openStorage, runIdOf } from './runs.mjs';

const [store, text, folder] = process.argv.slice(2);
const size = Number(text);
const BATCH = 500;
/** Pending batches: one is built while another is written. */
const WRITERS = 4;
const note = join(folder, 'filled.json');
if (!existsSync(note)) {
  const place = await openPlace(store, folder);
  const { runStore, close } = await openStorage(place);
  const begun = Math.max(0, (await filled(runStore)) - WRITERS * BATCH);
  const started = performance.now();
  let next = begun;
  const writer = async () => {
    for (let from = next; from < size; from = next) {
      next = from + BATCH;
      const items = Array.from({ length: Math.min(BATCH, size - from) }, (_, n) => itemOf(from + n));
      await runStore.record(batchOf(items, from));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  const per_s = Math.round(((size - begun) * 1_000) / (performance.now() - started));
  await close();
  const opened = await openStore({ url: place.url, logger: quiet });
  await opened.indexRuns();
  await opened.compact();
  await opened.close();
  place.close();
  writeFileSync(note, JSON.stringify({ fill_per_s: per_s }));
}
console.log(readFileSync(note, 'utf8'));

/** The number of runs that already exist. */
async function filled(runStore) {
  let [there, missing] = [0, size + 1];
  while (missing - there > 1) {
    const middle = Math.floor((there + missing) / 2);
    if ((await runStore.get(runIdOf(middle - 1))) === null) missing = middle;
    else there = middle;
  }
  return there;
}
