import type { Commit, Diff, DiffFile } from '../../ports/code-host.js';
import { contentOf } from './change-content.js';
import { wordsOf } from './code-lines.js';
import { type CrashContext, isCrashWord } from './crash-context.js';
import { type ChangeBlock, isOnlyForm, ownBlocks } from './formatting.js';
import type { ChangeFacts } from './types.js';

/** A commit's message and changes, reduced to what concerns the crash. Lines that were only reformatted do not count. */
export function changeFacts(
  commit: Commit | null,
  diff: Diff | null,
  crash: CrashContext,
  ownsLines: boolean,
): ChangeFacts {
  const words = new Set(commit === null ? [] : commit.message.split('\n', 200).flatMap(wordsOf));
  const message = [...words].filter((word) => isCrashWord(crash, word)).sort();
  const title = commit?.title ?? '';
  const isMerge = (commit?.parents.length ?? 0) > 1 && !ownsLines;
  if (diff === null) return { message, title, content: null, ownChange: !isMerge };
  const blocks = new Map(diff.files.map((file) => [file, ownBlocks(file)]));
  const touched = diff.files.filter((file) => crash.files.has(file.path) || crash.files.has(file.old_path));
  return {
    message,
    title,
    content: contentOf(diff, blocks, crash),
    ownChange: !isMerge && !isFormOnly(diff, touched, blocks),
  };
}

/** True: the commit only moved or formatted its part of the traced files, or everything. */
function isFormOnly(
  diff: Diff,
  touched: Diff['files'],
  blocks: ReadonlyMap<DiffFile, readonly ChangeBlock[]>,
): boolean {
  if (diff.truncated && touched.length === 0) return false;
  return (touched.length > 0 ? touched : diff.files).every((file) => isOnlyForm(file, blocks.get(file)));
}
