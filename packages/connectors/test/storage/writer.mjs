// A storage writer to be killed: records and changes runs in a loop, and prints what was acknowledged.
// Arguments: address, first sequence, number of batches after which it kills itself during a write (0: never). Lines: `r <sequence> <run_id>`, `c <run_id> <version>`, `v <key>`.
import { writeSync } from 'node:fs';
import { storage } from '@culprit/connectors/storage';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';

const [url, first, ownEnd] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: writer.mjs ADDRESS SEQUENCE BATCHES');
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const opened = await storage({ url }).setup({
  fetch,
  logger,
  signal: AbortSignal.abort(),
});
function say(line) {
  for (;;) {
    try {
      return writeSync(1, `${line}\n`);
    } catch (error) {
      // Waits for a slow reader.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
say('ready');

/** Waits for `turns` turns of the event loop. */
async function killSelf(turns) {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  process.kill(process.pid, 'SIGKILL');
}

let sequence = Number(first);
let batches = 0;
async function recording() {
  for (;;) {
    const items = Array.from({ length: 1 + (sequence % 7) }, () => {
      sequence += 1;
      return makeItem(sequence, `seed${sequence % 11}`, { extra: { padding: 'x'.repeat(sequence % 3_000) } });
    });
    const recorded = opened.runStore.record(makeBatch(items, { now: new Date().toISOString() }));
    batches += 1;
    if (batches === Number(ownEnd)) void killSelf(sequence % 40);
    const { outcomes } = await recorded;
    say(outcomes.map((one) => `r ${one.sequence} ${one.run_id}`).join('\n'));
  }
}
async function changing() {
  for (;;) {
    const { runs } = await opened.runStore.page({ limit: 3 });
    for (const { run_id, version } of runs) {
      const now = new Date().toISOString();
      const entry = { at: now, kind: 'step', name: 'touch', by: null, via: 'engine', from: null, to: null };
      const history = [{ ...entry, digest: null, ms: null, error: null, detail: { version: version + 1 } }];
      const changed = await opened.runStore.change({
        run_id,
        version,
        patch: { cycle: version },
        now,
        history,
      });
      say(`c ${run_id} ${changed.run.version}`);
    }
    if (runs.length === 0) await new Promise(setImmediate);
  }
}
async function setting() {
  for (let n = Number(first); ; n++) {
    await opened.values.set(`value${n}`, String(n));
    say(`v value${n}`);
  }
}
await Promise.all([recording(), changing(), setting()]);
