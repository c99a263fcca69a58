import { join } from 'node:path';
import { createEngine } from '@culprit/core';
import type { Desk, Investigator } from '@culprit/core/connector';
import { CulpritError } from '@culprit/core/connector';
import type { Asked } from '@culprit/core/internal/domain/investigation';
import type { Answer } from '@culprit/core/internal/domain/question';
import {
  investigatorContract,
  type ModelConduct,
  memoryStorageConnector,
  SAMPLE_FINDING,
} from '@culprit/core/testing';
import t from 'tap';
import { git } from '../../src/git/index.js';
import { openai } from '../../src/openai/index.js';
import * as text from '../../src/shared/model/prompt/investigate-v1.js';
import { template } from '../../src/template/index.js';
import { makeRepository } from '../git/support/repository.js';
import {
  type CompletionRequest,
  KEY,
  MODEL,
  openaiDouble,
  type Said,
  type Server,
} from '../support/openai-double.js';

declare namespace Tap {
  type Test = Pick<typeof t, 'teardown'>;
}
const [SHA = ''] = SAMPLE_FINDING.commits;
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';
const never = () => new AbortController().signal;

async function parts(t: Tap.Test, kind: Server, more: object = {}) {
  const double = await openaiDouble(kind, () => 'Lorem ipsum');
  const stop = new AbortController();
  const logged: object[] = [];
  const log = (fields: object) => void logged.push(fields);
  const logger = { debug: log, info: log, warn: log, error: log };
  const config = { url: double.url, model: MODEL, apiKey: KEY, timeoutMs: 20_000, ...more };
  const made = await openai(config).setup({ fetch, logger, signal: stop.signal });
  const close = async () => {
    stop.abort();
    await double.close();
  };
  t.teardown(close);
  return { double, logged, close, ...made, investigator: made.investigator as Investigator };
}

interface Opened {
  readonly desk: Desk;
  readonly asked: { readonly name: string; readonly input: unknown }[];
  readonly calls: { readonly most: object; readonly used: object | null }[];
}

function deskOf(
  answer: (name: string, input: Readonly<Record<string, unknown>>) => string,
  more: { limit?: number; mostInput?: number; round?: number; msLeft?: () => number } = {},
): Opened {
  const { limit = 12, mostInput = 1e6, round = 0, msLeft = () => 1e6 } = more;
  const asked: Asked[] = [];
  const calls: Opened['calls'] = [];
  const desk: Desk = {
    crash: 'TypeError: price of undefined\nsrc/cart.js:11 in total',
    ranking: `1. ${SHA} Price items in several currencies`,
    questions: ['search_history', 'show_commit', 'search_source', 'show_crash'],
    left: () => limit - asked.length,
    msLeft,
    asked: () => asked,
    round,
    async ask({ name, input }): Promise<Answer> {
      const found = answer(name, input as Readonly<Record<string, unknown>>);
      asked.push({ question: name, input } as Asked);
      return { text: found, more: found.startsWith('many'), problem: found === '' ? 'not_found' : null };
    },
    async call(most, call) {
      if (most.input > mostInput) throw new CulpritError('investigation_limit', 'the tokens are used up');
      const result = await call(never());
      calls.push({ most, used: result.used });
      return result;
    },
  };
  const names = asked as unknown as Opened['asked'];
  return { desk, asked: names, calls };
}

const toolsIn = ({ tools = [] }: CompletionRequest) => tools.map((tool) => tool.function.name);
const answersIn = ({ messages }: CompletionRequest) => messages.filter(({ role }) => role === 'tool');
const handsIn = (more: object = {}): Said => ({ calls: [['finding', { ...SAMPLE_FINDING, ...more }]] });
const SHOWS: Said = { calls: [['show_commit', { sha: SHA }]] };

/** One turn after the other; the last one for ever. */
const turns = (...all: readonly Said[]) => {
  let at = 0;
  return () => all[Math.min(at++, all.length - 1)] ?? {};
};

const CONDUCT: Readonly<Record<ModelConduct, (asked: CompletionRequest) => Said>> = {
  asks: (asked) => (toolsIn(asked).includes('show_commit') ? SHOWS : handsIn()),
  finds: (asked) => (answersIn(asked).length === 0 ? SHOWS : handsIn()),
  garbage: () => ({ content: 'Lorem ipsum' }),
  hangs: () => ({}),
};

