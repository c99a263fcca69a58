import { readFileSync } from 'node:fs';
import type { Draft } from '@culprit/core/connector';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import type { ReadFlags } from './read-flags.js';

/** What a file says of a draft. `null`: nothing, so that of the draft stays. */
export interface DraftText {
  readonly title: string | null;
  readonly labels: readonly string[] | null;
  readonly assignees: readonly string[] | null;
  /** Digest of the draft that the text was written from. */
  readonly digest: string | null;
  readonly body: string;
}

/** A text that says only the body. */
export const BODY_ALONE = { title: null, labels: null, assignees: null, digest: null } as const;

const HEADER = /^(Title|Label|Assignee|Digest):[ \t]*(.*)$/;

/** A draft as one file: lines `Title:`, `Label:`, `Assignee:` and `Digest:`, an empty line, the body. */
export function draftFile({ title, labels, assignees, digest, body }: Draft): string {
  const head = [
    `Title: ${title}`,
    ...labels.map((label) => `Label: ${label}`),
    ...assignees.map((assignee) => `Assignee: ${assignee}`),
    `Digest: ${digest}`,
  ];
  return `${head.join('\n')}\n\n${body}${body.endsWith('\n') ? '' : '\n'}`;
}

/** Reads such a file. A file that does not begin with one of these lines is the body alone. */
export function readDraftFile(text: string): DraftText {
  const lines = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  if (!HEADER.test(lines[0] ?? '')) return { ...BODY_ALONE, body: lines.join('\n') };
  const found: Record<string, string[]> = { Title: [], Label: [], Assignee: [], Digest: [] };
  const empty = lines.findIndex((line) => line.trim() === '');
  const end = empty < 0 ? lines.length : empty;
  for (const [at, line] of lines.slice(0, end).entries()) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    if (name === '')
      throw usageError(
        `Line ${at + 1} of the file must begin with Title:, Label:, Assignee: or Digest:, or be empty: the body follows an empty line.`,
      );
    found[name]?.push(value.trim());
  }
  const { Title = [], Label = [], Assignee = [], Digest = [] } = found;
  for (const [name, values] of Object.entries({ Title, Digest }))
    if (values.length > 1) throw usageError(`The file has ${values.length} lines "${name}:".`);
  return {
    title: Title[0] ?? null,
    labels: Label,
    assignees: Assignee,
    digest: Digest[0] ?? null,
    body: lines.slice(end + 1).join('\n'),
  };
}

/** The draft with what the text says. Editors end a file with a line break, which is no change of the body. */
export function withText(
  draft: Draft,
  text: DraftText,
): Pick<Draft, 'title' | 'body' | 'labels' | 'assignees'> {
  const { title, labels, assignees, body } = text;
  const [lineBreaks = ''] = /\n*$/.exec(draft.body) ?? [];
  return {
    title: title ?? draft.title,
    labels: labels ?? draft.labels,
    assignees: assignees ?? draft.assignees,
    body: `${body.replace(/\n*$/, '')}${lineBreaks}`,
  };
}

/** The text of `--file`; `-` is standard input. */
export function fileText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    const what = path === '-' ? 'standard input' : path;
    throw new CommandFailure(
      `Cannot read ${what} (${code}).`,
      code === 'ENOENT' ? EXIT.notFound : EXIT.usage,
    );
  }
}

/** Rejects if the text was written from another draft than the current one. `--digest` is stronger than the file's own. */
export function checkBase(flags: ReadFlags, runId: string, draft: Draft, written: string | null): void {
  const given = flags.text('digest') ?? written;
  if (given === null)
    throw usageError(
      `--digest DIGEST is missing: of the draft that the text was written from. \`culprit runs show ${runId} --draft\` prints it.`,
    );
  if (!/^[0-9a-f]{12,64}$/.test(given)) throw usageError('The digest must be 12 to 64 hex digits.');
  if (draft.digest.startsWith(given)) return;
  const detail = `The draft has changed: its digest is ${draft.digest.slice(0, 12)}, and the text was written from ${given.slice(0, 12)}.`;
  throw new CommandFailure(detail, EXIT.conflict, 'draft_changed');
}
