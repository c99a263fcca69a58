import { createEngine, type Engine } from '@culprit/core';
import type { Connector, Explanation } from '@culprit/core/connector';
import { makeExplainRequest } from '@culprit/core/internal/testing/explainer-contract';
import { memoryCodeHost } from '@culprit/core/internal/testing/memory-code-host';
import {
  explainerContract,
  investigatorContract,
  type ModelConduct,
  memoryStorageConnector,
  SAMPLE_FINDING,
} from '@culprit/core/testing';
import t from 'tap';
import * as v from 'valibot';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { ollamaClient } from '../../src/ollama/client.js';
import { ollamaConfig } from '../../src/ollama/config.js';
import { modelHost, ollama } from '../../src/ollama/index.js';
import type { Message } from '../../src/shared/model/client.js';
import { toolsOf } from '../../src/shared/model/tools.js';
import { template } from '../../src/template/index.js';
import { ANSWERING, claimsOf, FAILING, GOOD, saying } from '../support/ollama-behaviours.js';
import { type Behaviour, MODEL, type OllamaDouble, ollamaDouble } from '../support/ollama-double.js';

const HELLO: readonly Message[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
];
const REVIEWER = { name: 'ada', via: 'api' } as const;
/** A generous time limit except in tests of time limits, so that a loaded machine does not change results. */
const SMALL = { timeoutMs: 20_000, answerBytes: 100_000 } as const;
const SHORT = { timeoutMs: 300 } as const;
const BUDGET_MS = 25_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const SOURCE =
  'exports.off = (code) => {\n  const voucher = campaign.find(code);\n  return voucher.percent;\n};\n';
const codeHost = memoryCodeHost([
  { title: 'Start', at: '2025-12-01T10:00:00.000Z', write: { 'src/voucher.js': 'exports.off = () => 0;\n' } },
  {
    title: 'Read vouchers from the campaign',
    author: 'Chidi',
    at: '2026-01-02T10:00:00.000Z',
    write: { 'src/voucher.js': SOURCE, '.env': 'API_KEY=hunter2hunter2\n' },
  },
]);
const CRASH = {
  event_id: 'crash-1',
  timestamp: '2026-01-05T09:00:00.000Z',
  exception: {
    values: [
      {
        type: 'TypeError',
        value: "Cannot read properties of undefined (reading 'percent')",
        stacktrace: {
          frames: [
            { filename: '.env', function: 'load', lineno: 1, in_app: true },
            { filename: 'src/voucher.js', function: 'off', lineno: 3, in_app: true },
          ],
        },
      },
    ],
  },
};

interface Passed {
  readonly explanation: Explanation;
  readonly body: string;
  readonly prompt: string | undefined;
}

async function engineWith(model: Connector): Promise<Engine> {
  return createEngine({
    connectors: [memoryStorageConnector(), { id: 'code', setup: () => ({ codeHost }) }, model, template()],
    projects: { default: { repository: codeHost.repository } },
    policy: { explainMs: BUDGET_MS, analysisMs: 2 * BUDGET_MS },
  });
}

/** Passes Gate 1 of a whole engine. */
async function pass(engine: Engine, id = 'crash-1'): Promise<Passed> {
  const crash = { ...CRASH, event_id: id, fingerprint: [id] };
  const { run_id } = await engine.ingest({ crash });
  await engine.approveGateOne(run_id ?? '', REVIEWER);
  const { state, explanation, draft } = await engine.run(run_id ?? '');
  if (state !== 'staged_draft' || !explanation || !draft)
    throw new Error(`expected a draft, but the run is ${state}`);
  const { versions } = await engine.evidence(run_id ?? '');
  return { explanation, body: draft.body, prompt: versions.prompt };
}

async function doubled(t: Tap.Test, behaviour: Behaviour, more = {}) {
  const double = await ollamaDouble(behaviour);
  const engine = await engineWith(ollama({ host: double.url, model: MODEL, ...SMALL, ...more }));
  t.teardown(async () => {
    await engine.close();
    await double.close();
  });
  return { double, engine };
}
declare namespace Tap {
  type Test = Pick<typeof t, 'teardown'>;
}

t.test('fulfils the explainer contract', async (t) => {
  const make = async () => {
    const double = await ollamaDouble((exchange) => exchange.say(claimsOf(exchange, GOOD)));
    const parts = await ollama({ host: double.url, model: MODEL }).setup({
      fetch,
      logger: quiet,
      signal: new AbortController().signal,
    });
    if (!parts.explainer) throw new Error('no explainer');
    return { explainer: parts.explainer, close: () => double.close() };
  };
  for (const law of explainerContract) await t.test(law.name, () => law.run(make));
});

