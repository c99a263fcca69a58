// `bench -- store --loaded`: staging, reads and gates of a core without and with 1,000 webhooks and 200 MB of source maps.
import { compared, withLoad } from './with-load.mjs';

const perEvent = ({ events, cpu, ms, p50, p99 }) => ({
  'CPU µs per event': cpu / events,
  'events/s': events / (ms / 1e3),
  'p50 ms': p50,
  'p99 ms': p99,
});

export function storeLoaded({ stores, quick, say, ...given }) {
  const seconds = quick ? 0.5 : 2;
  /** Until the compiler has optimised what runs, and the known runs exist. */
  const warmUp = quick ? 0.5 : 6;
  const turns = {
    'staging, full speed': async (core, isFirst) =>
      perEvent(await core.ask({ act: 'stage', seconds: isFirst ? warmUp : seconds, size: 200 })),
    'staging, 500 events/s': async (core) => {
      const row = perEvent(await core.ask({ act: 'stage', seconds, size: 10, perSecond: 500 }));
      const { 'events/s': _fixed, ...others } = row;
      return others;
    },
    reads: async (core) => {
      const { count, cpu, get, page } = await core.ask({ act: 'read', count: quick ? 200 : 2_000 });
      const pages = { 'page p50 ms': page.p50, 'page p99 ms': page.p99 };
      return { 'CPU µs per read': cpu / count, 'get p50 ms': get.p50, 'get p99 ms': get.p99, ...pages };
    },
    gates: async (core) => {
      const { count, cpu, first, second } = await core.ask({ act: 'gates', count: quick ? 2 : 12 });
      return { 'CPU ms per run': cpu / 1e3 / count, 'gate 1 p50 ms': first.p50, 'gate 2 p50 ms': second.p50 };
    },
  };
  return withLoad({ quick, say }, async ({ core }) => {
    const found = [];
    for (const store of stores) {
      const sizes = quick ? { processes: 1, pairs: 1 } : { processes: 3, pairs: 3, ...given };
      const start = (loaded) => core(store, loaded ? 'ordinary' : null);
      found.push(...(await compared({ ...sizes, say, title: `${store}: ` }, start, turns)));
    }
    return found;
  });
}
