import type { ServerResponse } from 'node:http';
import { makeExplainRequest } from '@culprit/core/internal/testing/explainer-contract';
import { explainerContract } from '@culprit/core/testing';
import t from 'tap';
import * as v from 'valibot';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { openaiClient } from '../../src/openai/client.js';
import { openaiConfig } from '../../src/openai/config.js';
import { modelUrl, openai } from '../../src/openai/index.js';
import type { Message, ModelClient } from '../../src/shared/model/client.js';
import { keepProbed } from '../../src/shared/model/keep-probed.js';
import { toolsOf } from '../../src/shared/model/tools.js';
import {
  type CompletionRequest,
  KEY,
  MODEL,
  type OpenaiDouble,
  openaiDouble,
  type Server,
  type Writes,
} from '../support/openai-double.js';

const REQUEST = makeExplainRequest();
const [PIECE] = REQUEST.evidence;
const CLAIMS = {
  insufficient: false,
  claims: [
    {
      text: 'The price was read from an item without one.',
      cites: [{ evidence: PIECE?.id ?? '', quote: (PIECE?.text ?? '').split('\n')[0]?.slice(0, 80) ?? '' }],
    },
  ],
};

/** A model that does as it is told, and writes what the schema forbids only if none is enforced. */
const obedient: Writes = ({ messages }, schema) => {
  const asked = messages.at(-1)?.content ?? '';
  if (asked.startsWith('Count')) return Array.from({ length: 300 }, (_, index) => index + 1).join(' ');
  if (asked.startsWith('Say hello')) return schema ? '{"insufficient": true, "claims": []}' : 'Hello!';
  if (asked.startsWith('There is no evidence')) return '{"insufficient": true, "claims": []}';
  return JSON.stringify(CLAIMS);
};

interface Logged {
  readonly level: string;
  readonly fields: object;
  readonly text: string;
}

async function parts(
  t: Tap.Test,
  kind: Server,
  more: object = {},
  fails: ((response: ServerResponse) => void) | null = null,
) {
  const double = await openaiDouble(kind, obedient);
  double.fails(fails);
  const stop = new AbortController();
  const logged: Logged[] = [];
  const log = (level: string) => (fields: object, text: string) => void logged.push({ level, fields, text });
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const config = { url: double.url, model: MODEL, apiKey: KEY, timeoutMs: 30_000, ...more };
  const { explainer, check } = await openai(config).setup({ fetch, logger, signal: stop.signal });
  t.teardown(async () => {
    stop.abort();
    await double.close();
  });
  if (!explainer || !check) throw new Error('no explainer');
  return { double, explainer, check: () => check(new AbortController().signal), logged };
}
declare namespace Tap {
  type Test = Pick<typeof t, 'teardown'>;
}
const explained = ({ explainer }: Awaited<ReturnType<typeof parts>>) =>
  explainer.explain(REQUEST, new AbortController().signal);

t.test('fulfils the explainer contract', async (t) => {
  const make = async () => {
    const { explainer, double } = await parts(t, 'llamacpp');
    return { explainer, close: () => double.close() };
  };
  for (const law of explainerContract) await t.test(law.name, () => law.run(make));
});

const LEARNED: Readonly<Record<Exclude<Server, 'effort'>, Partial<CompletionRequest>>> = {
  openai: {
    max_completion_tokens: 900,
    reasoning_effort: 'minimal',
    response_format: { type: 'json_schema' },
  },
  vllm: { max_tokens: 900, chat_template_kwargs: { enable_thinking: false }, temperature: 0 },
  llamacpp: { max_tokens: 900, chat_template_kwargs: { enable_thinking: false }, temperature: 0 },
  lmstudio: { max_tokens: 900, response_format: { type: 'json_schema' } },
  plain: { max_tokens: 900, response_format: { type: 'json_schema' } },
  strict: { max_tokens: 900, temperature: 0 },
};
const REFUSALS: Readonly<Record<keyof typeof LEARNED, number>> = {
  openai: 4,
  vllm: 0,
  llamacpp: 0,
  lmstudio: 0,
  plain: 0,
  strict: 6,
};

for (const kind of Object.keys(LEARNED) as (keyof typeof LEARNED)[]) {
  t.test(`${kind}: what it refuses is learned once, and the answer is found`, async (t) => {
    const made = await parts(t, kind);
    t.match(await explained(made), {
      source: 'model',
      model: MODEL,
      insufficient: false,
      claims: CLAIMS.claims,
    });
    t.match(made.double.answered, [LEARNED[kind]]);
    t.equal(made.double.answered[0]?.stream, false);
    t.equal(made.double.refused, REFUSALS[kind]);
    await explained(made);
    t.equal(made.double.refused, REFUSALS[kind], 'nothing is refused twice');
    t.equal(made.double.answered.length, 2, 'one answer for each explanation');
  });
}

