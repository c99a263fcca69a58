import * as v from 'valibot';
import { createGit, type GitReader } from './client.js';
import { type BareCommit, COMMIT_FORMAT, parseCommits } from './commits.js';
import { gitConfig } from './config.js';
import { openRepository } from './repository.js';
import { HEAD, hexCandidates, lookUp } from './revision.js';

/** A commit whose message names the earlier commit that it undoes or repairs. */
export interface NamedFix {
  readonly sha: string;
  /** The commit before it, in which the fault is. */
  readonly parent: string;
  /** ISO 8601. */
  readonly committed_at: string;
  readonly title: string;
  readonly message: string;
  readonly kind: 'revert' | 'fix';
  /** Full SHAs of the commits that it names, each an ancestor of `parent`. */
  readonly culprits: readonly string[];
}

/** Which fixes to read. */
export interface FixesRequest {
  readonly repository: string;
  /** Fixes, not commits that are read. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/** Abbreviated SHAs shorter than eight digits are often numbers. */
const SHA = '([0-9a-f]{8,64})';
const REVERT = new RegExp(`\\breverts? commit ${SHA}\\b`, 'gi');
const FIXES = new RegExp(`^\\s*fixes:?\\s+(?:commit\\s+)?${SHA}\\b`, 'gim');
const PROSE = new RegExp(
  `\\b(?:introduced|caused|broken|broke|regress\\w*|bug)\\b[^.]{0,60}?\\b(?:in|by|with|from|since|after|commit)\\s+(?:commit\\s+|change\\s+)?${SHA}\\b`,
  'gi',
);
/** What `git log --grep` looks for: a superset, so that few messages are read. */
const GREP = '(revert|fixes|introduced|caused|broke|regress|bug).*[0-9a-f]{8}';
/** Commits that tidy up also say which commit introduced what they remove. */
const REPAIRS =
  /\b(?:fix|bug|regress|error|crash|exception|fail|broke|wrong|incorrect|leak|race|panic|deadlock|restor|prevent|avoid|handl|correct|repair|problem|issue)/i;
/** Messages that are read for one fix that is kept. */
const READ_PER_FIX = 40;
const TIMEOUT_MS = 120_000;

/**
 * The newest fixes of a local repository, from HEAD, that name their culprit; then, if these are few, reverts. Rejects with
 * `repository_not_found` and related codes.
 */
export async function readFixes({ repository, most, signal }: FixesRequest): Promise<readonly NamedFix[]> {
  const client = createGit(v.parse(gitConfig, { timeoutMs: TIMEOUT_MS }));
  try {
    const git = client.at(await openRepository(repository), signal);
    const [head] = await lookUp(git, [HEAD]);
    if (!head) return [];
    const named = (await readMessages(git, head, most * READ_PER_FIX)).map(namedBy);
    const found: NamedFix[] = [];
    // Reverts say less about ranking, so they fill what fixes leave.
    for (const kind of ['fix', 'revert'] as const) {
      for (const one of named) {
        if (found.length === most) break;
        const fix = one.kind === kind ? await fixOf(git, one) : null;
        if (fix !== null) found.push(fix);
      }
    }
    return found.sort((x, y) => Date.parse(y.committed_at) - Date.parse(x.committed_at));
  } finally {
    await client.close();
  }
}

async function readMessages(git: GitReader, head: string, most: number): Promise<readonly BareCommit[]> {
  const filter = ['--no-merges', '--extended-regexp', '--regexp-ignore-case', `--grep=${GREP}`];
  const { stdout } = await git.partial([
    ...['log', ...filter, `--max-count=${most}`, `--format=${COMMIT_FORMAT}`, head, '--'],
  ]);
  return parseCommits(stdout);
}

interface Named {
  readonly commit: BareCommit;
  readonly kind: NamedFix['kind'];
  readonly names: readonly string[];
}

function namedBy(commit: BareCommit): Named {
  return { commit, ...culpritNames(commit.message) };
}

async function fixOf(git: GitReader, { commit, kind, names }: Named): Promise<NamedFix | null> {
  const { sha, message, title, committed_at, parents } = commit;
  const [parent] = parents;
  if (parent === undefined || names.length === 0) return null;
  const resolved = await lookUp(git, hexCandidates(names, 'explicit'));
  const culprits: string[] = [];
  for (const culprit of new Set(resolved)) {
    if (culprit !== null && culprit !== sha && (await isAncestor(git, culprit, parent)))
      culprits.push(culprit);
  }
  return culprits.length === 0 ? null : { sha, parent, committed_at, title, message, kind, culprits };
}

/** What a message says about its culprit. */
function culpritNames(message: string): {
  readonly kind: NamedFix['kind'];
  readonly names: readonly string[];
} {
  const named = (pattern: RegExp) =>
    [...message.matchAll(pattern)].map(([, name = '']) => name.toLowerCase());
  const reverted = named(REVERT);
  if (reverted.length > 0) return { kind: 'revert', names: [...new Set(reverted)] };
  const trailers = named(FIXES);
  const prose = REPAIRS.test(message.split('\n', 1)[0] ?? '') ? named(PROSE) : [];
  return { kind: 'fix', names: [...new Set([...trailers, ...prose])].slice(0, 5) };
}

async function isAncestor(git: GitReader, culprit: string, of: string): Promise<boolean> {
  const outcome = await git.run(['merge-base', '--is-ancestor', culprit, of]);
  return outcome.kind === 'exited' && outcome.code === 0;
}
