import { historyEntrySchema } from '@culprit/core/internal/domain/history';
import { about } from '@culprit/core/internal/domain/schema';
import type { ChainFinding } from '@culprit/core/internal/pipeline/history-chain';
import * as v from 'valibot';
import type { HistoryCheck } from '../../audit/check-histories.js';

const KINDS = ['edited', 'personal', 'removed', 'reordered', 'truncated', 'unsealed'] as const;

const count = (what: string) => about(v.number(), what);
const time = (what: string) => about(v.nullable(v.string()), what);

const findingSchema = v.object({
  run_id: v.string(),
  kind: v.picklist(KINDS satisfies readonly ChainFinding['kind'][]),
  sequence: count('Sequence of the first entry that it is about.'),
  detail: v.string(),
});

/** What was checked in one page of runs. */
export const verificationSchema = v.object({
  runs: count('Runs of this page.'),
  entries: count('Entries of their histories.'),
  erased: count('Entries whose names and reasons were erased.'),
  unsealed: count('Entries from before `sealed_since` without a seal, which cannot be verified.'),
  first_at: time('Time of the earliest entry.'),
  last_at: time('Time of the latest entry.'),
  findings: about(v.array(findingSchema), 'Every break in a history. Empty: nothing was changed.'),
  next: v.nullable(v.string()),
}) satisfies v.GenericSchema<unknown, HistoryCheck & { readonly next: string | null }>;

const seal = v.object({ mac: v.string(), salt: v.string(), personal: v.string() });

/** Entries of one page of runs, as `culprit audit export` prints them. */
export const auditEntriesSchema = v.object({
  entries: about(
    v.array(v.object({ run_id: v.string(), ...historyEntrySchema.entries, seal: v.exactOptional(seal) })),
    'By run, each oldest first, with their seals.',
  ),
  next: v.nullable(v.string()),
});