t.test('a server that ignores one way not to think is asked in another', async (t) => {
  const made = await parts(t, 'effort', { tryAnswering: true });
  t.match(await made.check(), [
    { ok: true, detail: /answered in \d+\.\d s\. It investigates in fixed steps\. The deterministic/ },
  ]);
  t.match(await explained(made), { source: 'model' });
  const asked = made.double.answered.map((one) => [one.chat_template_kwargs, one.reasoning_effort]);
  const template = { enable_thinking: false };
  t.strictSame(asked.slice(0, 3), [
    [template, undefined],
    [template, 'none'],
    [template, 'low'],
  ]);
  t.strictSame(asked.at(-1), [template, 'low'], 'both are said from then on');
  t.equal(made.double.refused, 1, 'minimal');
});

t.test('the probe says what a server does less well', async (t) => {
  const expected: Readonly<Record<keyof typeof LEARNED, RegExp>> = {
    openai: /answered in \d+\.\d s\. It investigates in fixed steps\. The deterministic/,
    vllm: /answered in \d+\.\d s\. It investigates in fixed steps\. The deterministic/,
    llamacpp: /answered in \d+\.\d s\. It investigates in fixed steps\. The deterministic/,
    lmstudio: /Less well: the model thinks although it is asked not to[^;]*\. The deterministic/,
    plain:
      /Less well: the model thinks.*; the answer’s schema is not enforced: .*; the token limit is ignored: /,
    strict: /Less well: the answer’s schema is not enforced: [^;]*\. The deterministic/,
  };
  for (const kind of Object.keys(expected) as (keyof typeof expected)[]) {
    const { check } = await parts(t, kind, { tryAnswering: true });
    t.match(await check(), [{ name: 'openai', ok: true, optional: true, detail: expected[kind] }], kind);
  }
  const { double, check } = await parts(t, 'llamacpp', { tryAnswering: true });
  double.writes(() => 'Certainly! Here is');
  t.match(await check(), [
    {
      ok: false,
      detail: /no usable answer: .* is not JSON: "Certainly! Here is"\. Choose another OPENAI_MODEL/,
    },
  ]);
  double.fails((response) =>
    response.end(
      '{"choices":[{"finish_reason":"length","message":{"content":"","reasoning_content":"First"}}]}',
    ),
  );
  t.match(await check(), [{ ok: false, detail: /its thoughts used up the tokens of the answer/ }]);
  const rambling = await parts(t, 'strict', { tryAnswering: true });
  const hello = 'Hello! '.repeat(100);
  rambling.double.writes((asked, schema) =>
    asked.messages.at(-1)?.content?.startsWith('Say hello') ? hello : obedient(asked, schema),
  );
  t.match(await rambling.check(), [{ ok: true, detail: /schema is not enforced/ }], 'prose that is cut');
});

t.test('the probe at start is logged, and never delays or fails anything', async (t) => {
  const good = await parts(t, 'vllm', { probeAtStart: true });
  await until(() => good.logged.length > 0);
  t.match(good.logged, [{ level: 'info', fields: { model: MODEL, shortcomings: [] } }]);
  const worse = await parts(t, 'strict', { probeAtStart: true });
  await until(() => worse.logged.length > 0);
  t.match(worse.logged, [{ level: 'warn', fields: { shortcomings: ['schema'] } }]);
  t.match(
    await worse.check(),
    [{ ok: true, detail: /Less well: the answer’s schema/ }],
    'the check repeats it',
  );
  t.match(worse.explainer.status?.(), {
    explainer: 'openai',
    model: MODEL,
    state: 'usable',
    reason: null,
    probed_at: /^\d{4}-.*Z$/,
    limits: [
      { name: 'schema', holds: false, detail: /is not enforced/ },
      { name: 'thoughts', holds: true, detail: /does not think/ },
      { name: 'length', holds: true, detail: /is respected/ },
    ],
  });
  const wrong = await parts(t, 'vllm', { probeAtStart: true, model: 'other' });
  await until(() => wrong.logged.length > 0);
  t.match(wrong.logged, [{ level: 'warn', fields: { reason: /no such model/ } }]);
  t.match(wrong.explainer.status?.(), { state: 'unreachable', reason: /no such model/, limits: [] });
  const quiet = await parts(t, 'vllm', {});
  t.match(quiet.explainer.status?.(), { state: 'not_probed', probed_at: null, version: null });
});

