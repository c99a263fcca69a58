import { canonicalJson } from './json.js';
import type { Trust } from './trust.js';

/** The issue that a draft becomes a comment on. */
export interface ReopenTarget {
  readonly number: number;
  readonly url: string;
  /** The issue is not opened. Absent: it is, after the comment. */
  readonly only_comment?: true | undefined;
}

/** What a reviewer signs. `digest` covers repository, title, body, labels, assignees and the issue that is reopened. */
export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly repository: string;
  /**
   * The issue of `repository` that the body is added to as a comment, and that is then opened, unless only a comment is wanted; its
   * title, labels and assignees stay. Absent: a new issue.
   */
  readonly reopens?: ReopenTarget | undefined;
  /** SHA-256 of {@link canonicalDraft}, lower-case hex. */
  readonly digest: string;
  /** The reviewer who last edited it; `null` if nobody has. */
  readonly edited_by: string | null;
  /** The trust of the crash that was analysed. Absent in drafts of older versions. */
  readonly trust?: Trust | undefined;
}

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
  /** Of the note that says what a proposed change is for. */
  noteChars: 500,
} as const;

/** A reviewer's replacement for the editable parts of a draft. */
export interface DraftEdit {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
}
