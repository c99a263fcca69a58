import type { ConnectorContext, ConnectorParts } from '@culprit/core/connector';
import * as v from 'valibot';
import { type CheckedModel, checkModel } from './check.js';
import { modelExplainer } from './explainer.js';
import { modelInvestigator } from './investigator.js';
import { keepProbed } from './keep-probed.js';

export const count = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

/** The bounds of every model connector. */
export const modelLimits = {
  /** Time limit for one answer, to its last byte. Must be below the engine's `explainMs`. */
  timeoutMs: v.optional(count(50, 600_000), 50_000),
  /** UTF-8 bytes of the whole prompt. Excess evidence is left out, least relevant first. */
  promptBytes: v.optional(count(4_096, 262_144), 16_384),
  /** Maximum tokens of the answer. */
  answerTokens: v.optional(count(64, 8_192), 900),
  /** Maximum bytes of an answer. */
  answerBytes: v.optional(count(1_024, 4_194_304), 524_288),
  /** Consecutive failures that open the circuit breaker. */
  failureLimit: v.optional(count(1, 100), 3),
  /** How long the open circuit breaker rejects calls before it lets one through. */
  coolDownMs: v.optional(count(10, 3_600_000), 60_000),
  /** True: `check()` also probes the model with short questions. For `culprit doctor`; `/readyz` only asks whether it is there. */
  tryAnswering: v.optional(v.boolean(), false),
  /** True: the model is probed once, in the background, when the engine starts. */
  probeAtStart: v.optional(v.boolean(), false),
  /** True: the model also investigates, if a probe does not find that it cannot. */
  investigate: v.optional(v.boolean(), true),
} as const;

const schema = v.object(modelLimits);
export type ModelLimits = v.InferOutput<typeof schema>;

/** The explainer, the investigator and the check of one model. With `probeAtStart`, the model is probed in the background, and the log says the result. */
export function modelParts(
  checked: Omit<CheckedModel, 'known' | 'listed' | 'model' | 'tryAnswering' | 'investigate'>,
  config: ModelLimits & { readonly model: string },
  { logger, signal }: Pick<ConnectorContext, 'logger' | 'signal'>,
): ConnectorParts {
  const { name } = checked;
  const { model, tryAnswering, timeoutMs, investigate } = config;
  const now = () => performance.now();
  const date = () => new Date().toISOString();
  const probed = keepProbed({ ...checked, model, timeoutMs, investigate, now, date, logger, signal });
  if (config.probeAtStart) probed.start();
  const { known, status, listed, client } = probed;
  return {
    explainer: { ...modelExplainer({ name, client, config, now }), status },
    ...(investigate ? { investigator: modelInvestigator({ name, client, config, status }) } : {}),
    check: (until) => checkModel({ ...checked, model, tryAnswering, investigate, known, listed }, until),
  };
}
