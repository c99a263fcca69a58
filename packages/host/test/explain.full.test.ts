import { setTimeout as pause } from 'node:timers/promises';
import { openai } from '@culprit/connectors/openai';
import type { Connector } from '@culprit/core';
import t from 'tap';
import { KEY, MODEL, openaiDouble } from '../../connectors/test/support/openai-double.js';
import { coreBench, OTHER_TOKEN } from './support/core-bench.js';
import { culprit } from './support/run-culprit.js';

t.setTimeout(300_000);

const ADA = { name: 'ada', via: 'api' } as const;

t.test('the explanation of a run, on the command line', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const explain = (...args: readonly string[]) =>
    culprit(['explain', ...args, '--url', core.url], { env: { CULPRIT_TOKEN: OTHER_TOKEN } });
  const id = await stage();
  t.match(await explain(), { code: 2, stderr: /A run is missing/ });
  t.match(await explain(id), { code: 3, stderr: /has no explanation yet\. Approve Gate 1 first/ });
  await engine.approveGateOne(id, ADA);
  const { stdout } = await explain(id);
  t.match(stdout, /template\n {2}1\. /);
  t.ok(stdout.split('\n').every((line) => [...line].length <= 120));
  const { explanation } = await engine.run(id);
  t.match(JSON.parse((await explain(id, '--json')).stdout), [{ run_id: id, explanation }]);
});

t.test('what the probe found, over the API and on the command line', async (t) => {
  const plain = await coreBench();
  t.teardown(plain.close);
  t.match((await plain.api({ path: '/api/v1/model' })).json, { model: null });
  const double = await openaiDouble('llamacpp', () => '{"insufficient":true,"claims":[]}');
  const model = openai({ url: double.url, model: MODEL, apiKey: KEY, probeAtStart: true });
  const change = (real: readonly Connector[]) =>
    real.flatMap((one) => (one.id === 'template' ? [model, one] : [one]));
  const { api, core, close } = await coreBench({ change });
  t.teardown(async () => {
    await close();
    await double.close();
  });
  const status = async () => (await api({ path: '/api/v1/model' })).json.model;
  while ((await status()).state !== 'usable') await pause(10);
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
