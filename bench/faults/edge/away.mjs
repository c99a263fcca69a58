import { createServer, request } from 'node:http';
import { sendOneCrash } from './one-crash.mjs';
import { memoryOf, Servers } from './servers.mjs';

/**
 * Core is down during the whole load, then starts. All deliveries must arrive, in order, on one run with the exact count,
 * and the edge's memory must not grow with the number of waiting deliveries.
 */
export async function away({ count, say }) {
  const watching = await watchOrder();
  const servers = await Servers.make({ coreUrl: watching.url });
  watching.forwardTo(servers.ports.core);
  await servers.start('edge');
  const tenth = Math.ceil(count / 10);
  // The first tenth warms up buffers and compiled code; memory must not grow after that.
  const first = await sendOneCrash(servers, tenth, 'first');
  const early = memoryOf(servers.pid('edge'));
  const rest = await sendOneCrash(servers, count - tenth, 'rest');
  const peak = memoryOf(servers.pid('edge'));
  const { spool } = await servers.guard();
  say(
    `  ${spool.depth} waiting on disk (${Math.round(spool.bytes / 2 ** 20)} MB); edge memory at most ${peak} MB, ${early} MB after a tenth`,
  );
  const started = performance.now();
  await servers.start('core');
  const guard = await servers.drained(900);
  const seconds = (performance.now() - started) / 1_000;
  const peakAfter = memoryOf(servers.pid('edge'));
  const runs = await servers.runs();
  await servers.stopAll();
  watching.close();
  const acknowledged = first.acknowledged + rest.acknowledged;
  const grown = early === null ? 0 : Math.max(peak, peakAfter) - early;
  return {
    data: servers.data,
    sent: count,
    acknowledged,
    waited: spool.depth,
    accepted_per_second: rest.per_second,
    drained_per_second: Math.round(count / seconds),
    runs: runs.length,
    counted: runs[0]?.occurrences ?? 0,
    out_of_order: watching.outOfOrder(),
    memory_after_a_tenth_mb: early,
    memory_peak_mb: peak,
    memory_peak_after_draining_mb: peakAfter,
    dead_letters: guard.dead_letters,
    ok:
      acknowledged === count &&
      runs.length === 1 &&
      runs[0].occurrences === count &&
      watching.outOfOrder() === 0 &&
      guard.dead_letters === 0 &&
      grown < GROWTH_MB,
  };
}

/** Less than a tenth of the size of 90,000 deliveries. */
const GROWTH_MB = 64;

/** The same load with core up. */
export async function storm({ count, say }) {
  const servers = await Servers.make();
  await servers.start('core');
  await servers.start('edge');
  const started = performance.now();
  const { acknowledged, others, per_second } = await sendOneCrash(servers, count, 'storm');
  await servers.drained(900);
  const seconds = (performance.now() - started) / 1_000;
  const runs = await servers.runs();
  const memory = memoryOf(servers.pid('edge'));
  await servers.stopAll();
  say(
    `  ${count} deliveries of one crash: accepted ${per_second}/s, counted ${Math.round(count / seconds)}/s`,
  );
  return {
    data: servers.data,
    sent: count,
    acknowledged,
    others,
    accepted_per_second: per_second,
    counted_per_second: Math.round(count / seconds),
    runs: runs.length,
    counted: runs[0]?.occurrences ?? 0,
    edge_memory_peak_mb: memory,
    ok: acknowledged === count && runs.length === 1 && runs[0].occurrences === count,
  };
}

/** A proxy between edge and core that checks that sequence numbers have no gaps and never decrease. */
async function watchOrder() {
  let core = 9;
  let last = 0;
  let wrong = 0;
  const server = createServer((from, to) => {
    const chunks = [];
    from.on('data', (chunk) => chunks.push(chunk));
    from.on('end', () => {
      const body = Buffer.concat(chunks);
      const out = request(
        { host: '127.0.0.1', port: core, path: from.url, method: 'POST', headers: from.headers },
        (answer) => {
          if (answer.statusCode === 200) {
            for (const { sequence } of JSON.parse(body).deliveries) {
              if (sequence !== last + 1) wrong += 1;
              last = sequence;
            }
          }
          to.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(to);
        },
      );
      out.on('error', () => to.writeHead(503).end());
      out.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    forwardTo: (port) => {
      core = port;
    },
    outOfOrder: () => wrong,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
