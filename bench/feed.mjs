// Compares the live feed with the package `ws`: CPU time of the server per delivered message, latency,
// memory per reader. On loopback the system time includes the receiver. Each message is one send() for both servers.
// usage: npm run bench -- feed [--quick] [--json]
//        npm run bench -- feed --loaded [--quick] [--json] [--processes N] [--rounds N] [--only TURN]
// --loaded compares the feed of a whole core without and with 1,000 webhooks and 200 MB of source maps.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { feedLoaded } from './loaded/feed.mjs';
import { sizesOf } from './loaded/with-load.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    loaded: { type: 'boolean' },
    processes: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
  },
});
const quick = values.quick === true;
const json = values.json === true;
const say = json ? () => {} : (line) => console.log(line);
const round = (value, digits = 2) => (value === null ? null : Number(value.toFixed(digits)));
const file = (name) => fileURLToPath(new URL(`./feed/${name}`, import.meta.url));

if (values.loaded) {
  const loaded = await feedLoaded({ quick, say, sizes: sizesOf(values) });
  if (json) console.log(JSON.stringify({ area: 'feed', loaded }));
  process.exit(0);
}

/** Readers, changes, and the delay between changes. */
const LOADS = [
  { readers: 1_000, changes: 200, everyMs: 20 },
  ...(quick
    ? []
    : [
        { readers: 10_000, changes: 100, everyMs: 20 },
        { readers: 10_000, changes: 12, everyMs: 1_000 },
      ]),
];

async function start(name, args, options = {}) {
  const child = fork(file(name), args, options);
  const first = await answer(child);
  return { child, first, ask: (what) => ask(child, what), stop: () => child.kill('SIGKILL') };
}
function answer(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`a child exited with ${code}`)));
  });
}
function ask(child, what) {
  const answered = answer(child);
  child.send(what);
  return answered;
}

async function measure(kind, load) {
  const { readers, changes, everyMs } = load;
  const server = await start('server.mjs', [kind], { execArgv: ['--expose-gc'] });
  try {
    const { rss: empty } = await server.ask({});
    const clients = await start('clients.mjs', [String(server.first.port), String(readers)]);
    try {
      const { rss: full, size } = await server.ask({});
      await server.ask({ changes: 3, everyMs: 50 });
      await clients.ask('start');
      const cost = await server.ask({ changes, everyMs });
      const got = await clients.ask('stop');
      const delivered = size * changes;
      const complete = got.sampledMessages === got.sampled * changes;
      return {
        kind,
        load,
        readers: size,
        changes,
        delivered,
        complete,
        cpu_us_per_message: round((cost.user + cost.system) / delivered),
        user_us: round(cost.user / delivered),
        system_us: round(cost.system / delivered),
        p50_ms: round(got.p50, 1),
        p99_ms: round(got.p99, 1),
        bytes_per_reader: Math.round((full - empty) / size),
      };
    } finally {
      clients.stop();
    }
  } finally {
    server.stop();
  }
}

const rows = [];
for (const load of LOADS) {
  say(`${load.readers.toLocaleString('en')} readers, a change every ${load.everyMs} ms`);
  for (const kind of ['culprit', 'ws']) {
    const row = await measure(kind, load);
    rows.push(row);
    say(
      `  ${kind.padEnd(8)} ${row.cpu_us_per_message} µs CPU per message (${row.user_us} user, ${row.system_us} system), ` +
        `p50 ${row.p50_ms} ms, p99 ${row.p99_ms} ms, ${row.bytes_per_reader.toLocaleString('en')} bytes per reader${row.complete ? '' : ', MESSAGES MISSING'}`,
    );
  }
}
const share = (load) => {
  const of = (kind) =>
    rows.find((row) => row.kind === kind && row.load === load)?.cpu_us_per_message ?? Number.NaN;
  return round(of('culprit') / of('ws'));
};
const shares = LOADS.map((load) => ({ readers: load.readers, every_ms: load.everyMs, share: share(load) }));
for (const { readers, every_ms, share: part } of shares)
  say(
    `${readers.toLocaleString('en')} readers, a change every ${every_ms} ms: ${part} of the CPU time of ws`,
  );
if (json) console.log(JSON.stringify({ rows, shares }));
process.exit(rows.every(({ complete }) => complete) ? 0 : 1);
