import * as v from 'valibot';
import { canonicalJson } from './json.js';
import { about, type Doc, named, text, texts } from './schema.js';
import { TRUSTS } from './trust.js';

const reopensSchema = v.object({
  number: v.number(),
  url: v.string(),
  only_comment: about(
    v.optional(v.literal(true)),
    'The issue is not opened. Absent: it is, after the comment.',
  ),
});
/** The issue that a draft becomes a comment on. */
export interface ReopenTarget extends Doc<typeof reopensSchema> {}

export const draftSchema = named(
  'Draft',
  'The issue as it will be published.',
  v.object({
    title: v.string(),
    body: v.string(),
    labels: texts,
    assignees: texts,
    repository: v.string(),
    reopens: about(
      v.optional(reopensSchema),
      'The body becomes a comment on this issue, which is then opened; its title, labels and assignees stay. Absent: a new issue.',
    ),
    digest: about(v.string(), 'SHA-256 of the canonical form; the ETag.'),
    edited_by: about(text, 'The reviewer who last edited it; `null` if nobody has.'),
    trust: about(
      v.optional(v.picklist(TRUSTS)),
      'Of the crash that was analysed. Absent in drafts of older versions.',
    ),
  }),
);
/** What a reviewer signs. `digest` covers repository, title, body, labels, assignees and the issue that is reopened. */
export interface Draft extends Doc<typeof draftSchema> {}

/** The parts of a draft that its digest covers. */
export type DraftContent = Pick<Draft, 'title' | 'body' | 'labels' | 'assignees' | 'repository' | 'reopens'>;

/** The bytes that the digest covers. */
export function canonicalDraft(draft: DraftContent): string {
  const { repository, title, body, labels, assignees, reopens } = draft;
  const target = reopens && { reopens: targetOf(reopens) };
  return canonicalJson({ repository, title, body, labels, assignees, ...target });
}

/** Only the members of a target. */
export function targetOf({ number, url, only_comment }: ReopenTarget): ReopenTarget {
  return only_comment === true ? { number, url, only_comment } : { number, url };
}

/** GitHub's limits, applied to every publisher so that a draft can move between them. */
export const DRAFT_LIMITS = {
  titleChars: 256,
  bodyChars: 65_536,
  /** The trailer's share of `bodyChars`. */
  trailerChars: 1_536,
  labels: 100,
  labelChars: 50,
  assignees: 10,
  /** Bytes of a request that contains a draft. */
  requestBytes: 512 * 1024,
} as const;

/** A reviewer's replacement for the editable parts of a draft. */
export interface DraftEdit {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
}
