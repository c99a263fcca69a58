import { type Check, isCulpritError } from '@culprit/core/connector';
import type { ModelClient } from './client.js';
import { type Probed, probeModel, SHORTCOMINGS, type Shortcoming } from './probe.js';

/** One model, in the words of its server. */
export interface CheckedModel {
  /** The connector's id. */
  readonly name: string;
  readonly client: ModelClient;
  readonly model: string;
  /** The server's address. */
  readonly server: string;
  readonly tryAnswering: boolean;
  /** Whether to find out how it investigates. */
  readonly investigate: boolean;
  /** How `models` names the model. */
  readonly listedAs: string;
  /** What to do if the server does not have the model. */
  readonly fetchIt: string;
  /** The setting that names the model. */
  readonly setting: string;
  /** The result of the probe at start, once it is known. */
  readonly known: () => Probed | null;
  /** Called with the version that the server lists. */
  readonly listed: (version: string | null) => void;
}

/** For finding out how it investigates: longer would exceed the time limit of the whole check. */
const INVESTIGATE_MS = 15_000;
const INVESTIGATES = {
  loop: 'It investigates with its own questions. ',
  steps: 'It investigates in fixed steps. ',
  no: '',
} as const;
const FALLBACK = 'The deterministic template is the fallback.';

/**
 * Whether the server is reachable and has the model and, with `tryAnswering`, what the probe finds. Optional: without a model,
 * explanations are deterministic.
 */
export async function checkModel(given: CheckedModel, signal: AbortSignal): Promise<readonly Check[]> {
  const { name, client, model, server, tryAnswering, setting } = given;
  const say = (ok: boolean, detail: string): readonly Check[] => [{ name, ok, detail, optional: true }];
  let version: string | null = null;
  try {
    const models = await client.models(signal);
    const own = models?.find((one) => one.name === given.listedAs);
    if (models !== null && own === undefined)
      return say(false, `${server} does not have ${model}. ${given.fetchIt}`);
    version = own?.version ?? null;
    given.listed(version);
  } catch (error) {
    return say(
      false,
      `${server}: ${reasonOf(error)}. Start the model server, or unset ${setting}. Until then explanations are deterministic.`,
    );
  }
  const unusable = (why: string) =>
    say(
      false,
      `${model} at ${server} gives no usable answer: ${why}. Choose another ${setting}. Until then explanations are deterministic.`,
    );
  if (!tryAnswering) {
    const known = given.known();
    if (known?.unusable) return unusable(known.unusable);
    return say(
      true,
      `${nameOf(model, version ?? known?.served)} at ${server}. ${inWords(known?.found ?? [])}${how(known)}${FALLBACK}`,
    );
  }
  const before = performance.now();
  try {
    const probed = await probeModel(client, given.investigate ? INVESTIGATE_MS : 0, signal);
    if (probed.unusable !== null) return unusable(probed.unusable);
    const seconds = ((performance.now() - before) / 1_000).toFixed(1);
    const name = nameOf(model, version ?? probed.served);
    return say(
      true,
      `${name} at ${server} answered in ${seconds} s. ${inWords(probed.found)}${how(probed)}${FALLBACK}`,
    );
  } catch (error) {
    return unusable(reasonOf(error));
  }
}

const how = (probed: Probed | null) => (probed?.investigates ? INVESTIGATES[probed.investigates] : '');

/** With what the server says that it is. */
function nameOf(model: string, version: string | null | undefined): string {
  return version && version !== model ? `${model} (${version})` : model;
}

/** `Less well: …; …. `, or nothing. */
export function inWords(found: readonly Shortcoming[]): string {
  return found.length === 0 ? '' : `Less well: ${found.map((one) => SHORTCOMINGS[one]).join('; ')}. `;
}

export function reasonOf(error: unknown): string {
  return isCulpritError(error) ? error.message : 'no answer in time';
}
