// `bench -- store --loaded`: staging, reads and gates of a core without and with 1,000 webhooks and 200 MB of source maps.
import { inRounds, ratiosOf } from './rounds.mjs';
import { SUBSCRIPTIONS } from './subscriptions.mjs';
import { compared, withLoad } from './with-load.mjs';

const perEvent = ({ events, cpu, main, ms, p50, p99 }) => ({
  'CPU µs per event': cpu / events,
  'of the main thread': main / events,
  'events/s': events / (ms / 1e3),
  'p50 ms': p50,
  'p99 ms': p99,
});

export function storeLoaded({ stores, quick, say, sizes }) {
  const seconds = quick ? 0.5 : 1;
  /** Until the compiler has optimised what runs, and the known runs exist. */
  const warmUp = quick ? 0.5 : 6;
  const turns = {
    'staging, full speed': async ({ core }, isFirst) =>
      perEvent(await core.ask({ act: 'stage', seconds: isFirst ? warmUp : seconds, size: 200 })),
    'staging, 500 events/s': async ({ core }) => {
      const row = perEvent(await core.ask({ act: 'stage', seconds, size: 10, perSecond: 500 }));
      const { 'events/s': _fixed, ...others } = row;
      return others;
    },
    reads: async ({ core }) => {
      const { count, cpu, main, get, page } = await core.ask({ act: 'read', count: quick ? 200 : 1_000 });
      const pages = { 'page p50 ms': page.p50, 'page p99 ms': page.p99 };
      const used = { 'CPU µs per read': cpu / count, 'of the main thread': main / count };
      return { ...used, 'get p50 ms': get.p50, 'get p99 ms': get.p99, ...pages };
    },
    gates: async ({ core }) => {
      const { count, cpu, main, first, second } = await core.ask({ act: 'gates', count: quick ? 2 : 8 });
      const used = { 'CPU ms per run': cpu / 1e3 / count, 'of the main thread': main / 1e3 / count };
      return { ...used, 'gate 1 p50 ms': first.p50, 'gate 2 p50 ms': second.p50 };
    },
  };
  return withLoad({ quick, say }, async ({ core, give, receiver }) => {
    const found = [];
    for (const store of stores) {
      const start = async () => {
        const child = await core(store);
        return { core: child, stop: child.stop };
      };
      found.push(...(await compared({ ...sizes, give, say, title: `${store}: ` }, start, turns)));
    }
    if (sizes.only !== '') return { loaded: found };
    const costs = {
      one: await costOfOne(core, give, quick),
      all: await costOfAll(core, give, receiver, quick),
    };
    const { one, all } = costs;
    say(
      `one webhook that gets every new run: ${one.us_per_delivery} µs CPU for each of ${one.deliveries} deliveries`,
    );
    say(
      `all webhooks get everything: while ${all.deliveries} deliveries of ${all.runs} runs wait, 500 events/s take p50 ${all.p50_ms} ms, p99 ${all.p99_ms} ms`,
    );
    say(
      `  (without webhooks p50 ${all.without.p50_ms} ms, p99 ${all.without.p99_ms} ms); ${all.delivered} were delivered, ${all.repeated} twice, in ${all.seconds} s, memory +${all.mb} MB`,
    );
    return { loaded: found, costs };
  });
}

const round = (value) => Number(value.toFixed(1));

/** What one delivery costs core, beside the ordinary webhooks. */
async function costOfOne(core, give, quick) {
  const turn = { act: 'stage', seconds: quick ? 1 : 3, size: 10, perSecond: 500 };
  const child = await core('file');
  const measure = async (isOne) => {
    await give(child, isOne ? 'one' : 'ordinary');
    const { cpu, events } = await child.ask(turn);
    return { us: cpu / events };
  };
  for (const isOne of quick ? [] : [false, true, true]) await measure(isOne);
  const [{ loaded, without }] = ratiosOf(await inRounds(quick ? 1 : 5, measure));
  await child.stop();
  // Every tenth event starts a run.
  return { us_per_delivery: round((loaded - without) * 10), deliveries: turn.seconds * 50 };
}

/** Every webhook gets every event: what others wait then, and whether everything arrives. */
async function costOfAll(core, give, receiver, quick) {
  const runs = quick ? 1 : 10;
  const turn = { act: 'stage', seconds: quick ? 1 : 8, size: 10, perSecond: 500, only: 'again' };
  const latency = ({ p50, p99 }) => ({ p50_ms: round(p50), p99_ms: round(p99) });
  const child = await core('file');
  await child.ask({ ...turn, seconds: quick ? 1 : 6 });
  await child.ask({ act: 'burst', count: runs });
  const without = latency(await child.ask(turn));
  await give(child, 'all');
  const before = await receiver.ask({ act: 'quiet' });
  const { rss } = await child.ask({ act: 'memory' });
  const started = performance.now();
  await child.ask({ act: 'burst', count: runs });
  const busy = latency(await child.ask({ ...turn, unsettled: true }));
  const deliveries = runs * SUBSCRIPTIONS;
  const after = await receiver.ask({ act: 'quiet' });
  const seconds = Math.round((performance.now() - started) / 1_000);
  const mb = Math.round(((await child.ask({ act: 'memory' })).rss - rss) / 1024 / 1024);
  await child.stop();
  const delivered = after.distinct - before.distinct;
  const repeated = after.requests - before.requests - delivered;
  return { runs, deliveries, ...busy, without, delivered, repeated, seconds, mb };
}
