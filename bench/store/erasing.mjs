// erasing.mjs STORE RUNS FOLDER: counts and erases a person while core reads and stages. The last line is JSON.

import { erasureSettled } from '@culprit/client';
import { startYear } from './with-year.mjs';
import { personOf } from './year.mjs';

const [store, , folder] = process.argv.slice(2);
const QUIET_MS = 10_000;
const { client, during, stop } = await startYear(store, folder);
const over = (await client.listErasures()).erasures.filter(({ state }) => state === 'done').length;
const person = personOf(over);
const before = await during(() => new Promise((resolve) => setTimeout(resolve, QUIET_MS)));
const counting = await during(async () => {
  const { erasure_id } = await client.countErasure({ person });
  return erasureSettled(client, erasure_id);
});
const { erasure_id, digest, found } = counting.result;
const erasing = await during(async () => {
  await client.erasePerson({ erasure_id, person, digest });
  return erasureSettled(client, erasure_id);
});
const { state, error } = erasing.result;
await stop();
if (state !== 'done') throw new Error(`the erasure is ${state}: ${error}`);
const phases = { 'without erasing': before.row, counting: counting.row, erasing: erasing.row };
console.log(JSON.stringify({ named_runs: found.runs, phases }));