/** The same in fixed steps. */
const step = (asked: CompletionRequest): string => {
  const [{ content } = { content: '' }] = asked.messages;
  if (content === text.HYPOTHESIS)
    return JSON.stringify({ wrong: 'price', look_for: [{ kind: 'text', value: 'item.price' }] });
  if (content === text.CHOICE) return JSON.stringify(SAMPLE_FINDING);
  return '{"cause": "first"}';
};

for (const kind of ['vllm', 'strict'] as const) {
  t.test(`fulfils the investigator contract: ${kind === 'strict' ? 'steps' : 'loop'}`, async (t) => {
    const make = async () => {
      const { double, investigator, close } = await parts(t, kind);
      return {
        investigator,
        behave: (conduct: ModelConduct) => {
          double.fails(conduct === 'hangs' ? () => {} : null);
          double.says(CONDUCT[conduct]);
          double.writes(conduct === 'garbage' ? () => 'Lorem ipsum' : step);
        },
        sent: () => JSON.stringify(double.answered),
        close,
      };
    };
    for (const law of investigatorContract) await t.test(law.name, () => law.run(make));
  });
}

t.test('the questions of one turn are asked together, and each mistake is answered', async (t) => {
  const { double, investigator } = await parts(t, 'llamacpp');
  double.says(
    turns(
      {
        content: 'The price is missing.',
        calls: [
          ['search_history', { text: 'item.price' }],
          ['search_source', '{"text": '],
          ['run_command', { command: 'id' }],
          ['show_crash', {}],
          ['search_history', { text: 'x', colour: 'red' }],
          ['show_commit', { sha: SHA }],
        ],
      },
      handsIn(),
    ),
  );
  const { desk, asked, calls } = deskOf((name) => (name === 'show_commit' ? '' : 'many commits'));
  t.strictSame(await investigator.investigate(desk, never()), SAMPLE_FINDING);
  t.match(asked, [
    { question: 'search_history', input: { text: 'item.price' } },
    { question: 'show_commit', input: { sha: SHA } },
  ]);
  t.equal(asked.length, 2);
  const [first, second] = double.answered;
  t.strictSame(first && toolsIn(first), ['search_history', 'show_commit', 'search_source', 'finding']);
  t.match(
    first?.messages[1]?.content,
    /^Find the commit[\s\S]*BEGIN \w+ crash\n[\s\S]*BEGIN \w+ ranking[\s\S]*left: 12\.$/,
  );
  const shown = (second ? answersIn(second) : []).map(({ content }) => content ?? '');
  t.match(shown, [
    /^BEGIN (\w+) answer\nmany commits\nEND \1\nThere is more/,
    text.NOT_JSON,
    text.UNKNOWN_TOOL,
    text.UNKNOWN_TOOL,
    /^This was refused: text: .*; colour: /,
    /has no such file, folder or commit\.\n\nQuestions left: 10\.$/,
  ]);
  t.match(second?.messages[2], { role: 'assistant', content: 'The price is missing.' });
  t.match(calls[0], { used: { input: 700, output: 30 }, most: { output: 2_048 } });
  const sent = Buffer.byteLength(JSON.stringify(double.answered[0])) / 1.5;
  const { most } = calls[0] as { most: { input: number } };
  t.ok(most.input > 0.9 * sent && most.input < 1.1 * sent, `${most.input} of ${sent}`);
});

t.test('a finding that the schema refuses is answered with the reason', async (t) => {
  const { double, investigator } = await parts(t, 'vllm');
  double.says(turns(SHOWS, handsIn({ probability: 80, quote: undefined }), handsIn()));
  const { desk } = deskOf(() => 'a diff');
  t.strictSame(await investigator.investigate(desk, never()), SAMPLE_FINDING);
  const last = double.answered.at(-1);
  t.match(last && answersIn(last).at(-1)?.content, /^This was refused: quote: .*; probability: /);
  double.says(turns(SHOWS, handsIn({ probability: 80 })));
  await t.rejects(investigator.investigate(deskOf(() => 'a diff').desk, never()), {
    code: 'investigator_failed',
    message: /hands in no finding/,
  });
});

