import { QUESTION_LIMITS, type QuestionInput } from '../../domain/question.js';
import type { Diff, DiffFile } from '../../ports/code-host.js';
import { locatedCrash } from '../evidence/placed-frames.js';
import { readable } from '../evidence/readable.js';
import { isDeniedPath } from '../locate/denied-path.js';
import { kindOf } from '../rank/file-kind.js';
import { day, type Reply, short } from './answer-text.js';
import type { Asking } from './ask.js';
import { repositoryPath } from './source.js';

const MESSAGE_LINES = 30;
const LISTED_FILES = 40;
/** Diff lines of one file, if several are shown. */
const FILE_LINES = 120;

/** Header, message, changed files, then their hunks: those of the crash first, tests and documents last. */
export async function showCommit(
  { sha: given, path: wanted, text }: QuestionInput<'show_commit'>,
  asking: Asking,
): Promise<Reply> {
  const { codeHost, repository, scrub, bundle, signal } = asking;
  const path = wanted === undefined ? '' : repositoryPath(wanted);
  const sha = await asking.at(given);
  if (path === null || sha === null) return 'not_found';
  if (isDeniedPath(path)) return 'denied';
  const [commit] = await asking.commits([sha]);
  if (commit === undefined) return 'not_found';
  const diff: Diff = readable(
    { port: 'code_host', method: 'diff' },
    await codeHost.diff(repository, sha, signal),
    { scrub, project: bundle.project },
  );
  const files = byRelevance(diff.files, bundle);
  const shown = files.filter((file) => [file.path, file.old_path].some((one) => isBelow(one, path)));
  // Of a commit without such files, all are listed: the path may be mistaken.
  const named = (shown.length === 0 ? files : shown).slice(0, LISTED_FILES);
  const message = commit.message.trim().split('\n');
  const { pull_request, parents, history_ends } = commit;
  const head = [
    `commit ${sha} of ${day(commit.committed_at)}`,
    ...(parents.length === 0 ? [] : [`parents: ${parents.map(short).join(' ')}`]),
    ...(pull_request === null ? [] : [`pull request ${pull_request.number}: ${pull_request.title}`]),
    ...(history_ends === undefined ? [] : ['The history ends here, so this is not only its own change.']),
    ...message.slice(0, MESSAGE_LINES).map((line) => `    ${line}`),
    ...(message.length > MESSAGE_LINES ? ['    …'] : []),
    ...named.map(listed),
    ...(files.length > named.length ? [`… and ${files.length - named.length} more files`] : []),
    ...(shown.length === 0 ? ['It changes no such file.'] : []),
  ];
  const { lines, more } = hunksOf(text === undefined ? shown : shown.map((file) => withText(file, text)));
  const none = text !== undefined && lines.length === 0 ? ['No hunk contains it.'] : [];
  return { lines: [...head, ...none, ...lines], more: more || diff.truncated };
}

/** True for everything if the folder is the whole repository. */
const isBelow = (path: string, folder: string) =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

function withText({ hunks, ...file }: DiffFile, text: string): DiffFile {
  return { ...file, hunks: hunks.filter(({ lines }) => lines.some((line) => line.slice(1).includes(text))) };
}

const ORDER = ['crash', 'code', 'test', 'docs'] as const;

function byRelevance(files: readonly DiffFile[], bundle: Asking['bundle']): readonly DiffFile[] {
  const { event, locate } = locatedCrash(bundle);
  const crashed = new Set(event.exceptions.flatMap(locate).map(({ path }) => path));
  const rank = ({ path, old_path }: DiffFile) =>
    crashed.has(path) || crashed.has(old_path) ? 'crash' : kindOf(path);
  return ORDER.flatMap((kind) => files.filter((file) => rank(file) === kind));
}

/** `+3 -1 src/cart.js` */
function listed({ path, old_path, status, hunks }: DiffFile): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const name = path === old_path ? path : `${old_path} → ${path}`;
  const notes = [
    ...(status === 'added' || status === 'removed' ? [status] : []),
    ...(isDeniedPath(path) || isDeniedPath(old_path) ? ['not shown'] : []),
  ];
  return `+${count('+')} -${count('-')} ${name}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** A code host drops the ends of lines, and secrets are redacted. */
const LOOKS_UNCHANGED = '(The - and + lines that look the same differ in their ends or in redacted text.)';

/** A removed line and an added one of the same change look the same. */
function looksUnchanged(lines: readonly string[]): boolean {
  const removed = new Set<string>();
  return lines.some((line) => {
    if (line.startsWith('+')) return removed.has(line.slice(1));
    if (line.startsWith('-')) removed.add(line.slice(1));
    else removed.clear();
    return false;
  });
}

function hunksOf(files: readonly DiffFile[]): { readonly lines: readonly string[]; readonly more: boolean } {
  const lines: string[] = [];
  let left: number = QUESTION_LIMITS.diffLines;
  let more = false;
  for (const { path, hunks } of files) {
    if (hunks.length === 0) continue;
    const all = hunks.flatMap((hunk) => [
      `@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@ ${hunk.section}`,
      ...hunk.lines,
      ...(looksUnchanged(hunk.lines) ? [LOOKS_UNCHANGED] : []),
    ]);
    const most = Math.min(left, files.length > 1 ? FILE_LINES : left);
    if (most === 0) return { lines, more: true };
    lines.push(`--- ${path}`, ...all.slice(0, most));
    left -= Math.min(all.length, most);
    if (all.length <= most) continue;
    more = true;
    lines.push(`… ${all.length - most} more lines of ${path}`);
  }
  return { lines, more };
}