t.test('a server that still loads its model is probed until it answers', async (t) => {
  const loading = (response: ServerResponse) =>
    response.writeHead(503).end('{"error":{"code":503,"message":"Loading model"}}');
  const { double, check, explainer, logged } = await parts(t, 'strict', { probeAtStart: true }, loading);
  double.serves('b4321-0c3e');
  await until(() => logged.length > 0);
  t.match(logged, [{ level: 'warn', fields: { reason: /returned 503: Loading model/ } }]);
  t.match(explainer.status?.(), { state: 'unreachable', reason: /Loading model/ });
  double.fails(null);
  await until(() => logged.length > 1);
  t.match(explainer.status?.(), { state: 'usable', version: 'b4321-0c3e' });
  t.match(logged[1], {
    level: 'warn',
    fields: { model: MODEL, served: 'b4321-0c3e', shortcomings: ['schema'] },
  });
  t.match(await check(), [{ ok: true, detail: /double-8b \(b4321-0c3e\) at .*schema/ }]);
});

t.test('another version of the model is probed again, at most once an hour', async (t) => {
  const logged: object[] = [];
  const log = (fields: object) => void logged.push(fields);
  const double = await openaiDouble('llamacpp', obedient);
  t.teardown(() => double.close());
  const config = v.parse(openaiConfig, { url: double.url, model: MODEL, apiKey: KEY });
  let now = 0;
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const kept = keepProbed({
    ...{ name: 'openai', model: MODEL, listedAs: MODEL, client: openaiClient(config, fetch) },
    ...{
      timeoutMs: 30_000,
      investigate: false,
      now: () => now,
      date: () => '2026-01-05T09:00:00.000Z',
      signal: stop.signal,
    },
    logger: { debug: log, info: log, warn: log, error: log },
  });
  const answer = () => kept.client.chat({ system: 's', user: 'Say hello.', schema: {} }, stop.signal);
  double.serves('b1');
  kept.start();
  await until(() => logged.length === 1);
  double.serves('b2');
  now += 59 * 60_000;
  await answer();
  const questions = double.answered.length;
  now += 60_000;
  await answer();
  await until(() => logged.length === 2);
  t.equal(double.answered.length, questions + 4, 'an answer, and three questions');
  t.match(logged, [{ served: 'b1' }, { served: 'b2' }]);
  t.match(kept.known(), { served: 'b2' });
  now += 2 * 60 * 60_000;
  await answer();
  t.equal(double.answered.length, questions + 5, 'the same version is not probed again');
});

t.test('a refusal for another cause, in words of the prompt, changes nothing for later', async (t) => {
  const made = await parts(t, 'llamacpp', { failureLimit: 100 });
  const tooLong = `'max_tokens' is too large: this model's context has 4096 tokens. input: "the json_schema of a seed at this temperature"`;
  made.double.fails((response) =>
    response.writeHead(400).end(JSON.stringify({ error: { message: tooLong } })),
  );
  t.match(await explained(made).catch((error) => error), { message: /returned 400: 'max_tokens' is too/ });
  made.double.fails(null);
  await explained(made);
  t.match(made.double.answered, [
    { max_tokens: 900, temperature: 0, response_format: { type: 'json_schema' } },
  ]);
});

t.test('where servers leave the answer', async (t) => {
  const made = await parts(t, 'llamacpp', { failureLimit: 100 });
  const answer = JSON.stringify(CLAIMS);
  const says = (message: object, finish_reason = 'stop') =>
    made.double.fails((response) =>
      response.end(
        JSON.stringify({ choices: [{ finish_reason, message: { role: 'assistant', ...message } }] }),
      ),
    );
  const sound: Readonly<Record<string, object>> = {
    'beside thoughts': { content: answer, reasoning_content: 'First I look.' },
    'taken for thoughts': { content: '', reasoning_content: answer },
    'taken for thoughts, by vLLM': { content: null, reasoning: answer },
    'after the end of thoughts whose beginning is in the template': {
      content: `Okay, the error.\n</think>\n\n${answer}`,
    },
    'in parts': {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'First' }] },
        { type: 'text', text: answer },
      ],
    },
  };
  for (const [where, message] of Object.entries(sound)) {
    says(message);
    t.match(await explained(made), { claims: CLAIMS.claims }, where);
  }
  const quoting = { ...CLAIMS, claims: [{ ...CLAIMS.claims[0], text: 'It wrote </think> first.' }] };
  says({ content: JSON.stringify(quoting) });
  t.match(await explained(made), { claims: quoting.claims }, 'a tag in a claim ends nothing');
  const failing: readonly (readonly [object, string, RegExp])[] = [
    [{ content: '', reasoning_content: 'First I look.' }, 'stop', /answer is empty/],
    [{ content: null, reasoning: 'First' }, 'length', /thoughts used up the tokens/],
    [{ content: '<think>First' }, 'length', /thoughts used up the tokens/],
  ];
  for (const [message, reason, problem] of failing) {
    says(message, reason);
    t.match(await explained(made).catch((error) => error), { message: problem });
  }
  made.double.fails((response) => response.end('{"error":{"code":502,"message":"Provider returned error"}}'));
  t.match(
    await explained(made).catch((error) => error),
    { message: 'the model server failed: Provider returned error' },
    'an error with status 200',
  );
});

