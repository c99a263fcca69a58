import { webhook } from '@culprit/connectors/webhook';
import { type HistoryEntry, type Run, silentLogger } from '@culprit/core';
import { RUN_STATES, summarise } from '@culprit/core/internal/domain/run';
import { EVENT_NAMES, type EventType } from '@culprit/core/internal/domain/webhook-events';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { makeOwnership } from '@culprit/core/internal/testing/make-run';
import { makeRun } from '@culprit/core/testing';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import * as v from 'valibot';
import { issueOfHostileCrash } from '../../core/test/support/hostile-crash.js';
import { injectionCases } from '../../core/test/support/injection-corpus.js';
import { hides, ownWords, titleEscapes, unlinkedEscapes } from '../../core/test/support/markdown-tree.js';
import type { Message } from '../src/webhooks/delivery-store.js';
import { readEvents } from '../src/webhooks/event-reader.js';
import { messageSchema } from '../src/webhooks/event-schema.js';
import { createPace } from '../src/webhooks/pace.js';
import { sendMessage } from '../src/webhooks/send-message.js';
import { matcherOf } from '../src/webhooks/subscription.js';
import { until } from './support/edge-kit.js';
import { hostileReads } from './support/hostile-reads.js';
import { type Received, webhookReceiver } from './support/webhook-receiver.js';

t.setTimeout(600_000);

const AT = '2026-01-05T09:00:00.000Z';
const SECRET = `whsec_${Buffer.from('secret-of-the-test-secret-of-the').toString('base64')}`;
const DIGEST = 'd'.repeat(64);
const CASES = injectionCases();

/** A history that makes every event, with the text wherever somebody else may write one. */
function historyOf(text: string): readonly HistoryEntry[] {
  const error = { code: text, detail: text, retryable: false };
  const entries: readonly (readonly [name: string, more: Partial<HistoryEntry>])[] = [
    ['staged', { to: 'staged_raw', detail: { event_id: text, door: text } }],
    ['staged', { to: 'staged_raw', detail: { regression_of: text } }],
    ['analysis.done', { from: 'analyzing', to: 'staged_draft' }],
    ['analysis.failed', { from: 'analyzing', to: 'staged_raw', error }],
    ['gate2.return', { by: text, from: 'staged_draft', to: 'staged_raw', detail: { reason: text } }],
    ['gate1.reject', { by: text, from: 'staged_raw', to: 'rejected', detail: { reason: text } }],
    ['gate2.reject', { by: text, from: 'staged_draft', to: 'rejected', detail: { reason: text } }],
    ['comment', { by: text, detail: { comment: text } }],
    ['publish.done', { from: 'publishing', to: 'published', detail: { issue_url: text } }],
    ['publish.failed', { from: 'publishing', to: 'staged_draft', error }],
    ['resolve', { by: text, detail: { commit: text } }],
    ['resolve.undo', { by: text }],
    ['issue.completed', { detail: { by: text } }],
    ['hand_off.webhook', { by: text, digest: DIGEST }],
  ];
  return entries.map(([name, more], n) => ({
    ...{ sequence: n + 1, at: AT, kind: 'decision', name, by: null, via: 'api', from: null, to: null },
    ...{ digest: null, ms: null, error: null, detail: {} },
    ...more,
  }));
}

async function runOf(text: string, n: number): Promise<Run> {
  const run = await hostileReads(text).getRun({ run_id: 'r' });
  return {
    ...run,
    // Core's own words: names of projects, ids and codes.
    ...{
      project: 'shop',
      regression_of: null,
      last_error: { code: 'internal', detail: text, retryable: false },
    },
    run_id: `run_${String(n).padStart(26, '0')}`,
    level: 'error',
    returned: { at: AT, by: text, reason: text },
    ownership: makeOwnership(text, text),
    woken: { at: AT, why: 'release', release: text },
  };
}

const WEBHOOK = {
  ...{ id: 'wh_1', name: 'ops', url: 'https://ops.example/', events: [...EVENT_NAMES], projects: [] },
  ...{ levels: [], environments: [], enabled: true, created_at: AT, created_by: 'ada' },
  ...{ active_since: AT, earlier: [], turned_off: null },
};

/** What core's event reader makes of runs with these texts and briefs. */
async function messagesOf(texts: readonly string[], briefs: readonly string[]): Promise<readonly Message[]> {
  const runs = new Map<string, { run: Run; text: string; brief: string }>();
  for (const [n, text] of texts.entries()) {
    const run = await runOf(text, n);
    runs.set(run.run_id, { run, text, brief: briefs[n] ?? '' });
  }
  const of = (id: string) => runs.get(id) ?? { run: makeRun(), text: '', brief: '' };
  const stored = new Map<string, string>();
  const messages: Message[] = [];
  const reader = await readEvents({
    engine: {
      feed: {
        head: async () => ({ epoch: 'e', sequence: 0 }),
        watch: (seen: (entry: { sequence: number; run: ReturnType<typeof summarise> }) => void) => {
          let sequence = 0;
          for (const { run } of runs.values()) seen({ sequence: ++sequence, run: summarise(run) });
          return () => {};
        },
      },
      values: {
        get: async (key: string) => stored.get(key),
        set: async (key: string, value: string) => void stored.set(key, value),
      },
      run: async (id: string) => of(id).run,
      history: async (id: string) => historyOf(of(id).text),
      brief: async (id: string) => of(id).brief,
      sanitiser: standardSanitiser,
    } as never,
    boardUrl: 'https://culprit.example',
    matcher: async () => matcherOf([WEBHOOK]),
    deliver: async (rows) => void messages.push(...rows.map(({ message }) => message)),
    crowded: () => false,
    pace: createPace(),
    logger: silentLogger,
    now: () => Date.parse(AT),
  });
  const last = `${[...runs.keys()].at(-1)}_14_run_handed_off`;
  await until(() => messages.some(({ id }) => id === last));
  await reader.close();
  return messages;
}

