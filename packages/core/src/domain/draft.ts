import { canonicalJson } from './json.js';
import type { Trust } from './trust.js';

/** What a reviewer signs. `digest` covers repository, title, body, labels and assignees. */
export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly repository: string;
  /** SHA-256 of {@link canonicalDraft}, lower-case hex. */
  readonly digest: string;
  /** The reviewer who last edited it; `null` if nobody has. */
  readonly edited_by: string | null;
  /** The trust of the crash that was analysed. Absent in drafts of older versions. */
  readonly trust?: Trust | undefined;
}

/** The parts of a draft that its digest covers. */
export type DraftContent = Pick<Draft, 'title' | 'body' | 'labels' | 'assignees' | 'repository'>;

/** The bytes that the digest covers. */
export function canonicalDraft(draft: DraftContent): string {
  const { repository, title, body, labels, assignees } = draft;
  return canonicalJson({ repository, title, body, labels, assignees });
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
} as const;
