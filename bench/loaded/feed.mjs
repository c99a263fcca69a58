// `bench -- feed --loaded`: the live feed of a whole core without and with 1,000 webhooks and 200 MB of source maps.
import { startChild } from './child.mjs';
import { compared, withLoad } from './with-load.mjs';

const EVERY_MS = 20;

export function feedLoaded({ quick, say, sizes }) {
  const readers = quick ? 50 : 1_000;
  const count = quick ? 10 : 100;
  const name = `${readers.toLocaleString('en')} readers`;
  const missing = [];
  const changes = async ({ core, clients }) => {
    await clients.ask('start');
    const { cpu, main } = await core.ask({ act: 'changes', count, everyMs: EVERY_MS });
    const got = await clients.ask('stop');
    if (got.sampledMessages !== got.sampled * count) missing.push(got);
    const used = {
      'CPU µs per message': cpu / (readers * count),
      'of the main thread': main / (readers * count),
    };
    return { ...used, 'p50 ms': got.p50, 'p99 ms': got.p99 };
  };
  return withLoad({ quick, say }, async (load) => {
    const start = async () => {
      const core = await load.core('file');
      const { port, token } = core.first;
      const clients = await startChild('feed/clients.mjs', [port, readers, '/api/v1/live', token]);
      return { core, clients, stop: () => Promise.all([core.stop(), clients.stop()]) };
    };
    const loaded = await compared({ ...sizes, give: load.give, say, title: 'feed: ' }, start, {
      [name]: changes,
    });
    if (missing.length > 0) throw new Error(`messages are missing: ${JSON.stringify(missing[0])}`);
    return loaded;
  });
}
