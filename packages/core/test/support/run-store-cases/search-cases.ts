import assert from 'node:assert/strict';
import type { Event } from '../../../src/domain/event.js';
import type { RunState } from '../../../src/domain/run.js';
import { isCulpritError } from '../../../src/errors/error.js';
import type { RunQuery, RunStore } from '../../../src/ports/run-store.js';
import { makeBatch, makeFrame, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import { makeSuspect } from '../../../src/testing/make-run.js';
import type { StorageSubject } from './storage-subject.js';

const minute = (n: number) => new Date(Date.UTC(2026, 0, 5, 9, n)).toISOString();

interface Sample {
  readonly title: string;
  readonly event?: Partial<Event>;
}
const thrown = (type: string, value: string, file: string, name: string): Event['exceptions'] => [
  {
    ...{ type, value, module: null, handled: false, synthetic: false, mechanism: null },
    frames: [makeFrame({ file: 'src/server.js', function: 'handle' }), makeFrame({ file, function: name })],
  },
];
const SAMPLES: readonly Sample[] = [
  {
    title: 'TypeError: price of undefined',
    event: {
      exceptions: thrown('TypeError', 'price of undefined', 'src/cart/checkout.js', 'applyVoucher'),
      release: 'shop@1.2.0',
      tags: { region: 'eu', browser: 'Firefox 130' },
    },
  },
  {
    title: 'RangeError: too many items',
    event: {
      exceptions: thrown('RangeError', 'too many items', 'src/cart/total.js', 'Cart.total'),
      level: 'fatal',
      release: 'shop@1.20.1',
      environment: 'staging',
    },
  },
  {
    title: 'Ошибка: <img src=x onerror=alert(1)> (.*)+$ %00 漢字',
    event: {
      exceptions: thrown('Ошибка', 'items too many', 'lib/checkout_page.py', 'render'),
      platform: 'python',
      project: 'billing',
      environment: 'prod-eu',
    },
  },
];

/** Records the samples, one minute apart; returns the ids. */
async function fill(runStore: RunStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [n, { title, event }] of SAMPLES.entries()) {
    const item = makeItem(
      0,
      `sample${n}`,
      { event_id: `s${n}`, received_at: minute(n), ...event },
      { title },
    );
    const { outcomes } = await runStore.record(makeBatch([item], { edge: 'embedded', now: minute(n) }));
    ids.push(outcomes[0]?.run_id ?? '');
  }
  return ids;
}

/** Fails unless each search finds exactly these samples, by their numbers. */
async function finds(
  runStore: RunStore,
  ids: readonly string[],
  wanted: Readonly<Record<string, readonly number[]>>,
  more: Partial<RunQuery> = {},
): Promise<void> {
  const found: Record<string, unknown> = {};
  for (const query of Object.keys(wanted)) {
    const { runs, total } = await runStore.page({ limit: 50, query, ...more });
    found[query] = runs.map(({ run_id }) => ids.indexOf(run_id)).sort();
    assert.equal(total, runs.length, `the total of ${query}`);
  }
  assert.deepEqual(found, wanted);
}

