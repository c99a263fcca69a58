import { setTimeout as pause } from 'node:timers/promises';
import { openai } from '@culprit/connectors/openai';
import type { Connector } from '@culprit/core';
import t, { type Test } from 'tap';
import { KEY, MODEL, type OpenaiDouble, openaiDouble } from '../../connectors/test/support/openai-double.js';
import { clientOf, makeToken } from './support/access-kit.js';
import { coreBench, OTHER_TOKEN } from './support/core-bench.js';
import { culprit } from './support/run-culprit.js';
import { up } from './support/up.js';

t.setTimeout(300_000);

const LONG = `It is shown ${'at length '.repeat(60)}`;
const GUESS = { text: 'The server was restarted.', cites: [{ evidence: 'frame:99', quote: 'nowhere' }] };

const MISQUOTE = (evidence: string) => ({
  text: 'The clock was wrong.',
  cites: [{ evidence, quote: 'tick tock' }],
});

/** Claims the first line of the first piece of evidence, and something that nothing shows. */
function claims(prompt: string): string {
  const [, id = '""', text = ''] = /^BEGIN \w+ evidence ("[^\n]*?") [^\n]*\n([^\n]*)/m.exec(prompt) ?? [];
  const cites = [{ evidence: JSON.parse(id), quote: text.slice(0, 80) }];
  return JSON.stringify({
    insufficient: false,
    claims: [
      { text: 'It is shown.', cites },
      GUESS,
      MISQUOTE(JSON.parse(id)),
      { text: LONG, cites },
      { text: 'Uncited.', cites: [] },
    ],
  });
}

t.test('explain --compare: the model’s text beside the deterministic one, for past runs', async (t) => {
  const double = await openaiDouble('llamacpp', ({ messages }) => claims(messages.at(-1)?.content ?? ''));
  t.teardown(() => double.close());
  const servers = await up(t.testdir());
  t.teardown(servers.stop);
  const core = ['--url', servers.core, '--data', servers.data];
  const explain = (args: readonly string[], env: object = {}) =>
    culprit(['explain', ...args, ...core], { env });
  const MODEL_ENV = { OPENAI_MODEL: MODEL, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: KEY };

  t.match(await explain(['--compare'], MODEL_ENV), { code: 3, stderr: /No run has a draft yet/ });
  await culprit(['trigger', 'python', '--edge-url', servers.edge, ...core]);
  const listed = async () => JSON.parse((await culprit(['runs', 'list', '--json', ...core])).stdout).runs;
  let [run] = await listed();
  while (run === undefined) [run] = await listed();
  t.match(await explain([run.run_id]), { code: 3, stderr: /has no explanation yet\. Approve Gate 1 first/ });
  t.match(await culprit(['runs', 'approve', run.run_id, ...core]), { code: 0 });

  t.match(await explain([run.run_id]), { code: 0, stdout: /template\n {2}1\. / });
  t.match(
    await explain(['--compare']),
    { code: 1, stderr: /No model is configured/ },
    'neither here nor in core',
  );
  t.match(await culprit(['model', ...core]), { code: 0, stdout: /No model is configured/ });
  const compared = await explain(['--compare', '--json'], MODEL_ENV);
  t.match(compared, { code: 0 }, compared.stderr);
  t.match(JSON.parse(compared.stdout), [
    {
      run_id: run.run_id,
      template: { by: 'template', refused: [], failed: null },
      model: {
        by: MODEL,
        claims: [{ text: 'It is shown.' }, { text: /^It is shown at length .*…$/ }],
        refused: [
          { text: GUESS.text, why: 'it cites "frame:99", which is no evidence of this run' },
          { text: 'The clock was wrong.', why: /^its quote is not in .*: "tick tock"$/ },
          { text: 'Uncited.', why: 'it cites nothing' },
        ],
        failed: null,
      },
    },
  ]);
  const { stdout } = await explain(['--compare', run.run_id], MODEL_ENV);
  t.match(stdout, /^ {2}template {2}[\d.]+ s +│ double-8b {2}[\d.]+ s$/m, 'side by side');
  t.match(stdout, /^ {2}1\. .* │ 1\. It is shown\.$/m);
  t.match(
    stdout,
    /│ refused, no citation: The server was restarted\.\n.*│ {4}it cites "frame:99", which is no/,
  );
  t.ok(stdout.split('\n').every((line) => [...line].length <= 120));
  const wrong = await explain(['--compare'], { ...MODEL_ENV, OPENAI_API_KEY: 'sk-wrong' });
  t.match(wrong, { code: 0, stdout: /│ The explainer openai failed: the model server refused/ });
  t.match(await explain(['--compare', 'run_none'], MODEL_ENV), { code: 1, stderr: /run_none/ });
});

