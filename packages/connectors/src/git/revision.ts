import { CulpritError, type RevisionHints, type Tree } from '@culprit/core/connector';
import type { RevisionSource } from '@culprit/core/internal/domain/run';
import type { GitReader } from './client.js';
import { parentsOf } from './objects.js';
import { decode, FULL_SHA, parseTimestamps } from './text.js';

/** Candidates in order of preference; the first that names a commit is the revision. */
interface RevisionCandidate {
  readonly how: RevisionSource;
  /** For `git cat-file --batch-check`: one line, without revision syntax from outside. */
  readonly expression: string;
  /** Required prefix of the commit's name; `null`: any. */
  readonly prefix: string | null;
}

const HEX = /^[0-9a-f]{7,64}$/;
/** Stricter than git's own rule: no revision syntax, no globs, no control characters. */
const TAG = /^(?![./-])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[A-Za-z0-9@._+/-]{1,200}(?<![./])$/;

export const HEAD: RevisionCandidate = { how: 'head', expression: 'HEAD^{commit}', prefix: null };

export function revisionCandidates(
  hints: Pick<RevisionHints, 'commit' | 'release'>,
): readonly RevisionCandidate[] {
  return [
    ...hexCandidates([hints.commit ?? ''], 'explicit'),
    ...releaseCandidates((hints.release ?? '').trim()),
    HEAD,
  ];
}

/** One candidate for each abbreviated or full commit name. */
export function hexCandidates(names: readonly string[], how: RevisionSource): readonly RevisionCandidate[] {
  return names
    .map((name) => name.trim().toLowerCase())
    .filter((name) => HEX.test(name))
    .map((name) => ({ how, expression: `${name}^{commit}`, prefix: name }));
}

/** `sha`, `name@sha`, then tags in their usual forms (first those with the package's name), then `…+sha`. */
function releaseCandidates(release: string): readonly RevisionCandidate[] {
  if (release === '' || release.length > 250) return [];
  const at = release.lastIndexOf('@');
  const name = at > 0 ? release.slice(0, at) : '';
  const version = at > 0 ? release.slice(at + 1) : release;
  const build = version.includes('+') ? version.slice(version.indexOf('+') + 1) : '';
  const tags = [...new Set([release, ...tagNames(name, version)])].filter((tag) => TAG.test(tag));
  return [
    ...hexCandidates([release, name === '' ? '' : version], 'release'),
    ...tags.map((tag) => ({ how: 'tag' as const, expression: `refs/tags/${tag}^{commit}`, prefix: null })),
    ...hexCandidates([build], 'release'),
  ];
}

function tagNames(name: string, version: string): readonly string[] {
  const plain = version.replace(/\+.*$/, '');
  const versions = [...new Set([version, plain].map((text) => text.replace(/^v(?=\d)/i, '')))];
  const packages = name === '' ? [] : [...new Set([name, name.slice(name.lastIndexOf('/') + 1)])];
  return versions.flatMap((v) => [
    ...packages.flatMap((p) => [
      `${p}@${v}`,
      `${p}@v${v}`,
      `${p}-v${v}`,
      `${p}-${v}`,
      `${p}/v${v}`,
      `${p}/${v}`,
    ]),
    `v${v}`,
    v,
    `release-${v}`,
    `release/${v}`,
    `release-v${v}`,
  ]);
}

/** The commit named by each line of `git cat-file --batch-check`; `null` if it is missing or ambiguous. */
function readBatchCheck(
  output: string,
  candidates: readonly RevisionCandidate[],
): readonly (string | null)[] {
  const lines = output.split('\n');
  return candidates.map(({ prefix }, index) => {
    const [sha = '', type] = (lines[index] ?? '').split(' ');
    if (type !== 'commit' || !FULL_SHA.test(sha)) return null;
    return prefix === null || sha.startsWith(prefix) ? sha : null;
  });
}

type Revision = Tree['revision'];

/** The commits named by the candidates, resolved in one process; `null` for those that name none. */
export async function lookUp(
  git: GitReader,
  candidates: readonly RevisionCandidate[],
): Promise<readonly (string | null)[]> {
  if (candidates.length === 0) return [];
  const input = candidates.map(({ expression }) => `${expression}\n`).join('');
  const output = await git.output(['cat-file', '--batch-check'], { input, refs: true });
  return readBatchCheck(decode(output), candidates);
}

/** Rejects with `revision_not_found` if the name is not a full SHA or not a commit in the repository. */
export async function requireCommit(git: GitReader, sha: string): Promise<string> {
  const name = sha.toLowerCase();
  if (FULL_SHA.test(name) && (await parentsOf(git, [name])).has(name)) return name;
  throw new CulpritError(
    'revision_not_found',
    `Commit ${JSON.stringify(sha.slice(0, 64))} is not in the repository. Fetch it with "git fetch --all --tags".`,
  );
}

/**
 * The crashed commit: given explicitly, named by the release, or tagged with it; else the newest first-parent commit of
 * HEAD at the time of the crash; else HEAD, as a guess.
 */
export async function resolveRevision(git: GitReader, hints: RevisionHints): Promise<Revision> {
  const candidates = revisionCandidates(hints);
  const found = await lookUp(git, candidates);
  const index = found.findIndex((sha) => sha !== null);
  const sha = found[index];
  const how = candidates[index]?.how;
  if (!sha || !how) {
    throw new CulpritError(
      'revision_not_found',
      'The repository has no commits. Fetch the history or make a first commit.',
    );
  }
  const commit = await oneCommit(git, ['--no-walk', sha]);
  if (!commit) throw new CulpritError('code_host_unavailable', `Commit ${sha} could not be read.`);
  if (how !== 'head') return { ...commit, how };
  const at = Math.floor(Date.parse(hints.at) / 1000);
  if (Number.isNaN(at) || at < 0 || at * 1000 >= Date.parse(commit.committed_at)) return { ...commit, how };
  const earlier = await oneCommit(git, ['--first-parent', '--max-count=1', `--min-age=${at}`, sha]);
  return earlier ? { ...earlier, how: 'date' } : { ...commit, how };
}

async function oneCommit(
  git: GitReader,
  args: readonly string[],
): Promise<Omit<Revision, 'how'> | undefined> {
  const output = await git.output(['rev-list', '--timestamp', ...args, '--']);
  return parseTimestamps(output)[0];
}