t.test('a call in the text is reminded of; a model that never calls goes fixed steps', async (t) => {
  const { double, investigator } = await parts(t, 'vllm');
  const written = '<tool_call>{"name": "show_commit", "arguments": {"sha": "0123456"}}</tool_call>';
  double.says(turns({ content: written }, { content: '', finish: 'length' }, SHOWS, handsIn()));
  t.match(await investigator.investigate(deskOf(() => 'a diff').desk, never()), SAMPLE_FINDING);
  t.match(double.answered[1]?.messages.slice(2), [
    { role: 'assistant', content: written },
    { role: 'user', content: `${text.CALL}\n\nQuestions left: 12.` },
  ]);
  t.match(double.answered[2]?.messages.at(-1)?.content, text.CUT);
  double.says(turns({ content: JSON.stringify(SAMPLE_FINDING) }));
  t.match(await investigator.investigate(deskOf(() => 'a diff').desk, never()), SAMPLE_FINDING, 'as text');
  double.says(() => ({ content: written }));
  double.writes(step);
  t.match(await investigator.investigate(deskOf(() => 'a diff').desk, never()), SAMPLE_FINDING);
  t.equal(double.answered.at(-1)?.messages[0]?.content, text.CHOICE);
});

t.test('at a limit of tokens, one shorter call asks for the finding', async (t) => {
  const { double, investigator } = await parts(t, 'vllm');
  double.says(CONDUCT.asks);
  const { desk, asked, calls } = deskOf(() => 'y'.repeat(11_000), { mostInput: 14_000 });
  t.strictSame(await investigator.investigate(desk, never()), SAMPLE_FINDING);
  t.ok(asked.length > 1 && asked.length < 6, `${asked.length}`);
  const last = double.answered.at(-1);
  t.strictSame(last && toolsIn(last), ['finding']);
  t.equal(last?.tool_choice, 'required');
  t.match(last?.messages.at(-1)?.content, `${text.LAST}`);
  t.ok(calls.every(({ most }) => (most as { input: number }).input <= 14_000));
});

t.test('when there is no time for two more calls, it hands in', async (t) => {
  const { double, investigator } = await parts(t, 'vllm');
  double.says(CONDUCT.asks);
  const { desk, asked } = deskOf(() => 'a diff', { msLeft: () => 0 });
  t.strictSame(await investigator.investigate(desk, never()), SAMPLE_FINDING);
  t.equal(asked.length, 1);
});

