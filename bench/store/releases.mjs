// releases.mjs STORE RUNS FOLDER: what the pages of releases cost over the API. The last line is JSON.
import { percentiles } from '../loaded/child.mjs';
import { startYear } from './with-year.mjs';
import { OF_PROJECT, PROJECTS, versionOf } from './year.mjs';

const [store, , folder] = process.argv.slice(2);
const PAGE = 50;
const WARM = 20;
const SAMPLES = 200;
const { client, during, stop } = await startYear(store, folder);
const query = { limit: PAGE };
let [last, total] = [query, 0];
for (let page = await client.releases.list(query); page.next !== null; ) {
  last = { ...query, cursor: page.next };
  page = await client.releases.list(last);
  total = page.total;
}
const pick = () => {
  const project = PROJECTS[Math.floor(Math.random() * PROJECTS.length)];
  return [project, versionOf(project, Math.floor(Math.random() * OF_PROJECT))];
};
const runsOf = ([project, version]) => client.listRuns({ q: `release:"${version}"`, project, limit: PAGE });
const runs = await runsOf(pick());
const acts = {
  'first page': () => client.releases.list(query),
  'last page': () => client.releases.list(last),
  'of a project': () => client.releases.list({ ...query, project: PROJECTS[0] }),
  'one release': () => client.releases.get(...pick()),
  'its runs': () => runsOf(pick()),
  deploy: () => client.releases.deploy(...pick(), { environment: 'staging' }),
};
const [ms, staging_ms] = [{}, {}];
for (const [name, act] of Object.entries(acts)) ms[name] = await measure(act);
const { row } = await during(
  async () => {
    for (const [name, act] of Object.entries(acts)) staging_ms[name] = await measure(act);
  },
  { reading: false },
);
await stop();
console.log(
  JSON.stringify({ releases: total, runs_of_one: runs.total, ms, staging_ms, blocked_ms: row.blocked_ms }),
);

/** Median and 99th percentile of one request after another, in ms. */
async function measure(act) {
  const times = [];
  for (let n = 0; n < SAMPLES + WARM; n++) {
    const from = performance.now();
    await act();
    if (n >= WARM) times.push(performance.now() - from);
  }
  const { p50, p99 } = percentiles(times);
  return { median: Number(p50.toFixed(2)), p99: Number(p99.toFixed(2)) };
}
