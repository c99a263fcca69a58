import type { Frame } from '../domain/event.js';
import type { Blame, Tree } from '../ports/code-host.js';

/** Source-mapped frames listed in the step's detail. */
const MAX_MAPPED = 25;

export type NoRevision = 'no_revision' | 'foreign_revision';

/** The source-mapped frames, if there are any. */
export function mappedDetail(built: readonly Frame[], original: readonly Frame[]) {
  const mapped = original.flatMap((frame, index) => {
    const from = built[index];
    if (from === undefined || from === frame) return [];
    return [`${from.file}:${from.line}:${from.column} → ${frame.file}:${frame.line}`];
  });
  return mapped.length === 0 ? {} : { source_maps: mapped.slice(0, MAX_MAPPED) };
}

export function treeDetail(found: Tree | NoRevision) {
  if (typeof found === 'string') return { found: false };
  const { revision, paths, truncated } = found;
  return { found: true, revision: { ...revision }, files: paths.length, truncated };
}

export function blameDetail({ files, ignored }: Blame) {
  return {
    files: files.map(({ path, status, detail }) => ({ path, status, detail })),
    ignored: ignored.length,
  };
}
