import type { InvestigatedBy } from '@culprit/core/internal/domain/investigation';

/** `the model qwen3-32b`, `the agent claude of ada` */
export function investigatorWords({ kind, name, person }: InvestigatedBy): string {
  return kind === 'model' || person === null ? `the ${kind} ${name}` : `the agent ${name} of ${person}`;
}

/** Reads on from a probability. */
export function unmeasured({ kind }: Pick<InvestigatedBy, 'kind'>): string {
  return `not measured with this ${kind}`;
}
