import type { RevisionHints, RevisionSource } from '@culprit/core';

/** Candidates in order of preference; the first that names a commit is the revision. */
export interface RevisionCandidate {
  readonly how: RevisionSource;
  /** For `git cat-file --batch-check`: one line, without revision syntax from outside. */
  readonly expression: string;
  /** Required prefix of the commit's name; `null`: any. */
  readonly prefix: string | null;
}

const HEX = /^[0-9a-f]{7,64}$/;
/** Stricter than git's own rule: no revision syntax, no globs, no control characters. */
const TAG = /^(?![./-])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[A-Za-z0-9@._+/-]{1,200}(?<![./])$/;

/** Full lower-case SHA-1 or SHA-256. */
export const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

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
export function readBatchCheck(
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
