import { type CrashObject, createEngine } from '@culprit/core';
import { silentLogger, type Tracker } from '@culprit/core/connector';
import { memoryStorageConnector, trackerContract } from '@culprit/core/testing';
import t from 'tap';
import { bugsink } from '../../src/bugsink/index.js';

const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
const SECRET = 'bugsink-secret';
/**
 * `custom_backend_send_alert` in Bugsink's alerts/service_backends/custom.py: IssueSerializer's fields (issues/serializers.py)
 * and four or five more. https://github.com/bugsink/bugsink at 5b09ae574ffff4d71717867b6b46e8b6af9a3cd8.
 */
const ALERT = {
  id: '2b2f9f2e-6b9f-4f7a-9c58-6f1b0b6f0f0a',
  friendly_id: 'SHOP-12',
  project: 3,
  digest_order: 12,
  last_seen: '2026-11-21T09:59:59.123456Z',
  first_seen: '2026-11-21T09:59:59.123456Z',
  digested_event_count: 1,
  stored_event_count: 1,
  calculated_type: 'TypeError',
  calculated_value: 'no price',
  transaction: '/api/cart',
  is_resolved: false,
  is_resolved_unconditionally: false,
  is_resolved_by_next_release: false,
  is_muted: false,
  title: 'TypeError: no price',
  project_name: 'Shop',
  url: 'https://bugsink.example.com/issues/issue/2b2f9f2e-6b9f-4f7a-9c58-6f1b0b6f0f0a/event/last/',
  alert_reason: 'NEW',
};
/** `custom_backend_send_test_message`: the same members. */
const TEST = {
  ...ALERT,
  id: '497f6eca-6276-4993-bfeb-53cbbbba6f08',
  friendly_id: 'TEST-1',
  calculated_type: 'ValueError',
  calculated_value: 'invalid literal for int()',
  title: 'ValueError: invalid literal for int()',
  url: 'https://bugsink.example.com/issues/497f6eca-6276-4993-bfeb-53cbbbba6f08/',
  alert_reason: 'TEST',
};
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
/** The only header that Bugsink sets. */
const headers = { 'content-type': 'application/json' };
const delivery = (value: unknown, query: Record<string, string> = { secret: SECRET }) => ({
  method: 'POST',
  path: '/webhook/bugsink',
  params: { connector: 'bugsink' },
  query,
  headers,
  body: bytes(value),
  receivedAt: Date.parse('2026-11-21T10:00:00Z'),
});

async function trackerOf(config: Parameters<typeof bugsink>[0]): Promise<Tracker> {
  const { tracker } = await bugsink(config).setup(context);
  if (!tracker) throw new Error('no tracker');
  return tracker;
}

const secrets = [{ project: 'shop', secret: SECRET }];

t.test('fulfils the tracker contract', async (t) => {
  const subject = {
    tracker: await trackerOf({ secrets }),
    closed: await trackerOf({}),
    valid: delivery(ALERT),
    project: 'shop',
    secret: SECRET,
    forged: [
      { name: 'another secret', delivery: delivery(ALERT, { secret: 'guessed' }) },
      { name: 'a truncated secret', delivery: delivery(ALERT, { secret: SECRET.slice(0, -1) }) },
      { name: 'another parameter', delivery: delivery(ALERT, { token: SECRET }) },
      {
        name: 'in a header, which Bugsink cannot send',
        delivery: { ...delivery(ALERT, {}), headers: { 'x-webhook-secret': SECRET } },
      },
    ],
    unreadable: [
      { name: 'no issue', delivery: delivery({ alert_reason: 'NEW' }) },
      { name: 'a list', delivery: delivery([]) },
      { name: 'no reason', delivery: delivery({ ...ALERT, alert_reason: undefined }) },
      { name: 'a number instead of a text', delivery: delivery({ ...ALERT, calculated_value: 7 }) },
      {
        name: 'the format of a change that Bugsink did not merge',
        delivery: delivery({ event_type: 'alert', source: 'bugsink', data: { issue_id: ALERT.id } }),
      },
    ],
    coversBody: false,
    crashedAt: null,
  };
  for (const law of trackerContract) await t.test(law.name, () => law.run(async () => subject));
  const [read] = trackerContract.filter(({ name }) => name.startsWith('the crash has a title'));
  if (read === undefined) throw new Error('the contract case has another name');
  await t.rejects(
    read.run(async () => ({ ...subject, crashedAt: 'src/cart.js:3' })),
    /oldest first/,
  );
  const parse = () => ({
    crashes: [{ event_id: null, crash: { text: 'x' }, attachments: [] }],
    ignored: {},
    event_id: null,
  });
  const mute = { ...subject, tracker: { ...subject.tracker, parse } };
  await t.rejects(
    read.run(async () => mute),
    'a crash without any text',
  );
});

t.test('alerts of one error belong to one run, whatever their reason', async (t) => {
  const tracker = await trackerOf({ secrets });
  const engine = await createEngine({ connectors: [memoryStorageConnector()] });
  t.teardown(() => engine.close());
  const regressed = { ...ALERT, digested_event_count: 9, alert_reason: 'REGRESSED' };
  const unmuted = { ...ALERT, alert_reason: 'UNMUTED', unmute_reason: 'More than 10 events per 1 hour' };
  for (const alert of [ALERT, regressed, unmuted]) {
    for (const { crash } of tracker.parse(delivery(alert)).crashes)
      await engine.ingest({ crash: crash as CrashObject });
  }
  const { runs } = await engine.runs({ limit: 10 });
  t.equal(runs.length, 1);
  t.match(runs[0], { occurrences: 3, title: 'TypeError: no price' });
  t.match(tracker.parse(delivery(unmuted)).crashes[0]?.crash, {
    transaction: '/api/cart',
    timestamp: '2026-11-21T09:59:59.123456Z',
    extra: { bugsink: { issue: 'SHOP-12', unmute_reason: 'More than 10 events per 1 hour' } },
  });
});

t.test('a log message is no exception, and an event without either keeps its title', async (t) => {
  const tracker = await trackerOf({ secrets });
  const crashOf = (alert: object) => tracker.parse(delivery({ ...ALERT, ...alert })).crashes[0]?.crash;
  const logged = {
    calculated_type: 'Log Message',
    calculated_value: 'disk full\non sda',
    title: 'disk full',
  };
  t.match(crashOf(logged), { message: 'disk full\non sda', exception: undefined });
  t.match(crashOf({ calculated_type: '', calculated_value: '', title: '<unknown>' }), {
    message: '<unknown>',
  });
});

t.test('the test message is acknowledged and counted', async (t) => {
  const tracker = await trackerOf({ secrets });
  t.strictSame(tracker.parse(delivery(TEST)), { crashes: [], ignored: { test: 1 }, event_id: null });
});
