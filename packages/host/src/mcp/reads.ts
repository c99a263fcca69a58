import type { Client } from '@culprit/client';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';

/** What the tools read. Nothing here changes a run. */
export type RunReads = Pick<
  Client,
  'listRuns' | 'getRun' | 'getStack' | 'listOccurrences' | 'getOccurrence' | 'getEvidence' | 'getBrief'
> & {
  /** The second sanitising pass, over every answer. */
  readonly scrub: (text: string) => string;
};

/** Reads of another process's core. Its own rules have scrubbed what it stored; the built-in ones apply again. */
export function apiReads(client: Client): RunReads {
  return { ...client, scrub: (dirty) => standardSanitiser.text(dirty).value };
}