/** What searches find, in every store. */
export const searchCases: readonly ContractCase<StorageSubject>[] = [
  onSubject(
    'a search finds words in every field, by their beginnings and by parts of names',
    async (storage) => {
      const ids = await fill(storage.runStore);
      await finds(storage.runStore, ids, {
        'price undefined': [0],
        'PRICE of': [0],
        typeerr: [0],
        applyvoucher: [0],
        voucher: [0],
        checkout: [0, 2],
        'src/cart': [0, 1],
        'cart/src': [],
        'cart.total': [1],
        checkout_page: [2],
        firefox: [0],
        staging: [1],
        billing: [2],
        ошибка: [2],
        漢字: [2],
        '1.20.1': [1],
        items: [1, 2],
        'items price': [],
        error: [0, 1],
      });
    },
  ),
  onSubject('quotes find words in this order, qualifiers their own field', async (storage) => {
    const ids = await fill(storage.runStore);
    await finds(storage.runStore, ids, {
      '"too many items"': [1],
      '"items too many"': [2],
      'level:fatal': [1],
      'level:"error"': [0, 2],
      'env:prod': [0, 2],
      'env:"prod"': [],
      'env:"production"': [0],
      'release:1.2': [0, 1],
      'release:"1.2.0"': [0],
      'release:shop@1.2.0': [0],
      'project:bill': [2],
      'platform:python': [2],
      'tag:region=eu': [0],
      'tag:browser=firefox': [0],
      'tag:region': [0],
      'file:checkout': [0, 2],
      'file:src/cart': [0, 1],
      'function:applyVoucher': [0],
      'function:checkout': [],
      'type:RangeError': [1],
      'message:too': [1, 2],
      'title:price': [0],
      'title:checkout': [],
      'state:staged level:error checkout': [0, 2],
      'state:published': [],
    });
  }),
  onSubject('hostile searches are text, and broken ones are malformed with a reason', async (storage) => {
    const ids = await fill(storage.runStore);
    await finds(storage.runStore, ids, {
      '"<img src=x onerror=alert(1)>"': [2],
      '"(.*)+$"': [2],
      '(.*)+': [2],
      '%00': [2],
      '*': [2],
      '../../..': [],
      'a\u0000\u0007b': [],
      '"漢字"': [2],
    });
    for (const [query, reason] of [
      ['levle:fatal', /Did you mean "level:"/],
      ['environment:prod', /Did you mean "env:"/],
      ['"price of', /quote .* is not closed/],
      ['level:urgent', /level:urgent is not a level/],
      ['env:', /needs a value/],
      ['x'.repeat(301), /at most 300 characters/],
      ['a '.repeat(17), /at most 16 terms/],
    ] as const) {
      await assert.rejects(
        storage.runStore.page({ limit: 5, query }),
        (error) => isCulpritError(error, 'malformed') && reason.test(error.message),
        query.slice(0, 40),
      );
    }
  }),
  onSubject('a search follows what changes in a run', async ({ runStore }) => {
    const ids = await fill(runStore);
    const [run_id = ''] = ids;
    const author = { name: 'Chidi Anagonye' };
    const sha = 'feedc0de00000000000000000000000000000000';
    const patch = { state: 'staged_draft' as RunState, suspects: [makeSuspect({ sha, author })] };
    await runStore.change({ run_id, version: 1, patch, now: minute(5), history: [] });
    const again = makeItem(0, 'sample0', {
      event_id: 'again',
      release: 'shop@2.0.0',
      received_at: minute(6),
    });
    await runStore.record(makeBatch([again], { edge: 'embedded', now: minute(6) }));
    await finds(runStore, ids, {
      'state:staged_draft': [0],
      'state:staged_raw': [1, 2],
      'sha:feedc0d': [0],
      feedc0de: [0],
      'author:chidi': [0],
      '"chidi anagonye"': [0],
      'release:"2.0.0"': [0],
      'release:"1.2.0"': [0],
    });
    await finds(runStore, ids, { checkout: [2] }, { states: ['staged_raw'] });
    await finds(runStore, ids, { checkout: [2] }, { project: 'billing' });
  }),
  onSubject('searches and lists have every order, page by page', async ({ runStore }) => {
    const ids = await fill(runStore);
    for (const n of [3, 4, 5]) {
      const event = {
        event_id: `more${n}`,
        received_at: minute(n),
        user: { id: `user-${n}` },
        exceptions: SAMPLES[1]?.event?.exceptions ?? [],
      };
      const more = makeItem(0, 'sample1', event);
      await runStore.record(makeBatch([more], { edge: 'embedded', now: minute(n) }));
    }
    const [run_id = ''] = ids;
    await runStore.change({ run_id, version: 1, patch: { last_error: null }, now: minute(9), history: [] });
    const walk = async (query: Partial<RunQuery>) => {
      const found: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await runStore.page({ limit: 1, ...query, ...(cursor === '' ? {} : { cursor }) });
        found.push(...page.runs.map((run) => ids.indexOf(run.run_id)));
        cursor = page.next;
      }
      return found;
    };
    for (const query of ['', 'file:server']) {
      assert.deepEqual(await walk({ query, order: 'activity' }), [0, 1, 2]);
      assert.deepEqual(await walk({ query, order: 'seen' }), [1, 2, 0]);
      assert.deepEqual(await walk({ query, order: 'crashes' }).then(([first]) => first), 1);
      assert.deepEqual(
        await walk({ query, order: 'users' }).then(([first, ...rest]) => [first, rest.length]),
        [1, 2],
      );
      assert.deepEqual(await walk({ query, order: 'newest' }), [2, 1, 0]);
      assert.deepEqual(await walk({ query, order: 'oldest' }), [0, 1, 2]);
    }
    const { next } = await runStore.page({ limit: 1, order: 'newest' });
    assert.ok(next);
    await assert.rejects(runStore.page({ limit: 1, order: 'oldest', cursor: next }), (error) =>
      isCulpritError(error, 'invalid_cursor'),
    );
  }),
  onSubject(
    'values lists the values of a qualifier, most frequent first',
    async ({ runStore, runValues }) => {
      await fill(runStore);
      assert.deepEqual(await runValues.list({ field: 'level', prefix: '', limit: 10 }), [
        { value: 'error', runs: 2 },
        { value: 'fatal', runs: 1 },
      ]);
      assert.deepEqual(await runValues.list({ field: 'env', prefix: 'PROD', limit: 1 }), [
        { value: 'prod-eu', runs: 1 },
      ]);
      assert.deepEqual(await runValues.list({ field: 'tag', prefix: '', limit: 10 }), [
        { value: 'browser=firefox 130', runs: 1 },
        { value: 'region=eu', runs: 1 },
      ]);
    },
  ),
];
