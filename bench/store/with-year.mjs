// A core on a filled storage, in a process of its own, and what its clients wait meanwhile.
import { createClient } from '@culprit/client';
import { percentiles, startChild } from '../loaded/child.mjs';
import { REVIEWER } from './year.mjs';

const READS_PER_S = 20;
const PAGE = 50;
const round = (value) => Number(value.toFixed(value < 10 ? 2 : 0));

export async function startYear(store, folder) {
  const child = await startChild('store/year-core.mjs', [store, folder], { execArgv: ['--expose-gc'] });
  const client = createClient({ url: `http://127.0.0.1:${child.first.port}`, token: REVIEWER.token });
  return {
    client,
    stop: child.stop,
    /** Runs `work` while crashes are staged, and a run or a page is read at a fixed rate. */
    async during(work, { staging = true, reading = true } = {}) {
      const { runs } = await client.listRuns({ limit: PAGE });
      const ended = new AbortController();
      await child.ask({ act: 'begin', staging });
      const started = performance.now();
      const reads = reading ? read(client, runs, ended.signal) : null;
      const result = await work();
      const seconds = (performance.now() - started) / 1_000;
      ended.abort();
      const read_ms = await reads;
      const { stage, cpu_s, blocked_ms, memory_mb } = await child.ask({ act: 'end' });
      return {
        result,
        row: {
          ...{ seconds: round(seconds), cpu_s: round(cpu_s) },
          ...(read_ms === null ? {} : { read_ms: rounded(read_ms) }),
          ...(stage === null ? {} : { stage_ms: rounded(stage) }),
          ...{ blocked_ms: rounded(blocked_ms), memory_mb: rounded(memory_mb) },
        },
      };
    },
  };
}

/** Each is measured from when it was due, so that a core that stands still delays all of them. */
async function read(client, runs, ended) {
  const times = [];
  const pending = [];
  let n = 0;
  for (let due = performance.now(); !ended.aborted; due += 1_000 / READS_PER_S) {
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    n += 1;
    const asked =
      n % 2 === 0
        ? client.listRuns({ limit: PAGE })
        : client.getRun({ run_id: runs[n % runs.length].run_id });
    pending.push(asked.then(() => times.push(performance.now() - due)));
  }
  await Promise.all(pending);
  return percentiles(times);
}

const rounded = (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)]));