const ADA = { name: 'ada', via: 'api' } as const;

/** A core whose model is behind the double's address, and a run with evidence. */
async function modelBench(t: Test, config: object = {}) {
  const double = await openaiDouble('llamacpp', ({ messages }) => claims(messages.at(-1)?.content ?? ''));
  const model = openai({ url: double.url, model: MODEL, apiKey: KEY, ...config });
  const change = (real: readonly Connector[]) =>
    real.flatMap((one) => (one.id === 'template' ? [model, one] : [one]));
  const bench = await coreBench({ change });
  t.teardown(async () => {
    await bench.close();
    await double.close();
  });
  const run = await bench.stage();
  double.fails((response) => response.writeHead(500).end());
  await bench.engine.approveGateOne(run, ADA);
  double.fails(null);
  const compare = (id = run, client = bench.api) =>
    client({ method: 'POST', path: `/api/v1/runs/${id}/explanation/comparison` });
  return { ...bench, bench, double, run, compare };
}

/** Holds every answer of the model until it is called. */
function held(double: OpenaiDouble): { readonly asked: () => boolean; free(): void } {
  const waiting: (() => void)[] = [];
  double.fails((response) => void waiting.push(() => response.writeHead(500).end()));
  return {
    asked: () => waiting.length > 0,
    free() {
      double.fails(null);
      for (const end of waiting) end();
    },
  };
}

const until = async (done: () => boolean | Promise<boolean>) => {
  while (!(await done())) await pause(10);
};

t.test('the comparison over the API: both sides, and nothing changes', async (t) => {
  const { engine, compare, run, bench, core } = await modelBench(t, { failureLimit: 100 });
  const before = [await engine.run(run), await engine.history(run), await engine.evidence(run)];
  const answer = await compare();
  t.match(answer, { status: 200 }, answer.text);
  t.match(answer.json, {
    template: { by: 'template', refused: [], failed: null },
    model: {
      by: MODEL,
      seconds: Number,
      claims: [{ text: 'It is shown.' }, { text: /^It is shown at length .*…$/ }],
      refused: [
        { text: GUESS.text, why: 'it cites "frame:99", which is no evidence of this run' },
        { text: 'The clock was wrong.', why: /^its quote is not in .*: "tick tock"$/ },
        { text: 'Uncited.', why: 'it cites nothing' },
      ],
      failed: null,
    },
  });
  t.ok(answer.json.template.claims.length > 0);
  t.same([await engine.run(run), await engine.history(run), await engine.evidence(run)], before);

  const one = await makeToken(bench, { name: 'compares', scopes: ['read', 'gate1'], projects: ['default'] });
  t.match(await compare(run, clientOf(bench, one.token)), { status: 200 }, 'its own project');
  const reads = await makeToken(bench, { name: 'reads', scopes: ['read', 'comment', 'gate2'] });
  t.match(await compare(run, clientOf(bench, reads.token)), { status: 403, json: { scope: 'gate1' } });
  const shown = await culprit(['explain', '--compare', run, '--url', core.url], {
    env: { CULPRIT_TOKEN: OTHER_TOKEN },
  });
  t.match(shown, { code: 0, stdout: /│ double-8b {2}[\d.]+ s$/m }, 'without a model here, core asks its own');
});

