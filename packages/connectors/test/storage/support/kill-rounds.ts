import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import type { Test } from 'tap';
import { randomBetween, seed } from '../../../../../bench/faults/lib/random.mjs';
import { openStorageAt } from './open-storage.js';

export const WRITER = fileURLToPath(new URL('../../../test/storage/writer.mjs', import.meta.url));

interface Acknowledged {
  /** Run by sequence. */
  readonly recorded: Map<number, string>;
  /** Highest version by run. */
  readonly versions: Map<string, number>;
  readonly values: Set<string>;
}

/**
 * Kills a writer shortly after it has printed `lines` lines; every other time it kills itself while a batch is being
 * written. All lines are complete, because short writes to a pipe are atomic.
 */
async function writeAndKill(url: string, first: number, lines: number, known: Acknowledged) {
  const ownEnd = randomBetween(0, 2) === 0 ? 0 : 1 + Math.floor(lines / 20);
  const args = [WRITER, url, String(first), String(ownEnd)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let left = lines;
  for await (const line of createInterface({ input: child.stdout })) {
    const [kind, a = '', b = ''] = line.split(' ');
    if (kind === 'r') known.recorded.set(Number(a), b);
    if (kind === 'c') known.versions.set(a, Math.max(Number(b), known.versions.get(a) ?? 0));
    if (kind === 'v') known.values.add(a);
    if (--left === 0) setTimeout(() => child.kill('SIGKILL'), randomBetween(0, 8));
  }
  const [, signal] = await exited;
  return signal;
}

/** Kills a writer at `rounds` moments, chosen from the seed of the run. What it acknowledged must be complete and stored once. */
export async function killRounds(
  t: Test,
  rounds: number,
  urlOf = (directory: string) => `file:${directory}`,
): Promise<void> {
  const url = urlOf(t.testdir());
  const known: Acknowledged = { recorded: new Map(), versions: new Map(), values: new Set() };
  let watermark = 0;
  for (let round = 1; round <= rounds; round++) {
    t.equal(await writeAndKill(url, watermark, randomBetween(1, 600), known), 'SIGKILL');
    const storage = await openStorageAt(url);
    const { runStore, runHistory, statusFeed, values } = storage;
    const mark = (await runStore.record(makeBatch([]))).watermark;
    t.ok(mark >= Math.max(0, ...known.recorded.keys()), 'the watermark covers everything acknowledged');

    // Atomic with the watermark: everything up to it was counted exactly once, acknowledged or not.
    const { runs, next } = await runStore.page({ limit: 200 });
    t.equal(next, null);
    t.equal(
      runs.reduce((sum, run) => sum + run.occurrences, 0),
      mark,
      'occurrences = watermark',
    );
    const repeated = Array.from({ length: mark }, (_, n) => makeItem(n + 1, `seed${(n + 1) % 11}`));
    const answers = await runStore.record(makeBatch(repeated));
    t.ok(answers.outcomes.every(({ outcome }) => outcome === 'accepted'));
    const wrong = answers.outcomes.filter(
      ({ sequence, run_id }) => (known.recorded.get(sequence) ?? run_id) !== run_id,
    );
    t.same(wrong, [], 'repeated batches get the acknowledged result');

    for (const [runId, version] of known.versions) {
      const run = (await runStore.get(runId))?.run;
      t.ok(run !== undefined && run.version >= version, 'an acknowledged change is stored');
      const touches = (await runHistory.history(runId)).filter(({ name }) => name === 'touch');
      t.same(
        touches.map(({ detail }) => detail.version),
        Array.from({ length: (run?.version ?? 1) - 1 }, (_, n) => n + 2),
        'history is complete and atomic with its change',
      );
    }
    const lost = [];
    for (const name of known.values)
      if ((await values.get(name)) !== name.slice('value'.length)) lost.push(name);
    t.same(lost, []);

    const head = await statusFeed.head();
    const from = Math.max(0, head.sequence - 10_000);
    const entries = (await statusFeed.since({ ...head, sequence: from }, 10_000)) ?? [];
    t.equal(entries.length, head.sequence - from, 'the feed has no gaps');
    t.ok(entries.every(({ sequence }, at) => sequence === from + at + 1));
    watermark = mark;
    await storage.close();
  }
  t.comment(
    `seed ${seed}: ${rounds} kills, ${known.recorded.size} acknowledged events of ${watermark} kept, ${known.values.size} values, ` +
      `${[...known.versions.values()].reduce((sum, version) => sum + version - 1, 0)} changes: 0 lost, 0 twice`,
  );
}
