import { about } from '@culprit/core/internal/domain/schema';
import { PERSON_CHARS } from '@culprit/core/internal/pipeline/erase-person';
import * as v from 'valibot';

export const ERASURE_STATES = [
  'counting',
  'counted',
  'checking',
  'changed',
  'erasing',
  'done',
  'failed',
] as const;
/** Longer than any address. */
const MAX_PERSON = 320;

const count = (what: string) => about(v.number(), what);

export const foundSchema = v.object({
  runs: count('Runs that name the person anywhere.'),
  events: count('Stored crashes that name the person.'),
  fields: count('Texts that name the person, in all of these runs.'),
  evidence: count('Analyses whose evidence names the person.'),
  drafts: count('Drafts, with their suspects and explanations.'),
  history: count('History entries: decisions of the person, and reasons and comments that name them.'),
  values: count('Other stored values, such as saved views, proposals, releases and deliveries of webhooks.'),
  tokens: count('API tokens that the person made. They end.'),
  sessions: count('Sessions of the person. They end.'),
  issues: about(
    v.array(v.string()),
    'Published issues that name the person, which stay as they are. At most 1,000.',
  ),
});

export const erasureSchema = v.object({
  erasure_id: v.string(),
  state: about(
    v.picklist(ERASURE_STATES),
    '`counted`: to be confirmed. `changed`: the count before erasing found something else; nothing was erased, and the new digest must be confirmed. `failed`: see `error`.',
  ),
  by: about(v.string(), 'Who counted, or confirmed.'),
  started_at: v.string(),
  ended_at: v.nullable(v.string()),
  looked_at: count('Runs that this pass has looked at.'),
  runs: count('Approximate number of runs.'),
  found: about(foundSchema, 'Counted so far, or erased so far.'),
  digest: about(
    v.nullable(v.string()),
    'Confirms what was counted; `null` unless something is to be confirmed.',
  ),
  error: about(v.nullable(v.string()), 'A code of the error catalogue.'),
});
export type ErasureEntry = Readonly<v.InferOutput<typeof erasureSchema>>;

const person = about(
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(PERSON_CHARS, `must have at least ${PERSON_CHARS} characters`),
    v.maxLength(MAX_PERSON, `must have at most ${MAX_PERSON} characters`),
  ),
  'A user id, e-mail address or name. Found as a whole word, in any case.',
);
export const newErasureSchema = v.strictObject({ person });
export const confirmedErasureSchema = v.strictObject({
  person: about(person, 'The same as was counted.'),
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be the digest of the erasure')),
});
