import t from 'tap';
import {
  type Connector,
  CulpritError,
  createEngine,
  type Explainer,
  type Explanation,
  isCulpritError,
} from '../../src/index.js';
import { memoryStorageConnector } from '../../src/testing/index.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;

const bring = (id: string, explainer: Explainer): Connector => ({ id, setup: () => ({ explainer }) });

/** An engine with these explainers, and a run. */
async function bench(explainers: readonly Connector[]) {
  const connectors = [memoryStorageConnector(), ...explainers];
  const engine = await createEngine({ connectors, policy: { explainMs: 300 } });
  const { run_id } = await engine.ingest({ crash: { event_id: 'crash-1', message: 'boom' } });
  return { engine, runId: run_id ?? '' };
}

async function code(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return isCulpritError(error) ? error.code : `bug: ${String(error)}`;
  }
}

t.test(
  'a comparison: the first explainer beside the last, one at a time, bounded, without the reader',
  async (t) => {
    const said = (claims: Explanation['claims'], source: Explanation['source'] = 'model'): Explanation => ({
      ...{
        source,
        model: source === 'model' ? 'm' : null,
        claims,
        insufficient: claims.length === 0,
        note: null,
      },
    });
    const cited = { text: 'It is known.', cites: [{ evidence: 'run', quote: 'platform' }] };
    let answer: (signal: AbortSignal) => Promise<Explanation> = async () => said([cited]);
    let reads = 0;
    const read = async () => {
      reads += 1;
      return { model: 'm', prompt: 'v1', choices: [] };
    };
    const model: Explainer = { name: 'first', read, explain: (_, signal) => answer(signal) };
    const template: Explainer = { name: 'rules', explain: async () => said([cited], 'template') };
    const { engine, runId } = await bench([bring('first', model), bring('rules', template)]);
    t.equal(await code(engine.compareExplanations('run_none')), 'run_not_found');
    t.equal(await code(engine.compareExplanations(runId)), 'not_found', 'before Gate 1');
    await engine.approveGateOne(runId, REVIEWER);
    const before = [await engine.run(runId), await engine.history(runId)];
    reads = 0;
    t.match(await engine.compareExplanations(runId), {
      template: { by: 'template', claims: [cited], failed: null },
      model: { by: 'm', claims: [cited], refused: [], failed: null },
    });
    t.equal(reads, 0, 'the reader is not asked');
    t.equal(engine.model(), null, 'no explainer says what is known about its model');

    const wild = { text: `\u202e${'x'.repeat(3_000)}\n`, cites: [{ evidence: 'run', quote: 'never said' }] };
    answer = async () => said(Array.from({ length: 60 }, () => wild));
    const { refused, failed } = (await engine.compareExplanations(runId)).model;
    t.equal(refused.length, 20);
    t.ok(refused.every(({ text, why }) => text.length <= 400 && /^x+…$/.test(text) && why.length <= 240));
    t.match(failed, { code: 'no_citation', detail: /none of its quotes/ });
    answer = async () => said([]);
    t.match((await engine.compareExplanations(runId)).model.failed, { code: 'insufficient' });

    answer = () => new Promise(() => {});
    const slow = engine.compareExplanations(runId);
    t.equal(await code(engine.compareExplanations(runId)), 'model_busy');
    t.match((await slow).model, {
      by: 'first',
      failed: { code: 'explainer_failed', detail: /no response within/ },
    });
    const refuse = () => {
      throw new CulpritError('rate_limited', 'Later.');
    };
    t.equal(await code(engine.compareExplanations(runId, { admit: refuse })), 'rate_limited');
    const leaving = new AbortController();
    const left = engine.compareExplanations(runId, { signal: leaving.signal });
    leaving.abort(new CulpritError('closed', 'The asker has left.'));
    t.equal(await code(left), 'closed');
    answer = async () => said([cited]);
    t.match(await engine.compareExplanations(runId), { model: { failed: null } }, 'nobody is busy any more');
    t.same([await engine.run(runId), await engine.history(runId)], before, 'nothing has changed');
    await engine.close();
    t.equal(await code(engine.compareExplanations(runId)), 'closed');

    const alone = await bench([bring('rules', template)]);
    t.teardown(() => alone.engine.close());
    t.equal(await code(alone.engine.compareExplanations(alone.runId)), 'no_model');
  },
);