t.test('a long conversation loses its oldest answers', async (t) => {
  const { double, investigator } = await parts(t, 'vllm');
  double.says(CONDUCT.asks);
  await investigator.investigate(deskOf(() => 'y'.repeat(11_000)).desk, never());
  for (const { messages } of double.answered)
    t.ok(Buffer.byteLength(messages.map(({ content }) => content).join('')) < 61_000);
  const last = double.answered.at(-1);
  const shown = (last ? answersIn(last) : []).map(({ content }) => content ?? '');
  t.equal(shown.length, 12);
  t.match(shown[0], /^BEGIN (\w+) answer\ny+\nEND \1\n\(shortened/);
  t.notMatch(shown.at(-1), 'shortened');
});

t.test('a call that fails is made again; a server that does not count', async (t) => {
  const { double, investigator } = await parts(t, 'vllm');
  let broken = 0;
  double.says((asked) => {
    double.fails((response) => {
      broken += 1;
      double.fails(null);
      response.writeHead(503).end('{"error":{"message":"overloaded"}}');
    });
    return { ...CONDUCT.finds(asked), usage: false };
  });
  const { desk, calls } = deskOf(() => 'a diff');
  t.strictSame(await investigator.investigate(desk, never()), SAMPLE_FINDING);
  t.equal(broken, 1);
  t.match(calls, [{ used: null }, { used: null }]);
  double.fails((response) => response.writeHead(500).end('oops'));
  await t.rejects(investigator.investigate(deskOf(() => '').desk, never()), {
    code: 'investigator_failed',
    message: /returned 500/,
  });
});

t.test('the fixed steps: what to look for, a choice, and a check in both orders', async (t) => {
  const { double, investigator } = await parts(t, 'strict');
  const found = { ...SAMPLE_FINDING, commits: [OTHER.slice(0, 10), SHA] };
  const prefers = (sha: string) => (asked: CompletionRequest) => {
    const [{ content } = { content: '' }, { content: user } = { content: '' }] = asked.messages;
    if (content === text.CHOICE) return JSON.stringify(found);
    if (content !== text.PAIR) return step(asked);
    const isFirst = sha !== '' && (user ?? '').indexOf(sha) < (user ?? '').indexOf(sha === SHA ? OTHER : SHA);
    return JSON.stringify({ cause: sha === '' || isFirst ? 'first' : 'second' });
  };
  const answers = (name: string, { sha }: Readonly<Record<string, unknown>>) =>
    name === 'search_history' ? `${OTHER} 2026-01-02 Prices` : `commit ${sha}\n+sum += item.price.amount`;
  for (const [sha, probability] of [
    [OTHER, 0.8],
    ['', 0.8 * 0.7],
    [SHA, 0.8 * 0.4],
  ] as const) {
    double.writes(prefers(sha));
    const { desk, asked } = deskOf(answers, { round: sha === '' ? 1 : 0 });
    const finding = await investigator.investigate(desk, never());
    t.match(finding, { commits: found.commits });
    t.ok(Math.abs((finding?.probability ?? 0) - probability) < 1e-9, `${finding?.probability}`);
    t.match(asked, [
      { question: 'search_history', input: { text: 'item.price' } },
      { question: 'show_commit', input: { sha: SHA } },
      { question: 'show_commit', input: { sha: OTHER } },
    ]);
  }
  for (const { messages } of double.answered)
    t.ok(Buffer.byteLength(messages.map(({ content }) => content).join('')) <= 16_384);
  double.writes(step);
  const { desk } = deskOf(() => '');
  t.equal(await investigator.investigate({ ...desk, ranking: 'No suspects.' }, never()), null);
});

/** A model that looks for a word of the crash, looks at the commit that it finds, and names it. */
const searching = (asked: CompletionRequest): Said => {
  const shown = answersIn(asked).map(({ content }) => content ?? '');
  if (shown.length === 0)
    return {
      calls: [
        ['search_history', { text: 'EMPTY' }],
        ['read_source', { path: 'src/session.js' }],
      ],
    };
  const sha = /^[0-9a-f]{12}\b/m.exec(shown[0] ?? '')?.[0] ?? '0000000';
  if (shown.length === 2) return { calls: [['show_commit', { sha }]] };
  const quote = /^\+\s*(return .*)$/m.exec(shown[2] ?? '')?.[1] ?? 'nothing';
  return { calls: [['finding', foundBy(sha, quote)]] };
};
const foundBy = (sha: string, quote: string) => ({
  ...SAMPLE_FINDING,
  ...{ commits: [sha], quote, place: { path: 'src/session.js', line: 2 } },
});

/** The same in fixed steps. */
const choosing = (asked: CompletionRequest): string => {
  const [{ content } = { content: '' }, { content: user } = { content: '' }] = asked.messages;
  if (content === text.HYPOTHESIS)
    return JSON.stringify({ wrong: 'cart', look_for: [{ kind: 'text', value: 'EMPTY' }] });
  const [, sha = '', quote = ''] = /commit (\w+)\nc[\s\S]*?^\+\s*(return session.*)$/m.exec(user ?? '') ?? [];
  return content === text.CHOICE ? JSON.stringify(foundBy(sha, quote)) : '{"cause": "first"}';
};

for (const kind of ['vllm', 'strict'] as const) {
  t.test(`a whole engine, with a real repository: ${kind}`, async (t) => {
    const repository = makeRepository(join(t.testdir(), 'shop'));
    const cart = 'export function total(cart) {\n  return cart.items.length;\n}\n';
    const session = (end: string) => `export function cart(session) {\n  return session.cart${end};\n}\n`;
    const at = '2026-01-01T00:00:00Z';
    repository.commit({ 'src/cart.js': cart, 'src/session.js': session(' ?? EMPTY') }, { at });
    const cause = repository.commit({ 'src/session.js': session('') }, { at: '2026-01-02T00:00:00Z' });
    const end = repository.commit({ 'src/cart.js': `// Cart\n${cart}` }, { at: '2026-01-03T00:00:00Z' });
    const double = await openaiDouble(kind, choosing);
    double.says(searching);
    const engine = await createEngine({
      connectors: [
        memoryStorageConnector(),
        git({}),
        openai({ url: double.url, model: MODEL, apiKey: KEY }),
        template({}),
      ],
      projects: { default: { repository: repository.path } },
    });
    t.teardown(async () => {
      await engine.close();
      await double.close();
    });
    const frames = [{ filename: 'src/cart.js', function: 'total', lineno: 3, in_app: true }];
    const value = "Cannot read properties of undefined (reading 'items')";
    const crash = {
      ...{ event_id: 'crash-1', timestamp: '2026-01-05T09:00:00.000Z', contexts: { commit: end } },
      ...{
        tags: { commit: end },
        exception: { values: [{ type: 'TypeError', value, stacktrace: { frames } }] },
      },
    };
    const { run_id } = await engine.ingest({ crash });
    const reviewer = { name: 'ada', via: 'api' } as const;
    await engine.approveGateOne(run_id ?? '', reviewer);
    await engine.startInvestigation(run_id ?? '', reviewer);
    for (;;) {
      const { investigation, suspects } = await engine.run(run_id ?? '');
      if (investigation?.state === 'running') {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      t.match(investigation, {
        state: 'used',
        reason: null,
        checks: [{ ok: true }, { ok: true }, { ok: true }],
      });
      t.match(suspects, [{ sha: cause }]);
      return;
    }
  });
}

const PROBED = 'f3a91c07d2b4e8561a0c9d7e2f4b6a8c0d1e3f50';
/** Passes the probe: it uses the first answer for its second question. */
const able = (asked: CompletionRequest): Said => {
  const shown = answersIn(asked).map(({ content }) => content ?? '');
  if (shown.length === 0) return { calls: [['search_history', { text: 'currency' }]] };
  const sha = /^[0-9a-f]{12}/m.exec(shown[0] ?? '')?.[0] ?? '';
  if (shown.length === 1) return { calls: [['show_commit', { sha }]] };
  return handsIn({ commits: [PROBED], quote: 'currency = order["currency"]' });
};
const USABLE = () => '{"insufficient": true, "claims": []}';

t.test('the probe finds out how a model investigates', async (t) => {
  const probed = async (kind: Server, says: (asked: CompletionRequest) => Said, writes = USABLE) => {
    const made = await parts(t, kind, { tryAnswering: true });
    made.double.says(says);
    made.double.writes(writes);
    const checks = await made.check?.(never());
    return { detail: checks?.[0]?.detail ?? '', asked: made.double.answered.filter(({ tools }) => tools) };
  };
  const best = await probed('vllm', able);
  t.match(best.detail, /It investigates with its own questions\. The deterministic/);
  t.equal(best.asked.length, 3, 'calls');
  const steps = /It investigates in fixed steps\. The deterministic/;
  t.match((await probed('strict', able)).detail, steps, 'a server without tools');
  t.match((await probed('vllm', () => ({ content: 'Hm.' }))).detail, steps, 'it never calls');
  t.match((await probed('vllm', () => handsIn())).detail, steps, 'it guesses');
  const endless = await probed('vllm', CONDUCT.asks);
  t.match(endless.detail, steps);
  t.ok(endless.asked.length <= 5, 'calls');
  t.match((await probed('vllm', able, () => 'Hm.')).detail, /no usable answer/);
});

t.test('the status says how; a model that gives no usable answer is not asked', async (t) => {
  const good = await parts(t, 'vllm', { probeAtStart: true });
  good.double.says(able);
  good.double.writes(USABLE);
  t.equal(good.investigator.status?.().investigates, null, 'not yet known');
  await until(() => good.logged.length > 0);
  t.match(good.investigator.status?.(), { state: 'usable', investigates: 'loop' });
  t.match(good.explainer?.status?.(), { investigates: 'loop' });
  const bad = await parts(t, 'vllm', { probeAtStart: true });
  await until(() => bad.logged.length > 0);
  t.match(bad.investigator.status?.(), { state: 'unusable', investigates: 'no' });
  const { desk, calls } = deskOf(() => '');
  await t.rejects(bad.investigator.investigate(desk, never()), { code: 'investigator_failed' });
  t.equal(calls.length, 0);
  const off = await parts(t, 'vllm', { probeAtStart: true, investigate: false });
  off.double.writes(USABLE);
  await until(() => off.logged.length > 0);
  t.equal(off.investigator, undefined);
  t.equal(off.double.answered.filter(({ tools }) => tools).length, 0, 'and it is not probed');
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}
