import { type CrashObject, createEngine, silentLogger, type Tracker } from '@culprit/core';
import { memoryStorageConnector, trackerContract } from '@culprit/core/testing';
import t from 'tap';
import { bugsink } from '../../src/bugsink/index.js';

const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
const SECRET = 'bugsink-secret';
/** The format of `webhook_send_alert` in Bugsink's alerts/service_backends/webhook.py. */
const ALERT = {
  event_type: 'alert',
  timestamp: '2026-11-21T10:00:00.123456+00:00',
  source: 'bugsink',
  data: {
    issue_id: '2b2f9f2e-6b9f-4f7a-9c58-6f1b0b6f0f0a',
    issue_url: 'https://bugsink.example.com/issues/issue/2b2f9f2e-6b9f-4f7a-9c58-6f1b0b6f0f0a/event/last/',
    summary: '[NEW] TypeError: no price',
    error_type: 'TypeError',
    error_message: 'no price',
    project: 'Shop',
    first_seen: '2026-11-21T09:59:59.000000+00:00',
    last_seen: '2026-11-21T09:59:59.000000+00:00',
    event_count: 1,
    alert_type: 'NEW',
    alert_reason: 'a new issue was seen',
  },
};
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const delivery = (value: unknown, headers: Record<string, string> = { 'x-webhook-secret': SECRET }) => ({
  method: 'POST',
  path: '/webhook/bugsink',
  params: { connector: 'bugsink' },
  query: {},
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
      { name: 'another secret', delivery: delivery(ALERT, { 'x-webhook-secret': 'guessed' }) },
      { name: 'twice', delivery: delivery(ALERT, { 'x-webhook-secret': `${SECRET}, ${SECRET}` }) },
      { name: 'another header', delivery: delivery(ALERT, { 'x-secret': SECRET }) },
    ],
    unreadable: [
      { name: 'no type', delivery: delivery({ source: 'bugsink' }) },
      { name: 'a list', delivery: delivery([]) },
      { name: 'an alert without data', delivery: delivery({ event_type: 'alert' }) },
      {
        name: 'a number instead of a text',
        delivery: delivery({ event_type: 'alert', data: { summary: 7 } }),
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

t.test('alerts of one error belong to one run, whatever their state and format', async (t) => {
  const tracker = await trackerOf({ secrets });
  const engine = await createEngine({ connectors: [memoryStorageConnector()] });
  t.teardown(() => engine.close());
  const again = { ...ALERT, data: { ...ALERT.data, summary: '[REGRESSED] TypeError: no price' } };
  for (const alert of [ALERT, again]) {
    for (const { crash } of tracker.parse(delivery(alert)).crashes)
      await engine.ingest({ crash: crash as CrashObject });
  }
  const { runs } = await engine.runs({ limit: 10 });
  t.equal(runs.length, 1);
  t.match(runs[0], { occurrences: 2, title: 'TypeError: no price' });
  const short = { event_type: 'alert', summary: '[NEW] TypeError: no price', issue_id: 'x' };
  t.match(tracker.parse(delivery(short)).crashes[0]?.crash, { message: 'TypeError: no price' });
});

t.test('test messages are acknowledged and counted', async (t) => {
  const tracker = await trackerOf({ secrets });
  t.strictSame(tracker.parse(delivery({ event_type: 'test', source: 'bugsink', data: { test: true } })), {
    crashes: [],
    ignored: { test: 1 },
    event_id: null,
  });
});
