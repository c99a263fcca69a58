import type { ServerResponse } from 'node:http';
import { explainerContract, makeExplainRequest, makeReadingRequest } from '@culprit/core/testing';
import t from 'tap';
import { reservePort } from '../../../../faults/lib/reserve-port.mjs';
import { modelUrl, openai } from '../../src/openai/index.js';
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
const CHOSEN = {
  why: 'Items without a price.',
  choices: [{ commit: 'c2', quote: 'sum += item.price.amount' }],
};

/** A model that does as it is told, and writes what the schema forbids only if none is enforced. */
const obedient: Writes = ({ messages }, schema) => {
  const asked = messages.at(-1)?.content ?? '';
  if (asked.startsWith('Count')) return Array.from({ length: 300 }, (_, index) => index + 1).join(' ');
  if (asked.startsWith('Say hello')) return schema ? '{"insufficient": true, "claims": []}' : 'Hello!';
  if (asked.startsWith('There is no evidence')) return '{"insufficient": true, "claims": []}';
  return JSON.stringify(/ commit "c2"/.test(asked) ? CHOSEN : CLAIMS);
};

interface Logged {
  readonly level: string;
  readonly fields: object;
  readonly text: string;
}

async function parts(t: Tap.Test, kind: Server, more: object = {}) {
  const double = await openaiDouble(kind, obedient);
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
    const { explainer, double } = await parts(t, 'llamacpp', { reader: true });
    return { explainer, close: () => double.close() };
  };
  for (const law of explainerContract) await t.test(law.name, () => law.run(make));
});

const LEARNED: Readonly<Record<Server, Partial<CompletionRequest>>> = {
  openai: {
    max_completion_tokens: 900,
    reasoning_effort: 'minimal',
    response_format: { type: 'json_schema' },
  },
  vllm: { max_tokens: 900, chat_template_kwargs: { enable_thinking: false }, temperature: 0 },
  llamacpp: { max_tokens: 900, chat_template_kwargs: { enable_thinking: false }, temperature: 0 },
  plain: { max_tokens: 900, response_format: { type: 'json_schema' } },
  strict: { max_tokens: 900, temperature: 0 },
};
const REFUSALS: Readonly<Record<Server, number>> = { openai: 4, vllm: 0, llamacpp: 0, plain: 0, strict: 6 };

for (const kind of Object.keys(LEARNED) as Server[]) {
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

t.test('the probe says what a server does less well', async (t) => {
  const expected: Readonly<Record<Server, RegExp>> = {
    openai: /answered in \d+\.\d s\. The deterministic/,
    vllm: /answered in \d+\.\d s\. The deterministic/,
    llamacpp: /answered in \d+\.\d s\. The deterministic/,
    plain:
      /Less well: the answer’s schema is not enforced: .*; the token limit is not kept: .*; the model thinks/,
    strict: /Less well: the answer’s schema is not enforced: [^;]*\. The deterministic/,
  };
  for (const kind of Object.keys(expected) as Server[]) {
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
  const wrong = await parts(t, 'vllm', { probeAtStart: true, model: 'other' });
  await until(() => wrong.logged.length > 0);
  t.match(wrong.logged, [{ level: 'warn', fields: { reason: /no such model/ } }]);
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

t.test('the reader asks by the same way', async (t) => {
  const { explainer } = await parts(t, 'llamacpp', { reader: true });
  const read = await explainer.read?.(makeReadingRequest(), new AbortController().signal);
  t.match(read, { model: MODEL, choices: CHOSEN.choices });
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
