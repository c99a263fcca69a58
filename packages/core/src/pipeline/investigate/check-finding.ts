import type { CheckedFinding, Finding, FindingCheck } from '../../domain/investigation.js';
import type { CodeHost, RepositoryQuestions } from '../../ports/code-host.js';
import { visible } from '../draft/visible.js';
import { isDeniedPath } from '../locate/denied-path.js';
import { squash } from '../rank/formatting.js';
import type { TextScrubber } from '../scrub-text.js';

export interface CheckParts {
  readonly codeHost: Pick<CodeHost, 'commits' | 'diff'>;
  readonly questions: Pick<RepositoryQuestions, 'contained' | 'lines'>;
  readonly repository: string;
  /** The crashed revision, full SHA. */
  readonly revision: string;
  /** Applied to the diff, because the investigator has read it scrubbed. */
  readonly scrub: TextScrubber;
  readonly signal: AbortSignal;
}

export interface Checked {
  /** With full SHAs, where they are known. */
  readonly finding: Finding;
  /** In the order of `FINDING_CHECKS`; a check that needs an earlier one is left out if that fails. */
  readonly checks: readonly CheckedFinding[];
}

/** Whether what a finding claims is in the repository. Rejects like a `CodeHost` if it cannot be asked. */
export async function checkFinding(finding: Finding, parts: CheckParts): Promise<Checked> {
  const { questions, repository, revision, signal } = parts;
  const commits: string[] = [];
  const unknown: string[] = [];
  for (const name of finding.commits) {
    const sha = await questions.contained(repository, revision, name.toLowerCase(), signal);
    if (sha === null) unknown.push(name);
    else if (!commits.includes(sha)) commits.push(sha);
  }
  const [first] = commits;
  const exist = result('commits_exist', unknown.length === 0 ? null : unknown.join(', '));
  if (!exist.ok || first === undefined) return { finding, checks: [exist, await placeCheck(finding, parts)] };
  return {
    finding: { ...finding, commits },
    checks: [exist, await quoteCheck(first, finding, parts), await placeCheck(finding, parts)],
  };
}

async function quoteCheck(sha: string, { quote }: Finding, parts: CheckParts): Promise<CheckedFinding> {
  const { codeHost, repository, scrub, signal } = parts;
  // Some copy the sign of the diff, too.
  const wanted = [quote, quote.replace(/^[+-]/, '')].map(squash).filter((text) => text !== '');
  if (!/(?:[\p{L}\p{N}].*){3}/u.test(quote))
    return result('quote_in_diff', 'It has fewer than three letters.');
  const [commit] = await codeHost.commits(repository, [sha], signal);
  // Against its first parent a merge has every line of its branch.
  if (commit !== undefined && commit.parents.length > 1)
    return result('quote_in_diff', 'The commit is a merge.');
  const { files, truncated } = await codeHost.diff(repository, sha, signal);
  const found = files.some(
    ({ path, old_path, hunks }) =>
      !isDeniedPath(path) &&
      !isDeniedPath(old_path) &&
      hunks.some(({ lines }) =>
        lines.some((line) => /^[+-]/.test(line) && wanted.includes(squash(visible(scrub(line.slice(1)))))),
      ),
  );
  if (found) return result('quote_in_diff', null);
  return result('quote_in_diff', truncated ? 'The code host does not show the whole diff.' : quote);
}

async function placeCheck({ place }: Finding, parts: CheckParts): Promise<CheckedFinding> {
  const { questions, repository, revision, signal } = parts;
  const lines = isDeniedPath(place.path)
    ? null
    : await questions.lines(repository, revision, place.path, signal);
  const exists = lines !== null && place.line <= lines.length;
  return result('place_exists', exists ? null : `${place.path}:${place.line}`);
}

function result(code: FindingCheck, detail: string | null): CheckedFinding {
  return { code, ok: detail === null, detail };
}
