import type { ConnectorContext, ConnectorParts } from '@culprit/core';
import { type CheckedModel, checkModel } from './check.js';
import { modelExplainer } from './explainer.js';
import { keepProbed } from './keep-probed.js';
import type { ModelLimits } from './limits.js';

/** The explainer and the check of one model. With `probeAtStart`, the model is probed in the background, and the log says the result. */
export function modelParts(
  checked: Omit<CheckedModel, 'known' | 'listed' | 'model' | 'tryAnswering'>,
  config: ModelLimits & { readonly model: string },
  { logger, signal }: Pick<ConnectorContext, 'logger' | 'signal'>,
): ConnectorParts {
  const { name } = checked;
  const { model, tryAnswering, timeoutMs } = config;
  const now = () => performance.now();
  const date = () => new Date().toISOString();
  const probed = keepProbed({ ...checked, model, timeoutMs, now, date, logger, signal });
  if (config.probeAtStart) probed.start();
  const { known, status, listed, client } = probed;
  return {
    explainer: { ...modelExplainer({ name, client, config, now }), status },
    check: (until) => checkModel({ ...checked, model, tryAnswering, known, listed }, until),
  };
}
