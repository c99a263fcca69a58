import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { timeLimit } from '../../src/connector/index.js';
import { batchesOf, inBatches } from '../../src/resilience/batches.js';
import { boundedMap } from '../../src/resilience/bounded-map.js';
import { circuitBreaker } from '../../src/resilience/circuit-breaker.js';
import { keyedMutex, mutex } from '../../src/resilience/mutex.js';
import { once } from '../../src/resilience/once.js';
import { parseRetryAfterMs, retryDelayMs } from '../../src/resilience/retry-delay.js';
import { semaphore } from '../../src/resilience/semaphore.js';
import { untilAborted } from '../../src/resilience/time-limit.js';

/** Work that the test ends, and a record of what has started. */
function controlled() {
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => finish.set(name, () => resolve(name)));
  };
  return { started, work, finish: (name: string) => finish.get(name)?.() };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('retry delays: listed or doubling, with jitter, never shorter than Retry-After', async (t) => {
  const listed = [1, 2, 3, 4].map((failures) => retryDelayMs([10, 20, 50], failures));
  t.same(listed, [10, 20, 50, 50], 'the last entry repeats');
  const doubling = [1, 2, 3, 4, 2_000].map((failures) =>
    retryDelayMs({ firstMs: 100, maxMs: 500 }, failures),
  );
  t.same(doubling, [100, 200, 400, 500, 500]);
  t.equal(retryDelayMs([10], 1, { retryAfterMs: 60_000 }), 60_000);
  t.equal(retryDelayMs([10], 1, { retryAfterMs: 5 }), 10);
  const jittered = Array.from({ length: 200 }, () => retryDelayMs([1_000], 1, { jitter: 0.5 }));
  t.ok(jittered.every((ms) => ms >= 500 && ms <= 1_000));
  t.ok(new Set(jittered).size > 10);
});

t.test('Retry-After: seconds, a date, or invalid', async (t) => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  t.equal(parseRetryAfterMs('120', now), 120_000);
  t.equal(parseRetryAfterMs(3, now), 3_000);
  t.equal(parseRetryAfterMs('Sun, 22 Nov 2026 12:01:00 GMT', now), 60_000);
  t.equal(parseRetryAfterMs('Sun, 22 Nov 2026 11:00:00 GMT', now), 0, 'a date in the past');
  for (const invalid of [null, undefined, '', 'soon']) t.equal(parseRetryAfterMs(invalid, now), undefined);
});

t.test('a circuit breaker opens, half-opens and closes', async (t) => {
  let now = 0;
  const refuse = (retryInMs: number) => new Error(`open for ${retryInMs}`);
  const breaker = circuitBreaker({ failureLimit: 2, cooldownMs: 100, now: () => now, refuse });
  const attempt = (work: () => Promise<unknown>, counts = true) =>
    breaker.run(work, () => counts).then(String, (error: Error) => error.message);
  const fail = () => attempt(() => Promise.reject(new Error('down')));
  await fail();
  t.equal(breaker.state, 'closed');
  await attempt(async () => 1);
  await fail();
  t.equal(breaker.state, 'closed', 'a success restarts the count');
  await fail();
  t.equal(breaker.state, 'open');
  now = 40;
  t.equal(await fail(), 'open for 60');
  now = 100;
  t.equal(breaker.state, 'half_open');
  let finish = (_: number) => {};
  const first = attempt(() => new Promise<number>((resolve) => (finish = resolve)));
  t.equal(await fail(), 'open for 0', 'one probe at a time');
  finish(1);
  t.equal(await first, '1');
  t.equal(breaker.state, 'closed');
  await fail();
  await fail();
  now = 200;
  t.equal(await fail(), 'down');
  t.equal(breaker.state, 'open', 'a failed probe opens it again at once');
  now = 300;
  await attempt(() => Promise.reject(new Error('a bug of the caller')), false);
  t.equal(breaker.state, 'half_open', 'an error that does not count changes nothing');
});

t.test('a bounded map removes the entry used least recently', async (t) => {
  const map = boundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  t.same([map.get('a'), map.get('b'), map.get('c'), map.size], [1, undefined, 3, 2]);
  const weighed = boundedMap<string, string>(10, { most: 5, of: (text) => text.length });
  weighed.set('a', 'xx');
  weighed.set('b', 'xxx');
  weighed.set('c', 'x');
  t.same([...weighed.keys()].sort(), ['b', 'c'], 'the weights of all count');
  weighed.set('d', 'xxxxxx');
  t.notOk(weighed.has('d'), 'too heavy to be kept');
});