const TOOLS = toolsOf(['search_history', 'show_commit']);
const talk = (client: ModelClient, messages: readonly Message[], forced = false) =>
  client.converse({ messages, tools: TOOLS, tokens: 500, forced }, new AbortController().signal);
const HELLO: readonly Message[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
];

t.test('a conversation with tools', async (t) => {
  const double = await openaiDouble('openai', obedient);
  t.teardown(() => double.close());
  const config = v.parse(openaiConfig, { url: double.url, model: MODEL, apiKey: KEY });
  const client = openaiClient(config, fetch);
  const signature = { google: { thought_signature: 'c2ln' } };
  double.says(() => ({
    calls: [
      ['show_commit', { sha: 'abc1234' }],
      ['search_history', '{"text": '],
    ],
    more: { reasoning_content: 'First', extra_content: signature },
  }));
  const turn = await talk(client, HELLO, true);
  t.match(turn, {
    content: '',
    calls: [
      { id: /^call_/, name: 'show_commit', arguments: '{"sha":"abc1234"}' },
      { name: 'search_history', arguments: '{"text": ' },
    ],
    cut: false,
    used: { input: 700, output: 30 },
  });
  t.match(double.answered, [{ max_completion_tokens: 500, tools: TOOLS.map((one) => ({ function: one })) }]);
  t.equal(double.answered[0]?.tool_choice, undefined, 'it refused the choice, and the rest was kept');
  double.says(() => ({ content: 'Done.', usage: false, finish: 'length' }));
  const calls = turn?.calls ?? [];
  const next = await talk(client, [
    ...HELLO,
    { role: 'assistant', content: '', calls, message: turn?.message ?? null },
    ...calls.map((call) => ({ role: 'tool' as const, call, content: 'an answer' })),
  ]);
  t.match(next, { content: 'Done.', calls: [], cut: true, used: null });
  t.match(double.answered.at(-1)?.messages.slice(2), [
    {
      role: 'assistant',
      content: null,
      extra_content: signature,
      tool_calls: [
        { type: 'function', function: { name: 'show_commit', arguments: '{"sha":"abc1234"}' } },
        { function: { name: 'search_history', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: calls[0]?.id, content: 'an answer' },
    { role: 'tool', tool_call_id: calls[1]?.id, content: 'an answer' },
  ]);
  const made = { id: 'a23456789', name: 'show_commit', arguments: '{}' };
  await talk(client, [...HELLO, { role: 'assistant', content: '', calls: [made], message: null }]);
  t.match(double.answered.at(-1)?.messages.at(-1), { content: null, tool_calls: [{ id: made.id }] });
  double.fails((response) =>
    response.end('{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":{"b":1}}}]}}]}'),
  );
  t.match(await talk(client, HELLO), { calls: [{ id: /^[0-9a-f]{9}$/, arguments: '{"b":1}' }] });
});

t.test('servers without tools say so in many ways; another refusal is a failure', async (t) => {
  const strict = await openaiDouble('strict', obedient);
  t.teardown(() => strict.close());
  const config = v.parse(openaiConfig, { url: strict.url, model: MODEL, apiKey: KEY });
  const client = openaiClient(config, fetch);
  t.equal(await talk(client, HELLO), null);
  const refuses = (status: number, message: string) =>
    strict.fails((response) => response.writeHead(status).end(JSON.stringify({ error: { message } })));
  for (const [status, message] of [
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [500, 'tools param requires --jinja flag'],
    [404, 'No endpoints found that support tool use.'],
  ] as const) {
    refuses(status, message);
    t.equal(await talk(client, HELLO), null, message);
  }
  refuses(400, 'maximum context length is 8192 tokens, but 9000 were given (of them 900 in the functions)');
  await t.rejects(talk(client, HELLO), { code: 'explainer_failed', message: /maximum context length/ });
});

const FAILING: Readonly<Record<string, readonly [(response: ServerResponse) => void, RegExp]>> = {
  'HTTP 500': [(response) => response.writeHead(500).end('oops'), /the model server returned 500/],
  'a context that is too long': [
    (response) =>
      response.writeHead(400).end('{"error":{"message":"the request exceeds the available context size"}}'),
    /returned 400: the request exceeds the available context size/,
  ],
  'no JSON': [(response) => response.end('<html>'), /response is not JSON/],
  'another shape': [(response) => response.end('{"choices":[]}'), /unreadable response/],
  'a closed connection': [(response) => void response.destroy(), /unreachable|interrupted/],
  'half an answer': [
    (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"choices":', () => response.destroy());
    },
    /interrupted/,
  ],
  'an endless answer': [
    (response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    },
    /exceeded its size limit/,
  ],
  'a redirect': [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    /unreachable/,
  ],
  'a refusal': [
    (response) =>
      response.end('{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"No."}}]}'),
    /the model refused to answer/,
  ],
  'a filtered answer': [
    (response) => response.end('{"choices":[{"finish_reason":"content_filter","message":{"content":"{"}}]}'),
    /the model refused to answer/,
  ],
  'an answer that is cut': [
    (response) => response.end('{"choices":[{"finish_reason":"length","message":{"content":"{"}}]}'),
    /exceeded its token budget/,
  ],
};

t.test('every failure is one call and a reason, and the key is never in it', async (t) => {
  const made = await parts(t, 'llamacpp', { failureLimit: 100, answerBytes: 100_000 });
  for (const [name, [how, reason]] of Object.entries(FAILING)) {
    made.double.fails(how);
    const error: unknown = await explained(made).catch((thrown) => thrown);
    t.match(error, { code: 'explainer_failed', message: reason }, name);
  }
  const other = await parts(t, 'openai', { apiKey: 'sk-wrong-hunter2' });
  const error: unknown = await explained(other).catch((thrown) => thrown);
  t.match(error, { code: 'explainer_failed', message: 'the model server refused the key (401)' });
  t.match(await other.check(), [
    { ok: false, detail: /refused the key \(401\)\. Start the model server, or unset OPENAI_MODEL/ },
  ]);
});

t.test('a hanging server costs at most the time limit; nobody there is said', async (t) => {
  const made = await parts(t, 'llamacpp', { timeoutMs: 300 });
  made.double.fails(() => {});
  t.match(await explained(made).catch((thrown) => thrown), { message: /no complete answer within 1 s/ });
  const url = `http://127.0.0.1:${await reservePort()}/v1`;
  const nobody = await parts(t, 'llamacpp', { url });
  t.match(await explained(nobody).catch((thrown) => thrown), { message: 'the model server is unreachable' });
  t.match(await nobody.check(), [{ ok: false, detail: /unreachable\. Start the model server/ }]);
});

t.test('fences and thoughts are removed in linear time', async (t) => {
  const made = await parts(t, 'strict');
  const answers = {
    '```json\n{"insufficient": true, "claims": []}\n```': true,
    '<think>a</think>\n```\n{"insufficient": true, "claims": []}\n```\n': true,
    [`\`\`\`${'\n'.repeat(200_000)}`]: false,
    [`<think>${'<think>\n'.repeat(50_000)}`]: false,
  };
  for (const [content, sound] of Object.entries(answers)) {
    made.double.writes(() => content);
    const told = await explained(made).catch((error) => error);
    t.match(told, sound ? { insufficient: true } : { code: 'explainer_failed' }, content.slice(0, 20));
  }
});

t.test('configuration', async (t) => {
  for (const [given, url] of [
    ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
    ['https://models.example/v1/chat/completions', 'https://models.example/v1'],
    ['http://u:p@x/v1', null],
    ['http://x/v1?key=1', null],
    ['ftp://x', null],
    ['localhost:8080', null],
    ['', null],
  ] as const)
    t.equal(modelUrl(given), url, given);
  t.throws(() => openai({ model: 'm', url: 'nonsense' }), { code: 'configuration', path: 'url' });
  t.throws(() => openai({ model: 'a b', url: 'http://x/v1' }), { code: 'configuration', path: 'model' });
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}

export type { OpenaiDouble };