t.test('why there is no usable answer, each with a code', async (t) => {
  const { double, compare, stage, api } = await modelBench(t, { failureLimit: 100, timeoutMs: 300 });
  const model = async () => (await compare()).json.model;
  double.writes(() => '{"insufficient":true,"claims":[]}');
  t.match(await model(), {
    claims: [],
    refused: [],
    failed: { code: 'insufficient', detail: /evidence does not/ },
  });
  double.writes(() => JSON.stringify({ insufficient: false, claims: [GUESS] }));
  t.match(await model(), {
    refused: [{ text: GUESS.text }],
    failed: { code: 'no_citation', detail: String },
  });
  double.writes(() => 'Certainly!');
  t.match(await model(), { by: MODEL, failed: { code: 'explainer_failed', detail: /is not JSON/ } });
  const never = held(double);
  t.match(await model(), { failed: { code: 'explainer_failed', detail: /no complete answer within 1 s/ } });
  never.free();
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  double.writes(() =>
    JSON.stringify({
      insufficient: false,
      claims: [{ text: `The token ${secret} leaked\u202e`, cites: [{ evidence: secret, quote: secret }] }],
    }),
  );
  const leaked = await compare();
  t.notMatch(leaked.text, new RegExp(`${secret}|\u202e`), 'refused claims are sanitised and visible');
  t.match(leaked.json.model.refused, [{ text: /^The token .* leaked$/ }]);

  t.match(await compare('run_none'), { status: 404, json: { code: 'run_not_found' } });
  t.match(await compare(await stage()), {
    status: 404,
    json: { code: 'not_found', detail: /no evidence yet/ },
  });
  const body = { model: 'other' };
  const path = '/api/v1/runs/run_none/explanation/comparison';
  t.match(await api({ method: 'POST', path, body }), { status: 400, json: { code: 'malformed' } });
});

t.test('one comparison at a time, a limited number, and an asker who leaves frees the model', async (t) => {
  const { double, compare, run, core } = await modelBench(t, { failureLimit: 100 });
  const hold = held(double);
  const first = compare();
  await until(hold.asked);
  t.match(await compare(), {
    status: 503,
    headers: { 'retry-after': '5' },
    json: { code: 'model_busy' },
  });
  hold.free();
  t.match(await first, { status: 200, json: { model: { failed: { code: 'explainer_failed' } } } });

  const again = held(double);
  const leaving = new AbortController();
  const left = fetch(`${core.url}/api/v1/runs/${run}/explanation/comparison`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OTHER_TOKEN}` },
    signal: leaving.signal,
  }).catch((error: Error) => error.name);
  await until(again.asked);
  leaving.abort();
  t.equal(await left, 'AbortError');
  double.fails(null);
  await until(async () => (await compare()).status === 200);
  again.free();

  let last = await compare();
  for (let n = 0; n < 20 && last.status === 200; n++) last = await compare();
  t.match(last, { status: 429, headers: { 'retry-after': /^\d+$/ }, json: { code: 'rate_limited' } });
});

t.test('what the probe found, over the API and on the command line', async (t) => {
  const plain = await coreBench();
  t.teardown(plain.close);
  const id = await plain.stage();
  await plain.engine.approveGateOne(id, ADA);
  t.match((await plain.api({ path: '/api/v1/model' })).json, { model: null });
  const path = `/api/v1/runs/${id}/explanation/comparison`;
  t.match(await plain.api({ method: 'POST', path }), { status: 503, json: { code: 'no_model' } });

  const { api, double, core } = await modelBench(t, { probeAtStart: true });
  const status = async () => (await api({ path: '/api/v1/model' })).json.model;
  await until(async () => (await status()).state === 'usable');
  t.match(await status(), {
    explainer: 'openai',
    model: MODEL,
    limits: [{ name: 'schema' }, { name: 'thoughts', holds: true }, { name: 'length' }],
  });
  const shown = await culprit(['model', '--url', core.url], { env: { CULPRIT_TOKEN: OTHER_TOKEN } });
  t.match(shown.stdout, /^double-8b.* by openai: /);
  t.match(shown.stdout, /^ {2}holds {5}the model does not think/m);
  t.ok(double.answered.length > 0);
});
