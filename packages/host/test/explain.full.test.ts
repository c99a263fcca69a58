import { setTimeout as pause } from 'node:timers/promises';
import { openai } from '@culprit/connectors/openai';
import type { Connector } from '@culprit/core';
import t from 'tap';
import { KEY, MODEL, openaiDouble } from '../../connectors/test/support/openai-double.js';
import { coreBench, OTHER_TOKEN } from './support/core-bench.js';
import { culprit } from './support/run-culprit.js';

t.setTimeout(300_000);

const ADA = { name: 'ada', via: 'api' } as const;

t.test('`runs show` says who explains the crash, and shows it in the draft', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const show = (...args: readonly string[]) =>
    culprit(['runs', 'show', ...args, '--url', core.url], { env: { CULPRIT_TOKEN: OTHER_TOKEN } });
  const id = await stage();
  t.notMatch((await show(id)).stdout, 'explained');
  await engine.approveGateOne(id, ADA);
  t.match(
    (await show(id)).stdout,
    /explained {4}by fixed rules, in \d claims?\n[\s\S]*### Explanation\n[\s\S]*1\. /,
  );
  const { explanation } = await engine.run(id);
  t.match(JSON.parse((await show(id, '--json')).stdout), { run_id: id, explanation });
});

t.test('what the probe found, over the API', async (t) => {
  const plain = await coreBench();
  t.teardown(plain.close);
  t.match((await plain.api({ path: '/api/v1/model' })).json, { model: null });
  const double = await openaiDouble('llamacpp', () => '{"insufficient":true,"claims":[]}');
  const model = openai({ url: double.url, model: MODEL, apiKey: KEY, probeAtStart: true });
  const change = (real: readonly Connector[]) =>
    real.flatMap((one) => (one.id === 'template' ? [model, one] : [one]));
  const { api, close } = await coreBench({ change });
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
  t.ok(double.answered.length > 0);
});
