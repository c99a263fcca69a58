import { EMPTY_TREE, type Git, type GitCommit } from '../../shared/git.js';

/** Patches beyond these limits are omitted (docs: repository limits, 20,000 lines or 500 KB). */
const MAX_PATCH_BYTES = 500 * 1024;
const MAX_PATCH_LINES = 20_000;
const STATUS: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'removed',
  R: 'renamed',
  C: 'copied',
  M: 'modified',
  T: 'changed',
};

export async function changedFiles(git: Git, commit: GitCommit, repository: string, base: string) {
  const parent = commit.parents[0] ?? EMPTY_TREE;
  const range = [parent, commit.oid];
  const names = (await git.text('diff-tree', '-r', '-M', '-z', '--name-status', ...range)) ?? '';
  const raw = names.split('\0').filter((part) => part !== '');
  const patches = split(
    (await git.text('diff-tree', '-r', '-M', '-p', '--no-ext-diff', '--no-textconv', ...range)) ?? '',
  );
  const files = [];
  for (let at = 0, index = 0; at < raw.length; index++) {
    const letter = raw[at++]?.charAt(0) ?? 'M';
    const previous = letter === 'R' || letter === 'C' ? raw[at++] : undefined;
    const filename = raw[at++] ?? '';
    const patch = patches[index];
    const lines = patch?.split('\n') ?? [];
    const additions = lines.filter((line) => line.startsWith('+')).length;
    const deletions = lines.filter((line) => line.startsWith('-')).length;
    const shown =
      patch !== undefined &&
      patch !== '' &&
      patch.length <= MAX_PATCH_BYTES &&
      lines.length <= MAX_PATCH_LINES;
    files.push({
      sha: null,
      filename,
      status: STATUS[letter] ?? 'modified',
      additions,
      deletions,
      changes: additions + deletions,
      blob_url: `${base}/${repository}/blob/${commit.oid}/${encodeURI(filename)}`,
      raw_url: `${base}/${repository}/raw/${commit.oid}/${encodeURI(filename)}`,
      contents_url: `${base}/repos/${repository}/contents/${encodeURI(filename)}?ref=${commit.oid}`,
      ...(previous === undefined ? {} : { previous_filename: previous }),
      patch: shown ? patch : undefined,
    });
  }
  return files;
}

/** The hunks of each file, without its header. */
function split(diff: string): readonly string[] {
  const found: string[] = [];
  let hunks: string[] | null = null;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) {
      if (hunks) found.push(hunks.join('\n'));
      hunks = [];
    } else if (hunks && (hunks.length > 0 || line.startsWith('@@ '))) {
      hunks.push(line);
    }
  }
  if (hunks) found.push(hunks.join('\n').replace(/\n$/, ''));
  return found;
}
