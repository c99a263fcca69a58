import { CulpritError, type Event, type Run, type RunRecord, type RunSummary } from '@culprit/core';
import { readSuspect, summarise } from '@culprit/core/model';

/** Written with every count, so it must stay small. */
export interface RunHead {
  readonly run: RunSummary;
  readonly intent: RunRecord['intent'];
  readonly lease: RunRecord['lease'];
  /** Number of history entries. */
  readonly entries: number;
  /** Seal of the last history entry. */
  readonly chain?: string | undefined;
  /** Retention has deleted the run. No list shows it; it is read only to count its crash. */
  readonly tombstone?: true;
}
/** Written only when the run changes; may be large. */
export type RunDetail = Pick<Run, 'suspects' | 'explanation' | 'draft'>;

export const NO_DETAIL: RunDetail = { suspects: [], explanation: null, draft: null };

export function joinParts(head: RunHead, detail: RunDetail, event: Event): RunRecord {
  const { run, intent, lease, entries, chain } = head;
  const sealed = chain === undefined ? {} : { sealed: { entries, mac: chain } };
  const suspects = detail.suspects.map(readSuspect);
  return { run: { ...run, ...detail, suspects, event }, intent, lease, ...sealed };
}

export function headOf({ run, intent, lease }: RunRecord, entries: number, chain?: string): RunHead {
  return { run: summarise(run), intent, lease, entries, chain };
}

const texts = new WeakMap<RunSummary, string>();

/** A run is part of its head and of the feed entry, so it is serialised once. */
export function encodeRun(run: RunSummary): string {
  const known = texts.get(run);
  if (known !== undefined) return known;
  const text = JSON.stringify(run);
  texts.set(run, text);
  return text;
}

export function encodeHead({ run, ...rest }: RunHead): string {
  return `{"run":${encodeRun(run)},${JSON.stringify(rest).slice(1)}`;
}

export function encode(value: unknown): string {
  return JSON.stringify(value);
}

/** Parses what this store wrote. Anything else means that the directory is damaged. */
export function decode<Value>(text: string, what: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (cause) {
    throw new CulpritError(
      'internal',
      `The storage contains a damaged ${what}. Restore the directory from a backup.`,
      {
        cause,
      },
    );
  }
}
