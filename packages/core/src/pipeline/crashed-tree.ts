import { crashTimeOf } from '../domain/crash-time.js';
import type { Frame } from '../domain/event.js';
import { lastOf } from '../domain/source.js';
import { isCulpritError } from '../errors/error.js';
import type { RevisionHints, Tree } from '../ports/code-host.js';
import type { AnalysisInput } from './analysis.js';
import type { AnalysedCodeHost } from './evidence/recorder.js';
import type { NoRevision } from './find-details.js';
import { namedPaths } from './locate/named-paths.js';

/** The crashed revision. The code host must not consider commits after this crash. */
export async function treeOf(
  codeHost: AnalysedCodeHost,
  repository: string,
  { event, incident, config }: AnalysisInput,
  frames: readonly Frame[],
  signal: AbortSignal,
): Promise<Tree | NoRevision> {
  const at = lastOf(happenedAt({ event, incident }), firstCrashAt(incident));
  const paths = namedPaths(frames, event.platform, config.mappings, config.learned);
  try {
    const hints = { commit: event.commit, release: event.release, at, paths };
    const recorded = event.commit === null ? config.releaseCommit : undefined;
    const found =
      recorded === undefined
        ? null
        : await recordedTree(codeHost, repository, { ...hints, commit: recorded }, signal);
    return found ?? (await codeHost.tree(repository, hints, signal));
  } catch (error) {
    if (isCulpritError(error, 'revision_not_found')) return 'no_revision';
    if (isCulpritError(error, 'revision_foreign')) return 'foreign_revision';
    throw error;
  }
}

/** The tree of the commit that was recorded for the release; `null` if the repository does not have that. */
async function recordedTree(
  codeHost: AnalysedCodeHost,
  repository: string,
  hints: RevisionHints & { readonly commit: string },
  signal: AbortSignal,
): Promise<Tree | null> {
  try {
    const tree = await codeHost.tree(repository, hints, signal);
    if (tree.revision.sha !== hints.commit) return null;
    return { ...tree, revision: { ...tree.revision, how: 'release' } };
  } catch (error) {
    if (isCulpritError(error, 'revision_not_found') || isCulpritError(error, 'revision_foreign')) return null;
    throw error;
  }
}

/** When the incident's first crash happened. Evidence of older versions has that time as `first_seen`. */
export function firstCrashAt({ first_crash_at, first_seen }: AnalysisInput['incident']): string {
  return first_crash_at ?? first_seen;
}

/** When the analysed crash happened. Older versions trusted every sender's clock; their drafts must stay derivable. */
export function happenedAt({ event, incident }: Pick<AnalysisInput, 'event' | 'incident'>): string {
  return incident.first_crash_at === undefined ? event.timestamp : crashTimeOf(event);
}
