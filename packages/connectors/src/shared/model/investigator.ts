import { CulpritError, isCulpritError } from '@culprit/core/connector';
import type { ModelStatus } from '@culprit/core/internal/domain/model-status';
import type { Investigator } from '@culprit/core/internal/ports/investigator';
import type { ModelClient } from './client.js';
import { deskModel, giveUp } from './desk-model.js';
import { investigateLoop } from './investigate-loop.js';
import { investigateInSteps } from './investigate-steps.js';
import type { ModelLimits } from './parts.js';
import { INVESTIGATE_VERSION } from './prompt/investigate-v1.js';

interface InvestigatorParts {
  /** The connector's id. */
  readonly name: string;
  readonly client: ModelClient;
  readonly config: ModelLimits & { readonly model: string };
  readonly status: () => ModelStatus;
}

/** Asks its own questions, or goes fixed steps, as the probe of its model found out. A model that was not probed tries the first. */
export function modelInvestigator({ name, client, config, status }: InvestigatorParts): Investigator {
  const { model, timeoutMs, promptBytes } = config;
  return {
    name,
    model,
    promptVersion: INVESTIGATE_VERSION,
    status,
    async investigate(desk, signal) {
      const asked = deskModel(desk, client, timeoutMs, signal);
      const { investigates, reason } = status();
      try {
        if (investigates === 'no') throw giveUp(reason ?? 'it gives no usable answer');
        const finding = investigates === 'steps' ? null : await investigateLoop(desk, asked);
        return finding ?? (await investigateInSteps(desk, asked, promptBytes));
      } catch (error) {
        signal.throwIfAborted();
        if (!isCulpritError(error, 'explainer_failed')) throw error;
        throw new CulpritError('investigator_failed', error.message, { cause: error });
      }
    },
  };
}
