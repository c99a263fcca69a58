import type { Commit } from '@culprit/core/connector';
import type { GapFact } from '@culprit/core/internal/domain/history-gap';
import type { GitReader } from './client.js';
import { parentsOf } from './objects.js';
import { type Opened, readCommon } from './repository.js';
import { decode, FULL_SHA, parseTimestamps } from './text.js';

/** Why a commit's own change is not known: `shallow`: its parents were not fetched; `replaced`: by git replace or a graft. */
export type HistoryEnd = NonNullable<Commit['history_ends']>;

/** The commits whose own change is not known. Everything is read without replacements and grafts. */
export async function historyEnds({ repository, git }: Opened): Promise<ReadonlyMap<string, HistoryEnd>> {
  const [shallow, grafts, replaced] = await Promise.all([
    repository.shallow === null ? null : readCommon(repository.shallow),
    readCommon(repository.grafts),
    replacedNames(git),
  ]);
  const ends = (names: readonly string[], why: HistoryEnd) => names.map((name) => [name, why] as const);
  return new Map([
    ...ends([...namesIn(grafts), ...replaced], 'replaced'),
    ...ends(namesIn(shallow), 'shallow'),
  ]);
}

/** What the history at a revision lacks. */
export async function gapsAt(
  { repository, git }: Opened,
  sha: string,
  ends: ReadonlyMap<string, HistoryEnd>,
): Promise<readonly GapFact[]> {
  const named = (why: HistoryEnd) => [...ends].flatMap(([name, of]) => (of === why ? name : []));
  const [since, replaced] = await Promise.all([
    named('shallow').length === 0 ? null : newestEnd(git, sha, ends),
    parentsOf(git, named('replaced')),
  ]);
  return [
    ...(since === null ? [] : [{ code: 'shallow', since } as const]),
    ...(repository.partial ? [{ code: 'missing_content' } as const] : []),
    ...(replaced.size === 0 ? [] : [{ code: 'replaced', commits: replaced.size } as const]),
  ];
}

/** When the history before the revision starts to be incomplete; `null` if it is complete although other branches are not. */
async function newestEnd(
  git: GitReader,
  sha: string,
  ends: ReadonlyMap<string, HistoryEnd>,
): Promise<string | null> {
  const output = await git.output(['rev-list', '--timestamp', '--max-parents=0', sha, '--']);
  const cut = parseTimestamps(output).filter((root) => ends.get(root.sha) === 'shallow');
  return (
    cut
      .map(({ committed_at }) => committed_at)
      .sort()
      .at(-1) ?? null
  );
}

async function replacedNames(git: GitReader): Promise<readonly string[]> {
  const output = await git.output(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/replace/'], {
    refs: true,
  });
  return decode(output)
    .split('\n')
    .filter((name) => FULL_SHA.test(name));
}

/** A line of both files starts with a commit. */
function namesIn(text: string | null): readonly string[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const [name = ''] = line.trim().split(' ');
    return FULL_SHA.test(name) ? [name] : [];
  });
}
