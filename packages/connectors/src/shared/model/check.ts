import { type Check, isCulpritError } from '@culprit/core';
import type { ModelClient } from './client.js';
import { probeModel, SHORTCOMINGS, type Shortcoming } from './probe.js';

/** One model, in the words of its server. */
export interface CheckedModel {
  /** The connector's id. */
  readonly name: string;
  readonly client: ModelClient;
  readonly model: string;
  /** The server's address. */
  readonly server: string;
  readonly tryAnswering: boolean;
  /** How `models` names the model. */
  readonly listedAs: string;
  /** What to do if the server does not have the model. */
  readonly fetchIt: string;
  /** The setting that names the model. */
  readonly setting: string;
  /** The result of the probe at start, once it is known. */
  readonly known: () => readonly Shortcoming[] | null;
}

const FALLBACK = 'The deterministic template is the fallback.';

/**
 * Whether the server is reachable and has the model and, with `tryAnswering`, what the probe finds. Optional: without a model,
 * explanations are deterministic.
 */
export async function checkModel(given: CheckedModel, signal: AbortSignal): Promise<readonly Check[]> {
  const { name, client, model, server, tryAnswering, setting } = given;
  const say = (ok: boolean, detail: string): readonly Check[] => [{ name, ok, detail, optional: true }];
  try {
    const models = await client.models(signal);
    if (models?.includes(given.listedAs) === false)
      return say(false, `${server} does not have ${model}. ${given.fetchIt}`);
  } catch (error) {
    return say(
      false,
      `${server}: ${reasonOf(error)}. Start the model server, or unset ${setting}. Until then explanations are deterministic.`,
    );
  }
  if (!tryAnswering) return say(true, `${model} at ${server}. ${inWords(given.known() ?? [])}${FALLBACK}`);
  const before = performance.now();
  try {
    const found = await probeModel(client, signal);
    const seconds = ((performance.now() - before) / 1_000).toFixed(1);
    return say(true, `${model} at ${server} answered in ${seconds} s. ${inWords(found)}${FALLBACK}`);
  } catch (error) {
    const detail = `${model} at ${server} gives no usable answer: ${reasonOf(error)}. Choose another ${setting}. Until then explanations are deterministic.`;
    return say(false, detail);
  }
}

/** `Less well: …; …. `, or nothing. */
export function inWords(found: readonly Shortcoming[]): string {
  return found.length === 0 ? '' : `Less well: ${found.map((one) => SHORTCOMINGS[one]).join('; ')}. `;
}

export function reasonOf(error: unknown): string {
  return isCulpritError(error) ? error.message : 'no answer in time';
}
