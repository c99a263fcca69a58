import {
  CulpritError,
  type Event,
  type Run,
  type RunRecord,
  type RunSummary,
  summarise,
} from '@culprit/core';

/** What is written with every count: small. */
export interface RunHead {
  readonly run: RunSummary;
  readonly intent: RunRecord['intent'];
  readonly lease: RunRecord['lease'];
  /** How many history entries the run has. */
  readonly entries: number;
}
/** What only a change of the run can touch, and may be large. */
export type RunDetail = Pick<Run, 'suspects' | 'explanation' | 'draft'>;

export const NO_DETAIL: RunDetail = { suspects: [], explanation: null, draft: null };

export function joinParts(head: RunHead, detail: RunDetail, event: Event): RunRecord {
  return { run: { ...head.run, ...detail, event }, intent: head.intent, lease: head.lease };
}

export function headOf({ run, intent, lease }: RunRecord, entries: number): RunHead {
  return { run: summarise(run), intent, lease, entries };
}

export function encode(value: unknown): string {
  return JSON.stringify(value);
}

/** What this store wrote. Anything else means that the directory was damaged or written by something else. */
export function decode<Value>(text: string, what: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (cause) {
    throw new CulpritError(
      'internal',
      `The storage holds a damaged ${what}. Restore the directory from a backup.`,
      {
        cause,
      },
    );
  }
}