t.test('once: one call, shared; a failed one is forgotten on request', async (t) => {
  let runs = 0;
  const count = once(async (step: number) => (runs += step));
  t.same(await Promise.all([count(1), count(5)]), [1, 1]);
  const failing = once(async () => Promise.reject(new Error(`run ${++runs}`)));
  for (const _ of [1, 2]) await t.rejects(failing(), { message: 'run 2' });
  const retried = once(async () => (++runs === 3 ? Promise.reject(new Error('run 3')) : runs), {
    retryFailed: true,
  });
  await t.rejects(retried(), { message: 'run 3' });
  t.equal(await retried(), 4);
  t.equal(await retried(), 4);
});

t.test('a semaphore runs a limited number at once, in order, and forgets aborted calls', async (t) => {
  const { started, work, finish } = controlled();
  const limit = semaphore(2);
  const stop = new AbortController();
  const all = [limit(work('a')), limit(work('b')), limit(work('c'), stop.signal), limit(work('d'))];
  const aborted = t.rejects(async () => all[2], { message: 'stopped' });
  await settled();
  t.same(started, ['a', 'b']);
  stop.abort(new Error('stopped'));
  await aborted;
  await t.rejects(limit(work('e'), stop.signal), { message: 'stopped' });
  finish('a');
  await settled();
  t.same(started, ['a', 'b', 'd']);
  finish('b');
  finish('d');
  await all[3];
});

t.test('a mutex runs one at a time, also after a failure; a keyed one per key', async (t) => {
  const { started, work, finish } = controlled();
  const lock = mutex();
  const failed = t.rejects(lock(() => Promise.reject(new Error('failed'))));
  const ends = [lock(work('a')), lock(work('b'))];
  await failed;
  await settled();
  t.same(started, ['a']);
  finish('a');
  await settled();
  t.same(started, ['a', 'b']);
  finish('b');
  t.same(await Promise.all(ends), ['a', 'b']);

  const keyed = keyedMutex<string>();
  const pairs = [keyed('x', work('x1')), keyed('x', work('x2')), keyed('y', work('y1'))];
  await settled();
  t.same(started.slice(2), ['x1', 'y1']);
  finish('x1');
  await settled();
  t.same(started.slice(4), ['x2']);
  finish('x2');
  finish('y1');
  t.same(await Promise.all(pairs), ['x1', 'x2', 'y1']);
});

t.test('batches', async (t) => {
  t.same([...batchesOf([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
  t.same([...batchesOf([], 2)], []);
  let active = 0;
  let peak = 0;
  const doubled = await inBatches([1, 2, 3, 4, 5], 2, async (item) => {
    peak = Math.max(peak, ++active);
    await settled();
    active -= 1;
    return item * 2;
  });
  t.same([doubled, peak], [[2, 4, 6, 8, 10], 2]);
});

t.test('a time limit is reached even if its signals are garbage-collected meanwhile', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const closing = new AbortController().signal;
  const followed = AbortSignal.any([timeLimit(100, closing), new AbortController().signal]);
  const alone = timeLimit(60_000, timeLimit(100));
  const reached = [followed, alone].map(
    (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  );
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const enough = new AbortController();
  const patience = delay(10_000, null, { signal: enough.signal }).catch(() => {});
  await Promise.race([Promise.all(reached), patience]);
  enough.abort();
  t.match([followed.reason, alone.reason], [{ name: 'TimeoutError' }, { name: 'TimeoutError' }]);
});

t.test('work is abandoned as soon as its signal aborts, and may fail afterwards', async (t) => {
  const failing = () => new Promise((_, reject) => void setImmediate(() => reject(new Error('unhandled'))));
  await t.rejects(untilAborted(failing(), AbortSignal.abort(new Error('closing'))), { message: 'closing' });
  const closing = new AbortController();
  const left = untilAborted(failing(), closing.signal);
  closing.abort(new Error('closing'));
  await t.rejects(left, { message: 'closing' });
  await t.rejects(untilAborted(failing(), new AbortController().signal), { message: /unhandled/ });
  t.equal(await untilAborted(Promise.resolve(1), new AbortController().signal), 1);
  await delay(10);
});