/** Every text in a value, and its members as paths: what a text from outside must not change. */
function partsOf(value: unknown, path = ''): { readonly paths: string[]; readonly texts: string[] } {
  if (typeof value === 'string') return { paths: [path], texts: [value] };
  if (typeof value !== 'object' || value === null) return { paths: [path], texts: [] };
  const parts = Object.entries(value).map(([name, one]) => partsOf(one, `${path}.${name}`));
  return { paths: parts.flatMap(({ paths }) => paths), texts: parts.flatMap(({ texts }) => texts) };
}

const NAMES = ['content-length', 'content-type', 'webhook-id', 'webhook-signature', 'webhook-timestamp'];

/** Those that `fetch` and Node add on their own. */
const THEIRS = /^(host|connection|user-agent|accept|sec-)/;

function wrongHeaders({ headers, body }: Received): string[] {
  const names = Object.keys(headers)
    .filter((name) => !THEIRS.test(name))
    .sort();
  return [
    ...(String(names) === String(NAMES) ? [] : [`headers: ${names}`]),
    ...(/^[\w-]{1,128}$/.test(String(headers['webhook-id'])) ? [] : [`id: ${headers['webhook-id']}`]),
    ...(Number(headers['content-length']) === Buffer.byteLength(body) ? [] : ['length']),
  ];
}

t.test(
  'every event with every case: one JSON document of its schema, harmless title and brief',
  async (t) => {
    const words = ownWords([new URL('../src/mcp/', import.meta.url)]);
    const briefs: string[] = [];
    for (const { text } of CASES) briefs.push((await issueOfHostileCrash(text)).briefs[0] ?? '');
    const messages = await messagesOf(
      CASES.map(({ text }) => text),
      briefs,
    );
    const harmless = new Map(
      (await messagesOf(['text'], ['text'])).map(({ id, type, data }) => [
        id.replace(/^run_\d+/, ''),
        { type, paths: String(partsOf(data).paths) },
      ]),
    );
    t.same(new Set([...harmless.values()].map(({ type }) => type)), new Set(EVENT_NAMES), 'every type');
    t.equal(messages.length, harmless.size * CASES.length);
    const receiver = await webhookReceiver();
    t.teardown(() => receiver.close());
    const verifier = new Webhook(SECRET);
    const parts = { allowed: new Set(['127.0.0.1']), now: Date.now, signal: new AbortController().signal };
    const found: string[] = [];
    for (const { id, type, timestamp, data } of messages) {
      const body = JSON.stringify({ type, timestamp, data });
      const attempt = await sendMessage({ url: receiver.url, id, body, secrets: [SECRET] }, parts);
      if (!attempt.ok) found.push(`${id}: ${attempt.code}`);
    }
    for (const got of receiver.received) {
      const { headers, body, json } = got;
      const id = String(headers['webhook-id']);
      const wrong = wrongHeaders(got);
      verifier.verify(body, headers as Record<string, string>);
      if (JSON.stringify(json) !== body) wrong.push('a member twice, or not JSON');
      if (!v.is(messageSchema(json.type as EventType), json)) wrong.push('not its schema');
      const { paths, texts } = partsOf(json.data);
      const wanted = harmless.get(id.replace(/^run_\d+/, ''));
      if (String(paths) !== wanted?.paths || json.type !== wanted.type) wrong.push(`members: ${paths}`);
      wrong.push(...texts.filter(hides).map((text) => `hides: ${JSON.stringify(text)}`));
      wrong.push(...titleEscapes(json.data.title));
      for (const { title } of json.data.suspects) wrong.push(...titleEscapes(title));
      const { hand_off } = json.data;
      if (json.type === 'run.handed_off') {
        if (hand_off.digest !== DIGEST) wrong.push('another digest');
        if (!/\n> Text in code spans and code blocks comes from /.test(hand_off.brief))
          wrong.push('not marked');
        wrong.push(...unlinkedEscapes(hand_off.brief, words));
      }
      found.push(...wrong.map((one) => `${id} ${json.type}: ${one}`));
    }
    t.same(found.slice(0, 5), [], `${found.length} of ${receiver.received.length}`);
    t.equal(receiver.received.length, messages.length);
  },
);

t.test('the notifier webhook: every state with every case', async (t) => {
  const receiver = await webhookReceiver();
  t.teardown(() => receiver.close());
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const { notifier } = await webhook({ url: receiver.url, secrets: [SECRET], allowPlaintext: true }).setup(
    context,
  );
  const paths = new Map<string, string>();
  const found: string[] = [];
  for (const [n, { id, text }] of [{ id: 'harmless', text: 'text' }, ...CASES].entries()) {
    const state = RUN_STATES[n % RUN_STATES.length] ?? 'staged_raw';
    for (const one of n === 0 ? RUN_STATES : [state]) {
      await notifier?.notify({ ...(await runOf(text, n)), state: one }, context.signal);
      const got = receiver.received.at(-1);
      if (got === undefined) throw new Error('nothing was sent');
      const wrong = wrongHeaders(got);
      const made = partsOf(got.json);
      if (n === 0) paths.set(one, String(made.paths));
      if (paths.get(one) !== String(made.paths)) wrong.push(`members: ${made.paths}`);
      if (JSON.stringify(got.json) !== got.body) wrong.push('a member twice, or not JSON');
      wrong.push(...made.texts.filter(hides).map((hidden) => `hides: ${JSON.stringify(hidden)}`));
      found.push(...wrong.map((fault) => `${id} ${one}: ${fault}`));
    }
  }
  t.same(found.slice(0, 5), [], String(found.length));
});
