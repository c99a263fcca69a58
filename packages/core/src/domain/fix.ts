import * as v from 'valibot';
import type { Run } from './run.js';
import { about, type Doc, texts } from './schema.js';

const fix = {
  commit: about(v.string(), 'Full SHA: the commit on the base branch.'),
  pull_request: v.nullable(v.object({ number: v.number(), url: v.string() })),
};
export const fixSchema = v.object(fix);
/** The change that closed an issue, as the code host knows it. */
export interface Fix extends Doc<typeof fixSchema> {}

export const runFixSchema = v.object({
  ...fix,
  missing_in: about(texts, 'Their releases, or commits where no release was reported: the latest 20.'),
  occurrences: about(v.number(), 'Crashes of revisions without the fix.'),
});
/** A fix, and the crashes of revisions that do not contain it. They are counted on the published run, not as a regression. */
export interface RunFix extends Doc<typeof runFixSchema> {}

/** The issue of the run that another one is a regression of. */
export interface EarlierIssue {
  readonly number: number;
  readonly url: string;
  /** What closed it; absent: unknown. */
  readonly fix?: Fix;
  /** A reviewer marked the run as fixed; the issue may be open. Absent: the issue was closed. */
  readonly marked_fixed?: true;
  /** The first release that contains the fix; absent: unknown. */
  readonly fixed_in?: string;
}

export function earlierIssueOf({
  publication,
  fix,
  resolution,
}: Pick<Run, 'publication' | 'fix' | 'resolution'>): EarlierIssue | null {
  if (publication === null) return null;
  const { number, issue_url: url } = publication;
  const { commit, pull_request } = fix ?? {};
  return {
    number,
    url,
    ...(commit === undefined ? {} : { fix: { commit, pull_request: pull_request ?? null } }),
    ...(resolution?.by ? { marked_fixed: true } : {}),
  };
}

/** `#12 in abc1234`, or `abc1234` without a pull request. */
export function fixName({ commit, pull_request }: Fix): string {
  const short = commit.slice(0, 7);
  return pull_request === null ? short : `#${Math.trunc(pull_request.number)} in ${short}`;
}

/** `4 crashes in 2.3.0, 2.2.9, which do not contain the fix`; `null` if there were none. */
export function missingText({ missing_in, occurrences }: RunFix): string | null {
  if (occurrences === 0) return null;
  const crashes = occurrences === 1 ? 'one crash' : `${occurrences} crashes`;
  const contain = missing_in.length === 1 ? 'does not contain' : 'do not contain';
  return `${crashes} in ${missing_in.join(', ')}, which ${contain} the fix`;
}
