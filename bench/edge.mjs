// Durable deliveries per second of the edge, compared with a bare uWebSockets.js echo,
// uWebSockets.js with HMAC and JSON.parse, and Fastify with the same verification, parsing and sanitising but without storage.
// usage: npm run bench -- edge [--quick] [--json] [--only NAME]
//        npm run bench -- edge --loaded [--quick] [--json] [--processes N] [--rounds N] [--only TURN]
//        npm run bench -- edge --against DIR [--quick] [--json]
// --against compares the edge with that of another tree, which is built, in turns of a second.
// --loaded compares an edge whose core has nothing to do besides with one whose core has 1,000 webhooks and 200 MB of source maps.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareWith } from './edge/against.mjs';
import { writeRequests } from './edge/bodies.mjs';
import { end, generate, load, next, pinned, serve } from './edge/drive.mjs';
import { edgeLoaded } from './loaded/edge.mjs';
import { sizesOf } from './loaded/with-load.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    only: { type: 'string' },
    against: { type: 'string' },
    loaded: { type: 'boolean' },
    processes: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const quick = values.quick === true;
const say = values.json ? () => {} : (line) => console.log(line);
if (values.loaded) {
  const loaded = await edgeLoaded({ quick, say, sizes: sizesOf(values) });
  if (values.json) console.log(JSON.stringify({ area: 'edge', load, pinned, loaded }));
  process.exit(0);
}
const seconds = quick ? 2 : 4;
const warmUp = quick ? 1 : 2;
const directory = mkdtempSync(join(tmpdir(), 'culprit-bench-'));
const { files, bytes, distinct } = writeRequests(directory);
if (values.against !== undefined) {
  const doors = await compareWith(values.against, { files, pairs: quick ? 2 : 15, say });
  rmSync(directory, { recursive: true });
  if (values.json) console.log(JSON.stringify({ area: 'edge', load, pinned, doors }));
  process.exit(0);
}
const round = (value, digits = 0) => Number(value.toFixed(digits));
/** One row on a new server, so that garbage and spool of other rows do not count. */
async function measure(name, kind, door, connections, options = {}) {
  const server = await serve(kind);
  try {
    await generate(server.port, files[door], { connections, duration: warmUp });
    return await turn(server, name, door, connections, options);
  } finally {
    await end(server);
  }
}

/** One row on a warm server. */
async function turn({ child, port }, name, door, connections, options = {}) {
  child.send({ type: 'begin', profile: options.profile === true });
  await next(child, 'begun');
  const load = await generate(port, files[door], {
    connections,
    duration: seconds,
    pauseMs: options.pauseMs,
  });
  child.send({ type: 'end' });
  const { cpu_us, loop_p50_ms, loop_p99_ms, rss_mb, where } = await next(child, 'ended');
  const row = {
    name,
    door,
    connections,
    per_second: round(load.requests / (load.micros / 1e6)),
    p50_ms: round(load.p50_us / 1e3, 2),
    p99_ms: round(load.p99_us / 1e3, 2),
    max_ms: round(load.max_us / 1e3, 1),
    cpu_us_per_request: round(cpu_us / load.requests, 1),
    loop_p50_ms: round(loop_p50_ms, 2),
    loop_p99_ms: round(loop_p99_ms, 2),
    rss_mb: round(rss_mb),
    refused: load.refused,
    broken: load.broken,
    ...(where === null ? {} : { where }),
  };
  say(line(row));
  return row;
}

const line = (row) =>
  [
    row.name.padEnd(30),
    row.door.padEnd(8),
    String(row.connections).padStart(4),
    `${row.per_second}/s`.padStart(9),
    `p50 ${row.p50_ms} ms`.padStart(13),
    `p99 ${row.p99_ms} ms`.padStart(14),
    `${row.cpu_us_per_request} µs CPU`.padStart(14),
    `loop p50 ${row.loop_p50_ms} p99 ${row.loop_p99_ms} ms`.padStart(26),
    `${row.rss_mb} MB`,
    row.refused + row.broken > 0 ? `refused ${row.refused}, broken ${row.broken}` : '',
  ].join('  ');
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

say(
  `${distinct} distinct bodies of ${bytes} bytes, ${seconds} s each; ${pinned ? `${load} on core 0, server on core 1` : `load by ${load}, not pinned`}`,
);
const rows = [];
const add = async (...args) => {
  const row = await measure(...args);
  rows.push(row);
  return row;
};
const wanted = (name) => values.only === undefined || values.only === name;

