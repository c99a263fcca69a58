// fill-year.mjs STORE RUNS FOLDER: fills a storage with a year of crashes and releases, through the engine. The last line is JSON.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, storage } from '@culprit/connectors/storage';
import { createEngine } from '@culprit/core';
import { openPlace, quiet } from './places.mjs';
import { AUDIT_KEY } from './runs.mjs';
import { crashOf, OF_PROJECT, PROJECTS, versionOf, yearClock } from './year.mjs';

const [store, text, folder] = process.argv.slice(2);
const size = Number(text);
const BATCH = 250;
const COMMITS = 12;
const note = join(folder, 'filled.json');
if (!existsSync(note)) {
  rmSync(folder, { recursive: true, force: true });
  const place = await openPlace(store, folder);
  const clock = yearClock();
  const engine = await createEngine({
    connectors: [storage({ url: place.url, auditKey: AUDIT_KEY, retention: null })],
    projects: Object.fromEntries(PROJECTS.map((name) => [name, {}])),
    policy: { quotas: null },
    clock,
    logger: quiet,
  });
  const started = performance.now();
  let released = 0;
  for (let from = 0; from < size; from += BATCH) {
    clock.at(from / size);
    for (; released < OF_PROJECT && released / OF_PROJECT <= from / size; released++)
      for (const project of PROJECTS) await release(project, released);
    const deliveries = Array.from({ length: Math.min(BATCH, size - from) }, (_, at) =>
      crashOf(from + at, size),
    );
    await engine.ingestBatch({ edge: 'embedded', deliveries });
    // Half of them crash again, in the next release.
    const again = deliveries.flatMap((_, at) => (at % 2 === 1 ? [crashOf(from + at, size, 1)] : []));
    clock.at(Math.min(size, from + BATCH) / size);
    await engine.ingestBatch({ edge: 'embedded', deliveries: again });
  }
  for (; released < OF_PROJECT; released++) for (const project of PROJECTS) await release(project, released);
  const per_s = Math.round((size * 1_000) / (performance.now() - started));
  await engine.close();
  const opened = await openStore({ url: place.url, logger: quiet });
  await opened.indexRuns();
  await opened.compact();
  await opened.close();
  place.close();
  writeFileSync(note, JSON.stringify({ fill_per_s: per_s }));

  async function release(project, n) {
    const version = versionOf(project, n);
    const commits = Array.from({ length: COMMITS }, (_, at) => ({
      sha: `${n * COMMITS + at}`.padStart(40, 'a'),
      title: `Change part ${at} of the cart`,
      committed_at: null,
    }));
    await engine.releases.record(project, version, {}, { commits });
    await engine.releases.deploy(project, version, { environment: 'production' });
  }
}
console.log(readFileSync(note, 'utf8'));
