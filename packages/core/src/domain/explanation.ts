import * as v from 'valibot';
import { about, type Doc, text } from './schema.js';

const citationSchema = v.object({
  evidence: about(
    v.string(),
    'Id of an evidence item: `exception:0`, `frame:3`, `commit:<sha>`, `hunk:<sha>`, `source`, `run`.',
  ),
  quote: about(v.string(), 'Verbatim, at most 80 characters.'),
});
/** The evidence behind a claim, quoted verbatim. */
export interface Citation extends Doc<typeof citationSchema> {}

const claimSchema = v.object({ text: v.string(), cites: v.array(citationSchema) });
/** A statement with its evidence. Claims whose quotes are not found in the evidence are removed. */
export interface Claim extends Doc<typeof claimSchema> {}

export const explanationSchema = v.object({
  source: v.picklist(['template', 'model']),
  model: about(text, 'The name of the model; `null` for a template.'),
  claims: v.array(claimSchema),
  insufficient: about(v.boolean(), 'The evidence does not support an explanation, which is a valid result.'),
  note: about(text, 'Failures and limits of the explainers, for a person; `null` if there were none.'),
});
/** The claims about one crash, by a template or by a model. */
export interface Explanation extends Doc<typeof explanationSchema> {}

/** Where a frame is, or where an exception was raised. */
export interface EvidenceLocation {
  /** `src/cart.js:11`, or the file alone. */
  readonly place: string;
  /** 1-based. */
  readonly line: number | null;
  readonly function: string | null;
}

/** A piece of evidence that an explanation may cite. Its text and location are untrusted. */
export interface EvidenceItem {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** For frames, and for exceptions whose stack trace is known but not followed. */
  readonly location?: EvidenceLocation;
}

/** The relation of an exception to the one whose stack trace is followed; the `label` of its evidence. */
export const EXCEPTION_LABELS = {
  followed: 'Exception',
  cause: 'Cause',
  member: 'Member',
  wrapper: 'Wrapper',
} as const;
