import type { ConnectorContext, ConnectorParts } from '@culprit/core';
import { timeLimit } from '@culprit/core/resilience';
import { type CheckedModel, checkModel, inWords, reasonOf } from './check.js';
import { modelExplainer } from './explainer.js';
import type { ModelLimits } from './limits.js';
import { probeModel, type Shortcoming } from './probe.js';

/** Questions of a probe, each of which may take as long as an answer. */
const QUESTIONS = 3;

/** The explainer and the check of one model. With `probeAtStart`, the model is probed in the background, and the log says the result. */
export function modelParts(
  checked: Omit<CheckedModel, 'known' | 'model' | 'tryAnswering'>,
  config: ModelLimits & { readonly model: string },
  { logger, signal }: Pick<ConnectorContext, 'logger' | 'signal'>,
): ConnectorParts {
  const { name, client } = checked;
  const { model, tryAnswering } = config;
  let known: readonly Shortcoming[] | null = null;
  const probe = async () => {
    try {
      known = await probeModel(client, timeLimit(QUESTIONS * config.timeoutMs, signal));
      const said = known.length === 0 ? 'the model keeps to its limits' : inWords(known).trim();
      logger[known.length === 0 ? 'info' : 'warn']({ connector: name, model, shortcomings: known }, said);
    } catch (error) {
      if (!signal.aborted)
        logger.warn(
          { connector: name, model, reason: reasonOf(error) },
          'the model gave no usable answer to the probe',
        );
    }
  };
  if (config.probeAtStart) void probe();
  return {
    explainer: modelExplainer({ name, client, config, now: () => performance.now() }),
    check: (until) => checkModel({ ...checked, model, tryAnswering, known: () => known }, until),
  };
}
