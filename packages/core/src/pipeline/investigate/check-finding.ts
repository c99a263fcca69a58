import {
  type CheckedFinding,
  type Finding,
  type FindingCheck,
  MAX_QUOTE,
} from '../../domain/investigation.js';
import type { CodeHost, RepositoryQuestions } from '../../ports/code-host.js';
import { isDeniedPath } from '../locate/denied-path.js';
import { quotedLine } from '../rank/hunk.js';
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
  /** With full SHAs where they are known, and the quote as the diff has it. */
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
  const quoted = await quoteOf(first, finding, parts);
  return {
    finding: { ...finding, commits, quote: 'line' in quoted ? quoted.line : finding.quote },
    checks: [
      exist,
      result('quote_in_diff', 'wrong' in quoted ? quoted.wrong : null),
      await placeCheck(finding, parts),
    ],
  };
}

/** The line that is quoted, as the diff has it, or what is wrong. */
async function quoteOf(
  sha: string,
  { quote }: Finding,
  { codeHost, repository, scrub, signal }: CheckParts,
): Promise<{ readonly line: string } | { readonly wrong: string }> {
  if (!/(?:[\p{L}\p{N}].*){3}/u.test(quote)) return { wrong: 'It has fewer than three letters.' };
  const [commit] = await codeHost.commits(repository, [sha], signal);
  // Against its first parent a merge has every line of its branch.
  if (commit !== undefined && commit.parents.length > 1) return { wrong: 'The commit is a merge.' };
  const { files, truncated } = await codeHost.diff(repository, sha, signal);
  const shown = files.filter(({ path, old_path }) => !isDeniedPath(path) && !isDeniedPath(old_path));
  const found = quotedLine({ files: shown }, quote, scrub);
  if (found !== null) return { line: found.text.length <= MAX_QUOTE ? found.text : quote };
  return { wrong: truncated ? 'The code host does not show the whole diff.' : quote };
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
