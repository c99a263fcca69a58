import type { ModelStatus } from '@culprit/core';
import { KEPT, type Probed, SHORTCOMINGS, type Shortcoming } from './probe.js';

interface Known {
  readonly name: string;
  readonly model: string;
  /** As the server lists it. */
  readonly version: string | null;
  /** Whether it is probed at all. */
  readonly isOn: boolean;
  readonly known: Probed | null;
  readonly probedAt: string | null;
  /** Why the server did not answer the latest probe. */
  readonly unreachable: string | null;
}

const UNKNOWN = 'the model server did not answer this question of the probe, or its answer proves nothing';

/** What the probes found, as the engine shows it. */
export function statusOf(given: Known): ModelStatus {
  const { name, model, known, probedAt, unreachable } = given;
  const version = given.version ?? known?.served ?? null;
  return {
    explainer: name,
    model,
    version: version === model ? null : version,
    state: stateOf(given),
    reason: unreachable ?? known?.unusable ?? null,
    probed_at: probedAt,
    limits: known === null ? [] : LIMITS.map((one) => limitOf(one, known)),
  };
}

const LIMITS = Object.keys(SHORTCOMINGS) as readonly Shortcoming[];

function stateOf({ isOn, known, unreachable }: Known): ModelStatus['state'] {
  if (unreachable !== null) return 'unreachable';
  if (known === null) return isOn ? 'probing' : 'not_probed';
  return known.unusable === null ? 'usable' : 'unusable';
}

function limitOf(name: Shortcoming, { found, unknown }: Probed): ModelStatus['limits'][number] {
  if (found.includes(name)) return { name, holds: false, detail: SHORTCOMINGS[name] };
  return unknown.includes(name)
    ? { name, holds: null, detail: UNKNOWN }
    : { name, holds: true, detail: KEPT[name] };
}
