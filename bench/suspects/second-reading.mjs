import { ollama } from '../../packages/connectors/dist/ollama/index.js';
import { checkReading, reordered } from '../../packages/core/dist/pipeline/rank/reading.js';
import {
  crashTextOf,
  readingRequest,
  uncertain,
} from '../../packages/core/dist/pipeline/rank/reading-request.js';
import { CORE_STAGE_ONE } from '../../packages/core/dist/pipeline/rank/weights.js';
import { scrubText } from '../../packages/core/dist/pipeline/scrub-text.js';
import { weightsOfModel } from './budgets.mjs';
import { foldModels } from './fit.mjs';
import { placeOf } from './measure.mjs';
import { rankedCases } from './measured.mjs';

/** One answer of a large local model on a processor may take minutes. */
const TIMEOUT_MS = 600_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * What a model as the reader changes, beside the ranking without it, out of sample. `most`: how many uncertain cases it
 * reads; the rest keep their order.
 */
export async function measureReader({ cache, names, fitted, model, host, most }) {
  const modelOf = foldModels(fitted, names);
  const weightsOf = (organisation) => ({
    stageOne: CORE_STAGE_ONE,
    stageTwo: weightsOfModel(modelOf(organisation), names),
  });
  const options = { model, reader: true, timeoutMs: TIMEOUT_MS, ...(host === undefined ? {} : { host }) };
  const signal = new AbortController().signal;
  const { explainer } = await ollama(options).setup({ logger: silent, fetch, signal });
  const answers = [];
  for await (const one of rankedCases(cache, weightsOf)) {
    const asked = answers.filter(({ ms }) => ms !== null).length;
    answers.push(await read(one, asked < most ? explainer : null, signal));
  }
  return answers;
}

async function read({ key, error, input, ranked, isCulprit, reader }, explainer, signal) {
  const placeIn = (order) => {
    const shas = order.map(({ sha }) => sha);
    return placeOf(shas, new Set(shas.filter(isCulprit)));
  };
  const before = placeIn(ranked);
  const same = { before, after: before, shown: false, chosen: 0, dropped: 0, failed: null, ms: null };
  const near = uncertain(ranked);
  if (near.length === 0 || explainer === null) return same;
  const crashText = crashTextOf(error, input.positions, scrubText);
  const parts = { runId: key, crash: input.crash, crashText, reader, scrub: scrubText };
  const { request, candidates } = await readingRequest(near, parts);
  if (request.commits.length < 2) return same;
  const shown = [...candidates.values()].some(({ sha }) => isCulprit(sha));
  const begun = performance.now();
  try {
    const { quotes, dropped } = checkReading(await explainer.read(request, signal), candidates);
    const after = placeIn(reordered(ranked, quotes));
    return { ...same, after, shown, chosen: quotes.size, dropped, ms: performance.now() - begun };
  } catch (thrown) {
    return { ...same, shown, failed: thrown.message, ms: performance.now() - begun };
  }
}