// The rows that count: warm and interleaved, so that other load affects all of them.
const IN_TURNS = {
  edge: ['culprit, durable', 'culprit'],
  node: ['culprit on node:http', 'culprit-node'],
  fastify: ['fastify, nothing stored', 'fastify'],
  plain: ['fastify, edge’s fast path', 'fastify-plain'],
};
async function inTurns(door, ids) {
  const turns = [];
  const servers = {};
  for (const id of ids) {
    servers[id] = await serve(IN_TURNS[id][1]);
    await generate(servers[id].port, files[door], { connections: 64, duration: warmUp * 2 });
  }
  for (let round = 0; round < (quick ? 1 : 7); round++) {
    const found = {};
    for (const id of ids) {
      found[id] = await turn(servers[id], IN_TURNS[id][0], door, 64);
      rows.push(found[id]);
    }
    turns.push(found);
  }
  for (const server of Object.values(servers)) await end(server);
  return turns;
}
const turns = wanted('pairs') ? await inTurns('webhook', ['edge', 'node', 'fastify', 'plain']) : [];
const unlike = wanted('unlike') ? await inTurns('unlike', ['edge', 'fastify']) : [];
if (wanted('doors')) {
  for (const connections of quick ? [64] : [1, 64, 256]) {
    for (const door of ['webhook', 'native', 'sdk']) {
      if (connections !== 64 || door !== 'webhook')
        await add('culprit, durable', 'culprit', door, connections);
    }
    await add('culprit on node:http', 'culprit-node', 'webhook', connections);
    await add('uWebSockets.js echo', 'echo', 'webhook', connections);
    await add('uWebSockets.js, HMAC, parse', 'uws-hmac-parse', 'webhook', connections);
    if (connections !== 64) await add('fastify, nothing stored', 'fastify', 'webhook', connections);
  }
}
const saturated = () =>
  rows.filter(
    ({ name, connections, door }) => name.startsWith('culprit') && connections === 64 && door === 'webhook',
  );
if (wanted('half') && saturated().length === 0) await add('culprit, durable', 'culprit', 'webhook', 64);
const saturation = median(saturated().map((row) => row.per_second)) ?? 0;
/** A connection alternates between pausing and waiting; the first run measures its share of waiting. */
async function atHalf() {
  const cycleMs = (64 / (saturation / 2)) * 1e3;
  const at = (pauseMs) => measure('culprit at half of saturation', 'culprit', 'webhook', 64, { pauseMs });
  const { per_second } = await at(cycleMs);
  const waitMs = (64 / per_second) * 1e3 - cycleMs;
  const row = await at(Math.max(1, cycleMs - waitMs));
  rows.push(row);
  return row;
}
const half = wanted('half') ? await atHalf() : null;
const profiled = wanted('profile')
  ? await add('culprit, profiled', 'culprit', 'webhook', 64, { profile: true })
  : null;
if (profiled !== null) {
  for (const { name, share } of profiled.where.places)
    say(`  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
  if (values.only === 'profile') {
    for (const { name, share } of profiled.where.functions)
      say(`    ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
  }
}
rmSync(directory, { recursive: true, force: true });

/** Throughput of the edge relative to another server: the median over the runs. */
const times = (turns, id, of) =>
  turns.length === 0 ? null : round(median(turns.map(of).map((find) => find(id))), 2);
const bySecond = (found) => (id) => found.edge.per_second / found[id].per_second;
const byCpu = (found) => (id) => found[id].cpu_us_per_request / found.edge.cpu_us_per_request;
const nodeBySecond = (found) => (id) => found.node.per_second / found[id].per_second;
const nodeByCpu = (found) => (id) => found[id].cpu_us_per_request / found.node.cpu_us_per_request;
const ratio = times(turns, 'fastify', bySecond);
const ratio_unlike = times(unlike, 'fastify', bySecond);
const ratios = {
  ratio,
  ratio_unlike,
  ratio_plain: times(turns, 'plain', bySecond),
  ratio_cpu: times(turns, 'fastify', byCpu),
  ratio_node: times(turns, 'fastify', nodeBySecond),
  ratio_node_cpu: times(turns, 'fastify', nodeByCpu),
  ratio_node_edge: times(turns, 'edge', nodeBySecond),
  ratio_node_edge_cpu: times(turns, 'edge', nodeByCpu),
};
if (ratio !== null) {
  say(`durable deliveries at 64 connections: ${ratio} times Fastify's (at least 1.5)`);
  say(`  by CPU time per request ${ratios.ratio_cpu} times; against Fastify with the edge's fast path`);
  say(`  ${ratios.ratio_plain} times, by CPU time ${times(turns, 'plain', byCpu)}`);
  say(
    `on node:http ${ratios.ratio_node} times Fastify's (at least 1), by CPU time ${ratios.ratio_node_cpu}; ${ratios.ratio_node_edge} times`,
  );
  say(`  what it makes on uWebSockets.js, by CPU time ${ratios.ratio_node_edge_cpu}`);
}
if (ratio_unlike !== null)
  say(`with texts that hardly ever repeat, as from many different programs: ${ratio_unlike} times`);
if (half !== null) say(`p99 at half of saturation: ${half.p99_ms} ms (under 25)`);
if (values.json)
  console.log(JSON.stringify({ area: 'edge', bytes, distinct, load, pinned, ...ratios, rows }));
const lost = rows.some(({ refused, broken }) => refused + broken > 0);
const slow = ratio !== null && (ratio < 1.5 || ratios.ratio_node < 1);
const broken = lost || slow || (half !== null && half.p99_ms >= 25);
if (broken) console.error('bench: a bound was exceeded');
process.exit(broken ? 1 : 0);
