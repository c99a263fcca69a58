import type { Commit, Diff, DiffFile } from '../../ports/code-host.js';
import { type CrashTokens, sharedTokens } from './crash-tokens.js';
import { type ChangeBlock, isOnlyForm, ownBlocks } from './formatting.js';
import type { ChangeFacts } from './types.js';

/** Lines of one diff that are searched for tokens. */
const MOST_LINES = 20_000;

export interface TracedPaths {
  readonly files: ReadonlySet<string>;
  readonly directories: ReadonlySet<string>;
}

export function tracedPaths(paths: Iterable<string>): TracedPaths {
  const files = new Set(paths);
  return { files, directories: new Set([...files].map(directory)) };
}

/** What one commit shares with the crash. Lines that only changed their form count for nothing. */
export function changeFacts(
  commit: Commit | null,
  diff: Diff | null,
  tokens: CrashTokens,
  traced: TracedPaths,
  ownsLines: boolean,
): ChangeFacts {
  const all = new Set([...tokens.error, ...tokens.source, ...tokens.functions]);
  const message = commit === null ? [] : sharedTokens(all, commit.message.split('\n', 200));
  const isMerge = (commit?.parents.length ?? 0) > 1 && !ownsLines;
  if (diff === null) {
    return { touchesFile: null, touchesDir: null, mentions: null, message, ownChange: !isMerge };
  }
  const blocks = new Map(diff.files.map((file) => [file, ownBlocks(file)]));
  const touched = diff.files.filter((file) => traced.files.has(file.path) || traced.files.has(file.old_path));
  return {
    touchesFile: touched.length > 0,
    touchesDir: diff.files.some(({ path }) => traced.directories.has(directory(path))),
    mentions: mentionsIn(diff, [...blocks.values()].flat(), tokens, all),
    message,
    ownChange: !isMerge && !isFormOnly(diff, touched, blocks),
  };
}

function mentionsIn(
  diff: Diff,
  blocks: readonly ChangeBlock[],
  tokens: CrashTokens,
  all: ReadonlySet<string>,
): readonly string[] {
  const lines: string[] = [];
  for (const { removed, added } of blocks) {
    if (lines.length > MOST_LINES) break;
    for (const { text } of [...removed, ...added]) lines.push(text);
  }
  const sections = diff.files.flatMap(({ hunks }) => hunks.map(({ section }) => section));
  const inHeaders = sharedTokens(tokens.functions, sections.slice(0, MOST_LINES));
  return [...new Set([...sharedTokens(all, lines), ...inHeaders])].sort();
}

/** Moved or formatted what it touched of the traced files, or everything it touched at all. */
function isFormOnly(
  diff: Diff,
  touched: Diff['files'],
  blocks: ReadonlyMap<DiffFile, readonly ChangeBlock[]>,
): boolean {
  if (diff.truncated && touched.length === 0) return false;
  return (touched.length > 0 ? touched : diff.files).every((file) => isOnlyForm(file, blocks.get(file)));
}

function directory(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
