// `bench -- edge --loaded`: an edge that forwards to a core without and with 1,000 webhooks and 200 MB of source maps.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRequests } from '../edge/bodies.mjs';
import { end, generate, loadCore, next, serve } from '../edge/drive.mjs';
import { compared, withLoad } from './with-load.mjs';

/** Connections, and at the lower rate how long each pauses: 64 send about 500 requests a second. */
const CONNECTIONS = 64;
const PAUSE_MS = 128;

export function edgeLoaded({ quick, say, sizes }) {
  /** Core must record what the edge accepted before the next turn begins. */
  const duration = 1;
  const requests = mkdtempSync(join(tmpdir(), 'culprit-bench-'));
  const turn =
    (pauseMs) =>
    async ({ edge, core, sent }) => {
      // New event ids, so that core records what it gets.
      const { files, distinct } = writeRequests(requests, sent.count);
      sent.count += distinct;
      edge.child.send({ type: 'begin' });
      await next(edge.child, 'begun');
      const got = await generate(edge.port, files.webhook, { connections: CONNECTIONS, duration, pauseMs });
      edge.child.send({ type: 'end', settle: true });
      const { cpu_us } = await next(edge.child, 'ended');
      await core.ask({ act: 'settled' });
      if (got.refused + got.broken > 0) throw new Error('the edge refused requests');
      return {
        'CPU µs per request': cpu_us / got.requests,
        ...(pauseMs > 0 ? {} : { 'requests/s': got.requests / (got.micros / 1e6) }),
        'p50 ms': got.p50_us / 1e3,
        'p99 ms': got.p99_us / 1e3,
      };
    };
  return withLoad({ quick, say }, async (load) => {
    const start = async () => {
      const core = await load.core('file', { core: loadCore });
      const edge = await serve('culprit', `http://127.0.0.1:${core.first.port}`);
      const stop = async () => {
        await end(edge);
        await core.stop();
      };
      return { edge, core, sent: { count: 0 }, stop };
    };
    const turns = { [`${CONNECTIONS} connections`]: turn(0), 'about 500 requests/s': turn(PAUSE_MS) };
    return compared({ ...sizes, give: load.give, say, title: 'edge: ' }, start, turns);
  }).finally(() => rmSync(requests, { recursive: true, force: true }));
}