for (const [name, behaviour] of Object.entries(ANSWERING)) {
  t.test(`answers: ${name}`, async (t) => {
    const { engine, double } = await doubled(t, behaviour);
    const { explanation, body, prompt } = await pass(engine);
    t.match(explanation, { source: 'model', model: MODEL });
    t.equal(explanation.insufficient, name === 'insufficient evidence');
    t.equal(prompt, '1', 'the evidence contains the prompt’s version');
    if (explanation.insufficient) t.notMatch(body, '### Explanation', 'no empty section');
    else {
      t.match(body, `1. \`${GOOD}\`\n   - Evidence: the incident (\`seen once`);
      t.match(
        body,
        "; the error (`TypeError: Cannot read properties of undefined (reading 'percent')`); the frame at",
      );
    }
    t.match(explanation.note, name.startsWith('some') ? 'Removed 1 of 2 claims' : null);
    t.equal(double.chats.length, 1, 'one call');
  });
}

for (const [name, { behave, note }] of Object.entries(FAILING)) {
  t.test(`the template is used after: ${name}`, async (t) => {
    const { engine, double } = await doubled(t, behave, note.test('no complete answer within') ? SHORT : {});
    const { explanation, body } = await pass(engine);
    t.match(explanation, { source: 'template', model: null, insufficient: false });
    t.match(explanation.note, note);
    t.match(explanation.note, /^The explainer ollama failed: /);
    t.match(body, /Note: `+The explainer ollama failed/);
    t.match(
      body,
      '`voucher` was `undefined` when `percent` was read from it in `off` at `src/voucher.js:3`. It is set on line 2:',
    );
    t.equal(double.chats.length, 1, 'one call, not repeated');
  });
}

t.test('a missing model, an unreachable server', async (t) => {
  const double = await ollamaDouble(saying(GOOD));
  t.teardown(() => double.close());
  const missing = await engineWith(ollama({ host: double.url, model: 'other', ...SMALL }));
  t.match((await pass(missing)).explanation, { source: 'template', note: /does not have the model/ });
  t.match(await missing.check(), [
    { name: 'ollama', ok: false, optional: true, detail: /does not have other. Run: ollama pull other/ },
  ]);
  await missing.close();
  const port = await reservePort();
  const nowhere = await engineWith(ollama({ host: `127.0.0.1:${port}`, model: 'm', ...SMALL }));
  t.match((await pass(nowhere)).explanation, { source: 'template', note: /Ollama is unreachable/ });
  t.match((await nowhere.check())[0], {
    name: 'ollama',
    ok: false,
    detail: /is unreachable. Start the model server/,
  });
  await nowhere.close();
  const there = await engineWith(ollama({ host: double.url, model: MODEL }));
  t.match((await there.check())[0], { name: 'ollama', ok: true, detail: /double:1b \(d{12}\) at http/ });
  await there.close();
});

t.test('the request is structured, bounded and fenced, without denied content', async (t) => {
  const { double, engine } = await doubled(t, ANSWERING.good);
  await pass(engine);
  const [chat] = double.chats;
  t.match(chat, {
    model: MODEL,
    stream: true,
    format: { type: 'object', required: ['insufficient', 'claims'] },
    options: { temperature: 0, seed: 1, num_predict: 900, num_ctx: 8_192 },
    keep_alive: '10m',
    truncate: false,
  });
  t.equal(chat?.think, undefined, 'the model cannot think');
  const text = chat?.messages.map(({ content }) => content).join('\n') ?? '';
  t.ok(Buffer.byteLength(text) <= 16_384);
  t.match(text, 'return voucher.percent;');
  t.match(text, '".env:1 in load"'.slice(1, -1), 'a denied file is named');
  t.notMatch(text, 'hunter2', 'and its lines are not sent');
});

t.test('a model that can think spends its budget on the answer', async (t) => {
  const { double, engine } = await doubled(t, ANSWERING.good);
  double.can(['completion', 'thinking']);
  t.match((await pass(engine)).explanation, { source: 'model' });
  t.equal(double.chats.at(-1)?.think, false);
  const { double: silent, engine: other } = await doubled(t, ANSWERING.good);
  silent.can(null);
  t.match((await pass(other)).explanation, { source: 'model' });
  t.equal(silent.chats.at(-1)?.think, undefined, 'a server that does not say decides');
});

t.test('a model that knows no off is told to think as little as it can', async (t) => {
  const { double, engine } = await doubled(t, ANSWERING.good);
  double.can(['completion', 'thinking'], 'gptoss');
  t.match((await pass(engine)).explanation, { source: 'model' });
  t.strictSame(
    double.chats.map(({ think }) => think),
    ['low'],
    'its family is known',
  );
  const { double: unnamed, engine: other } = await doubled(t, ANSWERING.good, { tryAnswering: true });
  unnamed.can(['completion', 'thinking'], 'unnamed');
  t.match(await other.check(), [{ name: 'ollama', ok: true }], 'the probe finds it out');
  t.strictSame(unnamed.chats.map(({ think }) => think).slice(0, 2), [false, 'low']);
  t.match((await pass(other)).explanation, { source: 'model' });
  const { double: stubborn, engine: third } = await doubled(t, ANSWERING.good, { tryAnswering: true });
  stubborn.can(['completion', 'thinking'], 'double');
  stubborn.behave((exchange) => exchange.think());
  t.match(await third.check(), [{ name: 'ollama', ok: false, detail: /thoughts used up the tokens/ }]);
  t.strictSame(
    stubborn.chats.map(({ think }) => think),
    [false, 'low', undefined],
    'a model without levels refuses them',
  );
});

t.test('a prompt that is too long fails; durations are as Go reads them', async (t) => {
  const { engine, double: small } = await doubled(t, ANSWERING.good);
  small.context(100);
  t.match((await pass(engine)).explanation, { source: 'template', note: /exceeds the context length/ });
  for (const [keepAlive, sent] of [
    ['600', 600],
    ['-1', -1],
    ['1h30m', '1h30m'],
    ['1.5h', '1.5h'],
  ] as const) {
    const { double, engine: kept } = await doubled(t, ANSWERING.good, { keepAlive });
    t.match((await pass(kept)).explanation, { source: 'model' }, keepAlive);
    t.equal(double.chats.at(-1)?.keep_alive, sent);
  }
  for (const keepAlive of ['', 'm', '10 m', '10d'])
    t.throws(() => ollama({ model: 'm', keepAlive }), { code: 'configuration', path: 'keepAlive' });
});

t.test('doctor asks the model for one short answer', async (t) => {
  const { double, engine } = await doubled(
    t,
    (exchange) => exchange.say('{"insufficient":true,"claims":[]}'),
    {
      tryAnswering: true,
    },
  );
  const checked = async () => (await engine.check()).find(({ name }) => name === 'ollama');
  t.match(await checked(), { ok: true, detail: /double:1b \(d{12}\) at http\S+ answered in \d+\.\d s/ });
  const [chat] = double.chats;
  t.match(chat, { format: { required: ['insufficient', 'claims'] } });
  t.ok(Buffer.byteLength(JSON.stringify(chat?.messages)) < 300, 'tiny');
  double.behave((exchange) => exchange.say('Certainly! Here is'));
  t.match(await checked(), { ok: false, optional: true, detail: /is not JSON: "Certainly! Here is"/ });
  double.behave((exchange) => exchange.say('{"claims":', 'length'));
  t.match(await checked(), { ok: false, detail: /exceeded its token budget/ });
  double.behave((exchange) => exchange.say(''));
  t.match(await checked(), { ok: false, detail: /answer is empty/ });
});

t.test('fulfils the investigator contract', async (t) => {
  const make = async () => {
    const double = await ollamaDouble(() => {});
    double.can(['completion', 'tools'], 'double', '30.5B');
    const context = { fetch, logger: quiet, signal: new AbortController().signal };
    const { investigator } = await ollama({ host: double.url, model: MODEL }).setup(context);
    if (!investigator) throw new Error('no investigator');
    const behave = (conduct: ModelConduct) =>
      double.behave((exchange) => {
        const { messages, tools = [] } = exchange.request;
        if (conduct === 'garbage') exchange.say('Lorem ipsum');
        if (conduct === 'garbage' || conduct === 'hangs') return;
        const isFirst = messages.every(({ role }) => role !== 'tool');
        const may = tools.some((tool) => tool.function.name === 'show_commit');
        const [sha = ''] = SAMPLE_FINDING.commits;
        if (may && (isFirst || conduct === 'asks')) exchange.call(['show_commit', { sha }]);
        else exchange.call(['finding', SAMPLE_FINDING]);
      });
    return { investigator, behave, sent: () => JSON.stringify(double.chats), close: () => double.close() };
  };
  for (const law of investigatorContract) await t.test(law.name, () => law.run(make));
});

t.test('a small model investigates in fixed steps, and is not asked whether it could do more', async (t) => {
  const answer = '{"insufficient":true,"claims":[]}';
  for (const [size, how, tools] of [
    ['8.0B', 'in fixed steps', 0],
    ['30.5B', 'in fixed steps', 3],
  ] as const) {
    const { double, engine } = await doubled(t, (exchange) => exchange.say(answer), { tryAnswering: true });
    double.can(['completion', 'tools'], 'double', size);
    const found = (await engine.check()).find(({ name }) => name === 'ollama');
    t.match(found, { ok: true, detail: `It investigates ${how}.` });
    t.equal(double.chats.filter((chat) => chat.tools).length, tools);
  }
});

t.test('a conversation with tools', async (t) => {
  const double = await ollamaDouble((exchange) =>
    exchange.call(['show_commit', { sha: 'abc1234' }], ['list_folder', {}]),
  );
  t.teardown(() => double.close());
  const client = ollamaClient(v.parse(ollamaConfig, { host: double.url, model: MODEL }), fetch);
  const { signal } = new AbortController();
  const tools = toolsOf(['show_commit', 'list_folder']);
  const talk = (messages: readonly Message[]) =>
    client.converse({ messages: [...HELLO, ...messages], tools, tokens: 500, forced: false }, signal);
  t.equal(await talk([]), null, 'the model knows no tools');
  double.can(['completion', 'tools'], 'double', '30.5B');
  const turn = await talk([]);
  t.match(turn, {
    content: '',
    calls: [
      { id: /^[0-9a-f]{9}$/, name: 'show_commit', arguments: '{"sha":"abc1234"}' },
      { name: 'list_folder', arguments: '{}' },
    ],
    used: { input: 1, output: 1 },
  });
  t.match(double.chats.at(-1), {
    tools: tools.map((one) => ({ type: 'function', function: one })),
    options: { num_predict: 500, num_ctx: 32_768 },
    truncate: false,
  });
  const [call] = turn?.calls ?? [];
  if (!call) throw new Error('no call');
  await talk([
    { role: 'assistant', content: '', calls: [call], message: null },
    { role: 'tool', call, content: 'an answer' },
  ]);
  t.match(double.chats.at(-1)?.messages.slice(2), [
    { role: 'assistant', tool_calls: [{ function: { name: 'show_commit', arguments: { sha: 'abc1234' } } }] },
    { role: 'tool', tool_name: 'show_commit', content: 'an answer' },
  ]);
  t.equal(await client.size(signal), 1, 'what a server says is asked once');
  for (const [size, billions] of [
    ['30.5B', 30.5],
    ['137M', 0.137],
    ['1.04T', 1_040],
    ['unknown', null],
  ] as const) {
    double.can(['tools'], 'double', size);
    const fresh = ollamaClient(v.parse(ollamaConfig, { host: double.url, model: MODEL }), fetch);
    t.equal(await fresh.size(signal), billions, size);
  }
});

t.test('an abort ends the call at the server', async (t) => {
  const { double } = await doubled(t, () => {});
  const parts = await ollama({ host: double.url, model: MODEL, timeoutMs: 60_000 }).setup({
    fetch,
    logger: quiet,
    signal: new AbortController().signal,
  });
  for (const behaviour of [() => {}, FAILING['hang after the head'].behave]) {
    double.behave(behaviour);
    const stop = new AbortController();
    const before = double.abandoned;
    const asked = parts.explainer?.explain(makeExplainRequest(), stop.signal);
    const arrived = double.chats.length;
    await until(() => double.chats.length > arrived);
    stop.abort(new Error('enough'));
    await t.rejects(Promise.resolve(asked), { message: 'enough' });
    await until(() => double.abandoned > before);
    t.pass('the connection is closed');
  }
});

t.test('the circuit opens after several failures', async (t) => {
  const { double, engine } = await doubled(t, FAILING['HTTP 500'].behave, {
    failureLimit: 2,
    coolDownMs: 60_000,
  });
  for (const id of ['a', 'b']) t.match((await pass(engine, id)).explanation.note, 'Ollama returned 500');
  double.behave(ANSWERING.good);
  const { explanation } = await pass(engine, 'c');
  t.match(explanation, {
    source: 'template',
    note: /failed several times in a row; the next attempt is in \d+ s/,
  });
  t.equal(double.chats.length, 2, 'no request was sent');
});

t.test('configuration', async (t) => {
  for (const [given, host] of [
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['0.0.0.0:9999', 'http://127.0.0.1:9999'],
    ['gpu.internal', 'http://gpu.internal:11434'],
    ['https://models.example/ollama/', 'https://models.example/ollama'],
    ['[::1]:11434', 'http://[::1]:11434'],
    ['ftp://x', null],
    ['http://u:p@x', null],
    ['http://x/?q', null],
    ['', null],
    ['a b', null],
  ] as const) {
    t.equal(modelHost(given), host, given);
  }
  t.throws(() => ollama({ model: '' }), { code: 'configuration', path: 'model' });
  t.throws(() => ollama({ model: 'm', host: 'http://u:p@x' }), { code: 'configuration', path: 'host' });
  t.throws(() => ollama({ model: 'm', timeoutMs: 0 }), { code: 'configuration' });
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}

export type { OllamaDouble };
