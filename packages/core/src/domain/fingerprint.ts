import * as v from 'valibot';
import { about, type Doc, texts } from './schema.js';

export const fingerprintSchema = v.object({
  version: about(v.string(), 'Of the algorithm. A new version never regroups silently.'),
  hash: about(
    v.string(),
    '64 hex digits, computed from `version`, strategy and the `parts` of the first crash of the incident. Later runs of the incident have the same.',
  ),
  parts: about(texts, 'What was hashed, for display: `exception TypeError`, `frame cart.js total`.'),
});
/** Why events are one incident. Later runs of an incident have its hash, also if their first crash came in a form with other parts. */
export interface Fingerprint extends Doc<typeof fingerprintSchema> {}
